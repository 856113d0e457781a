// How many clients the process has file descriptors for.
//
// Every client takes one. A client must never take the descriptor that the journal, the ledger or a
// store needs next. So descriptors are set aside for these first, and the clients get the rest.

#pragma once

#include "engine/settings.hpp"

namespace floodgate::engine {

// The most that everything except clients needs: files, stores, loops, listeners, and some to
// spare.
std::size_t reserved_descriptors(const settings& s);

// The settings with as many clients as `limit` descriptors allow. WebSockets get three quarters at
// most: they never make room, and somebody must be able to come in and pay. One address gets a
// quarter of the connections at most, so that it cannot have them all. Throws
// std::runtime_error, with the numbers: with cluster.strict, that it is less than is configured;
// otherwise, that it is too little to run a shop.
settings fit_to_descriptors(settings s, std::size_t limit);

// Raises this process' limit as far as allowed and gives the number of descriptors it then has.
std::size_t raise_descriptor_limit();

}  // namespace floodgate::engine

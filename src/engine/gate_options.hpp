// What the configuration means for the gate of a cluster.

#pragma once

#include "engine/settings.hpp"
#include "gate/redis_turnstile.hpp"

namespace floodgate::engine {

gate::redis_turnstile_options gate_options(const settings& s);

}  // namespace floodgate::engine

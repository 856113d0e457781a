// Which settings of Redis make promises less durable than they should be.

#pragma once

#include <string>
#include <vector>

#include "store/redis/facts.hpp"

namespace floodgate::engine {

std::string say_durability(const store::redis_facts& f);
// One clear line each; empty: nothing is weaker than promised.
std::vector<std::string> weaknesses_of(const store::redis_facts& f);

}  // namespace floodgate::engine

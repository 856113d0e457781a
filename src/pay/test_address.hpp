// Whether an address belongs to a trial and not to the real channel.

#pragma once

#include <string_view>

namespace floodgate::pay {

// A host of this machine or of a private network, or a channel's own sandbox. Names are not looked
// up. The start refuses such an address unless the configuration says pay.sandbox = true. False for
// what is no address at all.
bool is_test_address(std::string_view url);

}  // namespace floodgate::pay

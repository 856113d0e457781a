// For tests: the keys and vectors under testdata/, whose README says how openssl made them.

#pragma once

#include <string>

#include "pay/keys.hpp"

namespace floodgate::pay {

// All of testdata/NAME. Throws if there is no such file.
std::string test_data(const std::string& name);
// The same without the line end at its end.
std::string test_line(const std::string& name);

// "merchant", "platform" or "other". Read as text: the files in a checkout are open to all, which
// private_key::from_file refuses.
private_key test_private_key(const std::string& name);
public_key test_public_key(const std::string& name);

}  // namespace floodgate::pay

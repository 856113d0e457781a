// The keys of a sandbox that nobody configured: made on the first start, kept, and written down for
// the merchant. They sign play money only.

#pragma once

#include <string>

#include "base/clock.hpp"
#include "sandbox/party_files.hpp"

namespace floodgate::commands {

// Both sides of both channels. The merchant's secrets lie beside the platforms', because here one
// person plays everybody.
struct sandbox_keys {
    sandbox::alipay_files alipay;
    sandbox::wechat_files wechat;
    std::string alipay_private_key_file, alipay_platform_public_key_file;  // for the merchant
    std::string wechat_private_key_file, wechat_platform_certificate_file;
};

// The keys in DIR/keys. Makes them where there are none: all or, after a crash, none. Only their
// owner can read them. Throws std::runtime_error or pay::key_error with one clear line.
sandbox_keys keep_sandbox_keys(const std::string& directory, instant now);

struct sandbox_places {
    std::string sandbox;  // "http://127.0.0.1:8090"
    std::string shop;     // "http://127.0.0.1:8080"
};

// The configuration with which a shop takes the sandbox's play money, as TOML.
std::string merchant_configuration(const sandbox_keys& keys, const sandbox_places& places);

}  // namespace floodgate::commands

// What is wrong with a channel's settings, as a sentence for the operator.

#pragma once

#include <string>

namespace floodgate::pay {

// Each throws std::invalid_argument, whose text begins with the name of the setting.

[[noreturn]] void refuse_sandbox_key(const std::string& name);

void require_text(const std::string& value, const std::string& name);

// An absolute http or https address of up to 255 characters, which both channels accept.
void require_address(const std::string& url, const std::string& name);

// Also without a query: WeChat Pay refuses one, and Alipay warns of it.
void require_callback(const std::string& url, const std::string& name);

// Unless the settings allow it, no key of `floodgate sandbox`: such a key lies beside its other
// half, so that everybody who had the sandbox could pay with words alone.
template <class Key>
void require_real_key(const Key& key, const std::string& name, bool sandbox_allowed) {
    if (!sandbox_allowed && key.is_from_sandbox()) refuse_sandbox_key(name);
}

}  // namespace floodgate::pay

// The payment channels as the configuration describes them: pay.sandbox, [pay.alipay],
// [pay.wechat], [pay.external].

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/config_file.hpp"
#include "pay/alipay_channel.hpp"
#include "pay/channel.hpp"
#include "pay/external_channel.hpp"
#include "pay/wechat_channel.hpp"

namespace floodgate::engine {

// A channel is in use if its section sets anything.
struct pay_settings {
    // Channels on this machine or of a sandbox, and keys of `floodgate sandbox`, are allowed.
    bool sandbox = false;
    std::optional<pay::alipay_files> alipay{};
    std::optional<pay::wechat_files> wechat{};
    std::optional<pay::external_files> external{};
};

// Adds the files that keep secrets to `secret_files`. The sections of `floodgate sandbox`, which
// may read the same file, are let pass. Throws config_error, or std::invalid_argument with one
// clear line: an option is missing, or an address is that of a trial and `sandbox` is not set.
void read_pay(config_file& file, pay_settings& s, std::vector<std::string>& secret_files);

// Adds the channels. Throws std::runtime_error with one clear line when a key is missing or not
// good, or when `floodgate sandbox` made it and `sandbox` is not set. `by` and `clock` must outlive
// them.
void open_channels(const pay_settings& s, store::http_caller& by, const floodgate::clock& clock,
                   pay::channels& to);

}  // namespace floodgate::engine

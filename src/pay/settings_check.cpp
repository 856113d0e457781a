#include "pay/settings_check.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "store/http/http_client.hpp"

namespace floodgate::pay {
namespace {

constexpr std::size_t address_bytes_max = 255;

}  // namespace

void refuse_sandbox_key(const std::string& name) {
    throw std::invalid_argument(
        name +
        " holds a test key that floodgate sandbox made: put the key of the real account there, or "
        "for a trial without real money set pay.sandbox = true");
}

void require_text(const std::string& value, const std::string& name) {
    if (value.empty()) throw std::invalid_argument(name + " is empty: set it");
}

void require_address(const std::string& url, const std::string& name) {
    require_text(url, name);
    if (const std::string fault = store::fault_of_url(url); !fault.empty())
        throw std::invalid_argument(
            fmt::format("{} {}: write it as https://host/path", name, fault));
    if (url.size() > address_bytes_max)
        throw std::invalid_argument(
            fmt::format("{} is longer than {} characters: shorten it", name, address_bytes_max));
}

void require_callback(const std::string& url, const std::string& name) {
    require_address(url, name);
    if (url.find_first_of("?#") != std::string::npos)
        throw std::invalid_argument(name +
                                    " has a query or a fragment: leave out what follows the "
                                    "path");
}

}  // namespace floodgate::pay

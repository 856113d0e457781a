#include "pay/test_address.hpp"

#include <algorithm>
#include <string>

#include "store/http/http_client.hpp"

namespace floodgate::pay {
namespace {

// All of Alipay's sandboxes are hosts of this domain. WeChat Pay has none for API v3.
constexpr std::string_view sandbox_domains[] = {"alipaydev.com"};

bool is_within(std::string_view host, std::string_view domain) {
    if (!host.ends_with(domain)) return false;
    host.remove_suffix(domain.size());
    return host.empty() || host.ends_with('.');
}

}  // namespace

bool is_test_address(std::string_view url) {
    const std::string host = store::host_of_url(std::string(url));
    return store::is_private_host(host) ||
           std::ranges::any_of(sandbox_domains, [&](auto d) { return is_within(host, d); });
}

}  // namespace floodgate::pay

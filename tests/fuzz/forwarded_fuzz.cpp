// Any bytes as X-Forwarded-For. They must not crash it. A stranger's header must change nothing,
// the client must be either limited or a trusted proxy, and an unreadable entry must not switch the
// limits off.
//
// The first byte chooses the peer.

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "guard/addresses.hpp"

namespace {

using namespace floodgate::guard;

void require(bool holds) {
    if (!holds) std::abort();
}

const trusted_proxies& proxies() {
    static const trusted_proxies all(
        std::vector<std::string>{"127.0.0.0/8", "::1", "10.0.0.0/8", "fd00::/8"});
    return all;
}

void check(const ip_address& peer, std::string_view header) {
    const client found = proxies().client_of(peer, header);
    if (!proxies().is_trusted(peer)) {
        require(found.address == peer && !found.is_proxy);
        return;
    }
    require(!found.is_proxy || proxies().is_trusted(found.address));

    // Entries to the left of the client may be made up by the client.
    if (!proxies().is_trusted(found.address)) {
        const client same = proxies().client_of(peer, "6.6.6.6, nonsense," + std::string(header));
        require(same.address == found.address && !same.is_proxy);
    }

    // A client behind an unreadable entry is limited, whatever the other entries are.
    const client unread = proxies().client_of(peer, std::string(header) + ", unknown");
    require(unread.address == peer && !unread.is_proxy);

    const std::string shown = prefix_text(found.address);
    const std::string_view address(shown.data(),
                                   shown.find('/') == shown.npos ? shown.size() : shown.find('/'));
    require(parse_address(address).has_value());
    require(limiter_key(*parse_address(address)) == limiter_key(found.address));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view header(reinterpret_cast<const char*>(data) + 1, size - 1);
    constexpr const char* peers[] = {"127.0.0.1", "::1", "8.8.8.8", "2001:db8::1", "10.1.2.3"};
    check(parse_address(peers[data[0] % std::size(peers)]).value(), header);
    return 0;
}

#include "store/http/curl_rules.hpp"

#include <new>
#include <stdexcept>
#include <sys/socket.h>

#include "store/http/http_client.hpp"

namespace floodgate::store {
namespace {

curl_socket_t open_socket(void* user, curlsocktype, curl_sockaddr* to) {
    auto& p = *static_cast<address_policy*>(user);
    if (!p.allow_private && !is_public(to->addr)) {
        p.refused = true;
        return CURL_SOCKET_BAD;
    }
    return ::socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

}  // namespace

curl_owned<CURL> new_transfer() {
    curl_owned<CURL> c(curl_easy_init());
    if (!c) throw std::bad_alloc();
    return c;
}

curl_owned<curl_slist> header_lines(const std::vector<std::string>& headers) {
    curl_owned<curl_slist> list;
    for (const std::string& h : headers) {
        curl_slist* longer = curl_slist_append(list.get(), h.c_str());
        if (!longer) throw std::bad_alloc();
        static_cast<void>(list.release());
        list.reset(longer);
    }
    return list;
}

void set_rules(CURL* c, transfer_times times, address_policy& addresses) {
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(c, CURLOPT_PROXY, "");  // also keeps it from asking the environment
    curl_easy_setopt(c, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);  // threads
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(times.connect.count()));
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, static_cast<long>(times.total.count()));
    curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, &open_socket);
    curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, &addresses);
}

}  // namespace floodgate::store

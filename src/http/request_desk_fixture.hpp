// For tests: a desk over the handlers' fixture, and requests for it.

#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "api/handler_fixture.hpp"
#include "guard/tokens.hpp"
#include "http/request_desk.hpp"

namespace floodgate::http {

using std::chrono::seconds;

class RequestDeskTest : public api::HandlerTest {
protected:
    std::string log_in(std::int64_t user, sale::role role = sale::role::buyer) {
        std::string token = guard::new_token();
        sessions_.add({guard::hash_of(token), {user}, role, clock_.now() + std::chrono::hours(1)});
        return token;
    }
    // Other nodes know these.
    void know_elsewhere(const std::string& token, std::int64_t user) {
        elsewhere_[guard::hash_of(token)] = user;
        node_.find_elsewhere = [this](const sale::token_hash& asked,
                                      instant) -> result<guard::identity> {
            ++asked_elsewhere_;
            const auto found = elsewhere_.find(asked);
            if (found == elsewhere_.end()) return make_error_code(missing_);
            sessions_.add(
                {asked, {found->second}, sale::role::buyer, clock_.now() + std::chrono::hours(1)});
            return guard::identity{{found->second}, sale::role::buyer};
        };
    }
    decision decide(const request& r, searched where = searched::here) {
        return desk_.decide(r, client_, api::language::en, clock_.now(), where);
    }
    // What the loop does with a token that others may know.
    decision decide_to_the_end(const request& r) {
        decision d = decide(r);
        if (const auto* q = std::get_if<token_question>(&d)) {
            d = decide(r, desk_.search_elsewhere(q->hash, clock_.now()));
        }
        return d;
    }
    static int status(const decision& d) {
        const auto* r = std::get_if<api::reply>(&d);
        return r ? r->status : 0;
    }
    static request buying(const std::string& token) {
        return {.verb = api::verb::post, .path = "/api/v1/sales/7/orders", .token = token};
    }
    static request moving(const std::string& verb, const std::string& token) {
        static std::string path;  // which the request refers to
        path = "/api/v1/orders/7/" + verb;
        return {.verb = api::verb::post, .path = path, .token = token};
    }
    static request getting(std::string_view path, std::string_view token = {}) {
        return {.verb = api::verb::get, .path = path, .token = token};
    }

    guard::trusted_proxies proxies_{std::vector<std::string>{"127.0.0.1"}};
    errc missing_ = errc::not_found;  // what is said of a token that nobody knows
    guard::unknown_tokens unknown_;
    request_desk desk_{with_, proxies_, unknown_};
    remote client_{guard::parse_address("192.0.2.9").value(), false};
    std::map<sale::token_hash, std::int64_t> elsewhere_;
    int asked_elsewhere_ = 0;
    const std::string made_up_ = std::string(guard::token_characters, 'x');
};

}  // namespace floodgate::http

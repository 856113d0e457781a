// Pages of other origins: which may read our answers (CORS). Off unless origins are configured.
//
// Log-ins travel in the Authorization header and never in cookies, so answers never allow
// credentials, and an origin is named exactly, never by a wildcard.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/reply.hpp"

namespace floodgate::http {

class cors_policy {
public:
    explicit cors_policy(std::span<const std::string> origins = {});

    bool is_on() const { return !origins_.empty(); }
    // Header lines for an answer to a page of this origin; empty: it may not read the answer. Valid
    // as long as the policy.
    std::string_view lines_for(std::string_view origin) const;

    // The answer to a preflight request for a call with these verbs ("GET, POST"). The lines of
    // lines_for() are added like to any other answer.
    static api::reply preflight(const std::string& verbs);

private:
    struct known {
        std::string origin, lines;
    };
    std::vector<known> origins_;
};

// A line for every answer while CORS is on: caches must not mix up answers to different origins.
inline constexpr std::string_view vary_line = "Vary: Origin\r\n";

// What is wrong with a configured origin, in words; empty: nothing. "https://shop.example:8443".
std::string fault_of_origin(std::string_view origin);

}  // namespace floodgate::http

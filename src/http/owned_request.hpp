// A request that outlives the buffer it came in, for one that is looked at again after a wait.

#pragma once

#include <array>
#include <string>

#include "http/conversation.hpp"

namespace floodgate::http {

class owned_request {
public:
    explicit owned_request(const request& r) : request_(r) {
        request_.wechat = request_.floodgate = {};  // calls that need a log-in do not look at it
        for (std::size_t i = 0; i < texts.size(); ++i) kept_[i] = r.*texts[i];
        for (std::size_t i = 0; i < optionals.size(); ++i)
            kept_optionals_[i] = (r.*optionals[i]).value_or("");
    }

    // Its views are valid as long as this object.
    request get() const {
        request r = request_;
        for (std::size_t i = 0; i < texts.size(); ++i) r.*texts[i] = kept_[i];
        for (std::size_t i = 0; i < optionals.size(); ++i)
            if (r.*optionals[i]) r.*optionals[i] = kept_optionals_[i];
        return r;
    }

private:
    static constexpr std::array texts{&request::path,
                                      &request::query,
                                      &request::token,
                                      &request::accept_language,
                                      &request::accept_encoding,
                                      &request::if_none_match,
                                      &request::request_id,
                                      &request::content_type,
                                      &request::body};
    static constexpr std::array optionals{&request::idempotency_key, &request::forwarded_for};

    request request_;
    std::array<std::string, texts.size()> kept_;
    std::array<std::string, optionals.size()> kept_optionals_;
};

}  // namespace floodgate::http

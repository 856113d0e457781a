// A request that outlives the buffer it came in, for one that is looked at again after a wait.

#pragma once

#include <array>
#include <string>

#include "http/conversation.hpp"

namespace floodgate::http {

class owned_request {
public:
    explicit owned_request(const request& r) : request_(r) {
        for (std::size_t i = 0; i < texts.size(); ++i) kept_[i] = r.*texts[i];
        if (r.idempotency_key) kept_key_ = *r.idempotency_key;
    }

    // Its views are valid as long as this object.
    request get() const {
        request r = request_;
        for (std::size_t i = 0; i < texts.size(); ++i) r.*texts[i] = kept_[i];
        if (r.idempotency_key) r.idempotency_key = kept_key_;
        return r;
    }

private:
    static constexpr std::array texts{&request::path,          &request::query,
                                      &request::token,         &request::accept_language,
                                      &request::if_none_match, &request::content_type,
                                      &request::forwarded_for, &request::body};

    request request_;
    std::array<std::string, texts.size()> kept_;
    std::string kept_key_;
};

}  // namespace floodgate::http

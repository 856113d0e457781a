// For tests of the channels: a network that answers what it is told to, and the key files that a
// configuration names.

#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "pay/alipay_channel.hpp"
#include "pay/external_channel.hpp"
#include "pay/wechat_channel.hpp"
#include "sale/order.hpp"
#include "store/http/http_caller.hpp"

namespace floodgate::pay {

// Gives one answer after the other, and then none.
class scripted_caller final : public store::http_caller {
public:
    store::http_answer ask(const store::http_question& q) override;

    void will_answer(store::http_answer a) { answers_.push_back(std::move(a)); }
    void forget() { answers_.clear(), asked.clear(); }
    bool has_answers() const { return !answers_.empty(); }

    std::vector<store::http_question> asked;

private:
    std::deque<store::http_answer> answers_;
};

store::http_answer answer_of(int status, std::string body, store::http_headers headers = {});
store::http_answer no_answer();

// Copies of the test keys, readable by their owner only, in a directory of their own.
class key_directory {
public:
    key_directory();
    key_directory(const key_directory&) = delete;
    key_directory& operator=(const key_directory&) = delete;
    ~key_directory();

    std::string copy(const std::string& name);  // "merchant.pkcs8.pem": the path
    std::string write(const std::string& name, const std::string& text);

    // Complete settings, for addresses of this machine.
    alipay_files alipay();
    wechat_files wechat();
    external_files external();  // the secret: "an-external-secret-of-32-letters"

private:
    std::string root_;
};

// 99.00 yuan, to be paid a quarter of an hour after `created`.
sale::order order_made_at(instant created);

}  // namespace floodgate::pay

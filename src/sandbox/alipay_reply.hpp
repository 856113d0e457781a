// What a method of Alipay's gateway answers, before it is signed.

#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace floodgate::sandbox {

struct alipay_reply {
    std::string code = "10000";
    std::string sub_code;  // empty on success
    std::string sub_msg;
    boost::json::object fields;

    bool is_success() const { return code == "10000"; }
};

// 40004 with a code such as "ACQ.TRADE_NOT_EXIST"; the sentence comes from a table.
alipay_reply business_failure(std::string_view sub_code);
alipay_reply business_failure(std::string_view sub_code, std::string sub_msg);
alipay_reply missing_argument(std::string_view sub_code);                       // 40001
alipay_reply invalid_argument(std::string_view sub_code, std::string sub_msg);  // 40002

// The object that is signed, as text. All values are texts.
std::string node_text(const alipay_reply& r);

}  // namespace floodgate::sandbox

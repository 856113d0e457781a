#include "pay/wechat_notice.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace floodgate::pay {
namespace {

// False: there is such a field, and it is no text.
bool read_text(const boost::json::object& from, std::string_view name, std::string& to) {
    const boost::json::value* found = from.if_contains(name);
    if (!found) return true;
    const boost::json::string* text = found->if_string();
    if (text) to = *text;
    return text != nullptr;
}

bool read_resource(const boost::json::object& from, wechat_notice& to) {
    to.resource.algorithm.clear();  // which is filled in for those who encrypt
    return read_text(from, "original_type", to.original_type) &&
           read_text(from, "algorithm", to.resource.algorithm) &&
           read_text(from, "ciphertext", to.resource.ciphertext) &&
           read_text(from, "nonce", to.resource.nonce) &&
           read_text(from, "associated_data", to.resource.associated_data);
}

}  // namespace

std::string to_json(const wechat_notice& notice) {
    const boost::json::object resource{{"original_type", notice.original_type},
                                       {"algorithm", notice.resource.algorithm},
                                       {"ciphertext", notice.resource.ciphertext},
                                       {"associated_data", notice.resource.associated_data},
                                       {"nonce", notice.resource.nonce}};
    return boost::json::serialize(boost::json::object{{"id", notice.id},
                                                      {"create_time", notice.create_time},
                                                      {"resource_type", "encrypt-resource"},
                                                      {"event_type", notice.event_type},
                                                      {"summary", notice.summary},
                                                      {"resource", resource}});
}

std::optional<wechat_notice> parse_wechat_notice(std::string_view body) {
    if (body.size() > wechat_notice_bytes_max) return std::nullopt;
    boost::system::error_code broken;
    const boost::json::value all = boost::json::parse(body, broken);
    const boost::json::object* envelope = broken ? nullptr : all.if_object();
    if (!envelope) return std::nullopt;
    const boost::json::value* inside = envelope->if_contains("resource");
    if (!inside || !inside->is_object()) return std::nullopt;
    wechat_notice notice;
    const bool texts = read_text(*envelope, "id", notice.id) &&
                       read_text(*envelope, "create_time", notice.create_time) &&
                       read_text(*envelope, "event_type", notice.event_type) &&
                       read_text(*envelope, "summary", notice.summary) &&
                       read_resource(inside->get_object(), notice);
    if (!texts || notice.id.empty() || notice.event_type.empty() ||
        notice.resource.algorithm.empty() || notice.resource.ciphertext.empty() ||
        notice.resource.nonce.empty())
        return std::nullopt;
    return notice;
}

opened_notice open_wechat_notice(std::string_view body, const wechat_seal& seal,
                                 const keys_by_serial& platform, const apiv3_key& key,
                                 instant now) {
    opened_notice opened;
    if (body.size() > wechat_notice_bytes_max) return opened;
    opened.how = verify_wechat_message(body, seal, platform, now);
    if (opened.how != authenticity::genuine) return opened;
    auto notice = parse_wechat_notice(body);
    opened.how = authenticity::malformed;
    if (!notice) return opened;
    opened.notice = std::move(*notice);
    wechat_content content = decrypt_resource(opened.notice.resource, key);
    opened.how = content.how;
    opened.content = std::move(content.text);
    return opened;
}

}  // namespace floodgate::pay

#include "store/redis/command.hpp"

#include <openssl/evp.h>

#include <array>
#include <charconv>
#include <stdexcept>

#include "base/hex.hpp"

namespace floodgate::store {
namespace {

void append_word(std::string& out, std::string_view word) {
    out.append("$").append(std::to_string(word.size())).append("\r\n");
    out.append(word).append("\r\n");
}

std::string sha1_hex(std::string_view text) {
    std::array<std::byte, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()), &size,
                   EVP_sha1(), nullptr) != 1)
        throw std::runtime_error("OpenSSL offers no SHA-1");
    return to_hex(byte_view(digest.data(), size));
}

}  // namespace

void words::add(std::string_view word) {
    append_word(bytes_, word);
    ++count_;
}

void words::add(std::int64_t number) { add(std::string_view(std::to_string(number))); }

void words::append(const words& more) {
    bytes_.append(more.bytes_);
    count_ += more.count_;
}

std::string_view words::front() const {
    if (count_ == 0) return {};
    std::size_t size = 0;
    const char* end = bytes_.data() + bytes_.size();
    const char* stop = std::from_chars(bytes_.data() + 1, end, size).ptr;
    return {stop + 2, size};
}

void words::write_to(std::string& out, std::initializer_list<std::string_view> first) const {
    out.append("*").append(std::to_string(first.size() + count_)).append("\r\n");
    for (const std::string_view word : first) append_word(out, word);
    out.append(bytes_);
}

const std::string& redis_script::sha() const {
    std::call_once(hashed_, [this] { sha_ = sha1_hex(text_); });
    return sha_;
}

std::size_t redis_command::write_to(std::string& out, const redis_sending& how) const {
    if (how.asking) words{}.write_to(out, {"ASKING"});
    if (script == nullptr) {
        what.write_to(out);
    } else if (how.whole) {
        what.write_to(out, {"EVAL", script->text()});
    } else {
        what.write_to(out, {"EVALSHA", script->sha()});
    }
    return how.asking ? 2 : 1;
}

redis_command to_run(const redis_script& script, const words& keys, const words& arguments) {
    redis_command out{.key = std::string(keys.front()), .what = {}, .script = &script};
    out.what.add(static_cast<std::int64_t>(keys.count()));
    out.what.append(keys);
    out.what.append(arguments);
    return out;
}

}  // namespace floodgate::store

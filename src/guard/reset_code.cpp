#include "guard/reset_code.hpp"

#include <sodium.h>

#include "guard/sodium.hpp"

namespace floodgate::guard {
namespace {

constexpr std::string_view alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
static_assert(alphabet.size() == 32);
constexpr std::size_t code_characters = 8;

}  // namespace

std::string new_reset_code() {
    need_sodium();
    std::string code;
    for (std::size_t i = 0; i < code_characters; ++i)
        code += alphabet[randombytes_uniform(static_cast<std::uint32_t>(alphabet.size()))];
    return code;
}

std::string normalised_reset_code(std::string_view typed) {
    std::string code;
    for (const char c : typed) {
        if (c == ' ' || c == '-') continue;
        code += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return code;
}

}  // namespace floodgate::guard

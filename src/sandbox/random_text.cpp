#include "sandbox/random_text.hpp"

#include <algorithm>
#include <random>
#include <string_view>

#include "pay/beijing_time.hpp"

namespace floodgate::sandbox {
namespace {

constexpr std::size_t number_characters = 28;

std::string random_from(std::string_view alphabet, std::size_t count) {
    thread_local std::random_device machine;
    std::uniform_int_distribution<std::size_t> any(0, alphabet.size() - 1);
    std::string out(count, ' ');
    std::ranges::generate(out, [&] { return alphabet[any(machine)]; });
    return out;
}

}  // namespace

std::string random_digits(std::size_t count) { return random_from("0123456789", count); }

std::string random_letters(std::size_t count) {
    return random_from("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", count);
}

std::string new_number(const std::string& prefix, instant now) {
    std::string date = pay::to_beijing_text(now).substr(0, 10);
    std::erase(date, '-');
    std::string number = prefix + date;
    return number + random_digits(number_characters - number.size());
}

}  // namespace floodgate::sandbox

#include "guard/common_passwords.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace floodgate::guard {
namespace {

// A password that is a piece of one of these, forwards or backwards, is common.
constexpr std::array<std::string_view, 14> runs{"01234567890123456789",
                                                "abcdefghijklmnopqrstuvwxyz",
                                                "qwertyuiop",
                                                "asdfghjkl",
                                                "qwertyuiopasdfghjklzxcvbnm",
                                                "qazwsxedcrfvtgbyhnujmikolp",
                                                "1qaz2wsx3edc4rfv5tgb6yhn",
                                                "qwertzuiop",
                                                "azertyuiop",
                                                "1q2w3e4r5t6y7u8i9o0p",
                                                "zxcvbnm",
                                                "abcd1234efgh5678",
                                                "147258369",
                                                "159753159357"};

// A password that is one of these words, alone or with at most five characters around it that are
// not letters, is common too.
constexpr std::array<std::string_view, 70> words{
    "password",  "passwort", "passwd",   "passcode",      "secret",   "letmein",
    "welcome",   "login",    "admin",    "administrator", "root",     "user",
    "guest",     "test",     "testing",  "demo",          "default",  "changeme",
    "qwerty",    "qwert",    "qwer",     "asdf",          "asdfgh",   "zxcv",
    "zxcvbn",    "abc",      "abcd",     "abcdef",        "a",        "aa",
    "q",         "iloveyou", "loveyou",  "love",          "lovely",   "sunshine",
    "princess",  "football", "baseball", "basketball",    "superman", "batman",
    "dragon",    "monkey",   "shadow",   "master",        "michael",  "jordan",
    "charlie",   "computer", "internet", "whatever",      "trustno",  "starwars",
    "pokemon",   "freedom",  "hello",    "helloworld",    "woaini",   "wodemima",
    "mima",      "nihao",    "zhang",    "wang",          "aini",     "floodgate",
    "flashsale", "taobao",   "alipay",   "weixin"};

// Numbers that mean something, which many people choose: dates of love, luck, phone keypads.
constexpr std::array<std::string_view, 12> numbers{"5201314",   "1314520", "7758521",   "5211314",
                                                   "1314521",   "9958123", "789456123", "987654321",
                                                   "147896325", "123321",  "112233",    "31415926"};

constexpr std::size_t around_a_word_max = 5;
constexpr std::size_t around_a_number_max = 3;

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Undoes what people write instead of a letter.
char plain(char c) {
    switch (c) {
    case '@': return 'a';
    case '0': return 'o';
    case '1': return 'i';
    case '3': return 'e';
    case '$':
    case '5': return 's';
    case '7': return 't';
    default: return c;
    }
}

bool is_repeated(std::string_view text) {
    constexpr std::size_t piece_max = 4;
    for (std::size_t piece = 1; piece <= std::min(piece_max, text.size() / 2); ++piece)
        if (text.substr(piece) == text.substr(0, text.size() - piece)) return true;
    return false;
}

bool is_run(const std::string& text) {
    const std::string backwards(text.rbegin(), text.rend());
    return std::ranges::any_of(runs, [&](std::string_view run) {
        return run.find(text) != run.npos || run.find(backwards) != run.npos;
    });
}

// The word with `around` characters before and after it that are no part of a phrase.
bool is_dressed_word(std::string_view text, std::string_view word, std::size_t around_max) {
    const std::size_t at = text.find(word);
    if (at == text.npos || text.size() - word.size() > around_max) return false;
    const auto is_dress = [](char c) { return !is_letter(c); };
    return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), is_dress) &&
           std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at + word.size()), text.end(),
                       is_dress);
}

// A short beginning, and then a run of digits: "abc12345", "a1234567", "admin12345678".
bool is_word_and_run(const std::string& text) {
    const auto digits = std::ranges::find_if(text, is_digit);
    const std::string before(text.begin(), digits), after(digits, text.end());
    constexpr std::size_t run_min = 4;
    return after.size() >= run_min && std::ranges::find(words, before) != words.end() &&
           (is_run(after) || is_repeated(after));
}

}  // namespace

bool is_common_password(std::string_view password) {
    std::string text(password);
    std::ranges::transform(text, text.begin(), lower);
    std::string read = text;
    std::ranges::transform(read, read.begin(), plain);
    if (is_repeated(text) || is_run(text) || is_word_and_run(text)) return true;
    const auto is_word = [&](std::string_view word) {
        return is_dressed_word(text, word, around_a_word_max) || read == word;
    };
    const auto is_number = [&](std::string_view number) {
        return is_dressed_word(text, number, around_a_number_max);
    };
    return std::ranges::any_of(words, is_word) || std::ranges::any_of(numbers, is_number);
}

}  // namespace floodgate::guard

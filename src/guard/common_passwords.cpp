#include "guard/common_passwords.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "guard/common_words.hpp"

namespace floodgate::guard {
namespace {

// A password that is a piece of one of these, forwards or backwards, is no secret.
constexpr std::array<std::string_view, 22> runs{"01234567890123456789",
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
                                                "159753159357",
                                                "qweasdzxc",
                                                "1a2b3c4d5e6f7g8h",
                                                "a1b2c3d4e5f6g7h8",
                                                "q1w2e3r4t5y6u7i8o9p0",
                                                "zaq12wsxcde34rfv",
                                                "1234qwerasdfzxcv1234",
                                                "!@#$%^&*()",
                                                "qwertyuiop1234567890"};

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
    case '@':
    case '4': return 'a';
    case '0': return 'o';
    case '1':
    case '!': return 'i';
    case '3': return 'e';
    case '$':
    case '5': return 's';
    case '7': return 't';
    default: return c;
    }
}

std::string plain(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) { return plain(c); });
    return text;
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

// The text without what stands before its first letter and after its last.
std::string without_dress(const std::string& text) {
    const auto first = std::ranges::find_if(text, is_letter);
    const auto last = std::find_if(text.rbegin(), text.rend(), is_letter);
    return first == text.end() ? std::string() : std::string(first, last.base());
}

// A word, the same word twice, or love declared to it.
bool is_word(std::string_view text) {
    if (is_common_word(text)) return true;
    const std::string_view half = text.substr(0, text.size() / 2);
    if (half == text.substr(half.size()) && is_common_word(half)) return true;
    for (const std::string_view love : {"ilove", "iloveyou", "love", "my", "woai"})
        if (text.starts_with(love) && is_common_word(text.substr(love.size()))) return true;
    return false;
}

// Both ways of undoing: "p@ssw0rd1" has a digit behind it, "$unshine" begins with a letter.
bool is_dressed_word(const std::string& text) {
    const std::string core = without_dress(text);
    if (!core.empty() && text.size() - core.size() <= around_a_word_max &&
        (is_word(core) || is_word(plain(core))))
        return true;
    return is_word(plain(text));
}

// A number that people choose, with some other characters than letters around it.
bool is_dressed_number(std::string_view text, std::string_view number) {
    return text.find(number) != text.npos && text.size() - number.size() <= around_a_number_max &&
           std::ranges::none_of(text, is_letter);
}

// A short beginning, and then a run of digits: "abc12345", "a1234567", "admin12345678".
bool is_word_and_run(const std::string& text) {
    const auto digits = std::ranges::find_if(text, is_digit);
    const std::string before(text.begin(), digits), after(digits, text.end());
    constexpr std::size_t run_min = 4;
    return after.size() >= run_min && is_common_word(before) &&
           (is_run(after) || is_repeated(after));
}

int number_in(std::string_view digits) {
    int n = 0;
    for (const char c : digits) n = 10 * n + (c - '0');
    return n;
}

// Eight digits that are somebody's birthday: 19900131, 31011990, 01311990.
bool is_date(std::string_view text) {
    if (text.size() != 8 || !std::ranges::all_of(text, is_digit)) return false;
    const auto is_it = [&](std::size_t year, std::size_t month, std::size_t day) {
        const int y = number_in(text.substr(year, 4));
        const int m = number_in(text.substr(month, 2));
        const int d = number_in(text.substr(day, 2));
        return y >= 1900 && y < 2100 && m >= 1 && m <= 12 && d >= 1 && d <= 31;
    };
    return is_it(0, 4, 6) || is_it(4, 2, 0) || is_it(4, 0, 2);
}

}  // namespace

bool is_common_password(std::string_view password) {
    std::string text(password);
    std::ranges::transform(text, text.begin(), lower);
    if (is_repeated(text) || is_run(text) || is_date(text)) return true;
    if (is_word_and_run(text) || is_dressed_word(text)) return true;
    return std::ranges::any_of(
        numbers, [&](std::string_view number) { return is_dressed_number(text, number); });
}

}  // namespace floodgate::guard

// Words that very many passwords are made of, in lower case: names of people, pets, clubs, brands
// and heroes, endearments, animals, food, months, rows of keys, and what people in China write in
// Pinyin.

#pragma once

#include <string_view>

namespace floodgate::guard {

bool is_common_word(std::string_view word);

}  // namespace floodgate::guard

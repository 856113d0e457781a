// News of orders as bytes, for sending them from one node to another.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sale/news.hpp"

namespace floodgate::sale {

std::string encode_news(std::span<const order_news> news);

// Empty when the bytes are cut short, of another version, or hold an impossible value.
std::optional<std::vector<order_news>> decode_news(std::string_view bytes);

}  // namespace floodgate::sale

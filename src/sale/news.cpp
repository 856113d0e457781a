#include "sale/news.hpp"

namespace floodgate::sale {

std::vector<order_news> news_of(std::vector<order>&& entered) {
    std::vector<order_news> out;
    out.reserve(entered.size());
    for (order& o : entered) out.push_back({std::move(o), 0});
    return out;
}

}  // namespace floodgate::sale

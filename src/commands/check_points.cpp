#include "commands/check_points.hpp"

#include <fmt/format.h>

#include "base/or_throw.hpp"
#include "points/account_book.hpp"

namespace floodgate::commands {

std::vector<std::string> check_points(store::database& db) {
    std::vector<std::string> found = or_throw(points::account_book(db).check(), "points");
    for (std::string& sentence : found) sentence.insert(0, "points: ");
    return found;
}

void say_points_live_elsewhere() {
    fmt::print(
        "points: another process keeps them (points.url); they are not checked here (see check "
        "--points)\n");
}

}  // namespace floodgate::commands

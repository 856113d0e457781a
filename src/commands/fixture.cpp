#include "commands/fixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <sys/stat.h>
#include <vector>

#include "base/or_throw.hpp"
#include "engine/data_directory.hpp"
#include "engine/open_ledger.hpp"
#include "guard/passwords.hpp"
#include "guard/tokens.hpp"
#include "ledger/ledger.hpp"

namespace floodgate::commands {
namespace {

constexpr std::int64_t users_at_once = 100'000;
constexpr std::int64_t phone_first = 10'000'000'000;
constexpr auto open_for = std::chrono::hours(24 * 30);

void add_users(ledger::ledger& book, const fixture_options& o, std::ostream& tokens, instant now) {
    const std::string hash = guard::passwords(guard::cheapest).hash("fixture");
    std::vector<sale::user> users;
    std::vector<sale::login> logins;
    for (std::int64_t first = 1; first <= o.users; first += users_at_once) {
        users.clear();
        logins.clear();
        for (std::int64_t id = first; id <= std::min(first + users_at_once - 1, o.users); ++id) {
            const std::string token = guard::new_token();
            tokens << token << '\n';
            users.push_back({.id = {id},
                             .phone = std::to_string(phone_first + id),
                             .nickname = fmt::format("user {}", id),
                             .password_hash = hash,
                             .created_at = now});
            logins.push_back(
                {.hash = guard::hash_of(token), .user = {id}, .expires_at = now + open_for});
        }
        if (const auto added = book.users().add_many(users, logins); !added)
            throw std::runtime_error("ledger: " + added.error().message());
    }
}

void add_sales(ledger::ledger& book, const fixture_options& o, instant now) {
    const auto round =
        or_throw(book.catalogue().add_round({.title = "Fixture",
                                             .starts_at = now - std::chrono::hours(1),
                                             .ends_at = now + open_for}),
                 "round");
    for (std::int64_t i = 1; i <= o.sales; ++i) {
        const auto product =
            or_throw(book.catalogue().add_product(
                         {.title = fmt::format("Article {}", i), .list_price = {9900}}),
                     "product");
        const auto id = or_throw(book.catalogue().add_sale({.product = product,
                                                            .round = round,
                                                            .price = {990},
                                                            .stock = o.stock,
                                                            .limit = o.limit,
                                                            .pay_within_s = o.pay_within_s},
                                                           now),
                                 "sale");
        if (!book.catalogue().set_sale_state(id, sale::sale_state::published))
            throw std::runtime_error("a sale could not be published");
        fmt::print("{}\n", id.value);
    }
}

void prepare_directory(const std::string& data) {
    std::error_code error;
    std::filesystem::create_directories(data, error);
    if (error) throw std::runtime_error(data + ": " + error.message());
    if (!std::filesystem::is_empty(data, error) || error)
        throw std::runtime_error(data + ": not empty; a fixture needs a directory of its own");
    engine::prepare_data_directory(data);
}

void expect_empty(ledger::ledger& book) {
    if (!or_throw(book.catalogue().products(), "ledger").empty() ||
        book.users().find(sale::user_id{1}))
        throw std::runtime_error("the ledger is not empty; a fixture needs a database of its own");
}

}  // namespace

void make_fixture(const engine::settings& s, const fixture_options& o) {
    if (s.mode == engine::run_mode::embedded) prepare_directory(s.data);
    umask(0077);                                           // a token is as good as a password
    std::ofstream tokens(o.tokens_file, std::ios::trunc);  // before the ledger: a retry is easy
    if (!tokens) throw std::runtime_error(o.tokens_file + ": cannot be written");
    ledger::ledger book(engine::open_database(s));
    expect_empty(book);
    const instant now = wall_clock().now();
    add_users(book, o, tokens, now);
    if (!tokens.flush()) throw std::runtime_error(o.tokens_file + ": cannot be written");
    add_sales(book, o, now);
}

}  // namespace floodgate::commands

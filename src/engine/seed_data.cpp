#include "engine/seed_data.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>

#include "base/or_throw.hpp"
#include "guard/tokens.hpp"

namespace floodgate::engine {
namespace {

constexpr const char* admin_phone = "10000";

struct account {
    const char* phone;
    const char* password;
    const char* nickname;
    sale::role role;
};
constexpr account demo_admin{admin_phone, "demo-admin", "Operator", sale::role::admin};
constexpr account demo_buyer{"13800000001", "demo-buyer", "Demo buyer", sale::role::buyer};

struct article {
    const char* title;
    const char* description;
    const char* picture;  // web/public/demo
    std::int64_t list_price_fen;
    std::int64_t price_fen;
    std::int64_t stock;
    std::uint32_t limit;
};
constexpr article open_now[] = {
    {"Phone 手机", "256 GB, midnight blue. 256 GB，午夜蓝。", "/demo/phone.svg", 399'900, 199'900,
     100, 1},
    {"Headphones 耳机", "Noise cancelling. 主动降噪。", "/demo/headphones.svg", 129'900, 39'900,
     500, 2},
    {"One of a kind 孤品", "Only one: see what sold out looks like. 仅此一件。", "/demo/vase.svg",
     99'900, 100, 1, 1},
};
constexpr article opens_later[] = {
    {"Coffee 咖啡", "1 kg of beans. 1 公斤咖啡豆。", "/demo/coffee.svg", 16'800, 4'900, 200, 1},
    {"Hotpot voucher 火锅券", "For two. 双人套餐。", "/demo/hotpot.svg", 29'800, 9'900, 50, 1},
};

void add_account(ledger::ledger& book, const guard::passwords& passwords, const account& a,
                 instant now) {
    const auto added = book.users().add({.phone = a.phone,
                                         .nickname = a.nickname,
                                         .password_hash = passwords.hash(a.password),
                                         .role = a.role,
                                         .created_at = now});
    if (!added && added.error() != make_error_code(errc::already_exists))
        throw std::runtime_error("ledger: " + added.error().message());
}

void add_round(ledger::ledger& book, std::span<const article> articles, sale::round round,
               instant now) {
    round.id = or_throw(book.catalogue().add_round(round), "round");
    for (const article& a : articles) {
        const auto product =
            or_throw(book.catalogue().add_product({.title = a.title,
                                                   .description = a.description,
                                                   .pictures = {a.picture},
                                                   .list_price = {a.list_price_fen}}),
                     "product");
        const auto id = or_throw(book.catalogue().add_sale({.product = product,
                                                            .round = round.id,
                                                            .price = {a.price_fen},
                                                            .stock = a.stock,
                                                            .limit = a.limit},
                                                           now),
                                 "sale");
        if (!book.catalogue().set_sale_state(id, sale::sale_state::published))
            throw std::runtime_error("the demo sale could not be published");
    }
}

}  // namespace

void create_first_admin(ledger::ledger& book, const guard::passwords& passwords, instant now) {
    if (or_throw(book.users().any_admin(), "ledger")) return;
    const std::string password = guard::new_token().substr(0, 16);
    // Shown before it is stored: if the process is killed in between, only an unused password is
    // lost, not the account.
    fmt::print(
        "The first admin was created; this is shown once / 已创建管理员，密码仅显示一次:\n"
        "  phone {}  password {}\n",
        admin_phone, password);
    std::fflush(stdout);
    or_throw(book.users().add({.phone = admin_phone,
                               .nickname = "Operator",
                               .password_hash = passwords.hash(password),
                               .role = sale::role::admin,
                               .created_at = now}),
             "ledger");
}

void create_demo(ledger::ledger& book, const guard::passwords& passwords, instant now) {
    if (or_throw(book.catalogue().products(), "ledger").empty()) {
        add_account(book, passwords, demo_admin, now);
        add_account(book, passwords, demo_buyer, now);
        add_round(book, open_now,
                  {.title = "Open now 正在抢购",
                   .starts_at = now - std::chrono::minutes(1),
                   .ends_at = now + std::chrono::hours(12)},
                  now);
        add_round(book, opens_later,
                  {.title = "In two minutes 即将开始",
                   .starts_at = now + std::chrono::minutes(2),
                   .ends_at = now + std::chrono::hours(12)},
                  now);
    }
    // Everybody knows the demo's passwords, and the method `test` takes no money.
    if (!book.users().find(demo_buyer.phone))
        throw std::runtime_error("--demo: this ledger was not made by --demo");
    fmt::print(
        "Demo log-ins / 演示账号:\n  buyer 买家  phone {}  password {}\n"
        "  admin 管理员  phone {}  password {}\n",
        demo_buyer.phone, demo_buyer.password, demo_admin.phone, demo_admin.password);
}

}  // namespace floodgate::engine

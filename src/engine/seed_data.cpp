#include "engine/seed_data.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "base/or_throw.hpp"
#include "engine/private_file.hpp"
#include "guard/account_rules.hpp"
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

std::string password_in(const std::string& file, const std::string& phone) {
    std::ifstream in(file);
    std::string password;
    if (!in || !std::getline(in, password))
        throw std::runtime_error(file + ": a password cannot be read from it");
    if (const auto fault = guard::fault_in_password(password, phone))
        throw std::runtime_error(file + ": " + guard::to_text(*fault));
    return password;
}

// The password is kept before the account is: if the process is killed in between, only an unused
// password is lost, and the next start makes another.
void create_first_admin(ledger::ledger& book, const guard::passwords& passwords,
                        const first_admin_password& p, instant now) {
    if (or_throw(book.users().any_admin(), "ledger")) return;
    std::string password;
    if (!p.given_in.empty()) {
        password = password_in(p.given_in, admin_phone);
    } else {
        password = guard::new_token().substr(0, 16);
        write_private_file(p.keep_in, password + "\n");
    }
    or_throw(book.users().add({.phone = admin_phone,
                               .nickname = "Operator",
                               .password_hash = passwords.hash(password),
                               .role = sale::role::admin,
                               .created_at = now,
                               .must_change_password = true}),
             "ledger");
    fmt::print(
        "The first admin was created; change the password at the first log-in / "
        "已创建管理员，首次登录须修改密码:\n  phone {}  password in {}\n",
        admin_phone, p.given_in.empty() ? p.keep_in : p.given_in);
    std::fflush(stdout);
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

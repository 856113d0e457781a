#include "api/routes.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace floodgate::api {
namespace {

TEST(Routes, FindTheHandlerAndTheNumbers) {
    const route_match m = match(verb::post, "/api/v1/admin/sales/17/publish");
    ASSERT_TRUE(m.route);
    EXPECT_EQ(m.route->path, "/api/v1/admin/sales/{id}/publish");
    EXPECT_EQ(m.route->needs, access::sell);
    EXPECT_EQ(m.id, 17);
    EXPECT_EQ(m.ids(), std::vector<std::int64_t>{17});
    EXPECT_EQ(match(verb::get, "/api/v1/me").ids(), std::vector<std::int64_t>{});
}

TEST(Routes, TellAWrongVerbFromAnUnknownPath) {
    EXPECT_FALSE(match(verb::put, "/api/v1/admin/products").route);
    EXPECT_EQ(allowed_verbs("/api/v1/admin/products"), "GET, POST");
    EXPECT_FALSE(match(verb::get, "/api/v1/sales/1/orders").route);
    EXPECT_EQ(allowed_verbs("/api/v1/sales/1/orders"), "POST");
    EXPECT_FALSE(match(verb::other, "/healthz").route);
    EXPECT_EQ(allowed_verbs("/healthz"), "GET");

    EXPECT_FALSE(match(verb::get, "/api/v1/nothing").route);
    EXPECT_EQ(allowed_verbs("/api/v1/nothing"), "");
}

TEST(Routes, KnowNoOtherSpellingOfAPath) {
    for (const char* path : {"",
                             "/",
                             "//",
                             "/api/v1",
                             "/api/v1/",
                             "/api/v1/me/",
                             "/api/v1//me",
                             "//api/v1/me",
                             "/api/v1/ME",
                             "/api/v1/me/x",
                             "api/v1/me",
                             "/api/v1/admin/sales/1/publish/",
                             "/healthz/",
                             "/api/v1/orders/",
                             "/api/v1/admin/sales//publish",
                             "/api/v1/orders/1/cancelled",
                             "/api/v1/sales//orders",
                             "/api/v1/sales/orders",
                             "/api/v1/sales/1/2/orders",
                             "/api/v2/sales/1/orders",
                             "/api/v1/sales/1/orders/"}) {
        EXPECT_EQ(allowed_verbs(path), "") << path;
        for (const verb v : {verb::get, verb::post, verb::put, verb::other})
            EXPECT_FALSE(match(v, path).route) << path;
    }
}

TEST(Routes, TakeNumbersInOneSpellingOnly) {
    const std::string most = std::to_string(std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(match(verb::get, "/api/v1/orders/" + most).id,
              std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(match(verb::post, "/api/v1/sales/" + most + "/orders").id,
              std::numeric_limits<std::int64_t>::max());
    for (const char* number : {"0", "01", "-1", "+1", "1.0", "1e3", "abc", "9223372036854775808",
                               "99999999999999999999", "0x1", "1 ", "1x", "%31", "{no}"}) {
        EXPECT_EQ(allowed_verbs(std::string("/api/v1/orders/") + number), "") << number;
        EXPECT_EQ(allowed_verbs("/api/v1/sales/" + std::string(number) + "/orders"), "") << number;
    }
}

TEST(Routes, AreEachThereOnceAndAnsweredInOnePlace) {
    std::set<std::string> seen;
    for (const route& r : routes()) {
        const std::string name = std::string(to_text(r.verb)) + " " + std::string(r.path);
        EXPECT_TRUE(seen.insert(name).second) << name;
        const bool in_two_places =
            r.here == on_loop::order || r.here == on_loop::metrics || r.here == on_loop::picture;
        if (!in_two_places) {
            EXPECT_EQ(r.work == nullptr && r.first == nullptr, r.here != on_loop::no) << name;
            EXPECT_FALSE(r.work && r.first) << name;
        }
        const bool for_admins = r.path.starts_with("/api/v1/admin/");
        const bool for_machines = r.path.starts_with("/api/v1/service/");
        EXPECT_EQ(is_for_staff(r.needs), for_admins) << name;
        EXPECT_EQ(is_for_machines(r.needs), for_machines) << name;
        EXPECT_EQ(r.where == pool::admin, for_admins || for_machines || r.path == "/metrics")
            << name;
        const bool for_operators = for_admins || r.path == "/metrics" || r.path == "/readyz";
        EXPECT_EQ(r.is_for_operators(), for_operators) << name;
    }
}

TEST(Routes, TakeFilesOnlyWhereTheTableSaysSo) {
    std::size_t found = 0;
    for (const route& r : routes()) {
        std::string path(r.path);
        if (const auto open = path.find('{'); open != path.npos)
            path.replace(open, path.find('}') + 1 - open, "7");
        for (const verb v : {verb::post, verb::put}) {
            const route* const sent = match(v, path).route;
            EXPECT_EQ(file_bytes_max(v, path), sent ? sent->file_bytes_max : 0) << path;
        }
        found += r.takes_file();
    }
    EXPECT_EQ(found, 4U);
    EXPECT_EQ(file_bytes_max(verb::post, "/api/v1/admin/payments/bills"), bill_bytes_max);
    EXPECT_EQ(file_bytes_max(verb::put, "/api/v1/admin/payments/bills"), 0U);
    for (const char* path : {"", "/", "/api/v1/admin/payments/bill",
                             "/api/v1/admin/payments/bills/", "/api/v1/admin/payments/billsx"})
        EXPECT_EQ(file_bytes_max(verb::post, path), 0U) << path;
}

TEST(Routes, ThatStrangersMayCallNeverWaitInTheBuyersPool) {
    for (const route& r : routes()) {
        if (r.needs != access::open) continue;
        EXPECT_TRUE(r.here != on_loop::no || r.where != pool::general) << r.path;
    }
}

TEST(Routes, OfPaymentChannelsKeepTheBuyersPoolFree) {
    EXPECT_EQ(match(verb::post, "/api/v1/orders/7/pay").route->where, pool::channels);
    for (const char* path : {"/api/v1/payments/alipay/notify", "/api/v1/payments/wechat/notify",
                             "/api/v1/payments/external/paid"}) {
        const route* r = match(verb::post, path).route;
        ASSERT_TRUE(r) << path;
        EXPECT_EQ(r->where, pool::messages);
        EXPECT_EQ(r->body_bytes_max(), 16'384U);
        EXPECT_TRUE(r->takes_messages());
    }
    EXPECT_EQ(match(verb::get, "/api/v1/payments/alipay/return").route->body_bytes_max(), 0U);
    EXPECT_EQ(allowed_verbs("/api/v1/payments/gold/notify"), "");
    EXPECT_EQ(allowed_verbs("/api/v1/payments/wechat/return"), "");
}

TEST(Routes, HideWhatIsForOperatorsAtTheBuyersDoor) {
    EXPECT_EQ(allowed_verbs("/api/v1/admin/products", door::no_operators), "");
    EXPECT_EQ(allowed_verbs("/metrics", door::no_operators), "");
    EXPECT_EQ(allowed_verbs("/readyz", door::no_operators), "");
    EXPECT_EQ(allowed_verbs("/healthz", door::no_operators), "GET");
    EXPECT_EQ(allowed_verbs("/api/v1/sales/1/orders", door::no_operators), "POST");
    EXPECT_EQ(allowed_verbs("/metrics", door::everything), "GET");
}

TEST(Routes, HashPasswordsInASecondStep) {
    EXPECT_EQ(match(verb::post, "/api/v1/auth/login").route->where, pool::accounts);
    EXPECT_TRUE(match(verb::post, "/api/v1/auth/register").route->first);
    EXPECT_TRUE(match(verb::post, "/api/v1/auth/login").route->first);
    EXPECT_FALSE(match(verb::post, "/api/v1/auth/logout").route->first);
}

// Regression M3, M4: calls of buyers that read or change the ledger had no rate limit.
TEST(Routes, ChargeABuyerForWhatWaitsForTheLedger) {
    for (const char* path : {"/api/v1/me", "/api/v1/orders", "/api/v1/orders/7"})
        EXPECT_EQ(match(verb::get, path).route->charged, budget::lookups) << path;
    for (const char* move : {"cancel", "pay", "refund"})
        EXPECT_EQ(match(verb::post, "/api/v1/orders/7/" + std::string(move)).route->charged,
                  budget::moves)
            << move;
    EXPECT_EQ(match(verb::post, "/api/v1/ws/ticket").route->charged, budget::tickets);
    for (const route& r : routes()) {
        if ((r.needs != access::buyer && r.needs != access::self) || r.here == on_loop::purchase)
            continue;
        EXPECT_NE(r.charged, budget::none) << r.path;
    }
}

}  // namespace
}  // namespace floodgate::api

#include "api/permissions.hpp"

#include <gtest/gtest.h>

#include "api/routes.hpp"

namespace floodgate::api {
namespace {

TEST(Permissions, AKeyMayMakeTheCallsOfItsScopesAndNoOthers) {
    const auto of = [](guard::scope s) {
        guard::api_key key;
        key.allow(s);
        return key;
    };
    for (const route& r : routes()) {
        EXPECT_EQ(may(of(guard::scope::catalogue), r.needs), r.needs == access::catalogue_key)
            << r.path;
        EXPECT_EQ(may(of(guard::scope::orders), r.needs), r.needs == access::orders_key) << r.path;
        EXPECT_EQ(may(of(guard::scope::logins), r.needs), r.needs == access::logins_key) << r.path;
        EXPECT_EQ(may(of(guard::scope::payment), r.needs), r.needs == access::payment_key)
            << r.path;
    }
}

TEST(Permissions, NoUserMayMakeTheCallsOfMachines) {
    for (const access a :
         {access::catalogue_key, access::orders_key, access::logins_key, access::payment_key}) {
        EXPECT_FALSE(may(sale::role::admin, a));
        EXPECT_FALSE(may(sale::role::buyer, a));
    }
}

TEST(Permissions, TheServicePathsAreThoseOfMachines) {
    for (const route& r : routes())
        EXPECT_EQ(is_for_machines(r.needs), r.path.starts_with("/api/v1/service/")) << r.path;
}

}  // namespace
}  // namespace floodgate::api

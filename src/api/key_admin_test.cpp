#include "api/key_admin.hpp"

#include "api/handler_fixture.hpp"
#include "guard/tokens.hpp"

namespace floodgate::api {
namespace {

class KeyAdminTest : public HandlerTest {
protected:
    const guard::api_key* find(const answered& made) {
        return reader_.newest().find_key(
            guard::hash_of(std::string_view(made.body.at("key").as_string())), clock_.now());
    }
    subscription<guard::access_list> reader_{access_.lists()};
};

TEST_F(KeyAdminTest, ShowsTheSecretOnceAndKeepsItsHash) {
    const answered made =
        post("/admin/api-keys", R"({"name":"Warehouse","scopes":["orders","catalogue"]})");
    ASSERT_EQ(made.status, 201);
    EXPECT_NE(made.headers.find("no-store"), std::string::npos);
    const std::string secret(made.body.at("key").as_string());
    EXPECT_TRUE(guard::looks_like_api_key(secret));
    ASSERT_TRUE(find(made)) << "this node takes it at once";
    EXPECT_TRUE(find(made)->has(guard::scope::orders));
    EXPECT_FALSE(find(made)->has(guard::scope::logins));

    const answered all = get("/admin/api-keys");
    EXPECT_EQ(all.body.at("keys").as_array().size(), 1U);
    EXPECT_EQ(all.text.find(secret), std::string::npos);
    const answered audit = get("/admin/audit");
    EXPECT_NE(audit.text.find("key.created"), std::string::npos);
    EXPECT_EQ(audit.text.find(secret), std::string::npos);
}

TEST_F(KeyAdminTest, ARevokedKeyIsTakenNoMore) {
    const answered made = post("/admin/api-keys", R"({"name":"Till","scopes":["payment"]})");
    const std::string path =
        "/admin/api-keys/" + std::to_string(made.body.at("id").as_int64()) + "/revoke";
    const answered gone = post(path);
    EXPECT_EQ(gone.status, 200);
    EXPECT_EQ(gone.body.at("revoked_at").as_string(), to_iso(clock_.now()));
    EXPECT_FALSE(find(made));
    EXPECT_EQ(post(path).status, 200) << "again is fine";
    EXPECT_EQ(post("/admin/api-keys/99/revoke").status, 404);
    EXPECT_NE(get("/admin/audit").text.find("key.revoked"), std::string::npos);
}

TEST_F(KeyAdminTest, RefusesKeysThatMakeNoSense) {
    for (const char* body :
         {R"({"name":"x","scopes":[]})", R"({"name":"x","scopes":["everything"]})",
          R"({"name":"x","scopes":["orders","orders"]})", R"({"name":"","scopes":["orders"]})",
          R"({"scopes":["orders"]})", R"({"name":"x"})"})
        EXPECT_EQ(post("/admin/api-keys", body).status, 400) << body;
    EXPECT_EQ(post("/admin/api-keys", R"({"name":"x","scopes":["orders"],"expires_at":")" +
                                          to_iso(clock_.now()) + R"("})")
                  .status,
              422);
}

}  // namespace
}  // namespace floodgate::api

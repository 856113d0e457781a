#include "api/web_pages.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <stdexcept>

namespace floodgate::api {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string packed(const std::string& index, const std::string& bodies) {
    const std::uint64_t length = index.size();
    std::string out(sizeof length, '\0');
    std::memcpy(out.data(), &length, sizeof length);
    return out + index + bodies;
}

// As web/tools/pack.mjs writes it. Bodies: <shop>, GZ, BR, <staff>, code.
const std::string file = packed(R"([
  {"path":"/index.html","type":"text/html; charset=utf-8","etag":"aa","immutable":false,
   "identity":[0,6],"gzip":[6,2],"br":[8,2]},
  {"path":"/console.html","type":"text/html; charset=utf-8","etag":"bb","immutable":false,
   "identity":[10,7],"gzip":null,"br":null},
  {"path":"/assets/a-1.js","type":"text/javascript","etag":"cc","immutable":true,
   "identity":[17,4],"gzip":null,"br":null}])",
                                "<shop>GZBR<staff>code");

struct WebPagesTest : testing::Test {
    std::string content(const web_pages::question& q) const {
        const auto r = pages.answer(q);
        return r ? content_of(*r) : "none";
    }
    web_pages pages{file};
};

TEST_F(WebPagesTest, EveryAddressThatTheStorefrontRoutesIsItsShell) {
    for (const char* path :
         {"/", "/sales/7", "/orders", "/orders/7", "/login", "/register", "/account", "/points"})
        EXPECT_EQ(content({.path = path}), "<shop>") << path;
    for (const char* path : {"/nothing", "/api/v1/nothing", "/index.html", "/ordersx", "/assets/",
                             "/assets/../index.html", "//", ""})
        EXPECT_EQ(content({.path = path}), "none") << path;
}

TEST_F(WebPagesTest, TheConsoleIsNotShownToBuyersWhenOperatorsHaveAListener) {
    for (const char* path : {"/console", "/console/", "/console/orders"}) {
        EXPECT_EQ(content({.path = path}), "<staff>") << path;
        EXPECT_EQ(content({.path = path, .at = door::no_operators}), "none") << path;
    }
    EXPECT_EQ(content({.path = "/", .at = door::no_operators}), "<shop>");
}

TEST_F(WebPagesTest, TheSmallestBodyThatTheBrowserUnderstandsIsSent) {
    EXPECT_EQ(content({.path = "/", .accept_encoding = "gzip, deflate, br"}), "BR");
    EXPECT_EQ(content({.path = "/", .accept_encoding = "gzip"}), "GZ");
    EXPECT_EQ(content({.path = "/", .accept_encoding = "br;q=0, gzip;q=0.5"}), "GZ");
    EXPECT_EQ(content({.path = "/", .accept_encoding = "identity"}), "<shop>");
    EXPECT_THAT(pages.answer({.path = "/", .accept_encoding = "br"})->headers,
                HasSubstr("Content-Encoding: br\r\n"));
    EXPECT_THAT(pages.answer({.path = "/"})->headers, Not(HasSubstr("Content-Encoding")));
}

TEST_F(WebPagesTest, AcceptEncodingIsReadAsAListWithWeights) {
    EXPECT_TRUE(accepts("gzip , br ; q=1", "br"));
    EXPECT_FALSE(accepts("br;q=0.000", "br"));
    EXPECT_FALSE(accepts("brotli, xbr", "br"));
    EXPECT_FALSE(accepts("", "br"));
}

TEST_F(WebPagesTest, AnAssetIsKeptForEverAndAShellIsAskedForAgain) {
    EXPECT_THAT(pages.answer({.path = "/assets/a-1.js"})->headers, HasSubstr("immutable"));
    EXPECT_THAT(pages.answer({.path = "/"})->headers, HasSubstr("Cache-Control: no-cache"));
    const auto known = pages.answer({.path = "/orders", .if_none_match = "\"aa\""});
    EXPECT_EQ(known->status, 304);
    EXPECT_EQ(pages.answer({.path = "/orders", .if_none_match = "\"zz\""})->status, 200);
}

TEST_F(WebPagesTest, AShellForbidsInlineScriptsFramesAndForeignAddresses) {
    const std::string headers = pages.answer({.path = "/console"})->headers;
    EXPECT_THAT(headers, StartsWith("Content-Security-Policy: default-src 'none'; "));
    EXPECT_THAT(headers, HasSubstr("script-src 'self';"));
    EXPECT_THAT(headers, HasSubstr("frame-ancestors 'none'"));
    EXPECT_THAT(headers, Not(HasSubstr("unsafe-")));
    EXPECT_THAT(headers, HasSubstr("Permissions-Policy: "));
}

TEST(WebPages, AFileThatIsCutOffIsRefused) {
    EXPECT_THROW(web_pages("short"), std::runtime_error);
    EXPECT_THROW(web_pages(std::string_view(file).substr(0, 40)), std::runtime_error);
    EXPECT_THROW(web_pages(std::string_view(file).substr(0, file.size() - 1)), std::runtime_error);
}

}  // namespace
}  // namespace floodgate::api

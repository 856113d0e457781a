#include "api/picture_api.hpp"

#include "api/handler_fixture.hpp"

namespace floodgate::api {
namespace {

using namespace std::string_literals;

std::string big32(std::uint32_t n) {
    return {static_cast<char>(n >> 24U), static_cast<char>(n >> 16U), static_cast<char>(n >> 8U),
            static_cast<char>(n)};
}

std::string png(std::uint32_t width, std::uint32_t height) {
    return "\x89PNG\r\n\x1a\n"s + big32(13) + "IHDR" + big32(width) + big32(height) +
           "\x08\x02\0\0\0"s + big32(0) + "rest";
}

std::string jpeg() {
    return "\xff\xd8\xff\xe0\x00\x04"
           "ab\xff\xc2\x00\x0b\x08\x00\x10\x01\x00\x01\x01\x11\x00"s;
}

std::string webp(const std::string& chunk) {
    return "RIFF\x20\0\0\0WEBP"s + chunk + std::string(20, '\0');
}

TEST(PictureHeader, IsReadFromTheContent) {
    const auto p = read_picture_header(png(640, 480)).value();
    EXPECT_EQ(p.kind, picture_kind::png);
    EXPECT_EQ(p.width, 640U);
    EXPECT_EQ(p.height, 480U);
    const auto j = read_picture_header(jpeg()).value();
    EXPECT_EQ(j.kind, picture_kind::jpeg);
    EXPECT_EQ(j.width, 256U);
    EXPECT_EQ(j.height, 16U);
    const auto x = read_picture_header(webp("VP8X\x0a\0\0\0\0\0\0\0\x0f\0\0\x1f\0\0"s)).value();
    EXPECT_EQ(x.width, 16U);
    EXPECT_EQ(x.height, 32U);
    const auto lossy =
        read_picture_header(webp("VP8 \x0a\0\0\0\0\0\0\x9d\x01\x2a\x40\x01\xf0\0"s)).value();
    EXPECT_EQ(lossy.width, 320U);
    EXPECT_EQ(lossy.height, 240U);
    const auto lossless = read_picture_header(webp("VP8L\x0a\0\0\0\x2f\x07\x40\x02\0"s)).value();
    EXPECT_EQ(lossless.width, 8U);
    EXPECT_EQ(lossless.height, 10U);
}

TEST(PictureHeader, OfAnythingElseIsNone) {
    for (const std::string& bytes :
         {""s, "GIF89a"s, "<svg/>"s, png(0, 5), png(5, 0), "\x89PNG\r\n\x1a\n"s, "\xff\xd8\xff"s,
          "\xff\xd8\xff\xe0\x00\x01"s, "\xff\xd8\xff\xd9\x00\x04"s, "RIFF\x20\0\0\0WEBP"s,
          webp("VP9 ")})
        EXPECT_FALSE(read_picture_header(bytes));
    for (const std::string& whole : {png(9, 9), jpeg()})
        for (std::size_t n = 0; n < whole.size(); ++n)
            (void)read_picture_header(std::string_view(whole).substr(0, n));
}

TEST(PictureShelf, ForgetsWhatWasNotAskedForLately) {
    picture_shelf shelf({.memory_bytes_max = 25});
    const auto name = [](char c) { return picture_name{std::string(64, c), picture_kind::png}; };
    const auto ten = std::make_shared<const std::string>(10, 'x');
    shelf.keep(name('a'), ten);
    shelf.keep(name('b'), ten);
    EXPECT_TRUE(shelf.find(name('a')));
    shelf.keep(name('c'), ten);
    EXPECT_TRUE(shelf.find(name('a')));
    EXPECT_FALSE(shelf.find(name('b')));
    EXPECT_EQ(shelf.bytes(), 20U);
    shelf.keep(name('d'), std::make_shared<const std::string>(26, 'x'));
    EXPECT_FALSE(shelf.find(name('d')));
}

class PictureApiTest : public HandlerTest {};

TEST_F(PictureApiTest, KeepsAPictureOnceAndShowsItForEver) {
    const answered added = post("/admin/pictures", png(3, 4));
    ASSERT_EQ(added.status, 201);
    EXPECT_EQ(added.body.at("width").as_int64(), 3);
    const std::string address(added.body.at("address").as_string());
    EXPECT_EQ(post("/admin/pictures", png(3, 4)).status, 200);
    const answered shown = get("/" + address);
    EXPECT_EQ(shown.status, 200);
    EXPECT_EQ(shown.text, png(3, 4));
    EXPECT_NE(shown.headers.find("max-age=31536000, immutable"), std::string::npos);
    EXPECT_TRUE(pictures_.find(parse_picture_name(address.substr(10)).value()));
    const std::string body = R"({"title":"a","list_price_fen":1,"pictures":[")" + address + "\"]}";
    EXPECT_EQ(post("/admin/products", body).status, 201);
}

TEST_F(PictureApiTest, RefusesWhatIsNoPictureOrTooLarge) {
    EXPECT_EQ(post("/admin/pictures", "<svg onload=alert(1)>").code(), "invalid");
    EXPECT_EQ(post("/admin/pictures", png(8001, 4)).code(), "invalid");
    EXPECT_EQ(post("/admin/pictures", png(3, 4) + std::string(2 << 20, 'x')).code(),
              "payload_too_large");
    EXPECT_EQ(get("//pictures/" + std::string(64, 'a') + ".png").code(), "not_found");
    EXPECT_EQ(get("//pictures/..%2f").code(), "not_found");
}

TEST_F(PictureApiTest, APictureHasOneNameOnly) {
    const answered added = post("/admin/pictures", png(3, 4));
    std::string address(added.body.at("address").as_string());
    address.replace(address.size() - 3, 3, "jpg");
    EXPECT_EQ(get("/" + address).code(), "not_found");
}

}  // namespace
}  // namespace floodgate::api

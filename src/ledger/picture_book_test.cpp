#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {
namespace {

class PictureContractTest : public LedgerContractTest {
protected:
    picture_book& pictures_ = book_.pictures();
};
INSTANTIATE_TEST_SUITE_P(Over, PictureContractTest, testing::ValuesIn(databases()), name_of);

picture sample(std::size_t bytes) {
    picture p{.hash = std::string(64, 'a'), .kind = "png", .width = 3, .height = 4};
    p.added_at = noon;
    for (std::size_t i = 0; i < bytes; ++i) p.content += static_cast<char>(i * 7 % 256);
    return p;
}

TEST_P(PictureContractTest, APictureOfManyPartsComesBackByteByByte) {
    const picture p = sample((600 << 10) + 1);
    EXPECT_EQ(pictures_.add(p).value(), true);
    const picture found = pictures_.find(p.hash).value();
    EXPECT_TRUE(found.content == p.content);
    EXPECT_EQ(found.kind, "png");
    EXPECT_EQ(found.width, 3);
    EXPECT_EQ(found.height, 4);
}

TEST_P(PictureContractTest, TheSameContentIsStoredOnce) {
    const picture p = sample(10);
    EXPECT_EQ(pictures_.add(p).value(), true);
    EXPECT_EQ(pictures_.add(p).value(), false);
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM picture_parts"), 1);
    EXPECT_EQ(outcome(pictures_.find(std::string(64, 'b'))), errc::not_found);
}

TEST_P(PictureContractTest, ALostPartIsNoticed) {
    const picture p = sample(600 << 10);
    ASSERT_TRUE(pictures_.add(p).has_value());
    verbs_.sql("DELETE FROM picture_parts WHERE place = 2");
    EXPECT_EQ(outcome(pictures_.find(p.hash)), errc::corrupt);
}

}  // namespace
}  // namespace floodgate::ledger

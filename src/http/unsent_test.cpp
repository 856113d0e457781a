#include "http/unsent.hpp"

#include <gtest/gtest.h>

namespace floodgate::http {
namespace {

std::string joined(const unsent& u) {
    std::string out;
    for (const iovec& part : u.parts())
        out.append(static_cast<const char*>(part.iov_base), part.iov_len);
    return out;
}

TEST(Unsent, IsEmptyAtFirst) {
    EXPECT_TRUE(unsent().empty());
    EXPECT_EQ(joined(unsent()), "");
}

TEST(Unsent, KeepsACopyOfBytes) {
    unsent u;
    {
        const std::string gone = "an answer";
        u.keep(gone);
    }
    EXPECT_EQ(joined(u), "an answer");
    u.drop(3);
    EXPECT_EQ(joined(u), "answer");
    u.drop(6);
    EXPECT_TRUE(u.empty());
}

TEST(Unsent, GivesTheRestWhereverItWasCut) {
    const auto page = std::make_shared<const std::string>("..the shared part..");
    const api::shared_text shared{page, std::string_view(*page).substr(2, 15)};
    const std::string all = "head the shared part tail";
    for (std::size_t cut = 0; cut <= all.size(); ++cut) {
        unsent u;
        u.keep({"head ", shared, " tail"});
        EXPECT_EQ(joined(u), all);
        u.drop(cut);
        EXPECT_EQ(joined(u), all.substr(cut)) << cut;
        EXPECT_EQ(u.empty(), cut == all.size());
    }
}

TEST(Unsent, SharesThePageAndLetsItGoWhenItHasLeft) {
    const auto page = std::make_shared<const std::string>(100'000, 'x');
    unsent u;
    u.keep({"head", api::all_of(page), ""});
    EXPECT_EQ(page.use_count(), 2);
    EXPECT_EQ(u.parts()[1].iov_base, page->data()) << "not a copy";
    u.drop(50'000);
    EXPECT_EQ(page.use_count(), 2);
    u.drop(50'004);
    EXPECT_EQ(page.use_count(), 1);
}

}  // namespace
}  // namespace floodgate::http

#include "api/rounds_list.hpp"

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

namespace floodgate::api {
namespace {

namespace json = boost::json;

listed_round round_of(std::int64_t id, std::initializer_list<std::int64_t> sales) {
    listed_round r{.starts_at_ms = 1000 * id,
                   .id = id,
                   .head = R"({"id":)" + std::to_string(id) + R"(,"sales":[)",
                   .sales = {}};
    for (const std::int64_t s : sales)
        r.sales.push_back({s, R"({"id":)" + std::to_string(s) + "}"});
    return r;
}

const std::vector<listed_round> three{round_of(1, {11, 12, 13}), round_of(2, {}),
                                      round_of(3, {31})};

// "1:11,12 2:" for a page, and where the next one begins.
std::string seen(const reply& r, rounds_cursor* next = nullptr) {
    const json::value page = json::parse(content_of(r));
    std::string out;
    for (const json::value& round : page.at("rounds").as_array()) {
        out += (out.empty() ? "" : " ") + std::to_string(round.at("id").as_int64()) + ":";
        for (const json::value& s : round.at("sales").as_array())
            out += (out.back() == ':' ? "" : ",") + std::to_string(s.at("id").as_int64());
    }
    const json::value* more = page.as_object().if_contains("next");
    if (next && more) *next = parse_rounds_cursor(more->as_string()).value();
    return out + (more ? " ..." : "");
}

TEST(RoundsList, IsEmptyWithoutRounds) {
    EXPECT_EQ(content_of(rounds_list().page({})), R"({"rounds":[]})");
}

TEST(RoundsList, IsOnePageWhenItIsShort) {
    EXPECT_EQ(seen(rounds_list(three).page({})), "1:11,12,13 2: 3:31");
}

TEST(RoundsList, BeginsARoundAgainOnTheNextPage) {
    const rounds_list list(three);
    rounds_window w{.entries = 2};
    EXPECT_EQ(seen(list.page(w), &w.after), "1:11,12 ...");
    EXPECT_EQ(seen(list.page(w), &w.after), "1:13 2: ...");
    EXPECT_EQ(seen(list.page(w), &w.after), "3:31");
}

TEST(RoundsList, ShowsEachEntryOnceWhateverTheSizeOfThePages) {
    const rounds_list list(three);
    for (std::size_t size = 1; size <= 6; ++size) {
        rounds_window w{.entries = size};
        std::string all;
        for (bool more = true; more;) {
            const std::string page = seen(list.page(w), &w.after);
            more = page.ends_with("...");
            all += page + " ";
        }
        for (const char* sale : {"11", "12", "13", "2:", "31"}) {
            const std::size_t at = all.find(sale);
            ASSERT_NE(at, std::string::npos) << size << ": " << all;
            EXPECT_EQ(all.find(sale, at + 1), std::string::npos) << size << ": " << all;
        }
    }
}

TEST(RoundsList, GoesOnAtTheRightPlaceWhenWhatStoodThereIsGone) {
    rounds_window w{.entries = 2};
    (void)seen(rounds_list(three).page(w), &w.after);
    const std::vector<listed_round> later{round_of(2, {}), round_of(3, {31})};
    EXPECT_EQ(seen(rounds_list(later).page(w)), "2: 3:31");
    w.after = {.starts_at_ms = 9000, .round = 9, .sale = 9};
    EXPECT_EQ(content_of(rounds_list(three).page(w)), R"({"rounds":[]})");
}

TEST(RoundsList, SharesItsTextWithEveryReader) {
    const rounds_list list(three);
    const reply first = list.page({}), second = list.page({});
    EXPECT_EQ(first.shared.whole, second.shared.whole);
    EXPECT_EQ(first.shared.part.data(), second.shared.part.data());
    EXPECT_LT(first.body.size() + first.tail.size(), 40U) << "what is made for each reader";
}

TEST(RoundsWindow, IsReadFromTheQuery) {
    const auto read = [](const std::string& query) {
        call c;
        c.query = query;
        reply refusal;
        auto found = read_rounds_window(c, refusal);
        EXPECT_EQ(refusal.status, found ? 200 : 400) << query;
        return found;
    };
    EXPECT_EQ(read("")->entries, 50U);
    EXPECT_EQ(read("")->after, rounds_window().after);
    const auto window = read("limit=100&after=5.6.7&colour=red");
    EXPECT_EQ(window->entries, 100U);
    EXPECT_EQ(window->after, (rounds_cursor{5, 6, 7}));
    for (const char* query : {"limit=0", "limit=101", "limit=x", "limit=", "after=", "after=7",
                              "after=5.6", "after=5.6.7.8", "limit=1&after=x"})
        EXPECT_EQ(read(query), std::nullopt) << query;
}

TEST(RoundsList, HasATagForEachPage) {
    const rounds_list list(three);
    EXPECT_EQ(list.etag({}), rounds_list(three).etag({}));
    EXPECT_NE(list.etag({}), list.etag({.entries = 2}));
    EXPECT_NE(list.etag({.entries = 2}),
              list.etag({.after = {.starts_at_ms = 1000, .round = 1, .sale = 12}, .entries = 2}));
    EXPECT_NE(list.etag({}), rounds_list().etag({}));
}

}  // namespace
}  // namespace floodgate::api

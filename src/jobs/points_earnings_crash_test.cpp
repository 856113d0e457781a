// A job that gives buyers their points and dies at any statement of the ledger or any call of the
// accounts, before its work or after it, and once more while it is being finished. Afterwards the
// ledger and the accounts agree, and nobody has points twice.

#include <fmt/format.h>

#include "jobs/points_earnings.hpp"
#include "jobs/points_fixture.hpp"
#include "pay/test_channel.hpp"

namespace floodgate::jobs {
namespace {

using namespace std::chrono_literals;
using ledger::earning_state;
using points::balance;
using points::try_state;

constexpr std::int64_t each = 7;

enum class story : std::uint8_t {
    keeps = 1,
    gives_back_at_once,
    gives_back_when_promised,
    gives_back_when_given,
};
constexpr std::array stories{story::keeps, story::gives_back_at_once,
                             story::gives_back_when_promised, story::gives_back_when_given};

class life final : public PointsLife {
public:
    explicit life(story s) : story_(s) {
        verbs_.sql(fmt::format("UPDATE sales SET earns_points = {}", each));
        channels_.add(std::make_unique<pay::test_channel>());
        order_ = buy(buyer);
    }
    void TestBody() override {}

    // True: it died on the way.
    bool tell(fate f) {
        return dies([&] { perform(); }, f);
    }
    // What the timed jobs do after a start, for longer than points are promised. True: it died on
    // the way.
    bool recover(fate f) {
        return dies(
            [&] {
                for (int i = 0; i < 15; ++i) look_after_all(60s);
                look_after_all(std::chrono::hours(24 * 8));
                for (int i = 0; i < 3; ++i) look_after_all(60s);
            },
            f);
    }

    void expect_agreement() {
        const std::string now_is = state(order_.no);
        const auto earned = book_.earnings().find(order_.no);
        const auto tried = accounts_.state_of(order_.no, points::kind::earn).value();
        if (now_is == "closed timed_out") {
            EXPECT_FALSE(told_paid_);
            EXPECT_FALSE(earned);
            EXPECT_EQ(tried, std::nullopt);
            EXPECT_EQ(of(buyer), balance{});
        } else if (now_is == "paid" || story_ == story::gives_back_when_given) {
            EXPECT_THAT(now_is, testing::AnyOf("paid", "refunded"));
            EXPECT_EQ(earned.value().state, earning_state::given);
            EXPECT_EQ(tried, try_state::confirmed);
            EXPECT_EQ(of(buyer), (balance{{each}, {0}, {0}}));
        } else {
            EXPECT_EQ(now_is, "refunded");
            EXPECT_EQ(earned.value().state, earning_state::gone);
            EXPECT_EQ(tried, try_state::cancelled);
            EXPECT_EQ(of(buyer), balance{});
        }
        EXPECT_THAT(accounts_.check().value(), testing::IsEmpty());
        expect_books_agree();
    }

private:
    static constexpr std::int64_t buyer = 1;

    void look_after_all(milliseconds then_pass) {
        closer_.step();
        inquiries_.step();
        job_.step();
        clock_.advance(then_pass);
    }
    void perform() {
        const auto paid = checkout_.begin(order_.no, {buyer}, "test");
        told_paid_ = paid && paid->step == shop::checkout_step::done;
        if (story_ != story::gives_back_at_once) job_.step();
        if (story_ == story::gives_back_when_given || story_ == story::keeps) {
            clock_.advance(std::chrono::hours(24 * 8));
            job_.step();
        }
        if (story_ == story::keeps) return;
        (void)moves_.ask_refund(order_.no, {}, {}, clock_.now()).has_value();
        inquiries_.step();
        job_.step();
    }

    const story story_;
    sale::order order_;
    points_earnings job_{{scripted_, book_.earnings(), clock_}};
    bool told_paid_ = false;
};

TEST(PointsEarningsCrashTest, TheLedgerAndTheAccountsAgreeWhereverTheJobWasInterrupted) {
    for (const story s : stories) {
        SCOPED_TRACE(fmt::format("story {}", static_cast<int>(s)));
        die_at_every_step([s] { return life(s); });
    }
}

}  // namespace
}  // namespace floodgate::jobs

// A payment in points that dies at any statement of the ledger or any call of the accounts, before
// its work or after it, and once more while it is being finished. Afterwards points and orders
// agree.

#include <fmt/format.h>

#include "jobs/points_fixture.hpp"

namespace floodgate::jobs {
namespace {

using namespace std::chrono_literals;
using points::balance;
using points::try_state;
using testing::IsEmpty;

enum class story : std::uint8_t {
    pays = 1,
    refunds,
    cancels_meanwhile,
    is_late_meanwhile,
    is_half_closed_meanwhile,
};
constexpr std::array stories{story::pays, story::refunds, story::cancels_meanwhile,
                             story::is_late_meanwhile, story::is_half_closed_meanwhile};

class life final : public PointsLife {
public:
    explicit life(story s) : story_(s) {
        grant(buyer, price);
        order_ = buy(buyer);
    }
    void TestBody() override {}

    // True: it died on the way.
    bool tell(fate f) {
        return dies([&] { perform(); }, f);
    }
    // What the timed jobs do after a start, for longer than any deadline. True: it died on the way.
    bool recover(fate f) {
        return dies(
            [&] {
                for (int i = 0; i < 30; ++i) {
                    closer_.step();
                    settler_.step();
                    inquiries_.step();
                    clock_.advance(60s);
                }
            },
            f);
    }

    void expect_agreement() {
        const std::string now_is = state(order_.no);
        const auto tried = try_of(order_.no);
        EXPECT_NE(tried, try_state::open);
        if (now_is == "paid") {
            EXPECT_EQ(tried, try_state::confirmed);
            EXPECT_EQ(of(buyer), balance{});
        } else {
            EXPECT_THAT(now_is, testing::AnyOf("refunded", "closed cancelled", "closed timed_out"));
            if (now_is != "refunded") {
                EXPECT_NE(tried, try_state::confirmed);
            }
            EXPECT_EQ(of(buyer), (balance{{price}, {0}, {0}}));
        }
        if (told_paid_) {
            EXPECT_THAT(now_is, testing::AnyOf("paid", "refunded"));
        }
        EXPECT_EQ(moves_.count_questions().value(), 0);
        EXPECT_THAT(accounts_.check().value(), IsEmpty());
        expect_books_agree();
    }

private:
    static constexpr std::int64_t buyer = 1;

    void pay() {
        const auto paid = checkout_.begin(order_.no, {buyer}, "points");
        told_paid_ = paid && paid->step == shop::checkout_step::done;
    }
    void perform() {
        switch (story_) {
        case story::pays: return pay();
        case story::refunds:
            pay();
            (void)checkout_.ask_refund(order_.no, {buyer}, {}).has_value();
            inquiries_.step();
            return;
        case story::cancels_meanwhile:
            meanwhile([this] { (void)checkout_.cancel(order_.no, {buyer}).has_value(); });
            return pay();
        case story::is_late_meanwhile:
            meanwhile([this] {
                clock_.set(now(order_.no).pay_by);
                closer_.step();
                inquiries_.step();
            });
            return pay();
        case story::is_half_closed_meanwhile:  // an inquiry gives the points up, and has to go on
            meanwhile([this] {
                (void)checkout_.cancel(order_.no, {buyer}).has_value();
                (void)channel_->close(order_);
            });
            return pay();
        }
    }

    // Another request comes between the try and the ledger.
    void meanwhile(std::function<void()> request) {
        after_each_call_ = [this, request = std::move(request), done = false]() mutable {
            if (done || try_of(order_.no) != try_state::open) return;
            done = true;
            request();
        };
    }

    const story story_;
    sale::order order_;
    bool told_paid_ = false;
};

TEST(PointsCrashTest, PointsAndOrdersAgreeWhereverThePaymentWasInterrupted) {
    for (const story s : stories) {
        SCOPED_TRACE(fmt::format("story {}", static_cast<int>(s)));
        die_at_every_step([s] { return life(s); });
    }
}

}  // namespace
}  // namespace floodgate::jobs

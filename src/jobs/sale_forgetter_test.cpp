#include "jobs/sale_forgetter.hpp"

#include <gtest/gtest.h>

#include "gate/embedded_turnstile.hpp"
#include "ledger/ledger_fixture.hpp"
#include "sale/line_in_memory.hpp"
#include "shop/node_fixture.hpp"

namespace floodgate::jobs {
namespace {

using ledger::noon;  // the sales of the fixture last from noon for two hours
using std::chrono::hours;

class SaleForgetterTest : public testing::Test {
protected:
    // What is on its way is what the test says.
    class said_in_flight final : public shop::in_flight {
    public:
        std::uint64_t count(const ledger::tally&) override { return queued.size(); }
        result<std::vector<sale::order_no>> of_sale(sale::sale_id) override { return queued; }
        std::vector<sale::order_no> queued;
    };

    sale::sale_id open_sale() {
        const auto id = verbs_.add_sale();
        EXPECT_TRUE(gate_.warm_up(find(id)).has_value());
        return id;
    }
    sale::sale find(sale::sale_id id) {
        for (const sale::sale& s : verbs_.book().catalogue().sales().value())
            if (s.id == id) return s;
        throw std::runtime_error("no such sale");
    }
    bool loaded(sale::sale_id id) { return gate_.look_up(id).has_value(); }
    void step() {
        now_ += std::chrono::minutes(1);
        forgetter_.step(now_);
    }

    ledger::scratch_directory directory_;
    ledger::book_verbs verbs_{ledger::databases().at(1).open(directory_)};
    sale::line_in_memory line_;
    gate::embedded_turnstile gate_{line_, {}};
    said_in_flight between_;
    shop::noting_node node_;
    instant now_ = noon + hours(48);
    sale_forgetter forgetter_{{verbs_.book(), gate_, between_, node_}, {}};
};

TEST_F(SaleForgetterTest, LetsTheGateForgetASaleThatIsOverAndTellsThePages) {
    const auto id = open_sale();
    step();
    EXPECT_FALSE(loaded(id));
    EXPECT_EQ(node_.catalogue_changes, 1);
    EXPECT_EQ(forgetter_.forgotten(), 1U);
    step();
    EXPECT_EQ(node_.catalogue_changes, 1) << "once";
    EXPECT_EQ(verbs_.book().catalogue().sales()->size(), 1U) << "the ledger keeps it";
}

TEST_F(SaleForgetterTest, KeepsASaleThatIsNotOver) {
    const auto id = open_sale();
    now_ = noon + hours(20);
    step();
    EXPECT_TRUE(loaded(id));
}

TEST_F(SaleForgetterTest, KeepsASaleWhileAnOrderOfItIsUnpaid) {
    const auto id = open_sale();
    const auto p = verbs_.promise(id, 1);
    verbs_.enter({p});
    step();
    EXPECT_TRUE(loaded(id));
    verbs_.close(p.order);
    step();
    EXPECT_FALSE(loaded(id));
}

TEST_F(SaleForgetterTest, KeepsASaleWhileAPromiseOfItIsOnItsWay) {
    const auto id = open_sale();
    between_.queued = {{1000}};
    step();
    EXPECT_TRUE(loaded(id));
    between_.queued.clear();
    step();
    EXPECT_FALSE(loaded(id));
}

TEST_F(SaleForgetterTest, KeepsASaleWhoseTermsWereChangedMeanwhile) {
    const auto id = open_sale();
    sale::sale later = find(id);
    later.revision += 1;
    ASSERT_TRUE(gate_.warm_up(later).has_value());
    step();
    EXPECT_TRUE(loaded(id));
    EXPECT_EQ(node_.catalogue_changes, 0);
}

}  // namespace
}  // namespace floodgate::jobs

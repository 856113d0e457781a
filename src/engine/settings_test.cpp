#include "engine/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/config_file.hpp"
#include "journal/format.hpp"
#include "ledger/ledger_fixture.hpp"

namespace floodgate::engine {
namespace {

using testing::HasSubstr;

class SettingsTest : public testing::Test {
protected:
    settings read(const std::string& text) {
        const std::string path = directory_.file("floodgate.toml");
        std::ofstream(path) << text;
        return read_settings(path);
    }
    std::string complaint(const std::string& text) {
        try {
            (void)read(text);
        } catch (const config_error& e) {
            return e.what();
        }
        return "";
    }

    ledger::scratch_directory directory_;
};

TEST_F(SettingsTest, AreTheDefaultsWithoutAFile) {
    const settings s = read_settings("");
    EXPECT_EQ(s.mode, run_mode::embedded);
    EXPECT_EQ(s.memory.forget_after, std::chrono::hours(24));
    EXPECT_EQ(s.memory.cool_down, std::chrono::seconds(30));
    EXPECT_EQ(s.recent.believed_for, milliseconds(0));
    EXPECT_EQ(s.ledger_file(), "data/ledger.db");
}

TEST_F(SettingsTest, AreTheDefaultsInTheFileThatExplainsThem) {
    const settings usual = read_settings(""), explained = read_settings(FLOODGATE_CONFIG);
    EXPECT_EQ(explained.memory.forget_after, usual.memory.forget_after);
    EXPECT_EQ(explained.memory.cool_down, usual.memory.cool_down);
    EXPECT_EQ(explained.journal.segment_bytes, usual.journal.segment_bytes);
    EXPECT_EQ(explained.gate.backlog_max, usual.gate.backlog_max);
    EXPECT_EQ(explained.timed_jobs.rounds.lead, usual.timed_jobs.rounds.lead);
    EXPECT_EQ(explained.cluster.partitions, usual.cluster.partitions);
    EXPECT_EQ(explained.login_lifetime, usual.login_lifetime);
    EXPECT_EQ(explained.server.operator_listen, usual.server.operator_listen);
    EXPECT_EQ(explained.metrics_kept, usual.metrics_kept);
    EXPECT_EQ(explained.server.clients.per_address_max, usual.server.clients.per_address_max);
    EXPECT_EQ(explained.server.tls_hsts, usual.server.tls_hsts);
    EXPECT_EQ(explained.mailroom.waiters_per_user_max, usual.mailroom.waiters_per_user_max);
    EXPECT_EQ(explained.purchase_by_user.burst, usual.purchase_by_user.burst);
    const auto limits_of = [](const settings& s) {
        std::vector<double> all;
        for (const guard::rate_limit& l :
             {s.login_limits.by_device, s.login_limits.by_account, s.login_by_address,
              s.register_by_address, s.lookup_by_user, s.move_by_user, s.ticket_by_user,
              s.message_by_address, s.call_by_key})
            all.insert(all.end(), {l.rate_per_s, double(l.burst), static_cast<double>(l.keys_max)});
        return all;
    };
    EXPECT_EQ(limits_of(explained), limits_of(usual));
}

TEST_F(SettingsTest, BoundAJournalSegmentAsTheJournalDoes) {
    const auto most = journal::segment_bytes_max >> 20U;
    EXPECT_EQ(read("[journal]\nsegment_mib = " + std::to_string(most)).journal.segment_bytes,
              journal::segment_bytes_max);
    EXPECT_THAT(complaint("[journal]\nsegment_mib = " + std::to_string(most + 1)),
                HasSubstr("journal.segment_mib must be from 1 to " + std::to_string(most)));
}

TEST_F(SettingsTest, NameTheKeyThatIsWrong) {
    EXPECT_THAT(complaint("[edge]\nlopps = 1"), HasSubstr("edge.lopps"));
    EXPECT_THAT(complaint("[rounds]\nforget_after_s = 0"), HasSubstr("rounds.forget_after_s"));
    EXPECT_THAT(complaint("[sale]\ncool_down_s = -1"), HasSubstr("sale.cool_down_s"));
    EXPECT_THAT(complaint("[sale]\ncool_down_s = 86401"), HasSubstr("sale.cool_down_s"));
    EXPECT_THAT(complaint("[pay]\nrefund_within_s = -1"), HasSubstr("pay.refund_within_s"));
    EXPECT_THAT(complaint("[pay]\nrefund_within_s = 34560001"), HasSubstr("pay.refund_within_s"));
    EXPECT_THAT(complaint("mode = \"many\""), HasSubstr("embedded or clustered"));
    EXPECT_THAT(complaint("[cluster]\nname = \"a b\""), HasSubstr("cluster.name"));
    EXPECT_THAT(complaint("[redis]\naddresses = []"), HasSubstr("redis.addresses"));
    EXPECT_THAT(complaint("[redis]\ncluster = true\ndatabase = 1"), HasSubstr("redis.database"));
}

TEST_F(SettingsTest, ReadASecretFromAFileOfItsOwn) {
    const std::string secret = directory_.file("secret");
    std::ofstream(secret) << "hush\nand no more\n";
    EXPECT_EQ(read("[redis]\npassword_file = \"" + secret + "\"").cluster.redis.password, "hush");
    EXPECT_THAT(complaint("[redis]\npassword = \"x\"\npassword_file = \"" + secret + "\""),
                HasSubstr("not both"));
    EXPECT_THAT(complaint("[redis]\npassword_file = \"/nowhere\""), HasSubstr("cannot read"));
}

TEST_F(SettingsTest, BelieveNewsOfOrdersForAMomentOnlyInACluster) {
    const settings s = read("mode = \"clustered\"");
    EXPECT_EQ(s.recent.believed_for, milliseconds(1000));
    EXPECT_FALSE(s.recent.numbers_in_order);
}

TEST_F(SettingsTest, HandTheTimedJobsHowLongSalesAreRemembered) {
    const settings s = read("[rounds]\nforget_after_s = 60");
    EXPECT_EQ(s.memory.forget_after, std::chrono::seconds(60));
    EXPECT_EQ(s.timed_jobs.forgetting.memory.forget_after, std::chrono::seconds(60));
}

TEST_F(SettingsTest, HandTheTimedJobsHowLongABuyerWhoGaveUpWaits) {
    const settings s = read("[sale]\ncool_down_s = 0");
    EXPECT_EQ(s.memory.cool_down, std::chrono::seconds(0));
    EXPECT_EQ(s.timed_jobs.forgetting.memory.cool_down, std::chrono::seconds(0));
}

TEST_F(SettingsTest, ABuyerMayWantTheMoneyBackForAWeekUnlessSetOtherwise) {
    EXPECT_EQ(read("").refund_within, std::chrono::hours(24 * 7));
    EXPECT_EQ(read("[pay]\nrefund_within_s = 60").refund_within, std::chrono::minutes(1));
}

}  // namespace
}  // namespace floodgate::engine

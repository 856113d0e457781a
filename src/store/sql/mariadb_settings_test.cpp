#include "store/sql/mariadb_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace floodgate::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const server_settings safe{{"innodb_flush_log_at_trx_commit", "1"},
                           {"log_bin", "ON"},
                           {"sync_binlog", "1"},
                           {"innodb_doublewrite", "ON"},
                           {"wsrep_on", "OFF"}};

server_settings with(server_settings base, const std::string& name, const std::string& value) {
    base[name] = value;
    return base;
}

TEST(MariadbSettingsTest, NothingIsWeakWhereEveryCommitIsSynced) {
    EXPECT_THAT(find_weaknesses(safe), IsEmpty());
    EXPECT_EQ(describe_durability("mariadb 10.11.6", safe),
              "mariadb 10.11.6 innodb_flush_log_at_trx_commit=1 sync_binlog=1 doublewrite=on");
}

TEST(MariadbSettingsTest, EachWeakSettingHasItsLine) {
    EXPECT_THAT(find_weaknesses(with(safe, "innodb_flush_log_at_trx_commit", "2")),
                ElementsAre(HasSubstr("innodb_flush_log_at_trx_commit=2")));
    EXPECT_THAT(find_weaknesses(with(safe, "sync_binlog", "0")),
                ElementsAre(HasSubstr("sync_binlog=0")));
    EXPECT_THAT(find_weaknesses(with(safe, "innodb_doublewrite", "OFF")),
                ElementsAre(HasSubstr("innodb_doublewrite")));
}

TEST(MariadbSettingsTest, ABinaryLogThatIsOffNeedsNoSync) {
    const auto off = with(with(safe, "log_bin", "OFF"), "sync_binlog", "0");
    EXPECT_THAT(find_weaknesses(off), IsEmpty());
    EXPECT_THAT(describe_durability("x", off), HasSubstr("sync_binlog=off"));
}

TEST(MariadbSettingsTest, AGaleraClusterIsWeighedByItsNodes) {
    auto galera = with(with(safe, "wsrep_on", "ON"), "innodb_flush_log_at_trx_commit", "0");
    EXPECT_THAT(find_weaknesses(with(galera, "wsrep_cluster_size", "3")),
                ElementsAre(HasSubstr("only a power cut of all of them")));
    EXPECT_THAT(find_weaknesses(with(galera, "wsrep_cluster_size", "2")),
                ElementsAre(HasSubstr("fewer than 3")));
}

}  // namespace
}  // namespace floodgate::store

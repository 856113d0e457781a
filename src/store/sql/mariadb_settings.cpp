#include "store/sql/mariadb_settings.hpp"

#include <fmt/format.h>

#include <charconv>

#include "store/sql/sql.hpp"

namespace floodgate::store {
namespace {

constexpr int nodes_enough = 3;  // of a Galera cluster: when one fails, two still agree

void read_into(connection& c, std::string_view sql, server_settings& all) {
    auto rows = c.ask(sql);
    while (rows.next()) all[rows.get<std::string>(0)] = rows.get<std::string>(1);
}

std::string value(const server_settings& found, const std::string& name) {
    const auto at = found.find(name);
    return at == found.end() ? "" : at->second;
}

bool is_on(const server_settings& found, const std::string& name) {
    const std::string is = value(found, name);
    return is == "ON" || is == "1";
}

bool doublewrite_on(const server_settings& found) {
    const std::string is = value(found, "innodb_doublewrite");
    return is != "OFF" && is != "0" && is != "DETECT_ONLY" && is != "DETECT_AND_RECOVER_OFF";
}

int number(const server_settings& found, const std::string& name) {
    const std::string text = value(found, name);
    int n = 0;
    std::from_chars(text.data(), text.data() + text.size(), n);
    return n;
}

std::string flush_weakness(const server_settings& found) {
    const std::string flush = value(found, "innodb_flush_log_at_trx_commit");
    const std::string line = fmt::format(
        "innodb_flush_log_at_trx_commit={}: a crash may lose the last second of commits", flush);
    if (!is_on(found, "wsrep_on")) return line + "; set it to 1";
    const int nodes = number(found, "wsrep_cluster_size");
    return fmt::format("{}, unless another node of the cluster has them: it has {} node{}, {}",
                       line, nodes, nodes == 1 ? "" : "s",
                       nodes >= nodes_enough ? "so only a power cut of all of them does"
                                             : "with fewer than 3 set it to 1");
}

}  // namespace

server_settings read_mariadb_settings(connection& c) {
    server_settings all;
    read_into(c,
              "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('innodb_flush_log_at_trx_commit', "
              "'sync_binlog', 'log_bin', 'innodb_doublewrite', 'wsrep_on')",
              all);
    read_into(c, "SHOW GLOBAL STATUS WHERE Variable_name = 'wsrep_cluster_size'", all);
    return all;
}

std::string describe_durability(const std::string& version, const server_settings& found) {
    std::string text =
        fmt::format("{} innodb_flush_log_at_trx_commit={} sync_binlog={} doublewrite={}", version,
                    value(found, "innodb_flush_log_at_trx_commit"),
                    is_on(found, "log_bin") ? value(found, "sync_binlog") : "off",
                    doublewrite_on(found) ? "on" : "off");
    if (is_on(found, "wsrep_on"))
        text += fmt::format(" galera nodes={}", value(found, "wsrep_cluster_size"));
    return text;
}

std::vector<std::string> find_weaknesses(const server_settings& found) {
    std::vector<std::string> lines;
    // TiDB has no such setting, and nothing to say.
    const std::string flush = value(found, "innodb_flush_log_at_trx_commit");
    if (!flush.empty() && flush != "1") lines.push_back(flush_weakness(found));
    if (is_on(found, "log_bin") && value(found, "sync_binlog") != "1")
        lines.push_back(
            fmt::format("sync_binlog={}: after a crash a replica may miss commits; set it to 1",
                        value(found, "sync_binlog")));
    if (!doublewrite_on(found))
        lines.push_back(
            "innodb_doublewrite is off: a page that was half-written in a crash cannot be mended");
    return lines;
}

}  // namespace floodgate::store

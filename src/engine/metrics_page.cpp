#include "engine/metrics_page.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "engine/process_figures.hpp"

namespace floodgate::engine {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr std::size_t sales_shown_max = 500;  // the newest: a page must stay a page

class page_builder {
public:
    void counter(const char* name, const char* help, double value) {
        ClientMetric m;
        m.counter.value = value;
        families_.push_back({name, help, MetricType::Counter, {m}});
    }
    void gauge(const char* name, const char* help, double value) {
        ClientMetric m;
        m.gauge.value = value;
        families_.push_back({name, help, MetricType::Gauge, {m}});
    }
    // `unit` is what one of the base unit holds: 1e6 for a histogram in us shown in seconds.
    void distribution(const char* name, const char* help, const histogram::reading& from,
                      double unit = 1) {
        ClientMetric m;
        std::uint64_t below = 0;
        for (std::size_t i = 0; i < from.counts.size(); ++i) {
            below += from.counts[i];
            const double bound = i < from.bounds.size() ? static_cast<double>(from.bounds[i]) / unit
                                                        : std::numeric_limits<double>::infinity();
            m.histogram.bucket.push_back({below, bound});
        }
        m.histogram.sample_count = below;
        m.histogram.sample_sum = static_cast<double>(from.sum) / unit;
        families_.push_back({name, help, MetricType::Histogram, {m}});
    }
    void start_family(const char* name, const char* help, MetricType type = MetricType::Counter) {
        families_.push_back({name, help, type, {}});
    }
    using labels = std::vector<ClientMetric::Label>;
    void labelled(labels with, double value) {
        ClientMetric m;
        m.label = std::move(with);
        (families_.back().type == MetricType::Gauge ? m.gauge.value : m.counter.value) = value;
        families_.back().metric.push_back(m);
    }
    void labelled(const char* label, std::string text, double value) {
        labelled({{label, std::move(text)}}, value);
    }
    std::string text() const { return prometheus::TextSerializer().Serialize(families_); }

private:
    std::vector<MetricFamily> families_;
};

double seconds(milliseconds ms) { return static_cast<double>(ms.count()) / 1e3; }
double number(std::uint64_t n) { return static_cast<double>(n); }

void add_gate(page_builder& page, const metrics_sources& from) {
    page.start_family("floodgate_gate_answers_total", "Answers to attempts to buy, by kind.");
    for (std::uint8_t i = 1; i <= sale::answers; ++i)
        page.labelled("answer", sale::to_text(static_cast<sale::answer>(i)),
                      number(from.answers[i]));
}

void add_journal(page_builder& page, const journal::figures& j) {
    page.counter("floodgate_journal_promises_total", "Promises made durable.", number(j.promises));
    page.counter("floodgate_journal_records_total", "Records (group commits) written.",
                 number(j.records));
    page.counter("floodgate_journal_bytes_total", "Bytes written.", number(j.bytes));
    page.distribution("floodgate_journal_sync_seconds", "Waiting for the disk, by record.",
                      j.sync_us, 1e6);
    page.distribution("floodgate_journal_batch_promises", "Promises in a record.", j.batch);
    page.gauge("floodgate_journal_segments", "Segment files in use.", number(j.segments));
}

void add_partitions(page_builder& page, const cluster_figures& c) {
    const auto each = [&](const char* name, const char* help, MetricType type, auto value) {
        page.start_family(name, help, type);
        for (std::size_t p = 0; p < c.keepers.size(); ++p)
            page.labelled("partition", std::to_string(p), value(c.keepers[p]));
    };
    using keeper = clerk::keeper_figures;
    each("floodgate_partition_held", "1 while this node looks after the partition.",
         MetricType::Gauge, [](const keeper& k) { return k.holds ? 1.0 : 0.0; });
    each("floodgate_partition_serving", "1 while this node enters its promises.", MetricType::Gauge,
         [](const keeper& k) { return k.serving ? 1.0 : 0.0; });
    each("floodgate_partition_rebuilds_total", "Times this node rebuilt it from the ledger.",
         MetricType::Counter, [](const keeper& k) { return number(k.rebuilds); });
    each("floodgate_partition_rebuild_seconds", "How long the latest of these took.",
         MetricType::Gauge, [](const keeper& k) { return seconds(k.last_rebuild); });
}

void add_cluster(page_builder& page, const cluster_figures& c) {
    page.counter("floodgate_gate_calls_total", "Script calls to Redis that judge attempts.",
                 number(c.gate_calls));
    page.counter("floodgate_gate_unanswered_total",
                 "Attempts told busy or undecided because Redis did not answer in time.",
                 number(c.gate_unanswered));
    page.counter("floodgate_gate_reflected_total", "Attempts refused without asking Redis.",
                 number(c.gate_cached_refusals));
    page.gauge("floodgate_gate_to_release", "Orders whose units wait for Redis to come back.",
               number(c.to_release));
    page.gauge("floodgate_nodes_alive", "Nodes of the cluster that this one knows of.",
               number(c.nodes_alive));
    page.gauge("floodgate_on_duty", "1 on the node that runs the timed jobs.", c.on_duty ? 1 : 0);
    page.gauge("floodgate_bus_connected", "1 while the bus can be heard.", c.bus.connected ? 1 : 0);
    page.counter("floodgate_bus_published_total", "Messages to the other nodes.",
                 number(c.bus.published));
    page.counter("floodgate_bus_heard_total", "Messages from the other nodes.",
                 number(c.bus.heard));
    page.counter("floodgate_bus_dropped_total", "Messages that could not be sent.",
                 number(c.bus.dropped));
    add_partitions(page, c);
}

void add_clerk(page_builder& page, const metrics_sources& from) {
    const clerk::figures& c = from.clerk;
    page.gauge("floodgate_backlog_promises", "Promises that are not in the ledger yet.",
               number(from.backlog));
    page.counter("floodgate_clerk_entered_total", "Promises entered in the ledger.",
                 number(c.entered));
    page.counter("floodgate_clerk_refused_total", "Promises the ledger refused.",
                 number(c.refused));
    page.counter("floodgate_clerk_batches_total", "Ledger transactions.", number(c.batches));
    page.gauge("floodgate_clerk_last_batch_promises", "Size of the latest batch.",
               number(c.last_batch));
    page.gauge("floodgate_clerk_last_batch_seconds", "Time the latest batch took.",
               seconds(c.last_batch_took));
    page.gauge("floodgate_clerk_lag_seconds", "Age of the oldest promise that is not entered.",
               seconds(c.lag));
    page.gauge("floodgate_clerk_failing", "1 while journal or ledger cannot be used.",
               c.failing_since == never ? 0 : 1);
}

void add_edge(page_builder& page, const metrics_sources& from) {
    page.gauge("floodgate_connections", "Open connections.", number(from.edge.connections));
    page.counter("floodgate_connections_accepted_total", "Connections accepted.",
                 number(from.edge.accepted));
    page.counter("floodgate_connections_refused_total", "Connections over the limit.",
                 number(from.edge.refused));
    page.counter("floodgate_connections_refused_by_address_total",
                 "Of these, because of the many others from their address.",
                 number(from.edge.refused_by_address));
    page.counter("floodgate_connections_made_room_total", "Idle connections closed for new ones.",
                 number(from.edge.made_room));
    page.start_family("floodgate_http_answers_total", "HTTP answers, by status.");
    for (std::size_t status = 100; status < from.edge.by_status.size(); ++status)
        if (from.edge.by_status[status])
            page.labelled("status", std::to_string(status), number(from.edge.by_status[status]));
    page.distribution("floodgate_decision_seconds", "From reading an attempt to buy to its answer.",
                      from.edge.decision_times(), 1e6);
    page.gauge("floodgate_pool_waiting", "Requests waiting for or held by a pool thread.",
               number(from.pool_waiting));
    page.gauge("floodgate_logins", "Valid logins in memory.", number(from.logins));
}

void add_security(page_builder& page, const guard::security_events::figures& s) {
    page.start_family("floodgate_security_events_total",
                      "Log-ins, failures and refusals, by kind; a few of them are log lines.");
    for (std::uint8_t i = 1; i <= guard::security_event_kinds; ++i)
        page.labelled("event", to_text(static_cast<guard::security_event>(i)), number(s.events[i]));
    page.start_family("floodgate_limited_total", "Requests refused with 429, by limit.");
    for (std::uint8_t i = 1; i <= guard::limit_kinds; ++i)
        page.labelled("limit", to_text(static_cast<guard::limit>(i)), number(s.limits[i]));
}

void add_switches(page_builder& page, const ledger::switches& s) {
    page.start_family("floodgate_switch_on", "0 while an admin has switched it off.",
                      MetricType::Gauge);
    page.labelled("switch", "logins", s.logins ? 1 : 0);
    page.labelled("switch", "registration", s.registration ? 1 : 0);
    page.labelled("switch", "refunds", s.refunds ? 1 : 0);
    page.labelled("switch", "sales", s.sales ? 1 : 0);
}

// Under the names that every exporter uses.
void add_process(page_builder& page, const std::string& version) {
    const process_figures p = read_process();
    page.gauge("process_resident_memory_bytes", "Memory in use.", p.resident_bytes);
    page.gauge("process_open_fds", "Open files.", p.open_files);
    page.counter("process_cpu_seconds_total", "Time on the cores.", p.cpu_s);
    page.gauge("process_start_time_seconds", "When it was started, since 1970.", p.started_s);
    page.start_family("floodgate_build_info", "1, with the version.", MetricType::Gauge);
    page.labelled("version", version, 1);
}

void add_results(page_builder& page, const metrics_sources& from) {
    const push::mailroom::figures& r = from.results;
    page.gauge("floodgate_sockets", "Open WebSockets.", number(r.sockets));
    page.counter("floodgate_sockets_opened_total", "WebSockets opened.", number(r.opened));
    page.counter("floodgate_sockets_refused_total", "WebSockets over the limit.",
                 number(r.refused));
    page.counter("floodgate_sockets_overflowed_total", "WebSockets closed for being too slow.",
                 number(r.overflowed));
    page.counter("floodgate_socket_messages_total", "Messages sent over WebSockets.",
                 number(r.messages));
    page.gauge("floodgate_order_waiters", "Long polls that wait for an order to change.",
               number(r.waiters));
}

void add_points(page_builder& page, const jobs::points_figures& p) {
    page.gauge("floodgate_points_open_tries",
               "Payments in points that were open for some seconds at the last look.",
               number(p.open));
    page.start_family("floodgate_points_settled_total",
                      "Interrupted payments in points that were finished, by outcome.");
    page.labelled("as", "confirmed", number(p.confirmed));
    page.labelled("as", "cancelled", number(p.cancelled));
}

void add_earnings(page_builder& page, const ledger::earning_counts& e) {
    page.start_family(
        "floodgate_points_earnings",
        "Points that buyers earned with orders and do not have yet: orders, by state.",
        MetricType::Gauge);
    page.labelled("state", "owed", static_cast<double>(e.owed));
    page.labelled("state", "promised", static_cast<double>(e.promised));
}

void add_orders(page_builder& page, const metrics_sources& from) {
    using sale::order_state;
    page.start_family("floodgate_order_moves_total", "Orders that came into a state by a move.");
    for (const order_state s : {order_state::paid, order_state::closed, order_state::refunding,
                                order_state::refunded, order_state::failed})
        page.labelled("to", sale::to_text(s), number(from.after.moves_to(s)));
    const jobs::deadline_figures& c = from.timed_jobs.closing;
    page.distribution("floodgate_deadline_late_seconds",
                      "How long after their deadline unpaid orders were dealt with.", c.late_ms,
                      1e3);
    const jobs::payment_inquiry_figures& a = from.timed_jobs.asking;
    page.gauge("floodgate_payments_open", "Orders that wait for the word of a payment channel.",
               static_cast<double>(a.open));
    page.counter("floodgate_channel_asked_total", "Questions to payment channels.",
                 number(a.asked));
    page.counter("floodgate_channel_unsure_total", "Of these, without a clear answer.",
                 number(a.unsure));
    add_points(page, from.timed_jobs.points.value_or(jobs::points_figures{}));
    add_earnings(page, from.timed_jobs.earnings);
    const jobs::letter_retry_figures& r = from.timed_jobs.retries;
    page.start_family("floodgate_letters", "Promises put aside, by state.", MetricType::Gauge);
    page.labelled("state", "waiting", static_cast<double>(from.timed_jobs.letters.waiting));
    page.labelled("state", "dead", static_cast<double>(from.timed_jobs.letters.dead));
    page.counter("floodgate_letters_retried_total", "Tries to enter them after all.",
                 number(r.retried));
    page.counter("floodgate_letters_revived_total", "Of these, successful ones.",
                 number(r.revived));
}

void add_sales(page_builder& page, const metrics_sources& from) {
    const auto& sales = from.timed_jobs.reconciliation.sales;
    const std::size_t shown = std::min(sales.size(), sales_shown_max);
    page.start_family("floodgate_sale_units", "Where the units of a sale are.", MetricType::Gauge);
    for (const sale::balance& b : std::span(sales).last(shown)) {
        const std::string id = std::to_string(b.sale.value);
        const auto unit = [&](const char* where, std::int64_t units) {
            page.labelled({{"sale", id}, {"where", where}}, static_cast<double>(units));
        };
        unit("free", b.free);
        unit("promised", b.promised);
        unit("unpaid", b.unpaid);
        unit("paid", b.paid);
        unit("refunding", b.refunding);
    }
    page.start_family("floodgate_sale_off_by",
                      "Units that do not add up; longer than work in flight: a breach.",
                      MetricType::Gauge);
    for (const sale::balance& b : std::span(sales).last(shown))
        page.labelled("sale", std::to_string(b.sale.value), static_cast<double>(b.off_by()));
    page.counter("floodgate_rounds_opened_total", "Rounds that opened.",
                 number(from.timed_jobs.rounds.opened));
    page.counter("floodgate_rounds_ended_total", "Rounds that ended.",
                 number(from.timed_jobs.rounds.ended));
    page.counter("floodgate_sales_forgotten_total", "Sales that were over and left the gate.",
                 number(from.timed_jobs.sales_forgotten));
}

void add_alarms(page_builder& page, const metrics_sources& from) {
    std::array<double, alarm::kinds + 1> standing{};
    for (const alarm::alert& a : from.alarms.standing())
        ++standing[static_cast<std::size_t>(a.kind)];
    page.start_family("floodgate_alerts", "Alerts that stand, by kind.", MetricType::Gauge);
    for (std::uint8_t i = 1; i <= alarm::kinds; ++i)
        page.labelled("alert", to_text(static_cast<alarm::kind>(i)), standing[i]);
    page.start_family("floodgate_alerts_raised_total", "Alerts raised since start, by kind.");
    for (std::uint8_t i = 1; i <= alarm::kinds; ++i)
        page.labelled("alert", to_text(static_cast<alarm::kind>(i)),
                      number(from.alarms.raised(static_cast<alarm::kind>(i))));
    const auto hook = from.timed_jobs.webhook.value_or(alarm::webhook::figures{});
    page.counter("floodgate_webhook_sent_total", "Alerts sent to the webhook.", number(hook.sent));
    page.counter("floodgate_webhook_failed_total", "Alerts it did not take.",
                 number(hook.failed + hook.dropped));
    page.gauge("floodgate_disk_free_bytes", "Free space for the data directory.",
               from.timed_jobs.disk ? number(from.timed_jobs.disk->free) : 0);
    page.gauge("floodgate_clock_apart_seconds",
               "How far the machine's clock is ahead of Floodgate's.", seconds(from.clock_apart));
}

}  // namespace

std::string metrics_page(const metrics_sources& from) {
    page_builder page;
    add_gate(page, from);
    if (from.journal) add_journal(page, *from.journal);
    if (from.cluster) add_cluster(page, *from.cluster);
    add_clerk(page, from);
    add_edge(page, from);
    add_security(page, from.security);
    add_switches(page, from.switches);
    add_results(page, from);
    add_orders(page, from);
    add_sales(page, from);
    add_alarms(page, from);
    add_process(page, from.version);
    return page.text();
}

}  // namespace floodgate::engine

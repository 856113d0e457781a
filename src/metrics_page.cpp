#include "metrics_page.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <limits>
#include <vector>

namespace floodgate {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

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
    void start_family(const char* name, const char* help) {
        families_.push_back({name, help, MetricType::Counter, {}});
    }
    void labelled(const char* label, std::string value, double count) {
        ClientMetric m;
        m.label.push_back({label, std::move(value)});
        m.counter.value = count;
        families_.back().metric.push_back(m);
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
                      number(from.gate.by_answer[i]));
}

void add_journal(page_builder& page, const metrics_sources& from) {
    const journal::figures& j = from.journal;
    page.counter("floodgate_journal_promises_total", "Promises made durable.", number(j.promises));
    page.counter("floodgate_journal_records_total", "Records (group commits) written.",
                 number(j.records));
    page.counter("floodgate_journal_bytes_total", "Bytes written.", number(j.bytes));
    page.distribution("floodgate_journal_sync_seconds", "Waiting for the disk, by record.",
                      j.sync_us, 1e6);
    page.distribution("floodgate_journal_batch_promises", "Promises in a record.", j.batch);
    page.gauge("floodgate_journal_segments", "Segment files in use.", number(j.segments));
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
    page.start_family("floodgate_http_answers_total", "HTTP answers, by status.");
    for (std::size_t status = 100; status < from.edge.by_status.size(); ++status)
        if (from.edge.by_status[status])
            page.labelled("status", std::to_string(status), number(from.edge.by_status[status]));
    page.gauge("floodgate_pool_waiting", "Requests waiting for or held by a pool thread.",
               number(from.pool_waiting));
    page.gauge("floodgate_logins", "Valid logins in memory.", number(from.logins));
}

}  // namespace

std::string metrics_page(const metrics_sources& from) {
    page_builder page;
    add_gate(page, from);
    add_journal(page, from);
    add_clerk(page, from);
    add_edge(page, from);
    return page.text();
}

}  // namespace floodgate

// The clerk into MariaDB against a loop over libmariadb written by hand.
//
// FLOODGATE_TEST_MARIADB=HOST:PORT names the server (root, password "floodgate"): what is measured
// is its disk and its settings. Without it there is nothing to measure.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <mysql.h>
#include <string>

#include "ledger_books.hpp"

namespace {

using namespace floodgate;
using namespace floodgate::bench;

constexpr std::size_t rows_by_hand = 1000;  // in one INSERT
constexpr std::size_t columns = 12;

// A database of its own, with the sales in it.
class scratch_book : public mariadb_scratch {
public:
    scratch_book(std::size_t stock, std::uint32_t limit) {
        auto book = open();
        add_sales(book, stock, limit);
    }
};

void must(bool fine, MYSQL* m) {
    if (!fine) throw std::runtime_error(mysql_error(m));
}

struct order_values {
    std::array<std::int64_t, columns> numbers{};
};

void bind_number(MYSQL_BIND& b, std::int64_t& place, std::int64_t value) {
    place = value;
    b.buffer_type = MYSQL_TYPE_LONGLONG;
    b.buffer = &place;
}

void bind_text(MYSQL_BIND& b, const void* data, std::size_t size, enum_field_types type) {
    b.buffer_type = type;
    b.buffer = const_cast<void*>(data);
    b.buffer_length = size;
}

void bind_by_hand(MYSQL_BIND* b, order_values& v, const sale::promise& p) {
    bind_number(b[0], v.numbers[0], static_cast<std::int64_t>(p.order.value));
    bind_number(b[1], v.numbers[1], p.sale.value);
    bind_number(b[2], v.numbers[2], p.buyer.value);
    bind_number(b[3], v.numbers[3], p.quantity);
    bind_number(b[4], v.numbers[4], p.unit_price.value * p.quantity);
    bind_number(b[5], v.numbers[5], p.unit_points.value * p.quantity);
    bind_text(b[6], "unpaid", 6, MYSQL_TYPE_STRING);
    bind_text(b[7], "", 0, MYSQL_TYPE_STRING);
    bind_number(b[8], v.numbers[8], to_ms(p.at));
    bind_number(b[9], v.numbers[9], to_ms(p.at) + 900'000);
    if (p.key == sale::no_key) {
        b[10].buffer_type = MYSQL_TYPE_NULL;
    } else {
        bind_text(b[10], p.key.data(), p.key.size(), MYSQL_TYPE_BLOB);
    }
    bind_number(b[11], v.numbers[11], 0);
}

std::string insert_sql() {
    std::string sql = "INSERT INTO orders VALUES ";
    for (std::size_t i = 0; i < rows_by_hand; ++i)
        sql += i == 0 ? "(?,?,?,?,?,?,?,?,?,?,?,?,0)" : ",(?,?,?,?,?,?,?,?,?,?,?,?,0)";
    return sql;
}

void insert_by_hand(const std::string& database, std::span<const sale::promise> all) {
    const std::string address = server();
    const std::size_t colon = address.rfind(':');
    MYSQL* m = mysql_init(nullptr);
    must(mysql_real_connect(
             m, address.substr(0, colon).c_str(), "root", "floodgate", database.c_str(),
             static_cast<unsigned>(std::stoul(address.substr(colon + 1))), nullptr, 0) != nullptr,
         m);
    MYSQL_STMT* insert = mysql_stmt_init(m);
    const std::string sql = insert_sql();
    must(mysql_stmt_prepare(insert, sql.data(), sql.size()) == 0, m);
    std::vector<order_values> values(rows_by_hand);
    for (; !all.empty(); all = all.subspan(batch_size)) {
        must(mysql_query(m, "START TRANSACTION") == 0, m);
        for (std::size_t at = 0; at < batch_size; at += rows_by_hand) {
            std::vector<MYSQL_BIND> binds(rows_by_hand * columns);
            for (std::size_t i = 0; i < rows_by_hand; ++i)
                bind_by_hand(&binds[i * columns], values[i], all[at + i]);
            must(mysql_stmt_bind_param(insert, binds.data()) == 0, m);
            must(mysql_stmt_execute(insert) == 0, m);
        }
        must(mysql_query(m, "COMMIT") == 0, m);
    }
    mysql_stmt_close(insert);
    mysql_close(m);
}

double time_by_hand(std::span<const sale::promise> all, std::uint32_t limit) {
    const scratch_book book(all.size(), limit);
    return seconds([&] { insert_by_hand(book.name(), all); });
}

double time_enter(std::span<const sale::promise> all, std::uint32_t limit) {
    const scratch_book scratch(all.size(), limit);
    return seconds([&] {
        auto book = scratch.open();
        enter(book, all);
    });
}

// Both in turns, so that a slow moment of the disk hits both. Arguments: rows, limit per buyer.
void enter_into_mariadb_against_hand_written(benchmark::State& state) {
    if (server() == nullptr) return state.SkipWithError("FLOODGATE_TEST_MARIADB names no server");
    const auto all = crowd(static_cast<std::size_t>(state.range(0)));
    const auto limit = static_cast<std::uint32_t>(state.range(1));
    double by_hand = 0, by_ledger = 0;
    for (auto _ : state) {
        by_hand += time_by_hand(all, limit);
        const double one = time_enter(all, limit);
        by_ledger += one;
        state.SetIterationTime(one);
    }
    const auto rows = static_cast<double>(all.size()) * static_cast<double>(state.iterations());
    state.counters["hand_per_s"] = rows / by_hand;
    state.counters["enter_per_s"] = rows / by_ledger;
    state.counters["ratio"] = by_hand / by_ledger;
}
BENCHMARK(enter_into_mariadb_against_hand_written)
    ->Args({200'000, 1})
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

}  // namespace

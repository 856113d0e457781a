#include "ledger/ledger_fixture.hpp"

#include <cstdlib>
#include <stdexcept>

#include "ledger/mariadb_scratch.hpp"
#include "ledger/tampered_database.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::ledger {
namespace {

// Like a database server: several rows in one INSERT.
std::unique_ptr<store::database> open_in_fours(const scratch_directory&) {
    store::dialect fours = store::sqlite_dialect;
    fours.rows_per_insert = 4;
    return tamper(store::open_sqlite({.path = ":memory:"}),
                  std::make_shared<tampering>(tampering{{}, {}, fours}));
}

std::unique_ptr<store::database> open_mariadb_scratch(const scratch_directory&) {
    static mariadb_scratch scratch;  // one for all tests of this process, emptied before each
    scratch.empty();
    return store::open_mariadb(scratch.options());
}

}  // namespace

scratch_directory::scratch_directory() {
    std::string pattern = std::filesystem::temp_directory_path() / "floodgate-ledger-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = pattern;
}

scratch_directory::~scratch_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::vector<database_kind> databases() {
    std::vector<database_kind> all{
        {"SqliteFile",
         [](const scratch_directory& d) {
             return store::open_sqlite({.path = d.file("ledger.db")});
         }},
        {"SqliteMemory",
         [](const scratch_directory&) { return store::open_sqlite({.path = ":memory:"}); }},
        {"SqliteInFours", open_in_fours},
    };
    if (test_server()) all.push_back({"MariaDb", open_mariadb_scratch});
    return all;
}

std::string name_of(const testing::TestParamInfo<database_kind>& info) { return info.param.name; }

book_verbs::book_verbs(std::unique_ptr<store::database> db) : db_(db.get()), book_(std::move(db)) {
    entered_ = book_.orders().position().value();
    next_order_ += entered_.value;
}

sale::sale_id book_verbs::add_sale(sale_terms terms) {
    sale::product p;
    p.title = "thing " + std::to_string(++products_);
    sale::round r;
    r.title = "ten o'clock";
    r.starts_at = noon;
    r.ends_at = noon + std::chrono::hours(2);
    sale::sale s;
    s.product = book_.catalogue().add_product(p).value();
    s.round = book_.catalogue().add_round(r).value();
    s.price = {9900};
    s.price_points = {50};
    s.stock = terms.stock;
    s.limit = terms.limit;
    s.pay_within_s = 600;
    s.state = sale::sale_state::published;
    return book_.catalogue().add_sale(s, noon).value();
}

sale::user_id book_verbs::add_user(const std::string& phone) {
    sale::user u;
    u.phone = phone;
    u.nickname = "nick " + phone;
    u.password_hash = "hash " + phone;
    u.created_at = noon;
    return book_.users().add(u).value();
}

sale::promise book_verbs::promise(sale::sale_id sale, std::int64_t buyer, std::uint32_t quantity) {
    sale::promise p;
    p.order = {++next_order_};
    p.sale = sale;
    p.buyer = {buyer};
    p.quantity = quantity;
    p.unit_price = {9900};
    p.unit_points = {50};
    p.at = noon + milliseconds(next_order_);
    return p;
}

entry_report book_verbs::enter(const std::vector<sale::promise>& batch) {
    entered_.value += batch.size();
    return book_.orders().enter(batch, entered_).value();
}

std::int64_t book_verbs::put_aside(const sale::promise& p, const setback& why) {
    ++entered_.value;
    book_.letters().put_aside(p, entered_, why).value();
    return number("SELECT id FROM letters WHERE order_no = " + std::to_string(p.order.value));
}

void book_verbs::close(sale::order_no no) {
    const auto o = book_.orders().find(no).value();
    ASSERT_TRUE(book_.moves().cancel(no, o.buyer, o.created_at).value().moved);
}

std::int64_t book_verbs::held(sale::sale_id sale) {
    for (const sale_figures& f : book_.catalogue().figures().value())
        if (f.sale == sale) return f.held;
    return -1;
}

std::string book_verbs::state(const sale::promise& p) {
    const auto found = book_.orders().find(p.order);
    if (!found) return "absent";
    const std::string state = to_text(found->state);
    return found->reason.empty() ? state : state + " " + found->reason;
}

findings book_verbs::check() { return book_.orders().check().value(); }

std::int64_t book_verbs::number(const std::string& sql) {
    const auto c = db_->reader();
    auto rows = c->ask(sql);
    return rows.next() ? rows.get<std::int64_t>(0) : -1;
}

void book_verbs::sql(const std::string& text) { db_->writer()->execute(text); }

void book_verbs::poison(const sale::promise& p) {
    const std::string no = std::to_string(p.order.value);
    if (db_->speaks().name == store::mysql_dialect.name) {
        sql("CREATE TRIGGER poison BEFORE INSERT ON orders FOR EACH ROW BEGIN IF NEW.order_no = " +
            no + " THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'poison'; END IF; END");
        return;
    }
    sql("CREATE TRIGGER poison BEFORE INSERT ON orders WHEN NEW.order_no = " + no +
        " BEGIN SELECT RAISE(ABORT, 'poison'); END");
}

}  // namespace floodgate::ledger

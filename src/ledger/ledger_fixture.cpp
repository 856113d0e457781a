#include "ledger/ledger_fixture.hpp"

#include "ledger/migrations.hpp"

namespace floodgate::ledger {

std::vector<database_kind> databases() {
    std::vector<std::string> refresh{
        "DROP TRIGGER IF EXISTS poison",
        "DROP INDEX IF EXISTS odd ON stock_log",  // letter_book_test
    };
    // The rows that an empty ledger has, such as the place in the journal.
    for (const migration& step : migrations())
        for (const std::string_view statement : step.statements)
            if (statement.starts_with("INSERT INTO") &&
                statement.find(" VALUES ") != statement.npos)
                refresh.emplace_back(statement);
    return store::test_databases(refresh);
}

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
    s.earns_points = {terms.earns_points};
    s.resell_refunded = terms.resell_refunded;
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

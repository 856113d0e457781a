// For tests: the handlers over a real ledger and a real gate, asked through the table of routes.
// Every answer is checked against openapi.json.

#pragma once

#include <boost/json/value.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "api/routes.hpp"
#include "gate/embedded_turnstile.hpp"
#include "guard/passwords.hpp"
#include "guard/tickets.hpp"
#include "ledger/ledger_fixture.hpp"
#include "ledger/tampered_database.hpp"
#include "points/account_book.hpp"
#include "shop/kept_source.hpp"
#include "shop/silent_node.hpp"

namespace floodgate::api {

using sale::line_in_memory;

struct answered {
    int status = 0;
    boost::json::value body;  // null when there is none
    std::string headers;
    std::string text{};  // of the body, whatever it is

    std::string code() const { return std::string(body.at("code").as_string()); }
    std::string detail() const { return std::string(body.at("detail").as_string()); }
};

class HandlerTest : public testing::Test {
protected:
    HandlerTest();

    // Sets the user of the following calls. By default this is admin 1.
    void as_admin() { who_ = {{1}, sale::role::admin}; }
    void as_buyer(std::int64_t id) { who_ = {{id}, sale::role::buyer}; }

    answered get(const std::string& target) { return ask(verb::get, target, ""); }
    answered post(const std::string& target, const std::string& body = "") {
        return ask(verb::post, target, body);
    }
    answered put(const std::string& target, const std::string& body) {
        return ask(verb::put, target, body);
    }
    // The target is a path under /api/v1, or with a leading // one at the root.
    answered ask(verb v, const std::string& target, const std::string& body);
    reply perform(const route& r, const call& c);
    std::optional<pool> second_step_in_;  // where the second step of the latest call ran

    // A product, a round open from noon for two hours, a published sale, made by an admin.
    std::int64_t published_sale(std::int64_t stock, int limit = 1);
    std::int64_t draft_sale(std::int64_t stock, int limit = 1);

    sale::verdict buy(std::int64_t buyer, std::int64_t sale, std::uint32_t quantity = 1);
    services all_services();
    std::unique_ptr<store::database> open();
    void break_ledger() {
        how_->before = [] { throw store::sql_error(store::sql_failure::busy, "as told"); };
    }
    void mend_ledger() { how_->before = nullptr; }
    void enter_all();  // what the clerk does: every promise not yet in the ledger

    ledger::scratch_directory directory_;
    std::shared_ptr<ledger::tampering> how_ = std::make_shared<ledger::tampering>();
    ledger::book_verbs verbs_{open()};
    ledger::ledger& book_ = verbs_.book();
    manual_clock clock_{ledger::noon};
    line_in_memory line_;
    gate::embedded_turnstile turnstile_{line_, {}};
    guard::sessions sessions_;
    guard::passwords passwords_{guard::cheapest};
    guard::rate_limiter by_address_{{.rate_per_s = 0.1, .burst = 6}};
    guard::login_limits login_limits_{
        {.by_device = {.rate_per_s = 0.1, .burst = 3, .keys_max = 1024},
         .by_account = {.rate_per_s = 0.1, .burst = 4, .keys_max = 1024}}};
    guard::rate_limiter register_by_address_{{.rate_per_s = 0.1, .burst = 6}};
    guard::rate_limiter lookup_by_user_{{.rate_per_s = 0.1, .burst = 200}};
    guard::rate_limiter move_by_user_{{.rate_per_s = 0.1, .burst = 100}};
    std::vector<std::string> events_told_;  // log lines
    guard::security_events events_{
        [this](log::level, std::string_view event, std::string_view pairs) {
            events_told_.push_back(std::string(event) + std::string(pairs));
        }};
    guard::rate_limiter purchase_by_address_{{.rate_per_s = 0.1, .burst = 6}};
    guard::rate_limiter unlimited_{{}};
    guard::rate_limiter ticket_by_user_{{.rate_per_s = 1, .burst = 20}};
    guard::rate_limiter message_by_address_{{.rate_per_s = 0.1, .burst = 6}};
    guard::rate_limiter call_by_key_{{.rate_per_s = 0.1, .burst = 20}};
    shop::access_register access_{book_, clock_};
    showcase showcase_{book_.catalogue(), turnstile_, clock_};
    struct showing_node final : shop::silent_node {
        showing_node(showcase& s, guard::sessions& l) : shown(s), logins(l) {}
        void catalogue_changed() override { EXPECT_TRUE(shown.reload().has_value()); }
        void login_made(const sale::login& l) override { logins.add(l); }
        void login_removed(const sale::token_hash& hash) override { logins.remove(hash); }
        bool knows_more_logins() const override { return bool(find_elsewhere); }
        result<guard::identity> find_login(const sale::token_hash& hash, instant now) override {
            return find_elsewhere(hash, now);
        }
        std::function<result<guard::identity>(const sale::token_hash&, instant)> find_elsewhere;
        showcase& shown;
        guard::sessions& logins;
    } node_{showcase_, sessions_};
    shop::catalogue_desk desk_{book_, turnstile_, node_, clock_};
    shop::recent_orders recent_;
    // Those of one node's memory, which can be told to be called in a pool like those in Redis.
    struct tickets_anywhere final : guard::ticket_office {
        result<issued> issue(const guard::ticket_holder& to, instant now) override {
            return kept.issue(to, now);
        }
        result<std::optional<guard::ticket_holder>> redeem(std::string_view text,
                                                           instant now) override {
            if (away) return make_error_code(errc::store_unavailable);
            return kept.redeem(text, now);
        }
        bool may_block() const override { return blocks; }
        guard::tickets kept;
        bool blocks = false;
        bool away = false;  // the store cannot be asked
    } tickets_;
    std::unique_ptr<store::database> points_db_ = ledger::databases().at(1).open(directory_);
    points::account_book points_{*points_db_};
    pay::channels channels_;
    alarm::board alarms_;
    std::vector<sale::order> settled_;  // orders whose moves were told, in order
    shop::settlement settlement_{turnstile_, [this](std::span<const sale::order_news> news) {
                                     for (const auto& n : news) settled_.push_back(n.what);
                                 }};
    shop::checkout checkout_{{book_.moves(), channels_, settlement_, clock_}};
    shop::message_desk messages_{{checkout_, channels_, book_}};
    shop::bill_desk bills_{book_};
    shop::letter_desk letters_{{book_, settlement_, clock_}};
    shop::order_lookup orders_{{recent_, turnstile_, book_.orders()}};
    shop::ledger_health ledger_health_{book_.orders()};
    shop::switchboard switches_{book_.switches()};
    shop::kept_source source_{line_};
    shop::journal_in_flight between_{book_, source_, [this] { return line_.durable(); }};
    shop::reconciliation_desk reconciliation_{
        {{book_, turnstile_, between_}, desk_, node_, clock_}};
    api::readiness readiness_;  // what /readyz says after a look
    operator_pages operators_{
        {.readiness = [this] { return readiness_; },
         .durability = {"journal: fdatasync", "ledger: full"},
         .metrics = [] { return std::string("floodgate_orders_total 3\n"); }}};
    live_view live_;
    std::vector<config_entry> configuration_;
    picture_shelf pictures_;
    services with_;
    call next_;  // what the next call carries besides: token, client, language
    guard::identity who_{{1}, sale::role::admin};
    std::size_t entered_ = 0;
};

}  // namespace floodgate::api

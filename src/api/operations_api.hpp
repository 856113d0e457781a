// The calls of operators: dead letters, open payments, the reconciliation, alerts, any order.
//
// For admins. Every decision has an audit line.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// ?state=waiting|dead|replayed|discarded &limit=1..500 (50) &before=ID -> {letters, next_before}
reply list_letters(services& with, const call& c);
reply get_letter(services& with, const call& c);
// {} -> 200 {letter, outcome}: entered, or refused by the ledger with a reason; 409: decided
// already
reply replay_letter(services& with, const call& c);
// {reason} -> 200 letter: its units are released, the buyer is told; 409: decided already
reply discard_letter(services& with, const call& c);

// Orders whose channel has not given a clear answer yet: ?limit &after=ORDER_NO -> {questions}
reply list_questions(services& with, const call& c);
// Money that came late or twice and goes back. ?limit=1..500 (50) &before=ORDER_NO
reply list_extra_money(services& with, const call& c);  // -> {refunds, next_before}

// What payment channels sent by themselves, newest first: ?limit=1..100 (20) &before=ID
// -> {messages, next_before}
reply list_messages(services& with, const call& c);

// What was asked of payment channels for an order, call by call, oldest first -> {attempts}
reply list_attempts(services& with, const call& c);

// Holds a channel's daily bill against the ledger: ?channel=alipay|wechat, the body is the CSV file
// as it was downloaded -> {channel, complete, agrees, lines, from?, until?, bill, ledger, missing,
// extra, different}; of each of the last three the first 1000 are named. 422 with `line`: the file
// cannot be read; 503: a check is under way
reply check_bill(services& with, const call& c);

// The latest look at every sale -> {at, sales}
reply get_reconciliation(services& with, const call& c);
// {sale_id, repair?: true, note?} looks now, explains, and repairs if asked to
reply reconcile_sale(services& with, const call& c);

// What is switched off for the whole shop -> {logins, registration, refunds, sales, reason,
// changed_at?, changed_by?}
reply get_switches(services& with, const call& c);
// {logins?, registration?, refunds?, sales?, reason} -> the same; this node follows at once, the
// others within a second
reply change_switches(services& with, const call& c);
// The last seconds of the live view: ?seconds=1..3600 (60) &step=1..60 (1): every step-th of them
// -> {every_ms, kept_s, history, now}
reply get_live(services& with, const call& c);
// What /readyz says, and how the other nodes are -> {status, reason?, warnings, durability, nodes}
reply get_health(services& with, const call& c);
// Every option -> {options: [{key, value, default, from, secret}]}; secrets have no value
reply get_configuration(services& with, const call& c);

reply list_alerts(services& with, const call& c);         // -> {alerts}, oldest first
reply get_order_as_admin(services& with, const call& c);  // any buyer's

}  // namespace floodgate::api

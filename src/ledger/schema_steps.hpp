// The statements of the newer steps of the schema, a file for each subject. schema.cpp numbers
// them.

#pragma once

#include <span>
#include <string_view>

namespace floodgate::ledger {

using statements = std::span<const std::string_view>;

statements
payment_attempts();  // schema_payments.cpp: what a payment channel was asked and what it answered
statements staff_tables();  // schema_staff.cpp: roles, second factors and the chained audit
statements
account_tables();  // schema_accounts.cpp: external ids of users, API keys, disabled users
statements catalogue_tables();   // schema_catalogue.cpp: external ids and metadata of products and
                                 // sales, uploaded pictures
statements feed_tables();        // schema_feed.cpp: the feed of order events and its webhooks
statements operations_tables();  // schema_operations.cpp: switches

}  // namespace floodgate::ledger

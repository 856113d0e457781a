// Any text as the query of /ws. Nothing that was made up is redeemed, wherever the text puts it; a
// ticket that was issued is redeemed once, and never after its time. What Redis keeps of a ticket
// has one spelling.
//
// Where the text has a dollar sign, the ticket that was issued stands in the query.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/call.hpp"
#include "guard/stored_ticket.hpp"
#include "guard/tickets.hpp"

namespace {

using namespace floodgate;

void require(bool holds) {
    if (!holds) std::abort();
}

const guard::ticket_holder holder{.user = {7}};
constexpr instant noon{milliseconds(1'800'000'000'000)};
constexpr milliseconds lifetime = guard::ticket_office::options{}.lifetime;

std::string replace_dollars(std::string_view text, std::string_view by) {
    std::string out;
    for (const char c : text) c == '$' ? out.append(by) : out.append(1, c);
    return out;
}

// What the handler of /ws does with a query.
std::optional<guard::ticket_holder> enter(guard::tickets& office, const std::string& query,
                                          instant now) {
    api::call c;
    c.query = query;
    return office.redeem(api::query_value(c, "ticket").value_or(""), now).value();
}

void check_query(std::string_view text) {
    guard::tickets office;
    require(!enter(office, std::string(text), noon));
    const std::string ticket = office.issue(holder, noon)->text;
    require(!enter(office, std::string(text), noon));

    const std::string query = replace_dollars(text, ticket);
    api::call c;
    c.query = query;
    const bool shown = api::query_value(c, "ticket") == ticket;
    const auto in = enter(office, query, noon);
    require(shown ? in == holder : !in);
    require(!enter(office, query, noon));
    require(office.redeem(ticket, noon).value().has_value() == !shown);
    require(office.count() == 0);

    const std::string late = office.issue(holder, noon)->text;
    require(!enter(office, replace_dollars(text, late), noon + lifetime));
    require(!office.redeem(late, noon + lifetime).value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_query(text);
    if (const auto stored = guard::parse_stored_ticket(text))
        require(guard::to_text(*stored) == text && stored->holder.user.value > 0);
    return 0;
}

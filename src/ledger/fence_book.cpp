#include "ledger/fence_book.hpp"

#include "ledger/guarded.hpp"

namespace floodgate::ledger {

result<std::uint64_t> fence_book::raise(const std::string& name) {
    if (name.empty() || name.size() > fence_name_size_max) return errc::invalid;
    return guarded("fences.raise", [&]() -> result<std::uint64_t> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        // The update locks the row, so no other caller can read back the same number.
        constexpr std::string_view next =
            "UPDATE fences SET number = number + 1, writes = writes + 1 WHERE name = ?";
        if (c->run(next, name) == 0) {
            std::string insert(c->speaks().insert_ignore);
            c->run(insert.append(" INTO fences (name, number, writes) VALUES (?, 0, 0)"), name);
            c->run(next, name);
        }
        std::uint64_t number = 0;
        {
            auto rows = c->ask("SELECT number FROM fences WHERE name = ?", name);
            if (rows.next()) rows.read(number);
        }
        t.commit();
        return number;
    });
}

}  // namespace floodgate::ledger

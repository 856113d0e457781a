#include "queue/partition_stream.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "sale/gate_schema.hpp"

namespace floodgate::queue {
namespace {

namespace schema = sale::gate_schema;
using store::redis_reply;
using store::words;

constexpr std::size_t removed_at_once_max = 500;  // far below what Lua can unpack
constexpr std::size_t ranged_at_once = 32;
constexpr const char* dead_kept_max = "10000";
constexpr const char* stream_start = "0-0";

// All these scripts may also run when memory is short, because they free it.

// Makes the group if it is missing, and removes consumers that have no pending entries and are
// gone.
const store::redis_script& join_script() {
    static const store::redis_script script(R"(#!lua flags=allow-oom
local made = redis.pcall('XGROUP', 'CREATE', KEYS[1], ARGV[1], '0', 'MKSTREAM')
if type(made) == 'table' and made.err and not string.find(made.err, 'BUSYGROUP') then
  return made
end
for _, facts in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local name, pending
  for i = 1, #facts, 2 do
    if facts[i] == 'name' then name = facts[i + 1] end
    if facts[i] == 'pending' then pending = facts[i + 1] end
  end
  if name ~= ARGV[2] and pending == 0 then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], name)
  end
end
return 1)");
    return script;
}

const store::redis_script& remove_script() {
    static const store::redis_script script(R"(#!lua flags=allow-oom
redis.call('XACK', KEYS[1], ARGV[1], unpack(ARGV, 2))
return redis.call('XDEL', KEYS[1], unpack(ARGV, 2)))");
    return script;
}

const store::redis_script& note_script() {
    static const store::redis_script script("#!lua flags=allow-oom" + schema::lua_fields() + R"(
if redis.call('HGET', KEYS[1], epoch_field) ~= ARGV[1] then return 0 end
local noted = tonumber(redis.call('HGET', KEYS[1], entered_field) or '0') or 0
if tonumber(ARGV[2]) <= noted then return 0 end
redis.call('HSET', KEYS[1], entered_field, ARGV[2])
return 1)");
    return script;
}

// Reads [id, [field, value, ...]]. Without the expected field the body is empty and cannot be
// decoded.
std::optional<stream_entry> to_entry(const redis_reply& reply) {
    if (reply.items.size() != 2) return std::nullopt;
    const auto last = sale::parse_entry_id(reply.items[0].text);
    if (!last) return std::nullopt;
    stream_entry e{.last = *last};
    const std::vector<redis_reply>& fields = reply.items[1].items;
    for (std::size_t i = 0; i + 1 < fields.size(); i += 2)
        if (fields[i].text == sale::entry_field) e.body = fields[i + 1].text;
    return e;
}

result<std::vector<stream_entry>> to_entries(const redis_reply& reply) {
    std::vector<stream_entry> out;
    out.reserve(reply.items.size());
    for (const redis_reply& item : reply.items) {
        auto e = to_entry(item);
        if (!e) return errc::corrupt;
        out.push_back(std::move(*e));
    }
    return out;
}

}  // namespace

partition_stream::partition_stream(store::redis& redis, place where)
    : redis_(redis),
      where_(std::move(where)),
      line_(sale::key_of(where_.name, where_.partition, schema::key::line)),
      gate_(sale::key_of(where_.name, where_.partition, schema::key::gate)),
      dead_(sale::key_of(where_.name, where_.partition, schema::key::dead)),
      own_(redis),
      claim_from_(stream_start) {}

void partition_stream::start_over() { claim_from_ = stream_start; }

result<void> partition_stream::join() {
    const auto joined = redis_.run(join_script(), {line_}, {where_.group, where_.consumer});
    if (!joined) return joined.error();
    joined_ = true;
    return {};
}

result<std::vector<stream_entry>> partition_stream::next(std::size_t max, milliseconds wait) {
    if (!joined_) {
        start_over();
        if (const auto done = join(); !done) return done.error();
    }
    while (!claim_from_.empty()) {
        auto claimed = claim(max);
        if (!claimed || !claimed->empty()) return claimed;
    }
    return fetch(max, wait);
}

// The least idle time is 0, because no other node may be reading here.
result<std::vector<stream_entry>> partition_stream::claim(std::size_t max) {
    const auto reply = own_.ask(line_,
                                {"XAUTOCLAIM", line_, where_.group, where_.consumer, "0",
                                 claim_from_, "COUNT", std::to_string(max)},
                                milliseconds(0));
    if (!reply) {
        joined_ = false;
        return reply.error();
    }
    if (reply->items.size() < 2) return errc::corrupt;
    claim_from_ = reply->items[0].text;
    if (claim_from_ == stream_start) {
        claim_from_.clear();
        if (const auto done = join(); !done) return done.error();  // without the dead
    }
    return to_entries(reply->items[1]);
}

result<std::vector<stream_entry>> partition_stream::fetch(std::size_t max, milliseconds wait) {
    words command{"XREADGROUP",    "GROUP", where_.group,
                  where_.consumer, "COUNT", std::to_string(max)};
    // BLOCK 0 would be for ever.
    if (wait.count() > 0) command.append({"BLOCK", std::to_string(wait.count())});
    command.append({"STREAMS", line_, ">"});
    const auto reply = own_.ask(line_, command, wait);
    if (!reply) {
        joined_ = false;  // NOGROUP, or entries that Redis has given out did not arrive
        return reply.error();
    }
    if (reply->is_nil() || reply->items.empty()) return std::vector<stream_entry>();
    if (reply->items[0].items.size() != 2) return errc::corrupt;
    return to_entries(reply->items[0].items[1]);
}

result<void> partition_stream::remove(std::span<const sale::line_place> entries) {
    while (!entries.empty()) {
        const auto some = entries.first(std::min(entries.size(), removed_at_once_max));
        words arguments{where_.group};
        for (const sale::line_place& last : some) arguments.add(sale::entry_id(last));
        const auto done = redis_.run(remove_script(), {line_}, arguments);
        if (!done) return done.error();
        entries = entries.subspan(some.size());
    }
    return {};
}

result<void> partition_stream::note_entered(sale::line_place entered) {
    const auto noted = redis_.run(note_script(), {gate_},
                                  {std::to_string(entered.epoch), std::to_string(entered.number)});
    if (!noted) return noted.error();
    return {};
}

result<std::optional<sale::line_place>> partition_stream::promised() {
    const auto reply =
        redis_.ask(gate_, {"HMGET", gate_, schema::field::epoch, schema::field::seq});
    if (!reply) return reply.error();
    if (reply->items.size() != 2) return std::optional<sale::line_place>();
    const auto epoch = store::read_number(reply->items[0]);
    const auto number = store::read_number(reply->items[1]);
    if (!epoch || !number) return std::optional<sale::line_place>();
    return std::optional(sale::line_place{.epoch = static_cast<std::uint64_t>(*epoch),
                                          .number = static_cast<std::uint64_t>(*number)});
}

result<std::vector<sale::promise>> partition_stream::left_behind(std::size_t max) {
    std::vector<sale::promise> out;
    left_.clear();
    std::string from = "-";
    while (out.size() < max) {
        const auto reply = redis_.ask(
            line_, {"XRANGE", line_, from, "+", "COUNT", std::to_string(ranged_at_once)});
        if (!reply) return reply.error();
        const auto entries = to_entries(*reply);
        if (!entries) return entries.error();
        if (entries->empty()) break;
        for (const stream_entry& e : *entries) {
            if (out.size() >= max) break;
            left_.push_back(e.last);
            const auto promises = sale::decode_entry(e.body);
            if (promises) {
                out.insert(out.end(), promises->begin(), promises->end());
            } else if (const auto aside = put_aside(e); !aside) {
                return aside.error();
            }
        }
        from = "(" + sale::entry_id(left_.back());
    }
    if (out.empty() && !left_.empty()) {
        if (const auto done = forget(); !done) return done.error();  // nothing but the unreadable
    }
    return out;
}

result<void> partition_stream::put_aside(const stream_entry& e) {
    const std::string id = sale::entry_id(e.last);
    const auto kept = redis_.ask(dead_, {"XADD", dead_, "MAXLEN", "~", dead_kept_max, "*", "id", id,
                                         std::string(sale::entry_field), e.body});
    if (!kept) return kept.error();
    log::error("queue.entry_put_aside", "stream", dead_, "id", id, "bytes", e.body.size());
    return {};
}

result<void> partition_stream::forget() {
    if (const auto done = remove(left_); !done) return done;
    left_.clear();
    return {};
}

void partition_stream::interrupt() { own_.interrupt(); }

void partition_stream::resume() { own_.resume(); }

}  // namespace floodgate::queue

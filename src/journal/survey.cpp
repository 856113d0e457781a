#include "journal/survey.hpp"

#include <fmt/format.h>

#include "journal/segment_name.hpp"
#include "journal/torn.hpp"

namespace floodgate::journal {
namespace {

class surveyor {
public:
    surveyor(store::file_system& files, std::string directory, sync_first how,
             survey_visitor& visitor)
        : files_(files), directory_(std::move(directory)), how_(how), visitor_(visitor) {}

    survey run() {
        const auto names = files_.list(directory_);
        if (!names) {
            report(directory_, names.error().message());
            return std::move(found_);
        }
        std::vector<std::string> segments;
        for (const std::string& name : *names)
            if (name.ends_with(segment_suffix)) segments.push_back(name);
        for (const std::string& name : segments) look_at(name, name == segments.back());
        return std::move(found_);
    }

private:
    void report(const std::string& where, const std::string& what) {
        found_.damage.push_back(fmt::format("{}: {}", where, what));
    }
    void report(std::uint64_t offset, const std::string& what) {
        report(fmt::format("{}/{} at offset {}", directory_, name_, offset), what);
    }

    // Syncs if wanted, then reads the whole segment. Gives what went wrong, or nothing.
    std::optional<std::string> load() {
        auto opened = files_.open_to_read(directory_ + "/" + name_);
        if (!opened) return "cannot open: " + opened.error().message();
        if (how_ == sync_first::yes)
            if (auto synced = (*opened)->sync_all(); !synced)
                return "cannot sync: " + synced.error().message();
        const auto size = (*opened)->size();
        if (!size) return "cannot tell its size: " + size.error().message();
        if (*size < segment_bytes_min || *size > segment_bytes_max)
            return fmt::format("{} bytes cannot be a segment", *size);
        bytes_.resize(*size);
        const auto read = (*opened)->read_at(0, bytes_);
        if (!read) return "cannot read: " + read.error().message();
        if (*read != bytes_.size()) return fmt::format("ends after {} bytes", *read);
        return std::nullopt;
    }

    void look_at(const std::string& name, bool newest) {
        name_ = name;
        if (const auto wrong = load()) {
            report(0, *wrong);
            lost_ = true;
            return;
        }
        look_at_header();
        const std::size_t end = look_at_records();
        found_.end = end;
        judge_tail(end, newest);
    }

    std::size_t look_at_records() {
        found_.last_record.reset();
        std::size_t at = segment_header_bytes;
        while (at < bytes_.size()) {
            if (const auto record = read_record(byte_view(bytes_).subspan(at))) {
                accept(at, *record);
                at += record_bytes(record->payload_bytes);
            } else if (const auto next = find_record(bytes_, at + 1)) {
                report(at, fmt::format("damaged; a sound record follows at offset {}", *next));
                lost_ = true;
                at = *next;
            } else {
                break;
            }
        }
        return at;
    }

    void look_at_header() {
        const auto header = read_segment_header(bytes_);
        if (!header || header->bytes != bytes_.size() || segment_name(header->first) != name_) {
            report(0, "the segment header is damaged");
            lost_ = true;
            return;
        }
        const bool oldest = found_.first.value == 0;
        if (oldest) found_.first = header->first;
        if (!oldest && !lost_ &&
            (header->first != found_.next || header->previous_crc != found_.previous_crc))
            report(0, fmt::format("does not continue the segment before it, which ended with {}",
                                  found_.next.value - 1));
        if (header->journal != 0) {
            if (found_.journal != 0 && found_.journal != header->journal)
                report(0, "belongs to another journal than the segments before it");
            found_.journal = header->journal;
        }
        found_.newest = *header;
        found_.next = header->first;
        found_.previous_crc = header->previous_crc;
        lost_ = false;
        if (found_.damage.empty()) visitor_.segment(*header);
    }

    void accept(std::size_t at, const record_header& record) {
        const bool follows = record.first == found_.next && record.watermark < found_.next &&
                             record.previous_crc == found_.previous_crc;
        if (!follows && !lost_)
            report(at, fmt::format("a record of {} does not follow {}", record.first.value,
                                   found_.next.value - 1));
        lost_ = false;
        found_.next = record.next();
        found_.previous_crc = record.crc;
        found_.last_record = {at, record};
        if (found_.damage.empty()) visitor_.record(at, record);
        look_at_entries(at, record);
    }

    void look_at_entries(std::size_t offset, const record_header& record) {
        const std::byte* at = bytes_.data() + offset + record_header_bytes;
        for (std::uint32_t i = 0; i < record.count; ++i) {
            const std::size_t size = take<std::uint16_t>(at);
            const sale::sequence number{record.first.value + i};
            if (const auto promise = sale::decode_promise({at, size})) {
                visitor_.promise(number, *promise);
            } else {
                report(offset, fmt::format("promise {} makes no sense", number.value));
            }
            at += size;
        }
    }

    void judge_tail(std::size_t at, bool newest) {
        const byte_view tail = byte_view(bytes_).subspan(at);
        if (used_bytes(tail) == 0) return;
        const expected_record expected{found_.next, {found_.next.value - 1}, found_.previous_crc};
        const auto remains = judge_remains(tail, expected);
        if (newest && !lost_ && remains) {
            found_.torn = {at, *remains};
        } else {
            report(at, newest ? "damaged; this is not the rest of a record cut off by a crash"
                              : "damaged, and later segments exist");
        }
    }

    store::file_system& files_;
    const std::string directory_;
    const sync_first how_;
    survey_visitor& visitor_;
    survey found_;
    std::string name_;
    std::vector<std::byte> bytes_;
    bool lost_ = false;  // after damage, until the next sound header or record
};

}  // namespace

std::optional<std::string> mismatch(const survey& found, const std::string& directory,
                                    const expectation& of) {
    const std::uint64_t entered = of.entered.value;
    if (found.first.value > entered + 1)
        return fmt::format(
            "{}: the journal begins with promise {}, but the ledger has entered only up to {}: "
            "promises between them are missing",
            directory, found.first.value, entered);
    if (of.journal == 0) return std::nullopt;
    // If something was entered, an empty journal also ends too early, which the caller checks.
    if (found.first.value == 0 && entered == 0)
        return fmt::format(
            "{}: there is no journal, but the ledger had one: promises that it has not entered are "
            "missing",
            directory);
    if (found.journal != 0 && found.journal != of.journal)
        return fmt::format("{}: this is the journal of another ledger", directory);
    return std::nullopt;
}

survey survey_segments(store::file_system& files, const std::string& directory, sync_first how,
                       survey_visitor& visitor) {
    return surveyor(files, directory, how, visitor).run();
}

}  // namespace floodgate::journal

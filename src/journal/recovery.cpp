#include "journal/recovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/log.hpp"
#include "journal/segment_name.hpp"
#include "journal/survey.hpp"

namespace floodgate::journal {
namespace {

class index_filler final : public survey_visitor {
public:
    explicit index_filler(segment_index& index) : index_(index) {}
    void segment(const segment_header& header) override {
        index_.add_segment(header.first, header.bytes);
    }
    void record(std::uint64_t offset, const record_header& header) override {
        if (header.count > 0) index_.add_record(offset, header.first);
    }

private:
    segment_index& index_;
};

std::string parent_of(const std::string& directory) {
    const auto slash = directory.rfind('/');
    if (slash == std::string::npos) return "";
    return directory.substr(0, std::max<std::size_t>(slash, 1));
}

template <class T>
T or_throw(result<T> outcome, const std::string& doing) {
    if (!outcome) throw std::runtime_error("cannot " + doing + ": " + outcome.error().message());
    if constexpr (!std::is_void_v<T>) return std::move(*outcome);
}

void refuse_mismatch(const survey& found, const std::string& directory, const expectation& of) {
    const std::uint64_t last = found.next.value - 1;
    if (last < of.entered.value)
        throw std::runtime_error(
            fmt::format("{}: the journal ends with promise {}, but the ledger has entered up to {}",
                        directory, last, of.entered.value));
    if (const auto wrong = mismatch(found, directory, of)) throw std::runtime_error(*wrong);
}

// The next record must be written over zeros: the remains of a later crash must be of one record.
void remove_torn_tail(store::file& file, const torn_tail& torn, const std::string& path) {
    log::warning("journal.torn_tail_dropped", "file", path, "offset", torn.offset, "bytes",
                 torn.bytes);
    const std::vector<std::byte> zeros(torn.bytes);
    or_throw(file.write_at(torn.offset, zeros), "clear the torn tail of " + path);
    or_throw(file.sync(), "sync " + path);
}

// The last record may have been read from a cache that only looks written: before the process
// crashed, its sync may have failed. Writing the record again makes the next sync trustworthy.
void rewrite_last_record(store::file& file, const found_record& last, const std::string& path) {
    std::vector<std::byte> bytes(record_bytes(last.header.payload_bytes));
    const std::size_t read = or_throw(file.read_at(last.offset, bytes), "read " + path);
    if (read != bytes.size() || !read_record(bytes))
        throw std::runtime_error(path + " changed while it was read");
    or_throw(file.write_at(last.offset, bytes), "write " + path);
    or_throw(file.sync(), "sync " + path);
}

line_end begin_line(segment_maker& maker, segment_index& index) {
    auto begun = or_throw(maker.begin({1}, 0), "begin a journal in " + maker.directory());
    index.add_segment(begun.header.first, begun.header.bytes);
    line_end end;
    end.file = std::move(begun.file);
    end.segment = begun.header.first;
    end.segment_bytes = begun.header.bytes;
    end.offset = segment_header_bytes;
    return end;
}

}  // namespace

void make_directory(store::file_system& files, const std::string& directory) {
    or_throw(files.make_directory(directory), "make " + directory);
    or_throw(files.sync_directory(parent_of(directory)), "sync the parent of " + directory);
}

void expect_directory(store::file_system& files, const std::string& directory,
                      const expectation& of) {
    if (const auto names = files.list(directory);
        !names && names.error() == boost::system::errc::no_such_file_or_directory)
        refuse_mismatch({}, directory, of);
}

line_end recover(store::file_system& files, segment_maker& maker, segment_index& index,
                 const expectation& of) {
    index_filler filler(index);
    const survey found = survey_segments(files, maker.directory(), sync_first::yes, filler);
    if (!found.damage.empty())
        throw std::runtime_error("the journal is damaged: " + found.damage.front());
    refuse_mismatch(found, maker.directory(), of);
    if (found.journal != 0) maker.adopt(found.journal);
    // File names, too, may be only in the cache.
    or_throw(files.sync_directory(maker.directory()), "sync " + maker.directory());
    if (found.first.value == 0) return begin_line(maker, index);

    const std::string path = maker.path_of(segment_name(found.newest.first));
    line_end end;
    end.file = or_throw(files.open(path), "open " + path);
    end.segment = found.newest.first;
    end.segment_bytes = found.newest.bytes;
    end.offset = found.end;
    end.previous_crc = found.previous_crc;
    end.last = {found.next.value - 1};
    end.sealed = !found.last_record || found.last_record->header.kind == record_kind::seal;
    if (found.last_record) rewrite_last_record(*end.file, *found.last_record, path);
    if (found.torn) remove_torn_tail(*end.file, *found.torn, path);
    return end;
}

}  // namespace floodgate::journal

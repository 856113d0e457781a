#include "commands/backup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "commands/backup_files.hpp"
#include "commands/check.hpp"
#include "commands/private_files.hpp"
#include "journal/journal.hpp"
#include "journal/segment_name.hpp"
#include "store/files/posix_files.hpp"
#include "store/sql/sqlite_snapshot.hpp"

namespace floodgate::commands {
namespace {

namespace fs = std::filesystem;

constexpr const char* ledger_name = "ledger.db";
constexpr const char* points_name = "points.db";
constexpr const char* journal_name = "journal";
constexpr const char* half_done = "ledger.db.unfinished";
constexpr int copies_max = 20;  // of a journal that is being written

struct segment {
    std::string name;
    held_file file;
};

// A segment that the caretaker deletes between the listing and the opening holds nothing that the
// ledger has not: it must be called while nobody can write to the ledger.
std::vector<segment> hold_segments(const std::string& journal) {
    std::vector<segment> out;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(journal, error)) {
        std::string name = entry.path().filename();
        if (!name.ends_with(journal::segment_suffix)) continue;
        try {
            out.push_back({name, held_file(entry.path())});
        } catch (const std::runtime_error&) {
            if (fs::exists(entry.path())) throw;
        }
    }
    if (error && fs::exists(journal)) throw std::runtime_error(journal + ": " + error.message());
    std::ranges::sort(out, {}, &segment::name);
    return out;
}

// The newest segment is being written, so a copy of it may have caught a record that is half there,
// which is no fault, and very rarely more than that: then another copy is made.
void copy_segments(const std::vector<segment>& segments, const std::string& to) {
    store::posix_files files;
    for (int tried = 1;; ++tried) {
        fs::remove_all(to);
        make_empty_directory(to);
        for (const segment& s : segments) s.file.copy_backwards(to + "/" + s.name);
        const auto damage =
            journal::inspect(files, to, [](sale::sequence, const sale::promise&) {});
        if (damage.empty()) break;
        if (tried == copies_max) throw std::runtime_error("the journal: " + damage.front());
    }
    sync_directory(to);
}

std::vector<std::string> databases_of(const std::string& data) {
    std::vector<std::string> names{ledger_name};
    if (fs::exists(data + "/" + points_name)) names.emplace_back(points_name);
    return names;
}

void list_files(const std::string& to, std::vector<std::string> names,
                const std::vector<segment>& segments) {
    for (const segment& s : segments) names.push_back(std::string(journal_name) + "/" + s.name);
    std::vector<listed_file> files;
    files.reserve(names.size());
    for (const std::string& name : names) files.push_back(describe(to, name));
    write_private_file(to + "/" + backup_list_name, write_list(files));
    sync_directory(to);
}

}  // namespace

std::vector<std::string> make_backup(const std::string& data, const std::string& to) {
    if (!fs::exists(data + "/" + ledger_name))
        throw std::runtime_error(data + ": there is no ledger here");
    make_empty_directory(to);
    const std::vector<std::string> names = databases_of(data);
    std::vector<std::string> paths;
    paths.reserve(names.size());
    for (const std::string& name : names) paths.push_back(data + "/" + name);

    store::sqlite_snapshot moment(paths);
    // While the ledger stands still, the journal keeps everything that comes after it.
    const std::vector<segment> segments = hold_segments(data + "/" + journal_name);
    moment.let_writers_go_on();

    for (std::size_t i = 0; i < names.size(); ++i) moment.copy(i, to + "/" + names[i]);
    copy_segments(segments, to + "/" + journal_name);
    std::vector<std::string> found = check_data(to);
    if (found.empty()) list_files(to, names, segments);
    return found;
}

std::vector<std::string> restore_backup(const std::string& from, const std::string& data) {
    const std::vector<listed_file> files = read_list(from + "/" + backup_list_name);
    const bool has_ledger =
        std::ranges::any_of(files, [](const listed_file& f) { return f.name == ledger_name; });
    if (!has_ledger) throw std::runtime_error(from + ": its list has no " + ledger_name);
    make_empty_directory(data);
    make_empty_directory(data + "/" + journal_name);
    // The ledger gets its name last: without it, no server starts.
    for (const listed_file& f : files)
        copy_listed(f, from + "/" + f.name,
                    data + "/" + (f.name == ledger_name ? half_done : f.name));
    sync_directory(data + "/" + journal_name);
    fs::rename(data + "/" + half_done, data + "/" + ledger_name);
    sync_directory(data);
    return check_data(data);
}

}  // namespace floodgate::commands

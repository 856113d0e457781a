#include "journal/journal.hpp"

#include <fmt/format.h>

#include <cassert>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/log.hpp"
#include "base/random_id.hpp"
#include "base/thread.hpp"
#include "journal/caretaker.hpp"
#include "journal/reader.hpp"
#include "journal/recovery.hpp"
#include "journal/wake_up.hpp"
#include "journal/writer.hpp"

namespace floodgate::journal {
namespace {

options checked(options opts) {
    if (opts.segment_bytes < segment_bytes_min || opts.segment_bytes > segment_bytes_max ||
        opts.segment_bytes % alignment_bytes != 0)
        throw std::runtime_error(fmt::format(
            "journal segments must have from {} to {} bytes, in multiples of {}, not {}",
            segment_bytes_min, segment_bytes_max, alignment_bytes, opts.segment_bytes));
    while (opts.directory.size() > 1 && opts.directory.ends_with('/')) opts.directory.pop_back();
    return opts;
}

std::unique_ptr<store::directory_lock> enter(store::file_system& files,
                                             const std::string& directory, const expectation& of) {
    expect_directory(files, directory, of);
    make_directory(files, directory);
    auto locked = files.lock(directory);
    if (locked) return std::move(*locked);
    if (locked.error() == boost::system::errc::operation_would_block)
        throw std::runtime_error(directory + " is in use by another process");
    throw std::runtime_error("cannot lock " + directory + ": " + locked.error().message());
}

// Never 0, and never negative where it is stored as a signed number.
std::uint64_t new_id() { return (std::stoull(random_id(), nullptr, 16) >> 1U) | 1U; }

}  // namespace

struct journal::state {
    state(store::file_system& files, const options& opts, const expectation& of)
        : lock(enter(files, opts.directory, of)),
          maker(files, opts.directory, opts.segment_bytes, of.journal != 0 ? of.journal : new_id()),
          line(maker, index, recover(files, maker, index, of), opts.segment_bytes),
          clerks_view(files, maker, index),
          helper(files, maker, index),
          entered(of.entered.value) {}

    // After the first failure nothing more is written, and the owner is told once.
    bool checked(bool fine) {
        if (fine || failure_told) return fine;
        failure_told = true;
        log::error("journal.failed", "reason", line.failure());
        if (on_failure) on_failure(line.failure());
        return false;
    }

    void commit() {
        const std::uint64_t segments = index.segments_begun();
        checked(line.commit(told));
        if (index.segments_begun() != segments) helper.want_spare();
    }

    void run() {
        name_thread("journal");
        ask_for_short_slices();
        while (wake.wait()) commit();
    }

    std::unique_ptr<store::directory_lock> lock;
    segment_index index;
    segment_maker maker;
    writer line;
    reader clerks_view;
    caretaker helper;
    std::atomic<std::uint64_t> entered;
    std::function<void()> told;
    std::function<void(const std::string&)> on_failure;
    bool failure_told = false;
    wake_up wake;
    std::thread committing;
    bool stopped = false;
};

journal::journal(store::file_system& files, options opts, sale::sequence entered,
                 std::uint64_t known_as)
    : state_(std::make_unique<state>(files, checked(std::move(opts)),
                                     expectation{entered, known_as})) {
    // From here on everything found counts as durable. A seal says so on disk, too.
    if (!state_->line.seal()) throw std::runtime_error(state_->line.failure());
    state_->helper.trim(entered);
}

journal::~journal() { stop(); }

void journal::start(std::function<void(const std::string& reason)> on_failure) {
    state_->on_failure = std::move(on_failure);
    state_->helper.want_spare();
    state_->helper.start();
    state_->committing = std::thread([this] { state_->run(); });
}

void journal::stop() {
    if (std::exchange(state_->stopped, true)) return;
    state_->wake.stop();
    if (state_->committing.joinable()) state_->committing.join();
    state_->commit();
    state_->checked(state_->line.seal());
    state_->helper.stop();
}

void journal::commit() {
    assert(!state_->committing.joinable());
    state_->commit();
}

sale::sequence journal::append(const sale::promise& p) { return state_->line.append(p); }

void journal::push() { state_->wake.push(); }

sale::sequence journal::durable() const { return state_->line.durable(); }

std::uint64_t journal::id() const { return state_->maker.journal(); }

sale::sequence journal::appended() const { return state_->line.appended(); }

std::uint64_t journal::backlog() const {
    const std::uint64_t entered = state_->entered.load(std::memory_order_relaxed);
    const std::uint64_t appended = state_->line.appended().value;
    return appended > entered ? appended - entered : 0;
}

void journal::on_durable(std::function<void()> told) { state_->told = std::move(told); }

result<void> journal::read(sale::sequence after, std::size_t max, std::vector<sale::promise>& out) {
    return state_->clerks_view.read({after, durable(), max}, out);
}

void journal::entered(sale::sequence position) {
    std::uint64_t before = state_->entered.load(std::memory_order_relaxed);
    while (before < position.value &&
           !state_->entered.compare_exchange_weak(before, position.value)) {
    }
    state_->helper.trim(position);
}

figures journal::read_figures() const { return state_->line.read_figures(); }

}  // namespace floodgate::journal

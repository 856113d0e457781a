#include "journal/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "journal/segment_name.hpp"

namespace floodgate::journal {
namespace {

// A seal must always fit after the last record, so every record leaves room for one.
constexpr std::size_t seal_bytes = record_bytes(0);

std::size_t largest_record(std::uint64_t segment_bytes) {
    const std::uint64_t room = segment_bytes - segment_header_bytes - seal_bytes;
    return std::min<std::uint64_t>(record_bytes_max, room / alignment_bytes * alignment_bytes);
}

}  // namespace

writer::writer(segment_maker& maker, segment_index& index, line_end end,
               std::uint64_t segment_bytes)
    : maker_(maker),
      index_(index),
      end_(std::move(end)),
      pending_(largest_record(segment_bytes), end_.last),
      durable_(end_.last.value),
      appended_(end_.last.value) {}

sale::sequence writer::append(const sale::promise& p) {
    const sale::sequence given = pending_.append(p);
    appended_.store(given.value, std::memory_order_relaxed);
    return given;
}

bool writer::commit(const std::function<void()>& told) {
    if (!failure_.empty()) return false;
    pending_.take(taken_);
    for (batch& each : taken_) {
        const std::size_t size = aligned(each.used);
        std::fill_n(each.bytes.begin() + static_cast<std::ptrdiff_t>(each.used), size - each.used,
                    std::byte{0});
        record_header header;
        header.payload_bytes = static_cast<std::uint32_t>(each.used - record_header_bytes);
        header.count = each.count;
        header.first = each.first;
        if (!write_record(std::span(each.bytes).first(size), header)) return false;
        counted_.promises.fetch_add(each.count, std::memory_order_relaxed);
        batch_.add(each.count);
        end_.last = {each.first.value + each.count - 1};
        end_.sealed = false;
        durable_.store(end_.last.value, std::memory_order_release);
        if (told) told();
    }
    return true;
}

bool writer::seal() {
    if (!failure_.empty()) return false;
    if (end_.sealed) return true;
    std::array<std::byte, seal_bytes> record{};
    record_header header;
    header.kind = record_kind::seal;
    header.first = {end_.last.value + 1};
    end_.sealed = write_record(record, header);
    return end_.sealed;
}

bool writer::write_record(std::span<std::byte> record, record_header header) {
    const std::size_t kept_free = header.kind == record_kind::seal ? 0 : seal_bytes;
    if (end_.offset + record.size() + kept_free > end_.segment_bytes &&
        !begin_segment(header.first))
        return false;
    header.previous_crc = end_.previous_crc;
    header.watermark = end_.last;
    const std::uint32_t crc = put_record_header(record, header);
    if (auto written = end_.file->write_at(end_.offset, record); !written)
        return fail("write", written.error());
    if (!sync()) return false;
    if (header.count > 0) index_.add_record(end_.offset, header.first);
    end_.offset += record.size();
    end_.previous_crc = crc;
    counted_.records.fetch_add(1, std::memory_order_relaxed);
    counted_.bytes.fetch_add(record.size(), std::memory_order_relaxed);
    return true;
}

bool writer::begin_segment(sale::sequence first) {
    auto begun = maker_.begin(first, end_.previous_crc);
    if (!begun) return fail("begin the segment after", begun.error());
    end_.file = std::move(begun->file);
    end_.segment = first;
    end_.segment_bytes = begun->header.bytes;
    end_.offset = segment_header_bytes;
    index_.add_segment(first, end_.segment_bytes);
    return true;
}

bool writer::sync() {
    using namespace std::chrono;
    const auto began = steady_clock::now();
    if (auto synced = end_.file->sync(); !synced) return fail("sync", synced.error());
    const auto took = duration_cast<microseconds>(steady_clock::now() - began).count();
    sync_us_.add(static_cast<std::uint64_t>(took));
    return true;
}

bool writer::fail(std::string_view doing, const boost::system::error_code& why) {
    failure_ = fmt::format("cannot {} {}: {}", doing, maker_.path_of(segment_name(end_.segment)),
                           why.message());
    pending_.discard();
    return false;
}

figures writer::read_figures() const {
    figures now;
    now.records = counted_.records.load(std::memory_order_relaxed);
    now.promises = counted_.promises.load(std::memory_order_relaxed);
    now.bytes = counted_.bytes.load(std::memory_order_relaxed);
    now.segments = index_.segments();
    now.sync_us = sync_us_.read();
    now.batch = batch_.read();
    return now;
}

}  // namespace floodgate::journal

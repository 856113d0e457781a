#include "journal/segment_maker.hpp"

#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include "base/failure_log.hpp"
#include "journal/segment_name.hpp"

namespace floodgate::journal {
namespace {

constexpr std::chrono::milliseconds descriptor_pause{10};

}  // namespace

bool out_of_descriptors(const boost::system::error_code& why) {
    return why == boost::system::errc::too_many_files_open ||
           why == boost::system::errc::too_many_files_open_in_system;
}

result<void> segment_maker::prepare_spare() {
    {
        const std::scoped_lock held(mutex_);
        if (std::exchange(spare_name_in_use_, true)) return {};
    }
    auto made = files_.create(path_of(spare_name), segment_bytes_);
    if (!made) {
        free_spare_name();
        return made.error();
    }
    const std::scoped_lock held(mutex_);
    spare_ = std::move(*made);
    return {};
}

std::unique_ptr<store::file> segment_maker::take_spare() {
    const std::scoped_lock held(mutex_);
    return std::move(spare_);
}

void segment_maker::free_spare_name() {
    const std::scoped_lock held(mutex_);
    spare_name_in_use_ = false;
}

result<segment_maker::blank> segment_maker::take_blank() {
    failure_log waiting(log::level::error, "journal.descriptor", "directory", directory_);
    for (;;) {
        if (auto spare = take_spare()) {
            waiting.succeeded();
            return blank{std::move(spare), spare_name};
        }
        auto made = files_.create(path_of(urgent_name), segment_bytes_);
        if (made) {
            waiting.succeeded();
            return blank{std::move(*made), urgent_name};
        }
        if (!out_of_descriptors(made.error())) return made.error();
        waiting.failed(made.error().message());
        std::this_thread::sleep_for(descriptor_pause);
    }
}

result<segment_maker::begun> segment_maker::begin(sale::sequence first,
                                                  std::uint32_t previous_crc) {
    auto taken = take_blank();
    if (!taken) return taken.error();
    auto& [file, made_as] = *taken;
    const segment_header header{first, segment_bytes_, previous_crc, journal_};
    std::array<std::byte, segment_header_bytes> bytes{};
    put_segment_header(bytes, header);
    if (auto written = file->write_at(0, bytes); !written) return written.error();
    if (auto synced = file->sync(); !synced) return synced.error();
    if (auto renamed = files_.rename(path_of(made_as), path_of(segment_name(first))); !renamed)
        return renamed.error();
    if (made_as == spare_name) free_spare_name();
    if (auto synced = files_.sync_directory(directory_); !synced) return synced.error();
    return begun{std::move(file), header};
}

}  // namespace floodgate::journal

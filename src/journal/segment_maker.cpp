#include "journal/segment_maker.hpp"

#include <array>
#include <utility>

#include "journal/segment_name.hpp"

namespace floodgate::journal {

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

result<segment_maker::begun> segment_maker::begin(sale::sequence first,
                                                  std::uint32_t previous_crc) {
    std::string made_as = path_of(spare_name);
    auto file = take_spare();
    const bool was_spare = file != nullptr;
    if (!was_spare) {
        made_as = path_of(urgent_name);
        auto made = files_.create(made_as, segment_bytes_);
        if (!made) return made.error();
        file = std::move(*made);
    }
    const segment_header header{first, segment_bytes_, previous_crc};
    std::array<std::byte, segment_header_bytes> bytes{};
    put_segment_header(bytes, header);
    if (auto written = file->write_at(0, bytes); !written) return written.error();
    if (auto synced = file->sync(); !synced) return synced.error();
    if (auto renamed = files_.rename(made_as, path_of(segment_name(first))); !renamed)
        return renamed.error();
    if (was_spare) free_spare_name();
    if (auto synced = files_.sync_directory(directory_); !synced) return synced.error();
    return begun{std::move(file), header};
}

}  // namespace floodgate::journal

// Any bytes as the only segment of a journal: opening and inspecting them must neither crash nor
// hang nor take more memory than the file has. A journal that opens must read back completely, and
// open again.
// Links: floodgate_journal (with store, sale, base), -fsanitize=fuzzer.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "base/log.hpp"
#include "journal/format.hpp"
#include "journal/journal.hpp"
#include "journal/segment_name.hpp"
#include "store/files/simulated_files.hpp"

namespace {

using namespace floodgate;

constexpr const char* directory = "journal";
constexpr std::size_t segment_bytes = 4096;

void require(bool holds) {
    if (!holds) std::abort();
}

// Repairs checksums, because otherwise hardly any mutation would pass the first check. The first
// byte of the input says which: bit 0 the segment header, bit 1 the record header after it.
std::vector<std::byte> make_segment(byte_view input) {
    std::vector<std::byte> segment(segment_bytes);
    if (input.empty()) return segment;
    const auto repairs = std::to_integer<unsigned>(input[0]);
    input = input.subspan(1, std::min(input.size() - 1, segment_bytes));
    std::copy(input.begin(), input.end(), segment.begin());
    if ((repairs & 1U) != 0)
        journal::put_segment_header(std::span(segment).first<journal::segment_header_bytes>(),
                                    {{1}, segment_bytes, 0});
    const auto record = std::span(segment).subspan(journal::segment_header_bytes);
    const auto header = journal::peek_record_header(record);
    const std::size_t size = journal::record_bytes(header.payload_bytes);
    if ((repairs & 2U) != 0 && header.payload_bytes <= segment_bytes && size <= record.size())
        journal::put_record_header(record.first(size), header);
    return segment;
}

void expect_the_same_line_twice(store::simulated_files& files) {
    std::uint64_t last = 0;
    for (int time = 0; time < 2; ++time) {
        journal::journal opened(files, {directory, segment_bytes}, {0});
        require(time == 0 || opened.durable().value == last);
        last = opened.durable().value;
        std::vector<sale::promise> line;
        require(opened.read({0}, last, line).has_value());
        require(line.size() == last);
    }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    log::start(log::level::error);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto segment = make_segment(std::as_bytes(std::span(data, size)));
    store::simulated_files files;
    files.put_file(std::string(directory) + "/" + journal::segment_name({1}), segment);
    const auto wrong = journal::inspect(files, directory, {});
    try {
        expect_the_same_line_twice(files);
        require(wrong.empty());
    } catch (const std::runtime_error&) {
        require(!wrong.empty());  // inspect and open agree on what is sound
    }
    return 0;
}

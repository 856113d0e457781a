#include "journal/format.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "base/hex.hpp"
#include "journal/hand_line.hpp"
#include "journal/segment_name.hpp"

namespace floodgate::journal {
namespace {

// The bytes of the example in docs/journal_format.md: lines of an address and sixteen bytes.
std::string example_in_the_docs() {
    std::ifstream page(FLOODGATE_DOCS "/journal_format.md");
    std::string hex;
    for (std::string line; std::getline(page, line);) {
        std::istringstream words(line);
        std::string address, byte;
        words >> address;
        if (address.size() != 4 || address != fmt::format("{:04x}", hex.size() / 2)) continue;
        while (words >> byte) hex += byte;
    }
    return hex;
}

TEST(Format, IsWhatTheDocsSay) {
    store::simulated_files files;
    hand_line line(files);
    sale::promise p;
    p.order = {0x1122334455667788};
    p.sale = {7};
    p.buyer = {42};
    p.unit_price = {19900};
    p.at = from_ms(1'800'000'000'123);
    line.append(p);
    ASSERT_TRUE(line.commit());
    ASSERT_TRUE(line.seal());

    const std::string expected = example_in_the_docs();
    ASSERT_EQ(expected.size(), 2 * 0xe0U) << "the example is missing from docs/journal_format.md";
    const auto segment = files.contents("journal/00000000000000000001.journal");
    EXPECT_EQ(to_hex(byte_view(segment).first(expected.size() / 2)), expected);
    EXPECT_EQ(to_hex(byte_view(segment).subspan(expected.size() / 2)),
              std::string(2 * segment.size() - expected.size(), '0'));
}

TEST(Format, NamesSegmentsSoThatTheySort) {
    EXPECT_EQ(segment_name({1}), "00000000000000000001.journal");
    EXPECT_LT(segment_name({9}), segment_name({10}));
    EXPECT_LT(segment_name({9}), segment_name({UINT64_MAX}));
}

TEST(Format, RefusesARecordThatClaimsMoreThanThereIs) {
    std::vector<std::byte> record(record_bytes(100));
    record_header header;
    header.payload_bytes = 100;
    header.count = 1;
    header.first = {1};
    std::byte* length = record.data() + record_header_bytes;
    put(length, std::uint16_t{98});
    put_record_header(record, header);
    EXPECT_TRUE(read_record(record));
    for (std::size_t bytes = 0; bytes < record.size(); ++bytes)
        EXPECT_FALSE(read_record(byte_view(record).first(bytes))) << bytes;

    length = record.data() + record_header_bytes;
    put(length, std::uint16_t{97});
    put_record_header(record, header);
    EXPECT_FALSE(read_record(record)) << "the entries do not fill it";
}

}  // namespace
}  // namespace floodgate::journal

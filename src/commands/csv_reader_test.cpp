#include "commands/csv_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace floodgate::commands {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using records = std::vector<std::vector<std::string>>;

records read(const std::string& text, std::size_t bytes_max = 1000) {
    std::istringstream in(text);
    csv_reader reader(in, bytes_max);
    records out;
    for (std::vector<std::string> fields; reader.next(fields);) out.push_back(fields);
    return out;
}

TEST(CsvReader, ReadsFieldsQuotesAndLineEnds) {
    EXPECT_THAT(read("a,b\r\n1,2\n"), ElementsAre(ElementsAre("a", "b"), ElementsAre("1", "2")));
    EXPECT_THAT(read("\xef\xbb\xbf"
                     "a\n壶"),
                ElementsAre(ElementsAre("a"), ElementsAre("壶")));
    EXPECT_THAT(read("\"a,\"\"b\"\"\",\"c\nd\"\r\n"), ElementsAre(ElementsAre("a,\"b\"", "c\nd")));
    EXPECT_THAT(read("a,,\n"), ElementsAre(ElementsAre("a", "", "")));
    EXPECT_THAT(read("\n\na\n\n"), ElementsAre(ElementsAre("a")));
    EXPECT_THAT(read("\"\"\n"), ElementsAre(ElementsAre("")));
    EXPECT_THAT(read(""), IsEmpty());
}

TEST(CsvReader, SaysOnWhichLineARecordBegan) {
    std::istringstream in("a\n\"b\nc\"\n\nd\n");
    csv_reader reader(in);
    std::vector<std::string> fields;
    std::vector<std::size_t> lines;
    while (reader.next(fields)) lines.push_back(reader.line());
    EXPECT_THAT(lines, ElementsAre(1, 2, 5));
}

TEST(CsvReader, RefusesWhatIsBrokenOrTooLong) {
    EXPECT_THROW(read("a\n\"b"), std::runtime_error);
    EXPECT_THROW(read("\"a\"b\n"), std::runtime_error);
    EXPECT_THROW(read(std::string(11, 'x'), 10), std::runtime_error);
    EXPECT_EQ(read(std::string(10, 'x'), 10).size(), 1U);
}

}  // namespace
}  // namespace floodgate::commands

#include "commands/bills.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace floodgate::commands {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Bills, EachFindingIsASentence) {
    shop::bill_report r{.is_complete = true};
    EXPECT_THAT(sentences_about(r), IsEmpty());
    r.is_complete = false;
    r.missing.named = {{.order_no = "7", .why = "not in the bill"}};
    r.extra.named = {{.line = 3, .why = "whose is it?"}, {.order_no = "A1", .line = 4, .why = "b"}};
    r.different.named = {{.order_no = "8", .line = 5, .why = "c"}};
    EXPECT_THAT(sentences_about(r),
                ElementsAre("INCOMPLETE: the bill has no end, so it may have been cut off",
                            "MISSING order 7: not in the bill", "EXTRA (line 3): whose is it?",
                            "EXTRA order A1 (line 4): b", "DIFFERENT order 8 (line 5): c"));
}

}  // namespace
}  // namespace floodgate::commands

#include "api/detail_zh.hpp"

#include <gtest/gtest.h>

#include "api/reply.hpp"

namespace floodgate::api {
namespace {

TEST(DetailInChinese, FindsAWholeSentence) {
    EXPECT_EQ(in_chinese("delta must not be 0"), "delta 不能为 0");
}

TEST(DetailInChinese, FindsASentenceWithNamesAndNumbersInIt) {
    EXPECT_EQ(in_chinese("price_fen must be a whole number from 0 to 100"),
              "price_fen 须为 0 到 100 的整数");
    EXPECT_EQ(in_chinese("only 7 units are free"), "仅有 7 件可售");
    EXPECT_EQ(in_chinese("there is no field \"colour\""), "没有字段 \"colour\"");
}

TEST(DetailInChinese, IsAbsentForWhatNobodyTranslated) {
    EXPECT_EQ(in_chinese(""), std::nullopt);
    EXPECT_EQ(in_chinese("delta must not be 01"), std::nullopt);
    EXPECT_EQ(in_chinese("only units are free"), std::nullopt);
    EXPECT_EQ(in_chinese("a sentence of its own"), std::nullopt);
}

TEST(DetailInChinese, StandsInTheAnswerToAClientThatReadsChinese) {
    const boost::json::object extra{{"detail", "delta must not be 0"}};
    EXPECT_NE(problem_reply(problem::invalid, language::zh, extra).body.find("不能为 0"),
              std::string::npos);
    EXPECT_NE(problem_reply(problem::invalid, language::en, extra).body.find("must not be 0"),
              std::string::npos);
}

}  // namespace
}  // namespace floodgate::api

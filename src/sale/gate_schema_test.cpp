#include "sale/gate_schema.hpp"

#include <gtest/gtest.h>

#include <set>

namespace floodgate::sale::gate_schema {
namespace {

TEST(GateSchema, GivesEveryAnswerOfAScriptALetterOfItsOwn) {
    std::set<char> letters;
    std::set<answer> known;
    for (const answer_letter& a : answer_letters) {
        EXPECT_TRUE(letters.insert(a.letter).second) << a.letter << " means two answers";
        EXPECT_TRUE(known.insert(a.what).second) << to_text(a.what) << " has two letters";
        EXPECT_EQ(answer_of(a.letter), a.what);
    }
    EXPECT_FALSE(known.contains(answer::undecided)) << "only a missing reply means this";
    EXPECT_EQ(answer_of('Z'), std::nullopt);
    EXPECT_EQ(answer_of(number_end), std::nullopt);
    EXPECT_EQ(answer_of(went_back), std::nullopt);
}

// Nodes of an older version read and write the same keys.
TEST(GateSchema, KeepsTheNamesThatAreInUse) {
    EXPECT_EQ(lua_fields(),
              "\nlocal epoch_field, open_field, seq_field, entered_field, state_field, "
              "starts_field, ends_field, limit_field, stock_field, price_field, revision_field, "
              "given_field, returned_field, largest_field, cooling_field, withdrawn_at_field, "
              "is_open, is_closed =\n"
              "  'epoch', 'open', 'seq', 'entered', 'state', 'starts', 'ends', 'limit', 'stock', "
              "'price', 'revision', 'given', 'returned', 'largest', 'cooling', "
              "'withdrawn_at', '1', '0'\n");
    const std::string partition_keys =
        std::string(key::gate) + key::line + key::sales + key::freed + key::dead;
    EXPECT_EQ(partition_keys, "gatelinesalesfreeddead");
    EXPECT_STREQ(key::intent, "intent:");
    EXPECT_EQ(std::string(sale_key::terms) + sale_key::buyers + sale_key::keys + sale_key::cooling,
              "sale:buyers:keys:cooling:");
}

TEST(GateSchema, TellsLuaWhereThePartsOfAPromiseAre) {
    EXPECT_EQ(lua_promise(),
              "\nlocal head_bytes, record_bytes, order_bytes, key_bytes, order_first, order_last, "
              "buyer_first, buyer_last, quantity_first, quantity_last =\n"
              "  29, 12, 8, 16, 2, 9, 18, 25, 26, 29\n");
}

TEST(GateSchema, TellsLuaTheLettersAndTheStates) {
    const std::string text = lua_answers();
    EXPECT_NE(text.find("answer_repeated, answer_key_reused"), std::string::npos) << text;
    EXPECT_NE(text.find("state_draft, state_published, state_paused, state_ended"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("'K', 'L', '1', '2', '3', '4', ';', '!', 'p'"), std::string::npos) << text;
}

TEST(GateSchema, TellsLuaTheWordsOfAStep) {
    EXPECT_EQ(lua_said(),
              "\nlocal said_ok, said_absent, said_fenced, said_conflict, said_missing, said_closed "
              "=\n  'ok', 'absent', 'fenced', 'conflict', 'missing', 'closed'\n");
}

}  // namespace
}  // namespace floodgate::sale::gate_schema

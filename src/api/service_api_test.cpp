#include "api/service_api.hpp"

#include <boost/json/parse.hpp>

#include <fmt/format.h>

#include "api/handler_fixture.hpp"

namespace floodgate::api {
namespace {

namespace json = boost::json;

class ServiceApiTest : public HandlerTest {
protected:
    // The answer's lines.
    std::vector<json::value> put_lines(const std::string& target, const std::string& body) {
        const answered r = put(target, body);
        EXPECT_EQ(r.status, 200) << r.text;
        std::vector<json::value> out;
        std::string_view rest = r.text;
        while (!rest.empty()) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(line.size() + 1);
            out.push_back(json::parse(line));
        }
        return out;
    }
    static std::string word(const json::value& line) {
        return std::string(line.at("result").as_string());
    }
    static std::string sale_line(int stock) {
        return fmt::format(R"({{"external_id":"s1","product":"a","price_fen":90,"stock":{},)"
                           R"("publish":true,"metadata":{{"shelf":7}},)"
                           R"("round":{{"title":"Ten","starts_at":"{}","ends_at":"{}"}}}})",
                           stock, to_iso(ledger::noon),
                           to_iso(ledger::noon + std::chrono::hours(1)));
    }
};

TEST_F(ServiceApiTest, PutsProductsLineByLine) {
    const std::string body =
        "{\"external_id\":\"a\",\"title\":\"Kettle\",\"list_price_fen\":100}\r\n"
        "\n"
        "{\"external_id\":\"b\",\"title\":\"Pot\"\n"
        "{\"external_id\":\"c d\",\"title\":\"Pot\",\"list_price_fen\":1}\n"
        "{\"external_id\":\"e\",\"title\":\"Pan\"}\n"
        "{\"external_id\":\"f\",\"title\":\"Cup\",\"list_price_fen\":1,\"colour\":1}\n"
        "{\"external_id\":\"g\",\"title\":\"Lid\",\"list_price_fen\":1}";
    const auto lines = put_lines("/service/products", body);
    ASSERT_EQ(lines.size(), 6U);
    EXPECT_EQ(word(lines[0]), "created");
    EXPECT_EQ(lines[1].at("line").as_int64(), 3);
    EXPECT_EQ(lines[1].at("problem").at("code").as_string(), "bad_request");
    EXPECT_EQ(lines[2].at("problem").at("field").as_string(), "external_id");
    EXPECT_EQ(lines[3].at("problem").at("code").as_string(), "invalid");
    EXPECT_EQ(lines[3].at("external_id").as_string(), "e");
    EXPECT_EQ(lines[4].at("problem").at("field").as_string(), "colour");
    EXPECT_EQ(word(lines[5]), "created");
    EXPECT_EQ(get("/admin/products?external_id=g").body.at("products").as_array().size(), 1U);
    EXPECT_EQ(word(put_lines("/service/products", body)[0]), "unchanged");
}

TEST_F(ServiceApiTest, PutsSalesThatBuyersCanBuyAtOnce) {
    put_lines("/service/products", R"({"external_id":"a","title":"Kettle","list_price_fen":100})");
    const auto made = put_lines("/service/sales", sale_line(1));
    ASSERT_EQ(word(made.at(0)), "created");
    const std::int64_t id = made[0].at("id").as_int64();
    EXPECT_EQ(buy(7, id).what, sale::answer::accepted);
    EXPECT_EQ(buy(8, id).what, sale::answer::sold_out);
    EXPECT_EQ(word(put_lines("/service/sales", sale_line(2)).at(0)), "updated");
    EXPECT_EQ(buy(8, id).what, sale::answer::accepted);
    EXPECT_EQ(word(put_lines("/service/sales", sale_line(2)).at(0)), "unchanged");
    const auto line = put_lines("/service/sales", sale_line(1)).at(0);
    EXPECT_EQ(line.at("problem").at("code").as_string(), "conflict");
    const auto shown = get(fmt::format("/admin/sales/{}", id)).body;
    EXPECT_EQ(shown.at("external_id").as_string(), "s1");
    EXPECT_EQ(shown.at("metadata").at("shelf").as_int64(), 7);
}

TEST_F(ServiceApiTest, OrdersCarryTheNamesOfTheirSaleAndProduct) {
    put_lines("/service/products", R"({"external_id":"a","title":"Kettle","list_price_fen":100})");
    const auto id = put_lines("/service/sales", sale_line(1)).at(0).at("id").as_int64();
    as_buyer(7);
    const auto order = std::to_string(buy(7, id).order.value);
    const auto seen = get("/orders/" + order).body;
    EXPECT_EQ(seen.at("sale_external_id").as_string(), "s1");
    EXPECT_EQ(seen.at("product_external_id").as_string(), "a");
    EXPECT_EQ(seen.at("sale_metadata").at("shelf").as_int64(), 7);
    EXPECT_EQ(get("/orders").body.at("orders").at(0), seen);
}

TEST_F(ServiceApiTest, HasALimitOnLinesAndTheirLength) {
    std::string many;
    for (std::size_t i = 0; i <= batch_lines_max; ++i) many += "{}\n";
    EXPECT_EQ(put("/service/products", many).code(), "payload_too_large");
    const std::string too_long =
        R"({"external_id":")" + std::string(batch_line_bytes_max, 'x') + "\"}";
    EXPECT_EQ(word(put_lines("/service/products", too_long).at(0)), "refused");
    EXPECT_TRUE(put_lines("/service/products", "").empty());
}

TEST_F(ServiceApiTest, SaysWhichLinesToSendAgain) {
    break_ledger();
    const auto line = put_lines("/service/products",
                                R"({"external_id":"a","title":"Kettle","list_price_fen":100})");
    EXPECT_EQ(line.at(0).at("problem").at("code").as_string(), "busy");
    mend_ledger();
    EXPECT_TRUE(get("/admin/products").body.at("products").as_array().empty());
}

TEST_F(ServiceApiTest, KeepsMetadataSmallAndFlat) {
    const auto made = [&](const std::string& metadata) {
        return post("/admin/products",
                    R"({"title":"a","list_price_fen":1,"metadata":)" + metadata + "}")
            .status;
    };
    EXPECT_EQ(made(R"({"a":"b","c":1,"d":1.5,"e":true})"), 201);
    EXPECT_EQ(made(R"({"a":{}})"), 400);
    EXPECT_EQ(made(R"({"a":null})"), 400);
    EXPECT_EQ(made(R"({"a":[1]})"), 400);
    EXPECT_EQ(made("[]"), 400);
    EXPECT_EQ(made(R"({"":1})"), 400);
    EXPECT_EQ(made(R"({"a":")" + std::string(2048, 'x') + "\"}"), 400);
    std::string keys = "{";
    for (int i = 0; i < 33; ++i) keys += fmt::format("{}\"k{}\":1", i ? "," : "", i);
    EXPECT_EQ(made(keys + "}"), 400);
}

TEST_F(ServiceApiTest, AnExternalIdIsTakenOnce) {
    const std::string body = R"({"title":"a","list_price_fen":1,"external_id":"x"})";
    EXPECT_EQ(post("/admin/products", body).status, 201);
    const answered again = post("/admin/products", body);
    EXPECT_EQ(again.code(), "already_exists");
    EXPECT_EQ(again.body.at("field").as_string(), "external_id");
}

}  // namespace
}  // namespace floodgate::api

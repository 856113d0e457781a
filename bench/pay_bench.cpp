// What it costs to check a channel's message, beside the RSA verification that nothing can save.
//
// The bare verification is OpenSSL's alone, with a prepared key and a decoded signature of 2048
// bits. A message is read as it comes from the network: form or JSON, signature, cipher, fields.

#include <benchmark/benchmark.h>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <vector>

#include "pay/alipay_notify.hpp"
#include "pay/alipay_text.hpp"
#include "pay/form.hpp"
#include "pay/new_keys.hpp"
#include "pay/wechat_notify.hpp"

namespace {

using namespace floodgate;
using namespace floodgate::pay;

const std::string app = "2021000000000001", seller = "2088000000000001";
const std::string mch_id = "1900000001", wechat_app = "wx0000000000000001";
const instant noon = from_ms(1'800'000'000'000);

// The public exponent of real keys, 65537: with the sandbox's own a verification takes longer.
struct platform {
    std::shared_ptr<EVP_PKEY> key{EVP_RSA_gen(key_bits_min), EVP_PKEY_free};

    std::string pem(bool is_private) const {
        const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), &BIO_free);
        const int written = is_private ? PEM_write_bio_PrivateKey(out.get(), key.get(), nullptr,
                                                                  nullptr, 0, nullptr, nullptr)
                                       : PEM_write_bio_PUBKEY(out.get(), key.get());
        char* text = nullptr;
        const auto bytes = BIO_get_mem_data(out.get(), &text);
        if (written != 1 || bytes <= 0) throw std::runtime_error("the key cannot be written");
        return {text, static_cast<std::size_t>(bytes)};
    }
    private_key half_that_signs() const { return private_key::from_text(pem(true)); }
    public_key half_that_verifies() const { return public_key::from_text(pem(false)); }
};

std::string alipay_body(const private_key& signs) {
    parameters fields{{"notify_type", "trade_status_sync"},
                      {"notify_id", "2026111700222120000123456789012345"},
                      {"notify_time", "2026-11-17 12:00:00"},
                      {"gmt_payment", "2026-11-17 11:59:59"},
                      {"charset", "utf-8"},
                      {"version", "1.0"},
                      {"app_id", app},
                      {"seller_id", seller},
                      {"out_trade_no", "382100000000000123"},
                      {"trade_no", "2026111722001400000001"},
                      {"trade_status", "TRADE_SUCCESS"},
                      {"total_amount", "99.00"},
                      {"receipt_amount", "99.00"},
                      {"subject", "Order 382100000000000123"},
                      {"fund_bill_list", R"([{"amount":"99.00","fundChannel":"ALIPAYACCOUNT"}])"}};
    sign_alipay_message(fields, signs);
    return encode_form(fields);
}

void verify_alone(benchmark::State& state) {
    const platform theirs;
    const std::string text(600, 'x');
    std::vector<unsigned char> signature(512);
    std::size_t bytes = signature.size();
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> c(EVP_MD_CTX_new(),
                                                                    &EVP_MD_CTX_free);
    const auto* const data = reinterpret_cast<const unsigned char*>(text.data());
    EVP_DigestSignInit(c.get(), nullptr, EVP_sha256(), nullptr, theirs.key.get());
    if (EVP_DigestSign(c.get(), signature.data(), &bytes, data, text.size()) != 1)
        throw std::runtime_error("cannot sign");
    for (auto _ : state) {
        EVP_MD_CTX_reset(c.get());
        EVP_DigestVerifyInit(c.get(), nullptr, EVP_sha256(), nullptr, theirs.key.get());
        if (EVP_DigestVerify(c.get(), signature.data(), bytes, data, text.size()) != 1)
            return state.SkipWithError("a good signature was refused");
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(verify_alone)->Name("pay/rsa_2048_alone");

template <class Read>
void read_messages(benchmark::State& state, const Read& read) {
    for (auto _ : state) {
        const message m = read();
        if (!m.fault.empty() || m.says != trade::paid) return state.SkipWithError(m.fault.c_str());
    }
    state.SetItemsProcessed(state.iterations());
}

void read_alipay(benchmark::State& state) {
    const platform theirs;
    const public_key key = theirs.half_that_verifies();
    const std::string body = alipay_body(theirs.half_that_signs());
    const raw_message raw{.content_type = "application/x-www-form-urlencoded; charset=utf-8",
                          .body = body};
    read_messages(state, [&] { return read_alipay_notify(raw, {app, seller, key}); });
}
BENCHMARK(read_alipay)->Name("pay/notify_alipay");

void read_wechat(benchmark::State& state) {
    const platform theirs;
    const keys_by_serial keys{{"SERIAL", theirs.half_that_verifies()}};
    const auto shared = apiv3_key::from_text("0123456789abcdef0123456789abcdef");
    const wechat_resource r = encrypt_resource(
        fmt::format(R"({{"mchid":"{}","appid":"{}","out_trade_no":"382100000000000123",)"
                    R"("transaction_id":"4200000000202611170000000001","trade_state":"SUCCESS",)"
                    R"("amount":{{"total":9900,"payer_total":9900,"currency":"CNY"}}}})",
                    mch_id, wechat_app),
        shared, "0123456789ab", "transaction");
    const std::string body =
        fmt::format(R"({{"id":"EV-1","event_type":"TRANSACTION.SUCCESS",)"
                    R"("resource_type":"encrypt-resource","resource":{{"algorithm":"{}",)"
                    R"("ciphertext":"{}","associated_data":"{}","nonce":"{}"}}}})",
                    r.algorithm, r.ciphertext, r.associated_data, r.nonce);
    const wechat_seal seal =
        sign_wechat_message(body, {"", "SERIAL", theirs.half_that_signs()}, noon, "n0nce");
    const raw_message raw{.content_type = "application/json",
                          .body = body,
                          .timestamp = seal.timestamp,
                          .nonce = seal.nonce,
                          .signature = seal.signature,
                          .serial = seal.serial};
    read_messages(state, [&] {
        return read_wechat_notify(raw, {mch_id, wechat_app, keys, shared}, noon);
    });
}
BENCHMARK(read_wechat)->Name("pay/notify_wechat");

}  // namespace

BENCHMARK_MAIN();

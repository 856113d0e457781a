#include "pay/wechat_cipher.hpp"

#include <gtest/gtest.h>

#include "pay/base64.hpp"
#include "pay/openssl_handles.hpp"
#include "pay/test_data.hpp"

namespace floodgate::pay {
namespace {

apiv3_key test_key() { return apiv3_key::from_text(test_data("test_only_apiv3_key.txt")); }

wechat_resource sealed_resource() {
    return {"AEAD_AES_256_GCM", test_data("wechat_resource.sealed"), "0123456789ab", "transaction"};
}

authenticity judged_resource(const wechat_resource& r) {
    const wechat_content content = decrypt_resource(r, test_key());
    EXPECT_TRUE(content.how == authenticity::genuine || content.text.empty());
    EXPECT_EQ(ERR_peek_error(), 0U);
    return content.how;
}

TEST(WechatCipher, KnowsTheAnswerMadeWithOpenssl) {
    const wechat_content content = decrypt_resource(sealed_resource(), test_key());
    EXPECT_EQ(content.how, authenticity::genuine);
    EXPECT_EQ(content.text, test_data("wechat_resource.text"));
    const wechat_resource made = encrypt_resource(test_data("wechat_resource.text"), test_key(),
                                                  "0123456789ab", "transaction");
    EXPECT_EQ(made.ciphertext, test_data("wechat_resource.sealed"));
    EXPECT_EQ(made.algorithm, "AEAD_AES_256_GCM");
    EXPECT_EQ(made.nonce, "0123456789ab");
    EXPECT_EQ(made.associated_data, "transaction");
}

TEST(WechatCipher, OfNothingIsTheTagAlone) {
    const wechat_resource made = encrypt_resource("", test_key(), "0123456789ab", "transaction");
    EXPECT_EQ(made.ciphertext, test_data("wechat_gmac.sealed"));
    const wechat_content content = decrypt_resource(made, test_key());
    EXPECT_EQ(content.how, authenticity::genuine);
    EXPECT_EQ(content.text, "");
}

TEST(WechatCipher, ComesBackAsItWent) {
    for (const std::size_t size : {0U, 1U, 15U, 16U, 17U, 1000U})
        for (const char* associated : {"", "transaction", "certificate"}) {
            const std::string text(size, 'x');
            const wechat_resource made =
                encrypt_resource(text, test_key(), "abcdefghijkl", associated);
            EXPECT_EQ(decrypt_resource(made, test_key()).how, authenticity::genuine);
            EXPECT_EQ(decrypt_resource(made, test_key()).text, text);
        }
}

TEST(WechatCipher, RefusesEveryAlteredByte) {
    const std::string bytes = from_base64(sealed_resource().ciphertext).value();
    for (std::size_t i = 0; i < bytes.size(); ++i) {  // the last 16 are the tag
        std::string altered = bytes;
        altered[i] = static_cast<char>(altered[i] ^ 1);
        wechat_resource r = sealed_resource();
        r.ciphertext = to_base64(altered);
        EXPECT_EQ(judged_resource(r), authenticity::bad_cipher) << i;
    }
}

TEST(WechatCipher, RefusesATruncatedText) {
    const std::string bytes = from_base64(sealed_resource().ciphertext).value();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        wechat_resource r = sealed_resource();
        r.ciphertext = to_base64(bytes.substr(0, size));
        EXPECT_EQ(judged_resource(r),
                  size < 16 ? authenticity::malformed : authenticity::bad_cipher)
            << size;
        r.ciphertext = to_base64(bytes.substr(bytes.size() - size));
        EXPECT_NE(judged_resource(r), authenticity::genuine) << size;
    }
}

TEST(WechatCipher, RefusesAnotherAssociatedText) {
    wechat_resource r = sealed_resource();
    for (const char* other : {"", "refund", "transactio", "transaction ", "Transaction"}) {
        r.associated_data = other;
        EXPECT_EQ(judged_resource(r), authenticity::bad_cipher) << other;
    }
    r.associated_data = std::string(wechat_associated_bytes_max, 'x');
    EXPECT_EQ(judged_resource(r), authenticity::bad_cipher);
    r.associated_data += "x";
    EXPECT_EQ(judged_resource(r), authenticity::malformed);
}

TEST(WechatCipher, RefusesAnotherNonceOrKey) {
    wechat_resource r = sealed_resource();
    r.nonce = "0123456789aB";
    EXPECT_EQ(judged_resource(r), authenticity::bad_cipher);
    for (const char* nonce : {"", "0123456789a", "0123456789abc"}) {
        r.nonce = nonce;
        EXPECT_EQ(judged_resource(r), authenticity::malformed) << nonce;
    }
    const apiv3_key other = apiv3_key::from_text("test_only_0123456789abcdefghijkL");
    EXPECT_EQ(decrypt_resource(sealed_resource(), other).how, authenticity::bad_cipher);
}

TEST(WechatCipher, RefusesAnotherAlgorithm) {
    for (const char* name : {"", "AEAD_SM4_GCM", "aead_aes_256_gcm", "AEAD_AES_128_GCM"}) {
        wechat_resource r = sealed_resource();
        r.algorithm = name;
        EXPECT_EQ(judged_resource(r), authenticity::wrong_algorithm) << name;
    }
}

TEST(WechatCipher, RefusesWhatIsNotBase64) {
    for (const std::string& text :
         {std::string(), std::string("!"), sealed_resource().ciphertext + "\n",
          sealed_resource().ciphertext + "=", std::string("AAAA")}) {
        wechat_resource r = sealed_resource();
        r.ciphertext = text;
        EXPECT_EQ(judged_resource(r), authenticity::malformed);
    }
}

TEST(WechatCipher, HasLimits) {
    const std::string most(wechat_content_bytes_max, 'x');
    const wechat_resource made = encrypt_resource(most, test_key(), "abcdefghijkl", "");
    EXPECT_EQ(decrypt_resource(made, test_key()).text, most);
    wechat_resource longer = made;
    longer.ciphertext = to_base64(std::string(wechat_content_bytes_max + 32, 'x'));
    EXPECT_EQ(judged_resource(longer), authenticity::malformed);
    EXPECT_THROW(encrypt_resource(most + "x", test_key(), "abcdefghijkl", ""),
                 std::invalid_argument);
    EXPECT_THROW(encrypt_resource("", test_key(), "abcdefghijk", ""), std::invalid_argument);
    EXPECT_THROW(encrypt_resource("", test_key(), "abcdefghijkl",
                                  std::string(wechat_associated_bytes_max + 1, 'x')),
                 std::invalid_argument);
}

TEST(Apiv3Key, HasThirtyTwoVisibleCharacters) {
    const std::string good = "0123456789abcdefghijklmnopqrstuv";
    for (const char* end : {"", "\n", "\r\n"}) EXPECT_NO_THROW(apiv3_key::from_text(good + end));
    for (const std::string& bad : {std::string(), good.substr(1), good + "x", " " + good.substr(1),
                                   good.substr(1) + " ", good.substr(1) + "\n", "\n" + good,
                                   good.substr(3) + "精", good.substr(1) + std::string(1, '\0')}) {
        try {
            apiv3_key::from_text(bad, "key.txt");
            ADD_FAILURE() << bad;
        } catch (const key_error& e) {
            EXPECT_TRUE(std::string_view(e.what()).starts_with("key.txt is not an APIv3 key"));
            EXPECT_EQ(std::string_view(e.what()).find("89abcdef"), std::string_view::npos);
        }
    }
}

}  // namespace
}  // namespace floodgate::pay

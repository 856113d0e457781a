#include "pay/keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "pay/base64.hpp"
#include "pay/openssl_handles.hpp"
#include "pay/test_data.hpp"

namespace floodgate::pay {
namespace {

std::string refusal_of_private(const std::string& text) {
    try {
        private_key::from_text(text);
    } catch (const key_error& e) {
        return e.what();
    }
    return "no refusal";
}

std::string refusal_of_public(const std::string& text) {
    try {
        public_key::from_text(text);
    } catch (const key_error& e) {
        return e.what();
    }
    return "no refusal";
}

bool says(const std::string& sentence, const std::string& part) {
    return sentence.find(part) != std::string::npos;
}

// The base64 of a PEM file without its first and last line.
std::string bare(const std::string& name) {
    const std::string pem = test_data(name);
    const std::size_t begin = pem.find('\n') + 1;
    return pem.substr(begin, pem.rfind("-----END") - begin);
}
std::string on_one_line(std::string text) {
    std::erase(text, '\n');
    return text;
}

TEST(Keys, SignAsOpensslDoes) {
    EXPECT_EQ(test_private_key("merchant").sign_sha256(test_data("alipay_request.text")),
              test_data("alipay_request.sign"));
    EXPECT_TRUE(
        test_public_key("merchant")
            .verify_sha256(test_data("alipay_request.text"), test_data("alipay_request.sign")));
}

TEST(Keys, OfAllFormsAreTheSame) {
    const std::string signature = test_private_key("merchant").sign_sha256("x");
    for (const char* name : {"test_only_merchant.pkcs8.pem", "test_only_merchant.pkcs1.pem"}) {
        EXPECT_EQ(private_key::from_text(test_data(name)).sign_sha256("x"), signature) << name;
        EXPECT_EQ(private_key::from_text(bare(name)).sign_sha256("x"), signature) << name;
        EXPECT_EQ(private_key::from_text(on_one_line(bare(name))).sign_sha256("x"), signature);
    }
    for (const char* name : {"test_only_merchant.public.pem", "test_only_merchant.public_pkcs1.pem",
                             "test_only_merchant.certificate.pem"}) {
        EXPECT_TRUE(public_key::from_text(test_data(name)).verify_sha256("x", signature)) << name;
        EXPECT_TRUE(public_key::from_text(bare(name)).verify_sha256("x", signature)) << name;
        EXPECT_TRUE(public_key::from_text(on_one_line(bare(name))).verify_sha256("x", signature));
    }
}

TEST(Keys, MayHaveRemarksAndWindowsLineEnds) {
    std::string pem =
        "Bag Attributes\n    friendlyName: x\n" + test_data("test_only_other.public.pem");
    EXPECT_TRUE(matches(test_private_key("other"), public_key::from_text(pem)));
    std::string windows;
    for (const char c : pem) windows.append(c == '\n' ? "\r\n" : std::string(1, c));
    EXPECT_TRUE(matches(test_private_key("other"), public_key::from_text(windows)));
    EXPECT_TRUE(
        matches(test_private_key("other"),
                public_key::from_text(" " + bare("test_only_other.public.pem") + "\r\n\t")));
}

TEST(Keys, VerifyNothingElse) {
    const public_key key = test_public_key("merchant");
    const std::string signature = test_private_key("merchant").sign_sha256("text");
    ASSERT_TRUE(key.verify_sha256("text", signature));
    EXPECT_FALSE(key.verify_sha256("Text", signature));
    EXPECT_FALSE(key.verify_sha256("text ", signature));
    EXPECT_FALSE(key.verify_sha256("", signature));
    EXPECT_FALSE(test_public_key("other").verify_sha256("text", signature));
    EXPECT_FALSE(key.verify_sha256("text", test_private_key("other").sign_sha256("text")));
    for (std::size_t i = 0; i < signature.size(); i += 7) {
        std::string flipped = signature;
        flipped[i] = flipped[i] == 'A' ? 'B' : 'A';
        EXPECT_FALSE(key.verify_sha256("text", flipped)) << i;
    }
}

TEST(Keys, CallASignatureWrongThatIsNotBase64) {
    const public_key key = test_public_key("merchant");
    const std::string good = test_private_key("merchant").sign_sha256("text");
    std::string with_blank = good;
    std::ranges::replace(with_blank, '+', ' ');
    for (const std::string& bad :
         {std::string(), std::string("x"), std::string("===="), std::string("not base64!"),
          good + "\n", " " + good, good.substr(1), good.substr(0, good.size() - 4), good + "AAAA",
          good.substr(0, good.size() - 2), with_blank + " ", std::string(100'000, 'A')})
        EXPECT_FALSE(key.verify_sha256("text", bad)) << bad.substr(0, 400);
}

TEST(Keys, LeaveNothingBehindForTheNextTlsCall) {
    const public_key key = test_public_key("merchant");
    EXPECT_FALSE(key.verify_sha256("text", test_private_key("other").sign_sha256("text")));
    EXPECT_EQ(ERR_peek_error(), 0U);
    EXPECT_TRUE(says(refusal_of_private("nonsense"), "no private key"));
    EXPECT_EQ(ERR_peek_error(), 0U);
    EXPECT_FALSE(matches(test_private_key("merchant"), test_public_key("other")));
    EXPECT_EQ(ERR_peek_error(), 0U);
}

TEST(Keys, OfAPairMatch) {
    for (const char* a : {"merchant", "platform", "other"})
        for (const char* b : {"merchant", "platform", "other"}) {
            EXPECT_EQ(matches(test_private_key(a), test_public_key(b)), std::string(a) == b);
            EXPECT_EQ(matches(test_private_key(a), test_private_key(b).public_half()),
                      std::string(a) == b);
        }
}

TEST(Keys, OfACertificateKnowItsSerial) {
    for (const std::string name : {"merchant", "platform", "other"}) {
        const auto key = public_key::from_text(test_data("test_only_" + name + ".certificate.pem"));
        EXPECT_EQ(key.certificate_serial(), test_line("test_only_" + name + ".serial.txt"));
        EXPECT_EQ(test_public_key(name).certificate_serial(), "");
    }
}

TEST(Keys, AreRefusedWhenTheyAreTooShort) {
    EXPECT_EQ(refusal_of_private(test_data("test_only_short.pkcs8.pem")),
              "the key has 1024 bits, which is too few: make one with 2048 or more");
    EXPECT_EQ(refusal_of_public(test_data("test_only_short.public.pem")),
              "the key has 1024 bits, which is too few: make one with 2048 or more");
    EXPECT_TRUE(says(refusal_of_public(bare("test_only_short.public.pem")), "1024 bits"));
}

TEST(Keys, AreRefusedWhenTheyAreNotRsa) {
    for (const std::string& text :
         {test_data("test_only_elliptic.pkcs8.pem"), bare("test_only_elliptic.pkcs8.pem")})
        EXPECT_TRUE(says(refusal_of_private(text), "is not an RSA key"))
            << refusal_of_private(text);
    EXPECT_TRUE(
        says(refusal_of_public(test_data("test_only_elliptic.public.pem")), "is not an RSA key"));
}

TEST(Keys, AreRefusedWhenTheyAreEncryptedAndNoPassPhraseIsAskedFor) {
    for (const char* name : {"test_only_encrypted.pkcs8.pem", "test_only_encrypted.pkcs1.pem"}) {
        const std::string why = refusal_of_private(test_data(name));
        EXPECT_TRUE(says(why, "is encrypted") && says(why, "openssl pkcs8 -topk8 -nocrypt")) << why;
        EXPECT_TRUE(says(refusal_of_public(test_data(name)), "private key where a public one"));
    }
    EXPECT_TRUE(says(refusal_of_private(bare("test_only_encrypted.pkcs8.pem")), "no private key"));
}

TEST(Keys, AreRefusedInEachOthersPlace) {
    for (const char* name : {"test_only_merchant.pkcs8.pem", "test_only_merchant.pkcs1.pem"})
        for (const std::string& text : {test_data(name), bare(name)})
            EXPECT_TRUE(says(refusal_of_public(text), "a private key where a public one belongs"));
    for (const char* name : {"test_only_merchant.public.pem", "test_only_merchant.public_pkcs1.pem",
                             "test_only_merchant.certificate.pem"})
        for (const std::string& text : {test_data(name), bare(name)})
            EXPECT_TRUE(says(refusal_of_private(text), "where a private key belongs"));
}

TEST(Keys, AreRefusedWhenTheTextIsSomethingElse) {
    const std::string pem = test_data("test_only_merchant.pkcs8.pem");
    std::string cut = pem.substr(0, pem.size() / 2);
    std::string request = pem;
    request.replace(request.find("PRIVATE KEY"), 11, "NONSENSE");
    for (const std::string& text :
         {std::string(), std::string("nonsense"), std::string("AAAA"), cut, request,
          std::string(1000, '\0'), bare("test_only_merchant.pkcs8.pem").substr(0, 800)}) {
        EXPECT_TRUE(says(refusal_of_private(text), "holds no private key")) << text;
        EXPECT_TRUE(says(refusal_of_public(text), "holds no public key")) << text;
    }
}

TEST(Keys, AreRefusedWhenSomethingFollowsThem) {
    const auto longer = [](const char* name) {
        return to_base64(from_base64(on_one_line(bare(name))).value() + "x");
    };
    EXPECT_TRUE(says(refusal_of_private(longer("test_only_merchant.pkcs8.pem")), "no private key"));
    EXPECT_TRUE(says(refusal_of_public(longer("test_only_merchant.public.pem")), "no public key"));
    EXPECT_TRUE(
        says(refusal_of_public(longer("test_only_merchant.certificate.pem")), "no public key"));
}

TEST(Keys, AreRefusedWhenTheModulusIsDamaged) {
    const std::string good = on_one_line(bare("test_only_merchant.pkcs8.pem"));
    for (const std::size_t at : {100U, 133U, 200U, 300U}) {
        std::string text = good;
        text[at] = text[at] == 'A' ? 'B' : 'A';
        EXPECT_TRUE(says(refusal_of_private(text), "is damaged")) << refusal_of_private(text);
    }
}

// OpenSSL makes up for damage in one of the other numbers, since each follows from the rest.
TEST(Keys, SignWellOrAreRefusedWhateverIsDamaged) {
    const std::string good = on_one_line(bare("test_only_merchant.pkcs8.pem"));
    for (std::size_t at = 0; at < good.size(); at += 97) {
        std::string text = good;
        text[at] = text[at] == 'A' ? 'B' : 'A';
        if (refusal_of_private(text) != "no refusal") continue;
        const private_key key = private_key::from_text(text);
        EXPECT_TRUE(key.public_half().verify_sha256("x", key.sign_sha256("x"))) << at;
    }
}

TEST(Keys, AppearInNoMessage) {
    for (const char* name : {"test_only_short.pkcs8.pem", "test_only_elliptic.pkcs8.pem",
                             "test_only_encrypted.pkcs8.pem", "test_only_merchant.pkcs8.pem"}) {
        const std::string body = bare(name);
        for (const std::string& why :
             {refusal_of_private(test_data(name)), refusal_of_public(test_data(name)),
              refusal_of_private(body), refusal_of_public(body),
              refusal_of_private(body.substr(0, 99)), refusal_of_public("x" + body)})
            for (std::size_t i = 0; i + 8 < body.size(); ++i)
                EXPECT_FALSE(says(why, body.substr(i, 8))) << why;
    }
}

TEST(Keys, AreUsedByManyThreadsAtOnce) {
    const private_key secret = test_private_key("merchant");
    const public_key open = test_public_key("merchant");
    std::vector<std::thread> threads;
    std::vector<int> good(4);
    for (std::size_t t = 0; t < good.size(); ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 10; ++i) {
                const std::string text = std::to_string(i);
                good[t] += open.verify_sha256(text, secret.sign_sha256(text)) ? 1 : 0;
            }
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(good, std::vector<int>(4, 10));
}

}  // namespace
}  // namespace floodgate::pay

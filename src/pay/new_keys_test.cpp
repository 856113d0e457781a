#include "pay/new_keys.hpp"

#include <gtest/gtest.h>

#include <openssl/pem.h>

#include "pay/openssl_handles.hpp"
#include "pay/test_data.hpp"

namespace floodgate::pay {
namespace {

TEST(NewKeys, ArePairsThatAreAcceptedAgain) {
    const key_pair_pem a = make_key_pair(), b = make_key_pair();
    EXPECT_TRUE(a.private_pem.starts_with("-----BEGIN PRIVATE KEY-----\n"));
    EXPECT_TRUE(a.public_pem.starts_with("-----BEGIN PUBLIC KEY-----\n"));
    const private_key first = private_key::from_text(a.private_pem);
    EXPECT_TRUE(matches(first, public_key::from_text(a.public_pem)));
    EXPECT_FALSE(matches(first, public_key::from_text(b.public_pem)));
}

std::string without_pem_lines(const std::string& pem) {
    const std::size_t from = pem.find('\n') + 1;
    return pem.substr(from, pem.rfind("-----END") - from);
}

TEST(NewKeys, AreKnownToBeOfTheSandboxInEveryForm) {
    const key_pair_pem made = make_key_pair();
    const private_key key = private_key::from_text(made.private_pem);
    EXPECT_TRUE(key.is_from_sandbox());
    EXPECT_TRUE(key.public_half().is_from_sandbox());
    EXPECT_TRUE(public_key::from_text(made.public_pem).is_from_sandbox());
    EXPECT_TRUE(private_key::from_text(without_pem_lines(made.private_pem)).is_from_sandbox());
    EXPECT_TRUE(public_key::from_text(without_pem_lines(made.public_pem)).is_from_sandbox());
    const std::string certificate = make_certificate(key, {"a", from_ms(0), from_ms(1)});
    EXPECT_TRUE(public_key::from_text(certificate).is_from_sandbox());
    EXPECT_TRUE(public_key::from_text(without_pem_lines(certificate)).is_from_sandbox());
}

TEST(NewKeys, OtherKeysAreNot) {
    for (const char* name : {"merchant", "platform", "other"}) {
        EXPECT_FALSE(test_private_key(name).is_from_sandbox()) << name;
        EXPECT_FALSE(test_public_key(name).is_from_sandbox()) << name;
    }
    EXPECT_FALSE(
        public_key::from_text(test_data("test_only_platform.certificate.pem")).is_from_sandbox());
}

TEST(NewKeys, HaveACertificateThatSignsItself) {
    const private_key key = test_private_key("merchant");
    const certificate_terms terms{"a demo shop", from_ms(1'794'736'800'000),
                                  from_ms(1'894'736'800'000)};
    const std::string pem = make_certificate(key, terms);
    const public_key read = public_key::from_text(pem);
    EXPECT_TRUE(matches(key, read));
    EXPECT_EQ(read.certificate_serial().size(), 40U);
    EXPECT_EQ(read.certificate_serial().find_first_not_of("0123456789ABCDEF"), std::string::npos);
    EXPECT_NE(std::string("4567").find(read.certificate_serial().front()), std::string::npos);
    EXPECT_NE(public_key::from_text(make_certificate(key, terms)).certificate_serial(),
              read.certificate_serial());

    const bio_owner in(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    const certificate_owner certificate(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
    ASSERT_TRUE(certificate);
    EXPECT_EQ(X509_verify(certificate.get(), key.handle()), 1);
    std::time_t begin = 1'794'736'800;
    std::time_t end = 1'894'736'800;
    EXPECT_EQ(ASN1_TIME_cmp_time_t(X509_get0_notBefore(certificate.get()), begin), 0);
    EXPECT_EQ(ASN1_TIME_cmp_time_t(X509_get0_notAfter(certificate.get()), end), 0);
    char name[100];
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name,
                              sizeof name);
    EXPECT_STREQ(name, "a demo shop");
}

}  // namespace
}  // namespace floodgate::pay

#!/bin/sh
# Makes the keys and vectors of this folder anew, with openssl alone. README.md says what they are.
#     cd src/pay/testdata && sh make.sh keys && sh make.sh vectors
set -eu

make_keys() {
  for name in merchant platform other; do
    k=test_only_$name
    openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out $k.pkcs8.pem
    openssl pkey -in $k.pkcs8.pem -traditional -out $k.pkcs1.pem
    openssl pkey -in $k.pkcs8.pem -pubout -out $k.public.pem
    openssl rsa -in $k.pkcs8.pem -RSAPublicKey_out -out $k.public_pkcs1.pem
    openssl req -new -x509 -key $k.pkcs8.pem -subj "/CN=floodgate test only $name" -days 36500 \
      -out $k.certificate.pem
    openssl x509 -in $k.certificate.pem -noout -serial | cut -d= -f2 > $k.serial.txt
  done
  openssl pkcs8 -topk8 -in test_only_other.pkcs8.pem -passout pass:test -out test_only_encrypted.pkcs8.pem
  openssl rsa -in test_only_other.pkcs8.pem -aes256 -traditional -passout pass:test \
    -out test_only_encrypted.pkcs1.pem
  openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out test_only_short.pkcs8.pem
  openssl pkey -in test_only_short.pkcs8.pem -pubout -out test_only_short.public.pem
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out test_only_elliptic.pkcs8.pem
  openssl pkey -in test_only_elliptic.pkcs8.pem -pubout -out test_only_elliptic.public.pem
}

# sign NAME KEY: NAME.sign is the signature of the exact bytes of NAME.text.
sign() {
  openssl dgst -sha256 -sign test_only_$2.pkcs8.pem $1.text | openssl base64 -A > $1.sign
}

make_vectors() {
  sign alipay_request merchant
  sign alipay_notify platform
  sign alipay_response platform
  sign wechat_request merchant
  sign wechat_notify platform
  sign wechat_empty platform
  # What must be refused: SHA1 under the right text.
  openssl dgst -sha1 -sign test_only_platform.pkcs8.pem alipay_notify.text | openssl base64 -A \
    > alipay_notify_sha1.sign

  # AES-256-GCM. `openssl enc` has no GCM, so its parts are made by openssl and put together.
  key=$(tr -d '\n' < test_only_apiv3_key.txt | od -An -tx1 | tr -d ' \n')
  nonce=$(printf 0123456789ab | od -An -tx1 | tr -d ' \n')
  # The encrypted bytes are AES in counter mode, beginning with counter 2.
  openssl enc -aes-256-ctr -K $key -iv ${nonce}00000002 -in wechat_resource.text -out wechat_resource.ctr
  # H and E(counter 1), from which ghash.py computes the tag.
  h=$(printf '00000000000000000000000000000000' | xxd -r -p |
    openssl enc -aes-256-ecb -nopad -K $key | od -An -tx1 | tr -d ' \n')
  e=$(printf ${nonce}00000001 | xxd -r -p | openssl enc -aes-256-ecb -nopad -K $key |
    od -An -tx1 | tr -d ' \n')
  /usr/bin/python3 ghash.py $h $e transaction wechat_resource.ctr > wechat_resource.sealed
  rm wechat_resource.ctr
  # Without any text GCM is GMAC, which openssl computes in one step.
  printf transaction | openssl mac -cipher AES-256-GCM -macopt hexkey:$key -macopt hexiv:$nonce \
    -in - GMAC | xxd -r -p | openssl base64 -A > wechat_gmac.sealed
}

make_$1

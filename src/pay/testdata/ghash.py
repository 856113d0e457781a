"""The tag of AES-GCM (NIST SP 800-38D, 6.4 and 7.1), independent of any library.

    ghash.py H E ASSOCIATED FILE      H, E in hexadecimal; prints base64 of FILE's bytes and the tag

H is the block of zeros, E the block of the nonce with counter 1, both encrypted with the key.
"""
import base64
import sys


def times(x, y):
    product = 0
    for bit in range(127, -1, -1):
        if x >> bit & 1:
            product ^= y
        y = y >> 1 ^ (0xE1 << 120 if y & 1 else 0)
    return product


def padded(data):
    return data + bytes(-len(data) % 16)


h, e, associated, name = sys.argv[1:]
with open(name, "rb") as file:
    sealed = file.read()
blocks = (padded(associated.encode()) + padded(sealed)
          + (8 * len(associated.encode())).to_bytes(8, "big") + (8 * len(sealed)).to_bytes(8, "big"))
y = 0
for start in range(0, len(blocks), 16):
    y = times(y ^ int.from_bytes(blocks[start:start + 16], "big"), int(h, 16))
tag = (y ^ int(e, 16)).to_bytes(16, "big")
print(base64.b64encode(sealed + tag).decode(), end="")

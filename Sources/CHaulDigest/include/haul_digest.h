#ifndef HAUL_DIGEST_H
#define HAUL_DIGEST_H

// Digests, computed incrementally, and message authentication.

#include <stddef.h>
#include <stdint.h>

enum haul_digest_kind {
    HAUL_DIGEST_MD5,
    HAUL_DIGEST_SHA1,
    HAUL_DIGEST_SHA256,
    HAUL_DIGEST_SHA512,
};

// The state of a digest: it has no pointers, so it may be copied.
struct haul_digest {
    enum haul_digest_kind kind;
    uint64_t state[27];
};

struct haul_digest haul_digest_begin(enum haul_digest_kind kind);
void haul_digest_update(struct haul_digest *digest, const void *bytes, size_t count);
// Writes the digest, at most 64 bytes, and returns their number.
size_t haul_digest_end(struct haul_digest digest, uint8_t *bytes);

// Writes the 32 bytes of the HMAC-SHA256 of a message.
void haul_hmac_sha256(const void *key, size_t key_count, const uint8_t *message, size_t message_count, uint8_t *code);

#endif

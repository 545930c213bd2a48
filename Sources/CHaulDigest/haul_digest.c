#include "haul_digest.h"

#include <CNIOBoringSSL.h>
#include <string.h>

union state {
    MD5_CTX md5;
    SHA_CTX sha1;
    SHA256_CTX sha256;
    SHA512_CTX sha512;
};

_Static_assert(sizeof(union state) <= sizeof(((struct haul_digest *)0)->state), "the state has room for each algorithm");

static union state state_of(const struct haul_digest *digest) {
    union state state;
    memcpy(&state, digest->state, sizeof state);
    return state;
}

static void store(struct haul_digest *digest, const union state *state) { memcpy(digest->state, state, sizeof *state); }

struct haul_digest haul_digest_begin(enum haul_digest_kind kind) {
    struct haul_digest digest = {.kind = kind};
    union state state;
    memset(&state, 0, sizeof state);
    switch (kind) {
    case HAUL_DIGEST_MD5: MD5_Init(&state.md5); break;
    case HAUL_DIGEST_SHA1: SHA1_Init(&state.sha1); break;
    case HAUL_DIGEST_SHA256: SHA256_Init(&state.sha256); break;
    case HAUL_DIGEST_SHA512: SHA512_Init(&state.sha512); break;
    }
    store(&digest, &state);
    return digest;
}

void haul_digest_update(struct haul_digest *digest, const void *bytes, size_t count) {
    union state state = state_of(digest);
    switch (digest->kind) {
    case HAUL_DIGEST_MD5: MD5_Update(&state.md5, bytes, count); break;
    case HAUL_DIGEST_SHA1: SHA1_Update(&state.sha1, bytes, count); break;
    case HAUL_DIGEST_SHA256: SHA256_Update(&state.sha256, bytes, count); break;
    case HAUL_DIGEST_SHA512: SHA512_Update(&state.sha512, bytes, count); break;
    }
    store(digest, &state);
}

size_t haul_digest_end(struct haul_digest digest, uint8_t *bytes) {
    union state state = state_of(&digest);
    switch (digest.kind) {
    case HAUL_DIGEST_MD5: MD5_Final(bytes, &state.md5); return MD5_DIGEST_LENGTH;
    case HAUL_DIGEST_SHA1: SHA1_Final(bytes, &state.sha1); return SHA_DIGEST_LENGTH;
    case HAUL_DIGEST_SHA256: SHA256_Final(bytes, &state.sha256); return SHA256_DIGEST_LENGTH;
    case HAUL_DIGEST_SHA512: SHA512_Final(bytes, &state.sha512); return SHA512_DIGEST_LENGTH;
    }
    return 0;
}

void haul_hmac_sha256(const void *key, size_t key_count, const uint8_t *message, size_t message_count, uint8_t *code) {
    unsigned count = 0;
    HMAC(EVP_sha256(), key, key_count, message, message_count, code, &count);
}

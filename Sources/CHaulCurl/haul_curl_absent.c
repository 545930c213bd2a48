#ifndef HAUL_CURL

#include "haul_curl.h"

enum haul_curl_presence haul_curl_load(void) { return haul_curl_left_out; }
int haul_curl_speaks(const char *scheme) { return 0; }
const char *haul_curl_version(void) { return NULL; }
uintptr_t haul_curl_easy_session(haul_curl_easy *easy) { return 0; }
int haul_curl_session_ended(uintptr_t session) { return 0; }

// These functions are never called.
int haul_curl_set_text(haul_curl_easy *easy, enum haul_curl_text option, const char *value) { return -1; }
int haul_curl_set_number(haul_curl_easy *easy, enum haul_curl_number option, int64_t value) { return -1; }
int haul_curl_set_body(haul_curl_easy *easy, const void *bytes, int64_t size) { return -1; }
int haul_curl_set_headers(haul_curl_easy *easy, haul_curl_lines *lines) { return -1; }
int haul_curl_set_listener(
    haul_curl_easy *easy, void *context, size_t (*head)(const char *, size_t, size_t, void *),
    size_t (*body)(const char *, size_t, size_t, void *), char *error) {
    return -1;
}
int haul_curl_set_watch(
    haul_curl_easy *easy, void *context, int (*is_stuck)(void *, int64_t, int64_t, int64_t, int64_t)) {
    return -1;
}
int haul_curl_set_log(
    haul_curl_easy *easy, void *context, int (*noted)(void *, int, const char *, size_t, void *)) {
    return -1;
}
int haul_curl_set_host_key_place(haul_curl_easy *easy, int *place) { return -1; }
const char *haul_curl_easy_certificate_names(haul_curl_easy *easy) { return NULL; }
haul_curl_easy *haul_curl_easy_make(void) { return NULL; }
void haul_curl_easy_free(haul_curl_easy *easy) {}
int haul_curl_easy_resume(haul_curl_easy *easy) { return -1; }
int64_t haul_curl_easy_fact(haul_curl_easy *easy, enum haul_curl_fact fact) { return -1; }
haul_curl_lines *haul_curl_lines_add(haul_curl_lines *lines, const char *line) { return NULL; }
void haul_curl_lines_free(haul_curl_lines *lines) {}
haul_curl_multi *haul_curl_multi_make(void) { return NULL; }
void haul_curl_multi_free(haul_curl_multi *multi) {}
int haul_curl_multi_add(haul_curl_multi *multi, haul_curl_easy *easy) { return -1; }
int haul_curl_multi_remove(haul_curl_multi *multi, haul_curl_easy *easy) { return -1; }
int haul_curl_multi_perform(haul_curl_multi *multi) { return -1; }
int haul_curl_multi_wait(haul_curl_multi *multi, int milliseconds) { return -1; }
int haul_curl_multi_wake(haul_curl_multi *multi) { return -1; }
haul_curl_easy *haul_curl_multi_ended(haul_curl_multi *multi, int *code) { return NULL; }
void haul_curl_block_signals(void) {}

#endif

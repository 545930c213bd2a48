#pragma once

#include <stddef.h>
#include <stdint.h>

// libcurl with typed functions instead of its variadic calls.
//
// The library is loaded with dlopen(3) when it is first needed: linked in the usual way, its thirty libraries would add
// 5 ms to every start of a program, even if it never uses them.

// A transfer, and the object that runs transfers. Both belong to one thread at a time, except for haul_curl_multi_wake.
typedef struct haul_curl_easy haul_curl_easy;
typedef struct haul_curl_multi haul_curl_multi;
typedef struct haul_curl_lines haul_curl_lines;

// The result of loading libcurl.
enum haul_curl_presence {
    haul_curl_present = 0,
    // Built without the package trait.
    haul_curl_left_out = 1,
    // The library was not found on this machine.
    haul_curl_not_found = 2,
    // The library is older than 7.68.0.
    haul_curl_too_old = 3,
};

enum haul_curl_presence haul_curl_load(void);
// Returns the version of the loaded library, or NULL if there is none that can be used.
const char *haul_curl_version(void);
// Returns nonzero if the loaded library supports a protocol, named as in URLs.
int haul_curl_speaks(const char *scheme);
// Returns the TLS session of a running transfer. Must be called by its listener. 0 if the TLS library does not report
// how a connection ends.
uintptr_t haul_curl_easy_session(haul_curl_easy *easy);
// Returns nonzero if the peer has ended a session with close_notify (RFC 8446, 6.1). Must be called once, by the thread
// that runs it. If only the end of the connection ends a body, there is no other way to tell a complete body from a
// truncated one.
int haul_curl_session_ended(uintptr_t session);

// Options with a text value, see curl_easy_setopt(3).
enum haul_curl_text {
    haul_curl_url,
    haul_curl_request_target,
    haul_curl_user,
    haul_curl_password,
    haul_curl_proxy,
    haul_curl_proxy_user,
    haul_curl_proxy_password,
    haul_curl_no_proxy,
    haul_curl_interface,
    haul_curl_certificate,
    haul_curl_key,
    haul_curl_authorities,
    haul_curl_authorities_folder,
    haul_curl_proxy_authorities,
    haul_curl_proxy_authorities_folder,
    haul_curl_known_hosts,
    haul_curl_ssh_key,
    haul_curl_method,
};

// Options with a numeric value.
enum haul_curl_number {
    haul_curl_no_signal,
    haul_curl_quick_exit,
    haul_curl_buffer_size,
    haul_curl_connect_milliseconds,
    haul_curl_http_version,
    haul_curl_path_as_is,
    haul_curl_transfer_decoding,
    haul_curl_verify_peer,
    haul_curl_verify_host,
    haul_curl_tls_version,
    haul_curl_proxy_verify_peer,
    haul_curl_proxy_verify_host,
    haul_curl_proxy_tls_version,
    haul_curl_http_authentication,
    haul_curl_proxy_authentication,
    haul_curl_proxy_type,
    haul_curl_proxy_port,
    haul_curl_proxy_tunnel,
    haul_curl_suppress_connect_headers,
    haul_curl_use_tls,
    haul_curl_ftp_method,
    haul_curl_ssh_authentication,
    haul_curl_file_time,
    haul_curl_resume_from,
    haul_curl_response_seconds,
    haul_curl_idle_seconds,
    haul_curl_certificate_facts,
    haul_curl_fresh_connect,
    haul_curl_forbid_reuse,
    // FTP: the server is not asked for the size, and what it announces is ignored.
    haul_curl_ignore_size,
};

// Values of some of them; the numbers are libcurl's, which never change.
enum {
    haul_curl_http_1_1 = 2,
    haul_curl_basic = 1 << 0,
    haul_curl_digest = 1 << 1,
    haul_curl_negotiate = 1 << 2,
    haul_curl_ntlm = 1 << 3,
    // Together with one of them: ask without it first, as with several.
    haul_curl_ask_first = 1u << 31,
    haul_curl_proxy_http = 0,
    haul_curl_proxy_https = 2,
    haul_curl_proxy_socks4 = 4,
    haul_curl_proxy_socks5 = 5,
    haul_curl_proxy_socks4a = 6,
    haul_curl_proxy_socks5h = 7,
    haul_curl_tls_always = 3,
    haul_curl_tls_1_2 = 6,
    haul_curl_ftp_whole_path = 2,
    haul_curl_ssh_public_key = 1 << 0,
    haul_curl_ssh_password = 1 << 1,
    haul_curl_ssh_keyboard = 1 << 3,
    haul_curl_ssh_agent = 1 << 4,
};

// Facts about a transfer, see curl_easy_getinfo(3).
enum haul_curl_fact {
    haul_curl_response_code,
    haul_curl_connect_code,
    haul_curl_content_length,
    haul_curl_modified,
    haul_curl_proxy_error,
    // Microseconds until the transfer was ready to send the request, or 0 if it is not yet.
    haul_curl_ready_after,
    // The errno of the last failure to connect, 0 for none.
    haul_curl_os_errno,
    // The number of bytes of all requests over HTTP that were sent.
    haul_curl_request_bytes,
};

// The reasons for a proxy's refusal: the user, or all authentication methods (CURLINFO_PROXY_ERROR(3)).
enum { haul_curl_proxy_user_rejected = 33, haul_curl_proxy_identd_differs = 8, haul_curl_proxy_no_method = 12 };

// The listener's two functions return the number of bytes consumed, or this.
#define HAUL_CURL_PAUSE ((size_t)0x10000001)
// Large enough for libcurl's error messages.
#define HAUL_CURL_ERROR_SIZE 256

// These functions return libcurl's code, 0 for success.
int haul_curl_set_text(haul_curl_easy *easy, enum haul_curl_text option, const char *value);
int haul_curl_set_number(haul_curl_easy *easy, enum haul_curl_number option, int64_t value);
// The body of a request, which is copied; it makes the request a POST, and must be set before the method.
int haul_curl_set_body(haul_curl_easy *easy, const void *bytes, int64_t size);
// The lines remain the caller's, and must exist as long as the transfer.
int haul_curl_set_headers(haul_curl_easy *easy, haul_curl_lines *lines);
int haul_curl_set_listener(
    haul_curl_easy *easy, void *context, size_t (*head)(const char *bytes, size_t size, size_t count, void *context),
    size_t (*body)(const char *bytes, size_t size, size_t count, void *context), char *error);
// `is_stuck` is asked again and again while libcurl works for the transfer, also where it blocks; 1 makes it give up.
int haul_curl_set_watch(
    haul_curl_easy *easy, void *context,
    int (*is_stuck)(void *context, int64_t unused1, int64_t unused2, int64_t unused3, int64_t unused4));
// `noted` is told what is sent and received, and returns 0; `kind` is haul_curl_sent_command for a command of a file transfer
// (CURLOPT_DEBUGFUNCTION(3)).
int haul_curl_set_log(
    haul_curl_easy *easy, void *context,
    int (*noted)(void *easy, int kind, const char *bytes, size_t count, void *context));
enum haul_curl_log_kind { haul_curl_sent_command = 2 };

// The result of checking a host key, see CURLOPT_SSH_KEYFUNCTION(3).
enum haul_curl_host_key { haul_curl_key_not_seen = 0, haul_curl_key_known, haul_curl_key_changed, haul_curl_key_unknown };
// Makes libcurl write the result to the caller's memory, which must exist as long as the transfer. Unknown keys are
// refused.
int haul_curl_set_host_key_place(haul_curl_easy *easy, int *place);
// Returns the names in the server's certificate, as the TLS library writes them (`DNS:a, IP Address:b`), with
// haul_curl_certificate_facts; NULL if they are unknown. Valid until the transfer is used again.
const char *haul_curl_easy_certificate_names(haul_curl_easy *easy);

haul_curl_easy *haul_curl_easy_make(void);
void haul_curl_easy_free(haul_curl_easy *easy);
// May call the listener.
int haul_curl_easy_resume(haul_curl_easy *easy);
// Returns -1 if the fact is unknown.
int64_t haul_curl_easy_fact(haul_curl_easy *easy, enum haul_curl_fact fact);

// Adds a copy of a line; returns NULL if there is no memory.
haul_curl_lines *haul_curl_lines_add(haul_curl_lines *lines, const char *line);
void haul_curl_lines_free(haul_curl_lines *lines);

haul_curl_multi *haul_curl_multi_make(void);
void haul_curl_multi_free(haul_curl_multi *multi);
int haul_curl_multi_add(haul_curl_multi *multi, haul_curl_easy *easy);
int haul_curl_multi_remove(haul_curl_multi *multi, haul_curl_easy *easy);
// Does everything that is possible without waiting; calls listeners.
int haul_curl_multi_perform(haul_curl_multi *multi);
// Waits until there is work, another thread wakes it, or the time has passed.
int haul_curl_multi_wait(haul_curl_multi *multi, int milliseconds);
// May be called from any thread.
int haul_curl_multi_wake(haul_curl_multi *multi);
// Returns the next transfer that has ended, and its code; NULL if there is none.
haul_curl_easy *haul_curl_multi_ended(haul_curl_multi *multi, int *code);

// Makes a broken connection an error instead of a signal in the calling thread (SIGPIPE; OpenSSL does not use
// MSG_NOSIGNAL).
void haul_curl_block_signals(void);

#pragma once

#include <stddef.h>
#include <stdint.h>

// libcurl with types in the place of its variadic calls.
//
// The library is looked for when it is first needed, with dlopen(3): linked in the usual way, its thirty libraries cost every
// start of a program 5 ms, also one that never asks for it.

// A transfer, and what runs transfers. Both belong to one thread at a time, but for haul_curl_multi_wake.
typedef struct haul_curl_easy haul_curl_easy;
typedef struct haul_curl_multi haul_curl_multi;
typedef struct haul_curl_lines haul_curl_lines;

// How looking for libcurl ended.
enum haul_curl_presence {
    haul_curl_present = 0,
    // Built without the package trait.
    haul_curl_left_out = 1,
    // No such library on this machine.
    haul_curl_not_found = 2,
    // Older than 7.68.0.
    haul_curl_too_old = 3,
};

enum haul_curl_presence haul_curl_load(void);
// Whether the library that was loaded speaks a protocol, named as in URLs.
int haul_curl_speaks(const char *scheme);
// The TLS session of a running transfer, called by its listener; 0 if the TLS library does not say how a connection ends.
uintptr_t haul_curl_easy_session(haul_curl_easy *easy);
// Whether the peer has ended a session with close_notify (RFC 8446, 6.1), asked once, by the thread that runs it. Without it nobody
// can tell a complete body from one that was cut if only the end of the connection ends it.
int haul_curl_session_ended(uintptr_t session);

// Options that take text, see curl_easy_setopt(3).
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
};

// Options that take a number.
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
    haul_curl_proxy_verify_peer,
    haul_curl_proxy_verify_host,
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
};

// Values of some of them; the numbers are libcurl's, which never change.
enum {
    haul_curl_http_1_1 = 2,
    haul_curl_basic = 1 << 0,
    haul_curl_digest = 1 << 1,
    haul_curl_negotiate = 1 << 2,
    haul_curl_ntlm = 1 << 3,
    haul_curl_proxy_http = 0,
    haul_curl_proxy_https = 2,
    haul_curl_proxy_socks4 = 4,
    haul_curl_proxy_socks5 = 5,
    haul_curl_proxy_socks4a = 6,
    haul_curl_proxy_socks5h = 7,
    haul_curl_tls_always = 3,
    haul_curl_ftp_whole_path = 2,
    haul_curl_ssh_public_key = 1 << 0,
    haul_curl_ssh_password = 1 << 1,
    haul_curl_ssh_keyboard = 1 << 3,
    haul_curl_ssh_agent = 1 << 4,
};

// What a transfer can be asked, see curl_easy_getinfo(3).
enum haul_curl_fact {
    haul_curl_response_code,
    haul_curl_connect_code,
    haul_curl_content_length,
    haul_curl_modified,
    haul_curl_proxy_error,
    // Microseconds until everything was ready to ask, or 0 while it is not.
    haul_curl_ready_after,
    // The errno of the last failure to connect, 0 for none.
    haul_curl_os_errno,
};

// Why a proxy refused: the user, or all ways to say who asks (CURLINFO_PROXY_ERROR(3)).
enum { haul_curl_proxy_user_rejected = 33, haul_curl_proxy_identd_differs = 8, haul_curl_proxy_no_method = 12 };

// Answers of the two functions that hear a transfer: the count of bytes taken, or this.
#define HAUL_CURL_PAUSE ((size_t)0x10000001)
// Large enough for what libcurl writes about an error.
#define HAUL_CURL_ERROR_SIZE 256

// All answer libcurl's code, 0 for success.
int haul_curl_set_text(haul_curl_easy *easy, enum haul_curl_text option, const char *value);
int haul_curl_set_number(haul_curl_easy *easy, enum haul_curl_number option, int64_t value);
// The lines stay the caller's, and have to stay as long as the transfer.
int haul_curl_set_headers(haul_curl_easy *easy, haul_curl_lines *lines);
int haul_curl_set_listener(
    haul_curl_easy *easy, void *context, size_t (*head)(const char *bytes, size_t size, size_t count, void *context),
    size_t (*body)(const char *bytes, size_t size, size_t count, void *context), char *error);

// What became of a host key, see CURLOPT_SSH_KEYFUNCTION(3).
enum haul_curl_host_key { haul_curl_key_not_seen = 0, haul_curl_key_known, haul_curl_key_changed, haul_curl_key_unknown };
// Has it written to a place of the caller's, which has to stay as long as the transfer; what is not known is refused.
int haul_curl_set_host_key_place(haul_curl_easy *easy, int *place);
// The names that the server's certificate is for, as the TLS library writes them (`DNS:a, IP Address:b`), with haul_curl_certificate_facts;
// NULL: not known. Valid until the transfer is used again.
const char *haul_curl_easy_certificate_names(haul_curl_easy *easy);

haul_curl_easy *haul_curl_easy_make(void);
void haul_curl_easy_free(haul_curl_easy *easy);
// May call the listener.
int haul_curl_easy_resume(haul_curl_easy *easy);
// -1 where it isn't known.
int64_t haul_curl_easy_fact(haul_curl_easy *easy, enum haul_curl_fact fact);

// Adds a copy of a line; NULL when there is no memory.
haul_curl_lines *haul_curl_lines_add(haul_curl_lines *lines, const char *line);
void haul_curl_lines_free(haul_curl_lines *lines);

haul_curl_multi *haul_curl_multi_make(void);
void haul_curl_multi_free(haul_curl_multi *multi);
int haul_curl_multi_add(haul_curl_multi *multi, haul_curl_easy *easy);
int haul_curl_multi_remove(haul_curl_multi *multi, haul_curl_easy *easy);
// Does what can be done without waiting; calls listeners.
int haul_curl_multi_perform(haul_curl_multi *multi);
// Until there is something to do, somebody wakes it, or the time is up.
int haul_curl_multi_wait(haul_curl_multi *multi, int milliseconds);
// From any thread.
int haul_curl_multi_wake(haul_curl_multi *multi);
// The next transfer that has ended, and its code; NULL: none.
haul_curl_easy *haul_curl_multi_ended(haul_curl_multi *multi, int *code);

// For the calling thread: a connection that breaks is an error, not a signal (SIGPIPE; OpenSSL knows no MSG_NOSIGNAL).
void haul_curl_block_signals(void);

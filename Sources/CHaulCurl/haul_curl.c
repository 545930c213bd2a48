#ifdef HAUL_CURL

#include "haul_curl.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

// The macros of curl/typecheck-gcc.h match only libcurl's own names; here the compiler sees pointers.
#undef curl_easy_setopt
#undef curl_easy_getinfo

static struct {
    CURLcode (*global_init)(long);
    curl_version_info_data *(*version_info)(CURLversion);
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *);
    CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
    CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
    CURLcode (*easy_pause)(CURL *, int);
    struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
    void (*slist_free_all)(struct curl_slist *);
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_cleanup)(CURLM *);
    CURLMcode (*multi_setopt)(CURLM *, CURLMoption, ...);
    CURLMcode (*multi_add_handle)(CURLM *, CURL *);
    CURLMcode (*multi_remove_handle)(CURLM *, CURL *);
    CURLMcode (*multi_perform)(CURLM *, int *);
    CURLMcode (*multi_poll)(CURLM *, struct curl_waitfd *, unsigned int, int, int *);
    CURLMcode (*multi_wakeup)(CURLM *);
    CURLMsg *(*multi_info_read)(CURLM *, int *);
} curl;

// SSL_CTX_set_info_callback(3) of the OpenSSL that libcurl uses; NULL if it uses another library.
static void (*set_info_callback)(void *, void (*)(const void *, int, int));

static enum haul_curl_presence presence;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char *const names[] = {
#ifdef __APPLE__
    "/usr/lib/libcurl.4.dylib", "libcurl.4.dylib",
#else
    "libcurl.so.4", "libcurl-gnutls.so.4",
#endif
};

// POSIX allows a data pointer, which dlsym(3) returns, to hold the address of a function.
static int find(void *library, const char *name, void *function) {
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

#define FIND(name) find(library, "curl_" #name, &curl.name)

static void load(void) {
    void *library = NULL;
    for (size_t index = 0; library == NULL && index < sizeof names / sizeof *names; index++) {
        library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL) {
        presence = haul_curl_not_found;
        return;
    }
    int found = FIND(global_init) && FIND(version_info) && FIND(easy_init) && FIND(easy_cleanup) && FIND(easy_setopt)
        && FIND(easy_getinfo) && FIND(easy_pause) && FIND(slist_append) && FIND(slist_free_all) && FIND(multi_init)
        && FIND(multi_cleanup) && FIND(multi_setopt) && FIND(multi_add_handle) && FIND(multi_remove_handle)
        && FIND(multi_perform) && FIND(multi_poll) && FIND(multi_wakeup) && FIND(multi_info_read);
    // curl_multi_wakeup(3) is the newest of them and works correctly from this version on.
    found = found && curl.version_info(CURLVERSION_NOW)->version_num >= 0x074400;
    presence = found && curl.global_init(CURL_GLOBAL_ALL) == CURLE_OK ? haul_curl_present : haul_curl_too_old;
    // dlsym(3) also searches the libraries that libcurl itself depends on.
    if (presence == haul_curl_present) find(library, "SSL_CTX_set_info_callback", &set_info_callback);
}

// The TLS sessions of this thread whose peers have sent close_notify, newest last. A session is looked up right after
// its end.
enum { sessions_kept = 256 };
static _Thread_local uintptr_t ended_sessions[sessions_kept];
static _Thread_local unsigned ended_count;

static int forget_session(uintptr_t session) {
    int was_there = 0;
    for (unsigned index = 0; index < sessions_kept; index++) {
        if (ended_sessions[index] != session) continue;
        ended_sessions[index] = 0;
        was_there = 1;
    }
    return was_there;
}

static void heard_state(const void *session, int where, int value) {
    enum { handshake_start = 0x10, read_alert = 0x4004, close_notify = 0 };
    if (where == handshake_start) forget_session((uintptr_t)session);
    if (where == read_alert && (value & 0xff) == close_notify) {
        ended_sessions[ended_count++ % sessions_kept] = (uintptr_t)session;
    }
}

// libcurl treats a connection that was cut by any party as one that the server has ended, so alerts are recorded.
static CURLcode listen_to_alerts(CURL *easy, void *context, void *unused) {
    (void)easy;
    (void)unused;
    set_info_callback(context, heard_state);
    return CURLE_OK;
}

uintptr_t haul_curl_easy_session(haul_curl_easy *easy) {
    struct curl_tlssessioninfo *info = NULL;
    if (set_info_callback == NULL || curl.easy_getinfo((CURL *)easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK) return 0;
    return info == NULL ? 0 : (uintptr_t)info->internals;
}

int haul_curl_session_ended(uintptr_t session) { return session != 0 && forget_session(session); }

enum haul_curl_presence haul_curl_load(void) {
    pthread_once(&once, load);
    return presence;
}

const char *haul_curl_version(void) {
    return haul_curl_load() == haul_curl_present ? curl.version_info(CURLVERSION_NOW)->version : NULL;
}

int haul_curl_speaks(const char *scheme) {
    if (haul_curl_load() != haul_curl_present) return 0;
    const char *const *protocol = curl.version_info(CURLVERSION_NOW)->protocols;
    for (; *protocol; protocol++) {
        if (strcmp(*protocol, scheme) == 0) return 1;
    }
    return 0;
}

// Options that are newer than the headers, with their permanent numbers.
enum { server_response_timeout = 112, maxage_conn = 288, quick_exit = 322 };

static const CURLoption texts[] = {
    [haul_curl_url] = CURLOPT_URL,
    [haul_curl_request_target] = CURLOPT_REQUEST_TARGET,
    [haul_curl_user] = CURLOPT_USERNAME,
    [haul_curl_password] = CURLOPT_PASSWORD,
    [haul_curl_proxy] = CURLOPT_PROXY,
    [haul_curl_proxy_user] = CURLOPT_PROXYUSERNAME,
    [haul_curl_proxy_password] = CURLOPT_PROXYPASSWORD,
    [haul_curl_no_proxy] = CURLOPT_NOPROXY,
    [haul_curl_interface] = CURLOPT_INTERFACE,
    [haul_curl_certificate] = CURLOPT_SSLCERT,
    [haul_curl_key] = CURLOPT_SSLKEY,
    [haul_curl_authorities] = CURLOPT_CAINFO,
    [haul_curl_authorities_folder] = CURLOPT_CAPATH,
    [haul_curl_proxy_authorities] = CURLOPT_PROXY_CAINFO,
    [haul_curl_proxy_authorities_folder] = CURLOPT_PROXY_CAPATH,
    [haul_curl_known_hosts] = CURLOPT_SSH_KNOWNHOSTS,
    [haul_curl_ssh_key] = CURLOPT_SSH_PRIVATE_KEYFILE,
    [haul_curl_method] = CURLOPT_CUSTOMREQUEST,
};

static const CURLoption numbers[] = {
    [haul_curl_no_signal] = CURLOPT_NOSIGNAL,
    [haul_curl_quick_exit] = (CURLoption)quick_exit,
    [haul_curl_buffer_size] = CURLOPT_BUFFERSIZE,
    [haul_curl_connect_milliseconds] = CURLOPT_CONNECTTIMEOUT_MS,
    [haul_curl_http_version] = CURLOPT_HTTP_VERSION,
    [haul_curl_path_as_is] = CURLOPT_PATH_AS_IS,
    [haul_curl_transfer_decoding] = CURLOPT_HTTP_TRANSFER_DECODING,
    [haul_curl_verify_peer] = CURLOPT_SSL_VERIFYPEER,
    [haul_curl_verify_host] = CURLOPT_SSL_VERIFYHOST,
    [haul_curl_tls_version] = CURLOPT_SSLVERSION,
    [haul_curl_proxy_verify_peer] = CURLOPT_PROXY_SSL_VERIFYPEER,
    [haul_curl_proxy_verify_host] = CURLOPT_PROXY_SSL_VERIFYHOST,
    [haul_curl_proxy_tls_version] = CURLOPT_PROXY_SSLVERSION,
    [haul_curl_http_authentication] = CURLOPT_HTTPAUTH,
    [haul_curl_proxy_authentication] = CURLOPT_PROXYAUTH,
    [haul_curl_proxy_type] = CURLOPT_PROXYTYPE,
    [haul_curl_proxy_port] = CURLOPT_PROXYPORT,
    [haul_curl_proxy_tunnel] = CURLOPT_HTTPPROXYTUNNEL,
    [haul_curl_suppress_connect_headers] = CURLOPT_SUPPRESS_CONNECT_HEADERS,
    [haul_curl_use_tls] = CURLOPT_USE_SSL,
    [haul_curl_ftp_method] = CURLOPT_FTP_FILEMETHOD,
    [haul_curl_ssh_authentication] = CURLOPT_SSH_AUTH_TYPES,
    [haul_curl_file_time] = CURLOPT_FILETIME,
    [haul_curl_resume_from] = CURLOPT_RESUME_FROM_LARGE,
    [haul_curl_response_seconds] = (CURLoption)server_response_timeout,
    [haul_curl_idle_seconds] = (CURLoption)maxage_conn,
    [haul_curl_certificate_facts] = CURLOPT_CERTINFO,
    [haul_curl_fresh_connect] = CURLOPT_FRESH_CONNECT,
    [haul_curl_forbid_reuse] = CURLOPT_FORBID_REUSE,
    [haul_curl_ignore_size] = CURLOPT_IGNORE_CONTENT_LENGTH,
};

_Static_assert((int)haul_curl_http_1_1 == (int)CURL_HTTP_VERSION_1_1, "");
_Static_assert(haul_curl_basic == CURLAUTH_BASIC && haul_curl_digest == CURLAUTH_DIGEST, "");
_Static_assert(haul_curl_negotiate == CURLAUTH_NEGOTIATE && haul_curl_ntlm == CURLAUTH_NTLM, "");
_Static_assert(haul_curl_ask_first == CURLAUTH_ONLY, "");
_Static_assert((int)haul_curl_proxy_http == CURLPROXY_HTTP && (int)haul_curl_proxy_https == CURLPROXY_HTTPS, "");
_Static_assert((int)haul_curl_proxy_socks4 == CURLPROXY_SOCKS4 && (int)haul_curl_proxy_socks4a == CURLPROXY_SOCKS4A, "");
_Static_assert((int)haul_curl_proxy_socks5 == CURLPROXY_SOCKS5, "");
_Static_assert((int)haul_curl_proxy_socks5h == CURLPROXY_SOCKS5_HOSTNAME, "");
_Static_assert((int)haul_curl_sent_command == (int)CURLINFO_HEADER_OUT, "");
_Static_assert((int)haul_curl_tls_always == CURLUSESSL_ALL && (int)haul_curl_ftp_whole_path == CURLFTPMETHOD_NOCWD, "");
_Static_assert(haul_curl_ssh_public_key == CURLSSH_AUTH_PUBLICKEY && haul_curl_ssh_password == CURLSSH_AUTH_PASSWORD, "");
_Static_assert(haul_curl_ssh_keyboard == CURLSSH_AUTH_KEYBOARD && haul_curl_ssh_agent == CURLSSH_AUTH_AGENT, "");
_Static_assert(HAUL_CURL_PAUSE == CURL_WRITEFUNC_PAUSE && HAUL_CURL_ERROR_SIZE == CURL_ERROR_SIZE, "");
#if LIBCURL_VERSION_NUM >= 0x074900
_Static_assert((int)haul_curl_proxy_user_rejected == CURLPX_USER_REJECTED, "");
_Static_assert((int)haul_curl_proxy_identd_differs == CURLPX_IDENTD_DIFFER, "");
_Static_assert((int)haul_curl_proxy_no_method == CURLPX_NO_AUTH, "");
#endif

int haul_curl_set_text(haul_curl_easy *easy, enum haul_curl_text option, const char *value) {
    return curl.easy_setopt((CURL *)easy, texts[option], value);
}

// curl_easy_setopt(3): the option's number determines the type of its value.
int haul_curl_set_number(haul_curl_easy *easy, enum haul_curl_number option, int64_t value) {
    CURLoption number = numbers[option];
    if (number >= CURLOPTTYPE_OFF_T) return curl.easy_setopt((CURL *)easy, number, (curl_off_t)value);
    return curl.easy_setopt((CURL *)easy, number, (long)value);
}

int haul_curl_set_body(haul_curl_easy *easy, const void *bytes, int64_t size) {
    int code = curl.easy_setopt((CURL *)easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
    return code == 0 ? curl.easy_setopt((CURL *)easy, CURLOPT_COPYPOSTFIELDS, bytes ? bytes : "") : code;
}

int haul_curl_set_headers(haul_curl_easy *easy, haul_curl_lines *lines) {
    return curl.easy_setopt((CURL *)easy, CURLOPT_HTTPHEADER, (struct curl_slist *)lines);
}

int haul_curl_set_listener(
    haul_curl_easy *easy, void *context, size_t (*head)(const char *, size_t, size_t, void *),
    size_t (*body)(const char *, size_t, size_t, void *), char *error) {
    int code = curl.easy_setopt((CURL *)easy, CURLOPT_HEADERFUNCTION, head);
    if (code == 0) code = curl.easy_setopt((CURL *)easy, CURLOPT_HEADERDATA, context);
    if (code == 0) code = curl.easy_setopt((CURL *)easy, CURLOPT_WRITEFUNCTION, body);
    if (code == 0) code = curl.easy_setopt((CURL *)easy, CURLOPT_WRITEDATA, context);
    if (code == 0) code = curl.easy_setopt((CURL *)easy, CURLOPT_ERRORBUFFER, error);
    return code;
}

int haul_curl_set_watch(
    haul_curl_easy *easy, void *context, int (*is_stuck)(void *, int64_t, int64_t, int64_t, int64_t)) {
    int code = curl.easy_setopt((CURL *)easy, CURLOPT_XFERINFOFUNCTION, is_stuck);
    if (code == 0) code = curl.easy_setopt((CURL *)easy, CURLOPT_XFERINFODATA, context);
    return code == 0 ? curl.easy_setopt((CURL *)easy, CURLOPT_NOPROGRESS, 0L) : code;
}

int haul_curl_set_log(haul_curl_easy *easy, void *context, int (*noted)(void *, int, const char *, size_t, void *)) {
    int code = curl.easy_setopt((CURL *)easy, CURLOPT_DEBUGFUNCTION, noted);
    if (code == 0) code = curl.easy_setopt((CURL *)easy, CURLOPT_DEBUGDATA, context);
    return code == 0 ? curl.easy_setopt((CURL *)easy, CURLOPT_VERBOSE, 1L) : code;
}

static int heard_host_key(
    CURL *easy, const struct curl_khkey *known, const struct curl_khkey *found, enum curl_khmatch match, void *place) {
    (void)easy;
    (void)known;
    (void)found;
    switch (match) {
    case CURLKHMATCH_OK: *(int *)place = haul_curl_key_known; return CURLKHSTAT_FINE;
    case CURLKHMATCH_MISMATCH: *(int *)place = haul_curl_key_changed; return CURLKHSTAT_REJECT;
    default: *(int *)place = haul_curl_key_unknown; return CURLKHSTAT_REJECT;
    }
}

int haul_curl_set_host_key_place(haul_curl_easy *easy, int *place) {
    int code = curl.easy_setopt((CURL *)easy, CURLOPT_SSH_KEYFUNCTION, heard_host_key);
    return code == 0 ? curl.easy_setopt((CURL *)easy, CURLOPT_SSH_KEYDATA, place) : code;
}

const char *haul_curl_easy_certificate_names(haul_curl_easy *easy) {
    static const char label[] = "X509v3 Subject Alternative Name:";
    struct curl_certinfo *info = NULL;
    if (curl.easy_getinfo((CURL *)easy, CURLINFO_CERTINFO, &info) != CURLE_OK) return NULL;
    if (info == NULL || info->num_of_certs < 1) return NULL;
    for (struct curl_slist *line = info->certinfo[0]; line != NULL; line = line->next) {
        if (strncmp(line->data, label, sizeof label - 1) == 0) return line->data + sizeof label - 1;
    }
    return NULL;
}

haul_curl_easy *haul_curl_easy_make(void) {
    CURL *easy = curl.easy_init();
    if (easy != NULL && set_info_callback != NULL) {
        curl.easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, listen_to_alerts);
    }
    return (haul_curl_easy *)easy;
}
void haul_curl_easy_free(haul_curl_easy *easy) { curl.easy_cleanup((CURL *)easy); }
int haul_curl_easy_resume(haul_curl_easy *easy) { return curl.easy_pause((CURL *)easy, CURLPAUSE_CONT); }

static int64_t long_fact(haul_curl_easy *easy, CURLINFO info) {
    long value = -1;
    return curl.easy_getinfo((CURL *)easy, info, &value) == CURLE_OK ? value : -1;
}

static int64_t offset_fact(haul_curl_easy *easy, CURLINFO info) {
    curl_off_t value = -1;
    return curl.easy_getinfo((CURL *)easy, info, &value) == CURLE_OK ? value : -1;
}

int64_t haul_curl_easy_fact(haul_curl_easy *easy, enum haul_curl_fact fact) {
    switch (fact) {
    case haul_curl_response_code: return long_fact(easy, CURLINFO_RESPONSE_CODE);
    case haul_curl_connect_code: return long_fact(easy, CURLINFO_HTTP_CONNECTCODE);
    case haul_curl_content_length: return offset_fact(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T);
    case haul_curl_modified: return offset_fact(easy, CURLINFO_FILETIME_T);
    case haul_curl_os_errno: return long_fact(easy, CURLINFO_OS_ERRNO);
    case haul_curl_request_bytes: return long_fact(easy, CURLINFO_REQUEST_SIZE);
    case haul_curl_ready_after: return offset_fact(easy, CURLINFO_PRETRANSFER_TIME_T);
    case haul_curl_proxy_error:
#if LIBCURL_VERSION_NUM >= 0x074900
        return long_fact(easy, CURLINFO_PROXY_ERROR);
#else
        return -1;
#endif
    }
    return -1;
}

haul_curl_lines *haul_curl_lines_add(haul_curl_lines *lines, const char *line) {
    return (haul_curl_lines *)curl.slist_append((struct curl_slist *)lines, line);
}
void haul_curl_lines_free(haul_curl_lines *lines) { curl.slist_free_all((struct curl_slist *)lines); }

haul_curl_multi *haul_curl_multi_make(void) {
    CURLM *multi = curl.multi_init();
    // One connection per transfer, as segments need. None is closed to make room for another, because closing an FTP
    // connection waits for the server.
    if (multi != NULL) {
        curl.multi_setopt(multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
        curl.multi_setopt(multi, CURLMOPT_MAXCONNECTS, 1024L);
    }
    return (haul_curl_multi *)multi;
}
void haul_curl_multi_free(haul_curl_multi *multi) { curl.multi_cleanup((CURLM *)multi); }
int haul_curl_multi_add(haul_curl_multi *multi, haul_curl_easy *easy) {
    return curl.multi_add_handle((CURLM *)multi, (CURL *)easy);
}
int haul_curl_multi_remove(haul_curl_multi *multi, haul_curl_easy *easy) {
    return curl.multi_remove_handle((CURLM *)multi, (CURL *)easy);
}
int haul_curl_multi_perform(haul_curl_multi *multi) {
    int running = 0;
    return curl.multi_perform((CURLM *)multi, &running);
}
int haul_curl_multi_wait(haul_curl_multi *multi, int milliseconds) {
    return curl.multi_poll((CURLM *)multi, NULL, 0, milliseconds, NULL);
}
int haul_curl_multi_wake(haul_curl_multi *multi) { return curl.multi_wakeup((CURLM *)multi); }

haul_curl_easy *haul_curl_multi_ended(haul_curl_multi *multi, int *code) {
    int left = 0;
    CURLMsg *message = curl.multi_info_read((CURLM *)multi, &left);
    while (message != NULL && message->msg != CURLMSG_DONE) message = curl.multi_info_read((CURLM *)multi, &left);
    if (message == NULL) return NULL;
    *code = message->data.result;
    return (haul_curl_easy *)message->easy_handle;
}

void haul_curl_block_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

#endif

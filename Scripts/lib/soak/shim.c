// Loaded before the C library by Scripts/soak: kills the process at a chosen call, and lets its clock jump.
//
//   SOAK_KILL=CALL:NUMBER:WHEN   SIGKILL at the call with this number: "before" it or "after" it
//   SOAK_CLOCK=SECONDS           the time of day is so much later (or, below 0, earlier)
//   SOAK_JUMP=SECONDS:AFTER      it jumps by so much when the process is AFTER milliseconds old
//   SOAK_CLOCK_FILE=PATH         it is later by the number in this file, eight bytes, at any time
//   SOAK_NOTE=PATH               what took effect is written there, one word a line
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static char kill_call[32];
static long kill_number, jump_after;
static int kill_after, noted_clock, noted_jump;
static long long clock_offset, jump;
static volatile const long long *clock_now;
static struct timespec began;
static atomic_long calls;

static void note(const char *word) {
    const char *path = getenv("SOAK_NOTE");
    if (!path) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) return;
    char line[64];
    int length = snprintf(line, sizeof line, "%s\n", word);
    (void)!syscall(SYS_write, file, line, length);
    syscall(SYS_close, file);
}

static void raw_clock(clockid_t which, struct timespec *time) { syscall(SYS_clock_gettime, which, time); }

__attribute__((constructor)) static void start(void) {
    raw_clock(CLOCK_MONOTONIC, &began);
    const char *text = getenv("SOAK_KILL");
    char when[16] = "";
    if (text && sscanf(text, "%31[^:]:%ld:%15s", kill_call, &kill_number, when) == 3) kill_after = !strcmp(when, "after");
    if ((text = getenv("SOAK_CLOCK"))) clock_offset = atoll(text);
    if ((text = getenv("SOAK_CLOCK_FILE"))) {
        int file = (int)syscall(SYS_openat, AT_FDCWD, text, O_RDONLY | O_CLOEXEC, 0);
        void *page = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *clock_now, PROT_READ, MAP_SHARED, file, 0);
        if (page != MAP_FAILED) clock_now = page;
        if (file >= 0) syscall(SYS_close, file);
    }
    if ((text = getenv("SOAK_JUMP"))) sscanf(text, "%lld:%ld", &jump, &jump_after);
}

static void die(const char *call, int after) {
    if (after != kill_after || strcmp(call, kill_call) != 0) return;
    if (atomic_fetch_add(&calls, 1) + 1 != kill_number) return;
    note("killed");
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static long long shift(void) {
    long long seconds = clock_offset + (clock_now ? *clock_now : 0);
    if (clock_offset && !noted_clock) noted_clock = 1, note("clock");
    if (!jump) return seconds;
    struct timespec now;
    raw_clock(CLOCK_MONOTONIC, &now);
    long age = (now.tv_sec - began.tv_sec) * 1000 + (now.tv_nsec - began.tv_nsec) / 1000000;
    if (age < jump_after) return seconds;
    if (!noted_jump) noted_jump = 1, note("jump");
    return seconds + jump;
}

int clock_gettime(clockid_t which, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(which, time);
    if (result == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) time->tv_sec += shift();
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    raw_clock(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec + shift();
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *where) {
    struct timespec now;
    raw_clock(CLOCK_REALTIME, &now);
    time_t seconds = now.tv_sec + shift();
    if (where) *where = seconds;
    return seconds;
}

// A function of the C library by another name, with a chance to die before and after it.
#define WRAP(result, name, parameters, arguments)                                       \
    result name parameters {                                                            \
        static result(*real) parameters;                                                \
        if (!real) real = (result(*) parameters)dlsym(RTLD_NEXT, #name);                \
        die(#name, 0);                                                                  \
        result value = real arguments;                                                  \
        die(#name, 1);                                                                  \
        return value;                                                                   \
    }

WRAP(int, rename, (const char *from, const char *to), (from, to))
WRAP(int, link, (const char *from, const char *to), (from, to))
WRAP(int, linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
WRAP(int, unlink, (const char *path), (path))
WRAP(int, fsync, (int file), (file))
WRAP(int, fdatasync, (int file), (file))
WRAP(int, ftruncate, (int file, off_t size), (file, size))
WRAP(int, fallocate, (int file, int mode, off_t offset, off_t size), (file, mode, offset, size))
WRAP(ssize_t, pwrite, (int file, const void *bytes, size_t count, off_t offset), (file, bytes, count, offset))
WRAP(ssize_t, pwrite64, (int file, const void *bytes, size_t count, off_t offset), (file, bytes, count, offset))

// Haul calls renameat2(2) by its number.
long syscall(long number, ...) {
    static long (*real)(long, ...);
    if (!real) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
    long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    if (number != SYS_renameat2) return real(number, a, b, c, d, e, f);
    die("renameat2", 0);
    long value = real(number, a, b, c, d, e, f);
    die("renameat2", 1);
    return value;
}

#define _GNU_SOURCE
#include "haul_system.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <crt_externs.h>
#else
extern char **environ;
#endif

static char **arguments;

#if defined(__GLIBC__) || defined(__APPLE__)
// Both give the arguments of main to constructors as well.
__attribute__((constructor)) static void take_arguments(int count, char **words, char **variables) {
    (void)count;
    (void)variables;
    arguments = words;
}
#endif

char **haul_arguments(void) {
    return arguments;
}

char **haul_environment(void) {
#if defined(__APPLE__)
    return *_NSGetEnviron();
#else
    return environ;
#endif
}

int64_t haul_task_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NPROC, &limit) != 0 || limit.rlim_cur > INT64_MAX) return INT64_MAX;
    return (int64_t)limit.rlim_cur;
}

// Waits until the other end of the pipe is closed.
static void *wait_for_end(void *gate) {
    char byte;
    (void)!read(*(int *)gate, &byte, 1);
    return NULL;
}

int32_t haul_startable_threads(int32_t wanted) {
    enum { most = 256 };
    pthread_t threads[most];
    int gate[2];
    int32_t count = 0;
    if (pipe(gate) != 0) return wanted;
    if (wanted > most) wanted = most;
    while (count < wanted && pthread_create(&threads[count], NULL, wait_for_end, &gate[0]) == 0) count++;
    close(gate[1]);
    for (int32_t index = 0; index < count; index++) pthread_join(threads[index], NULL);
    close(gate[0]);
    return count;
}

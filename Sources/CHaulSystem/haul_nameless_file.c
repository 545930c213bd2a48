#define _GNU_SOURCE
#include "haul_nameless_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

int haul_nameless_file(void) {
#if defined(__linux__) && defined(SYS_memfd_create)
    // MFD_CLOEXEC of memfd_create(2). A kernel before 3.17 or a sandbox may not have it.
    int descriptor = (int)syscall(SYS_memfd_create, "haul", 1u);
    if (descriptor >= 0) return descriptor;
#endif
    char name[] = "/tmp/haul-XXXXXX";
    int file = mkostemp(name, O_CLOEXEC);
    if (file >= 0) unlink(name);
    return file;
}

#define _GNU_SOURCE
#include "haul_system.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__) && defined(O_DIRECT)

// Compared at once.
#define WINDOW ((int64_t)1 << 20)

// The number of bytes from an offset on that the page cache has: whole pages, without reading them.
static int64_t cached_bytes(int descriptor, int64_t offset, int64_t count, int64_t page) {
    void *map = mmap(NULL, (size_t)count, PROT_READ, MAP_SHARED, descriptor, (off_t)offset);
    if (map == MAP_FAILED) return 0;
    unsigned char resident[WINDOW / 4096 + 1];
    int64_t pages = 0;
    if (mincore(map, (size_t)count, resident) == 0) {
        while (pages * page < count && (resident[pages] & 1)) pages++;
    }
    munmap(map, (size_t)count);
    return pages * page < count ? pages * page : count;
}

// The number of equal bytes at the start of both, in whole pages unless all are equal.
static int64_t equal_bytes(const char *left, const char *right, int64_t count, int64_t page) {
    int64_t equal = 0;
    while (equal < count) {
        int64_t step = count - equal < page ? count - equal : page;
        if (memcmp(left + equal, right + equal, (size_t)step) != 0) break;
        equal += step;
    }
    return equal;
}

// Returns the offset up to which the bytes from `start` on, the start of a page, are cached and on disk.
static int64_t proven_end(int descriptor, int direct, int64_t start, int64_t end, int64_t page, char *cached, char *disk) {
    int64_t position = start;
    while (position < end) {
        int64_t count = end - position < WINDOW ? end - position : WINDOW;
        int64_t there = cached_bytes(descriptor, position, count, page);
        if (there == 0 || pread(descriptor, cached, (size_t)there, (off_t)position) != there) break;
        // Some file systems answer a direct read from the cache: then it must be empty.
        posix_fadvise(descriptor, (off_t)position, (off_t)there, POSIX_FADV_DONTNEED);
        int64_t whole = (there + page - 1) / page * page;
        int64_t got = pread(direct, disk, (size_t)whole, (off_t)position);
        if (got < 0) break;
        int64_t equal = equal_bytes(cached, disk, got < there ? got : there, page);
        position += equal;
        if (equal < count) break;
    }
    return position;
}

int64_t haul_bytes_in_doubt(int descriptor, const char *path, int64_t offset, int64_t count) {
    int64_t page = sysconf(_SC_PAGESIZE);
    int direct = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (direct < 0) return count;
    int64_t start = offset - offset % page;
    int64_t end = start;
    struct stat own, named;
    char *cached = aligned_alloc((size_t)page, (size_t)WINDOW);
    char *disk = aligned_alloc((size_t)page, (size_t)WINDOW);
    if (cached && disk && page <= WINDOW && fstat(descriptor, &own) == 0 && fstat(direct, &named) == 0
        && own.st_ino == named.st_ino && own.st_dev == named.st_dev) {
        // Reading ahead would bring pages into the cache that are then taken for those that were written.
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM);
        int64_t last = offset + count < own.st_size ? offset + count : own.st_size;
        end = proven_end(descriptor, direct, start, last, page, cached, disk);
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_NORMAL);
    }
    free(cached);
    free(disk);
    close(direct);
    int64_t proven = end > offset ? end - offset : 0;
    return proven < count ? count - proven : 0;
}

#else

int64_t haul_bytes_in_doubt(int descriptor, const char *path, int64_t offset, int64_t count) {
    (void)descriptor;
    (void)path;
    (void)offset;
    return count;
}

#endif

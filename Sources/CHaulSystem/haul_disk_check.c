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
// A shorter run within a range is not worth a segment of its own.
#define SHORTEST WINDOW

// A comparison of a file's pages in the cache with those on disk.
struct comparison {
    int descriptor;
    int direct;
    int64_t page;
    char *cached;
    char *disk;
    unsigned char resident[WINDOW / 4096];
};

// Notes which pages of a window the cache has, and returns whether there are any; reads nothing.
static int find_resident(struct comparison *its, int64_t offset, int64_t count) {
    int64_t pages = (count + its->page - 1) / its->page;
    void *map = mmap(NULL, (size_t)count, PROT_READ, MAP_SHARED, its->descriptor, (off_t)offset);
    if (map == MAP_FAILED) return 0;
    int any = 0;
    if (mincore(map, (size_t)count, its->resident) == 0) {
        for (int64_t index = 0; index < pages; index++) any |= its->resident[index] &= 1;
    }
    munmap(map, (size_t)count);
    return any;
}

// Reads the resident pages of a window; those that can't be read no longer count as resident.
static void read_cached(struct comparison *its, int64_t offset, int64_t count) {
    int64_t pages = (count + its->page - 1) / its->page;
    for (int64_t index = 0; index < pages; index++) {
        if (!its->resident[index]) continue;
        int64_t start = index * its->page;
        int64_t length = count - start < its->page ? count - start : its->page;
        its->resident[index] = pread(its->descriptor, its->cached + start, (size_t)length, (off_t)(offset + start)) == length;
    }
}

// Reads a window from the disk, and returns how many bytes it got. A direct read may be short anywhere.
static int64_t read_disk(struct comparison *its, int64_t offset, int64_t count) {
    int64_t whole = (count + its->page - 1) / its->page * its->page;
    int64_t done = 0;
    while (done < count) {
        int64_t got = pread(its->direct, its->disk + done, (size_t)(whole - done), (off_t)(offset + done));
        if (got <= 0) return done;
        if (done + got >= count) return count;
        got -= got % its->page;
        if (got == 0) return done;
        done += got;
    }
    return done;
}

// Returns whether a page is proven: the cache and the disk have the same, and no sector of it is empty. Blocks that were not written
// read as zeros, and another program that reads the file brings them into the cache.
static int is_proven(const char *cached, const char *disk, int64_t count) {
    static const char zeros[512];
    for (int64_t start = 0; start < count; start += 512) {
        size_t length = count - start < 512 ? (size_t)(count - start) : 512;
        if (memcmp(disk + start, zeros, length) == 0) return 0;
    }
    return memcmp(cached, disk, (size_t)count) == 0;
}

// Compares the pages from the one with `offset` on, and returns how many runs of equal ones were found.
static int32_t find_runs(struct comparison *its, int64_t offset, int64_t end, struct haul_run *runs, int32_t limit) {
    int32_t found = 0;
    struct haul_run run = {offset, offset};
    for (int64_t position = offset - offset % its->page; position < end && found < limit; position += WINDOW) {
        int64_t count = end - position < WINDOW ? end - position : WINDOW;
        int64_t there = 0;
        if (find_resident(its, position, count)) {
            read_cached(its, position, count);
            // Some file systems answer a direct read from the cache: then it must be empty. A page that has bytes before the range as well
            // stays, for the comparison of these.
            int64_t first = position < offset ? offset : position;
            posix_fadvise(its->descriptor, (off_t)first, (off_t)(position + count - first), POSIX_FADV_DONTNEED);
            there = read_disk(its, position, count);
        }
        for (int64_t start = 0; start < count; start += its->page) {
            int64_t length = count - start < its->page ? count - start : its->page;
            int64_t from = position + start < offset ? offset : position + start;
            if (start + length <= there && its->resident[start / its->page]
                && is_proven(its->cached + start, its->disk + start, length)) {
                if (run.end != from) run = (struct haul_run){from, from};
                run.end = position + start + length;
            } else if (run.end > run.start && run.end == from) {
                if ((run.start == offset || run.end - run.start >= SHORTEST) && found < limit) runs[found++] = run;
            }
        }
    }
    if (run.end == end && run.end > run.start && found < limit) runs[found++] = run;
    return found;
}

void haul_forget_cached(int descriptor) { posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED); }

int32_t haul_runs_on_disk(int descriptor, const char *path, int64_t offset, int64_t end, struct haul_run *runs, int32_t limit) {
    struct comparison its = {.descriptor = descriptor, .page = sysconf(_SC_PAGESIZE)};
    its.direct = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (its.direct < 0) return 0;
    int32_t found = 0;
    struct stat own, named;
    its.cached = aligned_alloc((size_t)its.page, (size_t)WINDOW);
    its.disk = aligned_alloc((size_t)its.page, (size_t)WINDOW);
    if (its.cached && its.disk && WINDOW % its.page == 0 && fstat(descriptor, &own) == 0 && fstat(its.direct, &named) == 0
        && own.st_ino == named.st_ino && own.st_dev == named.st_dev) {
        // Reading ahead would bring pages into the cache that are then taken for those that were written.
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM);
        found = find_runs(&its, offset, end < own.st_size ? end : own.st_size, runs, limit);
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_NORMAL);
    }
    free(its.cached);
    free(its.disk);
    close(its.direct);
    return found;
}

#else

void haul_forget_cached(int descriptor) { (void)descriptor; }

int32_t haul_runs_on_disk(int descriptor, const char *path, int64_t offset, int64_t end, struct haul_run *runs, int32_t limit) {
    (void)descriptor;
    (void)path;
    (void)offset;
    (void)end;
    (void)runs;
    (void)limit;
    return 0;
}

#endif

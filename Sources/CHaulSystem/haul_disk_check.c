#define _GNU_SOURCE
#include "haul_system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__) && defined(O_DIRECT)

#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

int haul_is_ext2(int descriptor) {
    struct stat status;
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    if (!mounts) return 0;
    char device[64];
    char *line = NULL;
    size_t room = 0;
    int found = 0;
    if (fstat(descriptor, &status) == 0) {
        snprintf(device, sizeof device, " %u:%u ", major(status.st_dev), minor(status.st_dev));
        while (!found && getline(&line, &room, mounts) > 0) found = strstr(line, device) && strstr(line, " - ext2 ");
    }
    free(line);
    fclose(mounts);
    return found;
}

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
    // Whether a direct read passes by the cache.
    int is_direct;
    // Whether the file system says truthfully which blocks were written.
    int says_written;
    unsigned char resident[WINDOW / 4096];
    // Pages that direct reads may answer from the cache.
    unsigned char stuck[WINDOW / 4096];
    // How many bytes of each page are in blocks that were written: FS_IOC_FIEMAP of ioctl(2).
    int64_t written[WINDOW / 4096];
    int knows_written;
    // Set if the file system refuses direct reads.
    int cannot_tell;
};

// Finds which pages of a window the cache has, without reading any; `unknown` if the system can't tell.
static void find_resident(int descriptor, int64_t offset, int64_t count, unsigned char resident[WINDOW / 4096], int unknown) {
    memset(resident, unknown, WINDOW / 4096);
    void *map = mmap(NULL, (size_t)count, PROT_READ, MAP_SHARED, descriptor, (off_t)offset);
    if (map == MAP_FAILED) return;
    if (mincore(map, (size_t)count, resident) != 0) memset(resident, unknown, WINDOW / 4096);
    munmap(map, (size_t)count);
    for (size_t index = 0; index < WINDOW / 4096; index++) resident[index] &= 1;
}

// Returns whether direct reads pass by the cache. Some file systems accept O_DIRECT and read through it all the same: ext4 with
// data=journal or encryption, Btrfs with checksums.
static int reads_directly(struct comparison *its, int64_t offset) {
#ifdef STATX_DIOALIGN
    struct statx status;
    if (statx(its->direct, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) == 0 && status.stx_mask & STATX_DIOALIGN) {
        return status.stx_dio_offset_align != 0;
    }
#endif
    // Before Linux 6.1, and on Btrfs: a direct read of a block takes only an aligned address, of which the others know nothing.
    return pread(its->direct, its->disk + 1, 1, (off_t)offset) < 0 && errno == EINVAL;
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
        // Any other error is that of the disk.
        if (got < 0 && (errno == EINVAL || errno == EOPNOTSUPP || errno == ENOSYS)) its->cannot_tell = 1;
        if (got <= 0) return done;
        if (done + got >= count) return count;
        got -= got % its->page;
        if (got == 0) return done;
        done += got;
    }
    return done;
}

// Finds the blocks of a window that were written; none if the file system can't tell.
static void find_written(struct comparison *its, int64_t offset, int64_t count) {
    enum { most = 64 };
    union {
        struct fiemap map;
        char room[sizeof(struct fiemap) + most * sizeof(struct fiemap_extent)];
    } request;
    const uint32_t not_written = FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_UNWRITTEN;
    int64_t end = offset + count;
    memset(its->written, 0, sizeof its->written);
    its->knows_written = 1;
    for (int64_t start = offset; start < end;) {
        memset(&request, 0, sizeof request);
        request.map.fm_start = (uint64_t)start;
        request.map.fm_length = (uint64_t)(end - start);
        request.map.fm_flags = FIEMAP_FLAG_SYNC;
        request.map.fm_extent_count = most;
        if (ioctl(its->descriptor, FS_IOC_FIEMAP, &request.map) != 0 || request.map.fm_mapped_extents == 0) return;
        for (uint32_t index = 0; index < request.map.fm_mapped_extents; index++) {
            const struct fiemap_extent *extent = &request.map.fm_extents[index];
            int64_t from = (int64_t)extent->fe_logical < start ? start : (int64_t)extent->fe_logical;
            int64_t to = (int64_t)(extent->fe_logical + extent->fe_length);
            if (to > end) to = end;
            for (int64_t at = from; at < to && !(extent->fe_flags & not_written);) {
                int64_t page = (at - offset) / its->page;
                int64_t next = offset + (page + 1) * its->page < to ? offset + (page + 1) * its->page : to;
                its->written[page] += next - at;
                at = next;
            }
            if (extent->fe_flags & FIEMAP_EXTENT_LAST) return;
            if (to <= start) return;
            start = to;
        }
    }
}

// Returns whether a page of a window is proven: the cache and the disk have the same, and sectors of zeros were written, because
// blocks that were not written read as zeros. A page that has left the cache must have been written, and have no such sector.
static int is_proven(struct comparison *its, int64_t window, int64_t window_count, int64_t start, int64_t count) {
    static const char zeros[512];
    const char *disk = its->disk + start;
    if (its->stuck[start / its->page]) return 0;
    int is_resident = its->resident[start / its->page];
    if (is_resident && memcmp(its->cached + start, disk, (size_t)count) != 0) return 0;
    int has_zeros = 0;
    for (int64_t at = 0; at < count && !has_zeros; at += 512) {
        has_zeros = memcmp(disk + at, zeros, count - at < 512 ? (size_t)(count - at) : 512) == 0;
    }
    if (has_zeros != is_resident) return is_resident;
    if (!its->says_written) return 0;
    if (!its->knows_written) find_written(its, window, window_count);
    return its->written[start / its->page] >= count;
}

// Compares the pages from the one with `offset` on, and returns how many runs of equal ones were found.
static int32_t find_runs(struct comparison *its, int64_t offset, int64_t end, struct haul_run *runs, int32_t limit) {
    int32_t found = 0;
    struct haul_run run = {offset, offset};
    for (int64_t position = offset - offset % its->page; position < end && found < limit && !its->cannot_tell; position += WINDOW) {
        int64_t count = end - position < WINDOW ? end - position : WINDOW;
        its->knows_written = 0;
        find_resident(its->descriptor, position, count, its->resident, 0);
        read_cached(its, position, count);
        // A page that has bytes before the range as well stays, for the comparison of these, unless reads come from the cache.
        int64_t first = position < offset && its->is_direct ? offset : position;
        posix_fadvise(its->descriptor, (off_t)first, (off_t)(position + count - first), POSIX_FADV_DONTNEED);
        if (!its->is_direct) find_resident(its->descriptor, position, count, its->stuck, 1);
        int64_t there = read_disk(its, position, count);
        for (int64_t start = 0; start < count; start += its->page) {
            int64_t length = count - start < its->page ? count - start : its->page;
            int64_t from = position + start < offset ? offset : position + start;
            if (start + length <= there && is_proven(its, position, count, start, length)) {
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
    if (its.direct < 0) return -1;
    // A file system in user space writes through the cache, and keeps nothing in it.
    struct statfs system;
    if (haul_is_ext2(descriptor) || fstatfs(descriptor, &system) != 0 || (uint32_t)system.f_type == FUSE_SUPER_MAGIC) {
        close(its.direct);
        return -1;
    }
    int32_t found = 0;
    struct stat own, named;
    its.cached = aligned_alloc((size_t)its.page, (size_t)WINDOW);
    its.disk = aligned_alloc((size_t)its.page, (size_t)WINDOW);
    if (its.cached && its.disk && WINDOW % its.page == 0 && fstat(descriptor, &own) == 0 && fstat(its.direct, &named) == 0
        && own.st_ino == named.st_ino && own.st_dev == named.st_dev) {
        // Reading ahead would bring pages into the cache that are then taken for those that were written.
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM);
        posix_fadvise(its.direct, 0, 0, POSIX_FADV_RANDOM);
        its.is_direct = reads_directly(&its, offset);
        // With data=journal, ext4 says it of blocks that only the journal has.
        its.says_written = its.is_direct || (uint32_t)system.f_type == BTRFS_SUPER_MAGIC;
        found = find_runs(&its, offset, end < own.st_size ? end : own.st_size, runs, limit);
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_NORMAL);
    }
    free(its.cached);
    free(its.disk);
    close(its.direct);
    return its.cannot_tell ? -1 : found;
}

#else

void haul_forget_cached(int descriptor) { (void)descriptor; }

int haul_is_ext2(int descriptor) {
    (void)descriptor;
    return 0;
}

int32_t haul_runs_on_disk(int descriptor, const char *path, int64_t offset, int64_t end, struct haul_run *runs, int32_t limit) {
    (void)descriptor;
    (void)path;
    (void)offset;
    (void)end;
    (void)runs;
    (void)limit;
    return -1;
}

#endif

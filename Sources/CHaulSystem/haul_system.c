#define _GNU_SOURCE
#include "haul_system.h"

#include <dirent.h>
#include <errno.h>
#if defined(__GLIBC__) || defined(__linux__)
#include <malloc.h>
#endif
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <sys/vfs.h>
#else
#include <sys/mount.h>
#include <sys/param.h>
#include <sys/sysctl.h>
#endif

static int32_t kind_of_mode(uint32_t mode) {
    switch (mode & S_IFMT) {
    case S_IFREG: return haul_kind_regular;
    case S_IFDIR: return haul_kind_folder;
    case S_IFLNK: return haul_kind_symlink;
    case S_IFIFO: return haul_kind_fifo;
    case S_IFCHR:
    case S_IFBLK: return haul_kind_device;
    case S_IFSOCK: return haul_kind_socket;
    default: return haul_kind_other;
    }
}

static int32_t is_shared(uint32_t mode) { return (mode & S_ISVTX) != 0 && (mode & S_IWOTH) != 0; }

static void take_stat(const struct stat *from, struct haul_status *status) {
    memset(status, 0, sizeof *status);
    status->kind = kind_of_mode(from->st_mode);
    status->owner = from->st_uid;
    status->is_shared = is_shared(from->st_mode);
    status->size = from->st_size;
    status->allocated = (int64_t)from->st_blocks * 512;
    status->device = (uint64_t)from->st_dev;
    status->inode = (uint64_t)from->st_ino;
    status->links = (uint64_t)from->st_nlink;
#if defined(__APPLE__)
    status->modified_seconds = from->st_mtimespec.tv_sec;
    status->modified_nanoseconds = (uint32_t)from->st_mtimespec.tv_nsec;
    status->birth_seconds = from->st_birthtimespec.tv_sec;
    status->birth_nanoseconds = (uint32_t)from->st_birthtimespec.tv_nsec;
#else
    status->modified_seconds = from->st_mtim.tv_sec;
    status->modified_nanoseconds = (uint32_t)from->st_mtim.tv_nsec;
#endif
}

#if defined(__linux__) && defined(SYS_statx)

// The kernel's own layout, which never changes; the C library's header may be older than the running kernel.
struct kernel_time {
    int64_t seconds;
    uint32_t nanoseconds;
    int32_t reserved;
};

struct kernel_statx {
    uint32_t mask, block_size;
    uint64_t attributes;
    uint32_t links, uid, gid;
    uint16_t mode, spare0;
    uint64_t inode, size, blocks, attributes_mask;
    struct kernel_time accessed, born, changed, modified;
    uint32_t special_major, special_minor, device_major, device_minor;
    uint64_t mount_id;
    uint64_t spare[13];
};

_Static_assert(sizeof(struct kernel_statx) == 256, "statx(2) fills 256 bytes");

enum {
    ask_basic = 0x7ff,
    ask_birth = 0x800,
    ask_mount = 0x1000,
    ask_unique_mount = 0x4000,
};

static int linux_status(int folder, const char *path, int flags, struct haul_status *status) {
    struct kernel_statx found;
    memset(&found, 0, sizeof found);
    // A kernel before 6.8 leaves the bit of the unique mount id unset, so both are asked for: the unique one wins.
    unsigned mask = ask_basic | ask_birth | ask_mount | ask_unique_mount;
    if (syscall(SYS_statx, folder, path, flags, mask, &found) != 0) return -1;
    memset(status, 0, sizeof *status);
    status->kind = kind_of_mode(found.mode);
    status->owner = found.uid;
    status->is_shared = is_shared(found.mode);
    status->size = (int64_t)found.size;
    status->allocated = (int64_t)found.blocks * 512;
    status->modified_seconds = found.modified.seconds;
    status->modified_nanoseconds = found.modified.nanoseconds;
    status->device = ((uint64_t)found.device_major << 32) | found.device_minor;
    status->inode = found.inode;
    status->links = found.links;
    if (found.mask & ask_birth) {
        status->birth_seconds = found.born.seconds;
        status->birth_nanoseconds = found.born.nanoseconds;
    }
    if (found.mask & (ask_mount | ask_unique_mount)) status->mount_id = found.mount_id;
    return 0;
}

// A sandbox may refuse statx(2), a kernel before 4.11 does not know it.
static int may_fall_back(void) { return errno == ENOSYS || errno == EPERM; }

int haul_status_of_file(int descriptor, struct haul_status *status) {
    if (linux_status(descriptor, "", AT_EMPTY_PATH, status) == 0) return 0;
    struct stat plain;
    if (!may_fall_back() || fstat(descriptor, &plain) != 0) return -1;
    take_stat(&plain, status);
    return 0;
}

int haul_status_of_path(int folder, const char *path, struct haul_status *status) {
    if (linux_status(folder, path, AT_SYMLINK_NOFOLLOW, status) == 0) return 0;
    struct stat plain;
    if (!may_fall_back() || fstatat(folder, path, &plain, AT_SYMLINK_NOFOLLOW) != 0) return -1;
    take_stat(&plain, status);
    return 0;
}

#else

int haul_status_of_file(int descriptor, struct haul_status *status) {
    struct stat plain;
    if (fstat(descriptor, &plain) != 0) return -1;
    take_stat(&plain, status);
    return 0;
}

int haul_status_of_path(int folder, const char *path, struct haul_status *status) {
    struct stat plain;
    if (fstatat(folder, path, &plain, AT_SYMLINK_NOFOLLOW) != 0) return -1;
    take_stat(&plain, status);
    return 0;
}

#endif

// The bytes of some blocks, at most INT64_MAX.
static uint64_t bytes_of(uint64_t blocks, uint64_t block) {
    return block != 0 && blocks > (uint64_t)INT64_MAX / block ? INT64_MAX : blocks * block;
}

static void take_space(const struct statfs *found, struct haul_space *space) {
    uint64_t block = (uint64_t)found->f_bsize;
#if defined(__linux__)
    if (found->f_frsize > 0) block = (uint64_t)found->f_frsize;
    uint32_t type = (uint32_t)found->f_type;
    // TMPFS_MAGIC and RAMFS_MAGIC of statfs(2).
    space->in_memory = type == 0x01021994u || type == 0x858458f6u;
#else
    space->in_memory = 0;
#endif
    space->total = bytes_of((uint64_t)found->f_blocks, block);
    // A file system without blocks has no limit, or does not report it: tmpfs with size=0, many of FUSE.
    space->available = found->f_blocks == 0 ? INT64_MAX : bytes_of((uint64_t)found->f_bavail, block);
}

int haul_space_of_file(int descriptor, struct haul_space *space) {
    struct statfs found;
    if (fstatfs(descriptor, &found) != 0) return -1;
    take_space(&found, space);
    return 0;
}

int haul_space_of_path(const char *path, struct haul_space *space) {
    struct statfs found;
    if (statfs(path, &found) != 0) return -1;
    take_space(&found, space);
    return 0;
}

int haul_allocate(int descriptor, int64_t length) {
#if defined(__linux__)
    return fallocate(descriptor, 0, 0, length);
#else
    (void)descriptor;
    (void)length;
    errno = ENOSYS;
    return -1;
#endif
}

int haul_punch(int descriptor, int64_t offset, int64_t count) {
#if defined(__linux__)
    if (haul_is_ext2(descriptor)) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return fallocate(descriptor, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, offset, count);
#else
    (void)descriptor;
    (void)offset;
    (void)count;
    errno = EOPNOTSUPP;
    return -1;
#endif
}

int haul_start_writing(int descriptor, int64_t offset, int64_t count) {
#if defined(__linux__)
    return sync_file_range(descriptor, offset, count, SYNC_FILE_RANGE_WRITE);
#else
    (void)descriptor;
    (void)offset;
    (void)count;
    errno = ENOSYS;
    return -1;
#endif
}

int haul_sync_data(int descriptor) {
#if defined(__APPLE__)
#if defined(F_BARRIERFSYNC)
    // Everything before it reaches the medium before everything after it, which is what a journal needs. The drive's cache is emptied once,
    // at the end (haul_sync_file).
    if (fcntl(descriptor, F_BARRIERFSYNC) == 0) return 0;
#endif
    if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
    return fsync(descriptor);
#else
    return fdatasync(descriptor);
#endif
}

int haul_sync_file(int descriptor) {
#if defined(__APPLE__)
    if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
#endif
    return fsync(descriptor);
}

int haul_sync_file_system(int descriptor) {
#if defined(__linux__) && defined(SYS_syncfs)
    return (int)syscall(SYS_syncfs, descriptor);
#else
    (void)descriptor;
    sync();
    return 0;
#endif
}

int haul_rename_no_replace(int folder, const char *from, int other, const char *to) {
#if defined(__linux__) && defined(SYS_renameat2)
    // RENAME_NOREPLACE of renameat2(2).
    return (int)syscall(SYS_renameat2, folder, from, other, to, 1u);
#elif defined(__APPLE__)
    return renameatx_np(folder, from, other, to, RENAME_EXCL);
#else
    (void)folder;
    (void)from;
    (void)other;
    (void)to;
    errno = ENOSYS;
    return -1;
#endif
}

uint64_t haul_mark(uint64_t mark, const void *text, size_t count) {
    const unsigned char *bytes = text;
    for (size_t i = 0; i < count; i++) {
        unsigned char byte = bytes[i];
        if (byte >= 'A' && byte <= 'Z') byte += 'a' - 'A';
        mark = (mark ^ byte) * 0x100000001b3;
    }
    return mark;
}

int64_t haul_marks_of_folder(const char *path, uint64_t *marks, size_t capacity) {
    DIR *folder = opendir(path);
    if (!folder) return -1;
    size_t count = 0;
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(folder);
        if (!entry) break;
        const char *name = entry->d_name;
        if (!strcmp(name, ".") || !strcmp(name, "..")) continue;
        if (count == capacity) {
            errno = EOVERFLOW;
            break;
        }
        marks[count++] = haul_mark(haul_first_mark, name, strlen(name));
    }
    int code = errno;
    closedir(folder);
    errno = code;
    return code ? -1 : (int64_t)count;
}

void haul_use_little_memory(void) {
#if defined(__GLIBC__)
    mallopt(M_ARENA_MAX, 2);
    // Left to itself, malloc raises this with the largest block that was freed, and long answers leave its arenas in shreds.
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
#endif
}

void haul_give_memory_back(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

int haul_open_nameless(int folder, const char *path, uint32_t mode) {
#if defined(__linux__) && defined(O_TMPFILE)
    return openat(folder, path, O_TMPFILE | O_RDWR | O_CLOEXEC, (mode_t)mode);
#else
    (void)folder;
    (void)path;
    (void)mode;
    errno = ENOSYS;
    return -1;
#endif
}

int haul_name_file(int descriptor, int folder, const char *path) {
#if defined(__linux__)
    // Both ways that open(2) names under O_TMPFILE: the shorter one is for root alone, or for everybody from Linux 6.10 on.
    if (linkat(descriptor, "", folder, path, AT_EMPTY_PATH) == 0) return 0;
    if (errno != ENOENT && errno != EPERM) return -1;
    char self[32];
    snprintf(self, sizeof self, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, self, folder, path, AT_SYMLINK_FOLLOW);
#else
    (void)descriptor;
    (void)folder;
    (void)path;
    errno = ENOSYS;
    return -1;
#endif
}

int haul_open_folder(int folder, const char *path) {
#if defined(__linux__)
    return openat(folder, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
#else
    return openat(folder, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
#endif
}

int haul_set_modified(int descriptor, int64_t seconds) {
    struct timespec times[2];
    memset(times, 0, sizeof times);
    times[0].tv_nsec = UTIME_OMIT;
    times[1].tv_sec = (time_t)seconds;
    return futimens(descriptor, times);
}

int64_t haul_first_hole(int descriptor, int64_t start, int64_t end) {
#ifdef SEEK_HOLE
    off_t hole = lseek(descriptor, (off_t)start, SEEK_HOLE);
    if (hole < 0) return errno == ENXIO ? start : end;
    return (int64_t)hole < end ? (int64_t)hole : end;
#else
    (void)descriptor;
    (void)start;
    return end;
#endif
}

int haul_has_writers(int descriptor) {
#if defined(__linux__)
    // Whoever opens the file for writing while the lease is held has the system signal it: with one that is ignored, not the usual SIGIO,
    // which would end the process.
    fcntl(descriptor, F_SETSIG, SIGURG);
    if (fcntl(descriptor, F_SETLEASE, F_RDLCK) == 0) {
        fcntl(descriptor, F_SETLEASE, F_UNLCK);
        return 0;
    }
    return errno == EAGAIN ? 1 : -1;
#else
    (void)descriptor;
    return -1;
#endif
}

int haul_allowed_cores(void) {
#if defined(__linux__)
    // cpu_set_t has room for 1024 cores, and the call fails if the machine has more.
    _Alignas(cpu_set_t) unsigned char set[8192];
    if (sched_getaffinity(0, sizeof set, (cpu_set_t *)set) != 0) return -1;
    int count = 0;
    for (size_t index = 0; index < sizeof set; index++) count += __builtin_popcount(set[index]);
    return count;
#else
    errno = ENOSYS;
    return -1;
#endif
}

int haul_boot_identity(char *text, size_t capacity) {
    if (capacity == 0) {
        errno = EINVAL;
        return -1;
    }
    text[0] = 0;
#if defined(__linux__)
    int descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return -1;
    ssize_t count = read(descriptor, text, capacity - 1);
    int cause = errno;
    close(descriptor);
    if (count < 0) {
        errno = cause;
        return -1;
    }
    text[count] = 0;
    text[strcspn(text, "\n")] = 0;
    return 0;
#elif defined(__APPLE__)
    size_t length = capacity;
    if (sysctlbyname("kern.bootsessionuuid", text, &length, NULL, 0) != 0) return -1;
    text[capacity - 1] = 0;
    return 0;
#else
    errno = ENOSYS;
    return -1;
#endif
}

#pragma once

#include <stddef.h>
#include <stdint.h>

// System calls that Swift's C library modules do not show, or that differ between systems.
// Each returns 0, or -1 with errno set; where a system has no such call, errno is ENOSYS.

// What a file is.
enum haul_kind {
    haul_kind_regular = 1,
    haul_kind_folder = 2,
    haul_kind_symlink = 3,
    haul_kind_fifo = 4,
    haul_kind_device = 5,
    haul_kind_socket = 6,
    haul_kind_other = 7,
};

// What statx(2) tells of a file. What a system does not know is 0.
struct haul_status {
    int32_t kind;
    // The user who owns it.
    uint32_t owner;
    // Whether it is a folder in which all users may create files, and only owners may remove theirs, such as /tmp.
    int32_t is_shared;
    uint32_t birth_nanoseconds;
    uint32_t modified_nanoseconds;
    int64_t size;
    int64_t allocated;
    int64_t modified_seconds;
    int64_t birth_seconds;
    uint64_t device;
    uint64_t inode;
    uint64_t links;
    uint64_t mount_id;
};

// The variables of the process, each as NAME=VALUE, and null at the end: environ(7).
char **haul_environment(void);

// The words of the command line as the C library gave them to the program, and null at the end; null where it gives none.
char **haul_arguments(void);

// How many tasks the user of the process may have (getrlimit(2), RLIMIT_NPROC); INT64_MAX: any number.
int64_t haul_task_limit(void);

// How many threads can be started at once, up to 256. They are ended again.
int32_t haul_startable_threads(int32_t wanted);

// Whether there is a route to addresses of the internet, of IPv4 or IPv6. Sends nothing and does not block.
int32_t haul_has_route(void);

// Whether a host can't be reached because there is no network: its name can't be looked up now, or no route leads to any
// of its addresses. Sends nothing but what the resolver sends; blocks.
int32_t haul_is_cut_off(const char *host);

// A descriptor that becomes readable when links, addresses or routes change (rtnetlink(7)).
int32_t haul_network_changes(int32_t *descriptor);

// What statfs(2) tells of the file system under a file, in bytes, each at most INT64_MAX.
struct haul_space {
    uint64_t available;
    uint64_t total;
    int32_t in_memory;
};

int haul_status_of_file(int descriptor, struct haul_status *status);
// A symbolic link at the end of the path is not followed. Here and below, a relative path begins in the open folder, or, for AT_FDCWD,
// in the current one.
int haul_status_of_path(int folder, const char *path, struct haul_status *status);
int haul_space_of_file(int descriptor, struct haul_space *space);
int haul_space_of_path(const char *path, struct haul_space *space);

int haul_allocate(int descriptor, int64_t length);
// Whether a file is on ext2. If the kernel can't write the blocks that lead to the data there, nobody is told, and only truncate(2) has
// them written again.
int haul_is_ext2(int descriptor);
// Gives the blocks of a range back, which then reads as zeros: fallocate(2), FALLOC_FL_PUNCH_HOLE; EOPNOTSUPP elsewhere, and on ext2.
int haul_punch(int descriptor, int64_t offset, int64_t count);
// Makes later reads come from the disk, of all that is on it: posix_fadvise(2) with POSIX_FADV_DONTNEED. Dirty pages stay.
void haul_forget_cached(int descriptor);
// A part of a file, without its end.
struct haul_run {
    int64_t start;
    int64_t end;
};

// Finds the parts of a range that are proven to be on disk, although a sync of them may have failed: the page cache has them, the
// disk has the same, and zeros are in blocks that were written (mincore(2), O_DIRECT of open(2), FS_IOC_FIEMAP). What has left the
// cache must be in such blocks and have no sector of zeros. On a file system that reads through the cache in spite of O_DIRECT, only
// pages that can be dropped from it count. Returns their number, at most `limit`; -1 if the system can't tell. Pages that are compared
// leave the cache, unless they are dirty. `path` is a name of the open file.
int32_t haul_runs_on_disk(int descriptor, const char *path, int64_t offset, int64_t end, struct haul_run *runs, int32_t limit);
// Starts writing dirty pages without waiting for them: sync_file_range(2) with SYNC_FILE_RANGE_WRITE.
int haul_start_writing(int descriptor, int64_t offset, int64_t count);
// Until the data is on the medium: fdatasync(2). On Darwin, in order but perhaps only in the drive's cache: F_BARRIERFSYNC.
int haul_sync_data(int descriptor);
// Until the data, and on Darwin everything in the drive's cache, is on the medium: fsync(2), or F_FULLFSYNC of Darwin.
int haul_sync_file(int descriptor);
// All files of the file system of a file: syncfs(2), or sync(2), which need not wait.
int haul_sync_file_system(int descriptor);

// For a process that lives long: few pools of memory, which otherwise each keep what they once had,
// and large blocks outside of them (mallopt(3)).
void haul_use_little_memory(void);
// Gives memory that is free to the system: malloc_trim(3).
void haul_give_memory_back(void);

// Opens a folder, but not through a symbolic link, for calls on the names in it, which needs no permission to read it: open(2) with
// O_PATH. Returns its descriptor, or -1.
int haul_open_folder(int folder, const char *path);
int haul_rename_no_replace(int folder, const char *from, int other, const char *to);
// Opens a file without a name in a folder, which nobody sees before it gets one: open(2) with O_TMPFILE. Returns its descriptor, or -1.
int haul_open_nameless(int folder, const char *path, uint32_t mode);
// Gives such a file its name; EEXIST where something has it: linkat(2).
int haul_name_file(int descriptor, int folder, const char *path);
// The marks of the names in a folder, without "." and "..". Returns how many, or -1; EOVERFLOW where there are more than capacity.
int64_t haul_marks_of_folder(const char *path, uint64_t *marks, size_t capacity);
// The mark of a text, or of more of it: goes on from the mark of what stands before (FNV-1a, 64 bits). Large letters of ASCII count as
// small ones, since to some folders they are the same.
uint64_t haul_mark(uint64_t mark, const void *text, size_t count);
static const uint64_t haul_first_mark = 0xcbf29ce484222325;
int haul_set_modified(int descriptor, int64_t seconds);
// The offset of the first byte in a part of a file that nobody has written: lseek(2) with SEEK_HOLE. The end of the part where there
// is none, or the system can't tell.
int64_t haul_first_hole(int descriptor, int64_t start, int64_t end);
// Whether somebody has the file open for writing: 1, 0, or -1 where the system can't tell. The descriptor is one for reading: fcntl(2)
// with F_SETLEASE, which is given back at once.
int haul_has_writers(int descriptor);

// The number of cores that the calling thread may run on, or -1: sched_getaffinity(2).
int haul_allowed_cores(void);

// An identity of this boot of the machine, NUL-terminated.
int haul_boot_identity(char *text, size_t capacity);

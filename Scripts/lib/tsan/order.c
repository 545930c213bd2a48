// Tells ThreadSanitizer of order that Swift's own libraries give on Linux and that it cannot see, as they are not instrumented.
// `Scripts/tsan` builds this file and preloads it. Each function stands in for the library's own: it calls that one and says what
// happened. Only order that is really there is added, so no real race is hidden.
//
// Contended `Synchronization.Mutex`es. Without contention, locking is one atomic exchange, inlined into our code, and seen. With
// it, a call into libswiftSynchronization waits in the kernel (futex(2), FUTEX_LOCK_PI). The three names are the mangled ones of
// `_MutexHandle._lockSlow(_:)`, `._tryLockSlow()` and `._unlockSlow()`, which inlined code calls and which therefore stay.
//
// Continuations that are resumed before their task waits. `swift_continuation_resume` releases the task's clock; the task acquires
// it when it is enqueued again, but not where `swift_continuation_await` finds the value there already (seen in Swift 6.3).
// That is known in two places: at the call, or, when the value comes during it, where the task takes up its thread again. To acquire
// the clock of the task that runs is right at any time. A few nanoseconds stay open between the look at the call and the library's
// own: 20,000 continuations that aim at it gave one false report in three runs, the suite gives none.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define ASYNC __attribute__((swiftasynccall))
#define SELF __attribute__((swift_context))

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define AWAIT "swift_continuation_await"
#define ENTER "swift_task_enterThreadLocalContext"

// Weak: absent in a program that was not built for ThreadSanitizer (a shell that a test starts), or not in Swift.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);
__attribute__((weak)) SWIFT void *swift_task_getCurrent(void);

// The start of the runtime's ContinuationAsyncContext.
struct continuation {
    void *context[2];
    uint64_t flags;
    uintptr_t status; // 0 pending, 1 awaited, 2 resumed
};

static SWIFT void (*lock_slow)(uint32_t thread, SELF void *mutex);
static SWIFT bool (*try_lock_slow)(SELF void *mutex);
static SWIFT void (*unlock_slow)(SELF void *mutex);
static ASYNC void (*await)(struct continuation *continuation);
static SWIFT void (*enter)(char *storage);

// Looked up before `main`, not at the first use: dlsym(3) itself locks.
__attribute__((constructor)) static void find(void) {
    *(void **)&lock_slow = dlsym(RTLD_NEXT, LOCK);
    *(void **)&try_lock_slow = dlsym(RTLD_NEXT, TRY_LOCK);
    *(void **)&unlock_slow = dlsym(RTLD_NEXT, UNLOCK);
    *(void **)&await = dlsym(RTLD_NEXT, AWAIT);
    *(void **)&enter = dlsym(RTLD_NEXT, ENTER);
}

static void acquire_current_task(void) {
    void *task = swift_task_getCurrent ? swift_task_getCurrent() : NULL;
    if (task && __tsan_acquire) __tsan_acquire(task);
}

SWIFT void haul_lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT bool haul_try_lock_slow(SELF void *mutex) __asm__(TRY_LOCK);
SWIFT void haul_unlock_slow(SELF void *mutex) __asm__(UNLOCK);
ASYNC void haul_await(struct continuation *continuation) __asm__(AWAIT);
SWIFT void haul_enter(char *storage) __asm__(ENTER);

SWIFT void haul_lock_slow(uint32_t thread, SELF void *mutex) {
    lock_slow(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool haul_try_lock_slow(SELF void *mutex) {
    bool locked = try_lock_slow(mutex);
    if (locked && __tsan_acquire) __tsan_acquire(mutex);
    return locked;
}

SWIFT void haul_unlock_slow(SELF void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    unlock_slow(mutex);
}

ASYNC void haul_await(struct continuation *continuation) {
    if (__atomic_load_n(&continuation->status, __ATOMIC_ACQUIRE) == 2) acquire_current_task();
    __attribute__((musttail)) return await(continuation);
}

SWIFT void haul_enter(char *storage) {
    enter(storage);
    acquire_current_task();
}

// What Swift cannot call of the system itself: `prctl` and `syscall` take a varying number of
// arguments, `pthread_setname_np` and `ppoll` are hidden behind _GNU_SOURCE.
#pragma once

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Names the calling thread, as `top -H` and a debugger show it (15 bytes).
static inline int32_t linux_name_thread(const char *_Nonnull name) {
    return prctl(PR_SET_NAME, name, 0, 0, 0);
}

// Keeps other processes of this user from reading this one's memory, and the kernel from dumping
// it. 0 on success.
static inline int32_t linux_deny_dump(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// 1 while the process may be dumped.
static inline int32_t linux_is_dumpable(void) {
    return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
}

// `poll` with a limit finer than a millisecond.
static inline int32_t linux_poll(
    struct pollfd *_Nonnull entries, uint32_t count, int64_t nanoseconds
) {
    struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    return (int32_t)syscall(SYS_ppoll, entries, (long)count, &limit, NULL, (long)(_NSIG / 8));
}

// Lets the calling thread's waits end as late as this, in place of up to 50 us later.
static inline int32_t linux_set_timer_slack(uint64_t nanoseconds) {
    return prctl(PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0);
}

// SPDX-License-Identifier: Apache-2.0
// Makes the machine seem slower: preloaded, every clock by which a program measures durations
// (monotonic and CPU time) runs TEMPER_CLOCK_FACTOR times as fast as the real one. Deadlines come too
// early by that factor, and durations look longer; nothing waits longer than it should. The time of
// day is unchanged, as files carry it.
//
//     TEMPER_CLOCK_FACTOR=5 LD_PRELOAD=build/release/tests/libslow_clock.so ctest --preset release
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double factor = 1;
static struct timespec start;  // of the monotonic clock; other clocks begin at 0 with their thread

static int (*realClock)(clockid_t, struct timespec*);
static int (*realTimedWait)(pthread_cond_t*, pthread_mutex_t*, const struct timespec*);
static int (*realClockWait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
static int (*realSemaphoreWait)(sem_t*, clockid_t, const struct timespec*);
static int (*realSleep)(clockid_t, int, const struct timespec*, struct timespec*);

__attribute__((constructor)) static void prepare(void) {
    *(void**)&realClock = dlsym(RTLD_NEXT, "clock_gettime");
    *(void**)&realTimedWait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    *(void**)&realClockWait = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
    *(void**)&realSemaphoreWait = dlsym(RTLD_NEXT, "sem_clockwait");
    *(void**)&realSleep = dlsym(RTLD_NEXT, "clock_nanosleep");
    realClock(CLOCK_MONOTONIC, &start);
    const char* given = getenv("TEMPER_CLOCK_FACTOR");
    // The time limits of tests apply to the real machine.
    if (given != NULL && strcmp(program_invocation_short_name, "ctest") != 0) factor = atof(given);
}

static double seconds(const struct timespec* time) {
    return (double)time->tv_sec + (double)time->tv_nsec / 1e9;
}

static struct timespec timeOf(double seconds) {
    struct timespec time = {(time_t)seconds, 0};
    time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
    return time;
}

static int isMonotonic(clockid_t clock) {
    return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
           clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
    if (realClock == NULL) prepare();
    const int status = realClock(clock, time);
    if (status != 0 || factor == 1) return status;
    const double from = isMonotonic(clock) ? seconds(&start) : 0;
    if (isMonotonic(clock) || clock == CLOCK_THREAD_CPUTIME_ID ||
        clock == CLOCK_PROCESS_CPUTIME_ID)
        *time = timeOf(from + factor * (seconds(time) - from));
    return 0;
}

// A deadline of the accelerated clock in the kernel's time.
static struct timespec realDeadline(const struct timespec* deadline) {
    const double from = seconds(&start);
    return timeOf(from + (seconds(deadline) - from) / factor);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* deadline) {
    if (factor == 1 || !isMonotonic(clock)) return realClockWait(condition, mutex, clock, deadline);
    const struct timespec real = realDeadline(deadline);
    return realClockWait(condition, mutex, clock, &real);
}

// Python's locks wait with it.
int sem_clockwait(sem_t* semaphore, clockid_t clock, const struct timespec* deadline) {
    if (factor == 1 || !isMonotonic(clock)) return realSemaphoreWait(semaphore, clock, deadline);
    const struct timespec real = realDeadline(deadline);
    return realSemaphoreWait(semaphore, clock, &real);
}

// Python's time.sleep() gives it a deadline.
int clock_nanosleep(clockid_t clock, int flags, const struct timespec* deadline,
                    struct timespec* left) {
    if (factor == 1 || !isMonotonic(clock) || (flags & TIMER_ABSTIME) == 0)
        return realSleep(clock, flags, deadline, left);
    const struct timespec real = realDeadline(deadline);
    return realSleep(clock, flags, &real, left);
}

// The clock of a condition can't be queried; a time of day is far larger than time since the start.
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const struct timespec* deadline) {
    if (factor == 1 || deadline->tv_sec > 1000000000)
        return realTimedWait(condition, mutex, deadline);
    const struct timespec real = realDeadline(deadline);
    return realTimedWait(condition, mutex, &real);
}

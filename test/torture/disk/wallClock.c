/*
 * The wall clock, moved by as much as the control page says. Node asks it through gettimeofday (V8: Date), clock_gettime (libstdc++) and time (OpenSSL).
 * All other clocks stay. Waits until a moment of the wall clock are told in the kernel's time: nobody is to wait for a day that was only pretended.
 */
#include "shim.h"
#include <semaphore.h>
#include <sys/time.h>
#include <time.h>

static int64_t moved_ms(void) {
  return control == NULL ? 0 : control->clock_ms;
}

static struct timespec later(struct timespec from, int64_t ms) {
  int64_t nanoseconds = from.tv_nsec + ms % 1000 * 1000000;
  from.tv_sec += ms / 1000 + nanoseconds / 1000000000;
  from.tv_nsec = nanoseconds % 1000000000;
  if (from.tv_nsec < 0) from.tv_nsec += 1000000000, from.tv_sec--;
  return from;
}

int clock_gettime(clockid_t clock, struct timespec *answer) {
  int failed = REAL(clock_gettime)(clock, answer);
  if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) && moved_ms() != 0) *answer = later(*answer, moved_ms());
  return failed;
}

int gettimeofday(struct timeval *restrict answer, void *restrict zone) {
  if (REAL(gettimeofday)(answer, zone) != 0) return -1;
  struct timespec now = later((struct timespec){answer->tv_sec, answer->tv_usec * 1000}, moved_ms());
  *answer = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *answer) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (answer != NULL) *answer = now.tv_sec;
  return now.tv_sec;
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
  struct timespec moment = later(*until, -moved_ms());
  return REAL(sem_timedwait)(semaphore, &moment);
}

#include "machine/linux/hook.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "generated/irqscope_regs.h"
#include "machine/linux/refuse.h"
#include "machine/zynq/gpio.h"

#define MODULE "irqscope_line: "
#define SOURCE_SHIFT 4
#define SOURCE_MASK (~(0xFu << SOURCE_SHIFT) << 16)
#define TOGGLE 8u

static char facts[64] = "no";

void hook_note(const char *version) {
    if (strncmp(version, MODULE, strlen(MODULE)) == 0)
        (void)snprintf(facts, sizeof facts, "%s", version + strlen(MODULE));
}

const char *hook_facts(void) { return facts; }

/* ---- played ---------------------------------------------------------------------------------- */

static int line, reader; /* the simulated line, and this side of the measured thread's descriptor */
static void (*ended)(void);
static uint32_t toggle, count;
static sem_t woken;

static void stamp(enum irqscope_marker marker) {
    uint32_t nibble = toggle | (uint32_t)marker;
    gpio_write(GPIO_MASK_DATA_LSW(GPIO_LOW), SOURCE_MASK | nibble << SOURCE_SHIFT);
    toggle ^= TOGGLE;
}

/* Stands for the hard handler; it also passes on what the measured thread writes. */
static void *play_handler(void *unused) {
    for (;;) {
        struct pollfd looks[] = {{.fd = line, .events = POLLIN}, {.fd = reader, .events = POLLIN}};
        uint32_t enable;
        if (poll(looks, sizeof looks / sizeof looks[0], -1) < 0)
            continue;
        if (looks[1].revents != 0 && read(reader, &enable, sizeof enable) == sizeof enable &&
            write(line, &enable, sizeof enable) != sizeof enable)
            ended();
        if (looks[0].revents == 0)
            continue;
        if (read(line, &count, sizeof count) != sizeof count)
            ended();
        stamp(IRQSCOPE_MARKER_VECTOR);
        (void)sem_post(&woken);
    }
    return unused;
}

/* Stands for the interrupt thread. The line is enabled again after it alone, so `count` and
 * `toggle` have one user at a time. */
static void *play_thread(void *unused) {
    for (;;) {
        while (sem_wait(&woken) != 0) {
        }
        stamp(IRQSCOPE_MARKER_TASK);
        (void)write(reader, &count, sizeof count);
    }
    return unused;
}

int hook_play(int simulated, void (*at_end)(void)) {
    int ends[2];
    pthread_t threads[2];
    line = simulated;
    ended = at_end;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        refuse("no socket for the played handlers", strerror(errno));
    reader = ends[1];
    toggle = ~gpio_read(GPIO_DATA(GPIO_LOW)) >> SOURCE_SHIFT & TOGGLE;
    stamp(IRQSCOPE_MARKER_DUMMY);
    if (sem_init(&woken, 0, 0) != 0 || pthread_create(&threads[0], NULL, play_handler, NULL) != 0 ||
        pthread_create(&threads[1], NULL, play_thread, NULL) != 0)
        refuse("a thread for the played handlers cannot be started", strerror(errno));
    (void)snprintf(facts, sizeof facts, "played: hard handler, interrupt thread");
    return ends[0];
}

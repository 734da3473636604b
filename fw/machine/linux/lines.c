#include "machine/linux/lines.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "machine/cpu.h"
#include "machine/irq.h"
#include "machine/linux/gpio.h"
#include "machine/linux/hook.h"
#include "machine/linux/kernel.h"
#include "machine/linux/refuse.h"
#include "machine/timer.h"

#define CONTROLLER_SIZE 0x1000
#define UIO_CLASS "/sys/class/uio"
#define ENTRY_SIZE 256
#define MEASURED "irqscope-line-0"
/* No wait for an interrupt is longer: whoever waits looks at the time. */
#define LONGEST_SLEEP_NS 100000000

/* ---- the end --------------------------------------------------------------------------------- */

_Noreturn void lines_ended(void) {
    (void)fprintf(stderr, "irqscope-agent: the simulated gateware has ended; start both again\n");
    exit(3);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* By the instrument's output. `armed`: Linux hands the next interrupt on; it does so once. */
static struct {
    int fd; /* -1: no device */
    bool armed, enabled;
    uint8_t priority;
} lines[MACHINE_SHARED_OUTPUTS];
static const uint16_t ids[] = {MACHINE_SHARED_IDS};

static int output_of(unsigned id) {
    for (int output = 0; output < MACHINE_SHARED_OUTPUTS; output++)
        if (ids[output] == id)
            return output;
    return -1;
}

static int fd_of(unsigned id) {
    int output = output_of(id);
    return output < 0 ? -1 : lines[output].fd;
}

static void control(unsigned id, uint32_t enable) {
    int fd = fd_of(id);
    ssize_t written = fd < 0 ? 0 : write(fd, &enable, sizeof enable);
    if (written < 0 && errno == EPIPE)
        lines_ended();
    if (fd >= 0 && written != sizeof enable)
        refuse("a UIO device refuses to enable its interrupt", strerror(errno));
    if (fd >= 0)
        lines[output_of(id)].armed = enable != 0;
}

static bool has_event(int fd) {
    struct pollfd look = {.fd = fd, .events = POLLIN};
    return fd >= 0 && poll(&look, 1, 0) == 1;
}

/* One read, which blocks; false where a signal ended it. */
static bool read_event(int fd) {
    uint32_t count;
    ssize_t length = read(fd, &count, sizeof count);
    if (length < 0 && errno == EINTR)
        return false;
    if (length == 0)
        lines_ended();
    if (length != sizeof count)
        refuse("a UIO device gives no interrupt", strerror(errno));
    return true;
}

static void forget(unsigned id) {
    while (has_event(fd_of(id)) && read_event(fd_of(id)))
        lines[output_of(id)].armed = false;
}

void irq_rearm(unsigned id) {
    int output = output_of(id);
    if (output >= 0 && !lines[output].armed)
        control(id, 1);
}

void irq_take(unsigned id) {
    int output = output_of(id);
    if (output >= 0 && read_event(lines[output].fd))
        lines[output].armed = false;
}

void irq_configure(unsigned id, uint8_t priority, uint8_t targets, enum irq_sense trigger) {
    int output = output_of(id);
    (void)targets;
    (void)trigger;
    if (output >= 0)
        lines[output].priority = priority;
}

uint8_t irq_priority(uintptr_t id) {
    int output = output_of((unsigned)id);
    return output < 0 ? 0 : lines[output].priority;
}

enum irq_sense irq_trigger(unsigned id) {
    (void)id;
    return IRQ_BY_LEVEL; /* the overlay's */
}

void irq_enable(unsigned id) {
    int output = output_of(id);
    if (output < 0)
        return;
    lines[output].enabled = true;
    irq_clear_pending(id);
}

void irq_disable(unsigned id) {
    int output = output_of(id);
    if (output >= 0)
        lines[output].enabled = false;
}

bool irq_is_enabled(unsigned id) {
    int output = output_of(id);
    return output >= 0 && lines[output].fd >= 0 && lines[output].enabled;
}

/* A controller knows what is pending whether it is enabled or not; Linux has to be asked for it. */
bool irq_is_pending(unsigned id) {
    if (id == IRQ_TIMER_TICK)
        return timer_is_due();
    irq_rearm(id);
    return has_event(fd_of(id));
}

void irq_clear_pending(unsigned id) {
    forget(id);
    irq_rearm(id);
}

static bool is_due(unsigned id) { return irq_is_enabled(id) && has_event(fd_of(id)); }

unsigned irq_highest(void) {
    for (unsigned output = 0; output < MACHINE_SHARED_OUTPUTS; output++)
        if (ids[output] != IRQ_FINISHED && is_due(ids[output]))
            return ids[output];
    if (is_due(IRQ_FINISHED))
        return IRQ_FINISHED;
    return timer_is_due() ? IRQ_TIMER_TICK : IRQ_ID_MASK;
}

/* ---- waiting --------------------------------------------------------------------------------- */

void wait_for_interrupt(void) {
    struct pollfd looks[MACHINE_SHARED_OUTPUTS];
    nfds_t count = 0;
    for (unsigned output = 0; output < MACHINE_SHARED_OUTPUTS; output++)
        if (lines[output].enabled && lines[output].fd >= 0)
            looks[count++] = (struct pollfd){.fd = lines[output].fd, .events = POLLIN};
    uint64_t now = timer_now(), ahead = timer_due() > now ? timer_due() - now : 0;
    long ns = ahead < LONGEST_SLEEP_NS ? (long)ahead : LONGEST_SLEEP_NS;
    (void)ppoll(looks, count, &(struct timespec){.tv_nsec = ns}, NULL);
}

static void (*handle)(unsigned id);

void cpu_set_handler(void (*handler)(unsigned id)) { handle = handler; }

void interrupts_unmask(void) {
    for (unsigned id = irq_highest(); id != IRQ_ID_MASK && id != IRQ_TIMER_TICK;
         id = irq_highest()) {
        irq_take(id);
        handle(id);
    }
}

/* A thread of its own reads the end of a batch, so that the measured thread has nothing to do but
 * its one read; a signal ends that, again and again in case it came before the read. */
static sem_t wanted, seen;
static pthread_t measured;
static atomic_bool ended, acknowledged;

static void nothing(int number) { (void)number; }

static void *watch_for_end(void *unused) {
    for (;;) {
        while (sem_wait(&wanted) != 0) {
        }
        while (!read_event(fd_of(IRQ_FINISHED))) {
        }
        atomic_store(&ended, true);
        while (!atomic_load(&acknowledged)) {
            (void)pthread_kill(measured, SIGUSR1);
            (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
        (void)sem_post(&seen);
    }
    return unused;
}

static void start_watching(void) {
    pthread_t watcher;
    struct sigaction action = {.sa_handler = nothing}; /* without SA_RESTART */
    measured = pthread_self();
    (void)sigaction(SIGUSR1, &action, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    if (sem_init(&wanted, 0, 0) != 0 || sem_init(&seen, 0, 0) != 0 ||
        pthread_create(&watcher, NULL, watch_for_end, NULL) != 0)
        refuse("a second thread cannot be started", strerror(errno));
}

static bool watching;

bool irq_wait(unsigned id, bool spin) {
    int fd = fd_of(id);
    if (!watching) {
        atomic_store(&ended, false);
        atomic_store(&acknowledged, false);
        watching = true;
        (void)sem_post(&wanted);
    }
    while (!atomic_load(&ended)) {
        if (fd < 0)
            (void)ppoll(NULL, 0, &(struct timespec){.tv_nsec = LONGEST_SLEEP_NS}, NULL);
        else if ((!spin || has_event(fd)) && read_event(fd)) {
            lines[output_of(id)].armed = false;
            return true;
        }
    }
    watching = false;
    lines[output_of(IRQ_FINISHED)].armed = false;
    atomic_store(&acknowledged, true);
    while (sem_wait(&seen) != 0) {
    }
    return false;
}

/* ---- registers and devices ------------------------------------------------------------------- */

volatile uint32_t *gpio_registers;

/* An attribute of `uioN`; empty if it cannot be read. */
static void read_attribute(const char *entry, const char *attribute, char *text) {
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, UIO_CLASS "/%s/%s", entry, attribute);
    FILE *file = fopen(path, "r");
    *text = '\0';
    if (file == NULL)
        return;
    if (fgets(text, ENTRY_SIZE, file) != NULL)
        text[strcspn(text, "\n")] = '\0';
    (void)fclose(file);
}

/* `uioN` of that name, in `found`; false if there is none. */
static bool find_device(const char *name, char *found) {
    DIR *folder = opendir(UIO_CLASS);
    bool there = false;
    for (struct dirent *entry; folder != NULL && !there && (entry = readdir(folder)) != NULL;) {
        char text[ENTRY_SIZE];
        if (entry->d_name[0] == '.')
            continue;
        read_attribute(entry->d_name, "name", text);
        there = strcmp(text, name) == 0;
        (void)snprintf(found, ENTRY_SIZE, "%s", entry->d_name);
    }
    if (folder != NULL)
        (void)closedir(folder);
    return there;
}

/* A device that must be there, opened. */
static int open_device(const char *name) {
    char entry[ENTRY_SIZE], version[ENTRY_SIZE], path[ENTRY_SIZE + sizeof "/dev/"];
    if (!find_device(name, entry))
        refuse("there is no UIO device of this name; load the overlay, and uio_pdrv_genirq "
               "with of_id=generic-uio (docs/linux.md)",
               name);
    (void)snprintf(path, sizeof path, "/dev/%s", entry);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        char why[2 * ENTRY_SIZE];
        (void)snprintf(why, sizeof why, "%s, %s", path, strerror(errno));
        refuse("a UIO device cannot be opened; run as root", why);
    }
    if (strcmp(name, MEASURED) == 0) {
        read_attribute(entry, "version", version);
        hook_note(version);
    }
    return fd;
}

void lines_open(void) {
    int port = open_device("irqscope-port");
    void *at = mmap(NULL, CONTROLLER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, port, 0);
    if (at == MAP_FAILED)
        refuse("the GPIO controller cannot be mapped", strerror(errno));
    gpio_registers = at;
    for (int output = 0; output < MACHINE_SHARED_OUTPUTS; output++) {
        char name[ENTRY_SIZE], entry[ENTRY_SIZE];
        (void)snprintf(name, sizeof name, "irqscope-line-%d", output);
        lines[output].fd = -1;
        if (output == MACHINE_FINISHED_OUTPUT)
            lines[output].fd = open_device("irqscope-finished");
        else if (output == 0 || find_device(name, entry))
            lines[output].fd = open_device(name);
        lines[output].armed = true; /* Linux enables an interrupt that a driver asks for */
    }
    kernel_measure(MEASURED);
    start_watching();
}

/* ---- simulation ------------------------------------------------------------------------------ */

static int registers = -1;

/* A request: bit 31 for a store, the offset; the value. */
#define STORE (UINT32_C(1) << 31)

static void ask(uint32_t what, uint32_t value) {
    uint32_t request[2] = {what, value};
    if (send(registers, request, sizeof request, MSG_NOSIGNAL) != sizeof request)
        lines_ended();
}

unsigned lines_count(void) {
    unsigned count = 0;
    for (unsigned output = 0; output < MACHINE_SHARED_OUTPUTS; output++)
        count += lines[output].fd >= 0;
    return count;
}

int lines_end(void) { return registers; }

uint32_t gpio_ask(unsigned offset) {
    uint32_t value;
    ask(offset, 0);
    ssize_t length;
    do
        length = recv(registers, &value, sizeof value, 0);
    while (length < 0 && errno == EINTR);
    if (length != sizeof value)
        lines_ended();
    return value;
}

void gpio_tell(unsigned offset, uint32_t value) { ask(offset | STORE, value); }

/* The simulation sends its ends of the lines with its first message. */
static void receive_lines(void) {
    char first;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(MACHINE_SHARED_OUTPUTS * sizeof(int))];
    } control = {0};
    struct iovec part = {.iov_base = &first, .iov_len = sizeof first};
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof control,
    };
    int found[MACHINE_SHARED_OUTPUTS];
    if (recvmsg(registers, &message, 0) != sizeof first)
        lines_ended();
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header == NULL || header->cmsg_len != CMSG_LEN(sizeof found))
        refuse("the simulation has other lines than this agent", "build both again");
    memcpy(found, CMSG_DATA(header), sizeof found);
    for (int output = 0; output < MACHINE_SHARED_OUTPUTS; output++) {
        lines[output].fd = found[output];
        lines[output].armed = true;
    }
}

void lines_simulate(const char *path, bool hooked) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        refuse("the simulation's socket has too long a path", path);
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    registers = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (registers < 0 || connect(registers, (struct sockaddr *)&address, sizeof address) != 0)
        refuse("no simulation answers at this socket", path);
    receive_lines();
    if (hooked)
        lines[0].fd = hook_play(lines[0].fd, lines_ended);
    start_watching();
}

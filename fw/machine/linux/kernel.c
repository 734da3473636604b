#include "machine/linux/kernel.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "machine/kernel.h"
#include "machine/linux/hook.h"
#include "machine/linux/programs.h"
#include "machine/linux/refuse.h"
#include "machine/programs.h"

#define FILE_SIZE 4096
#define CPU "/sys/devices/system/cpu"

static const char *measured = "";

void kernel_measure(const char *device) { measured = device; }

/* The file's first line; false if there is no such file, or nothing in it. */
static bool read_line(const char *path, char *text, size_t size) {
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    bool there = fgets(text, (int)size, file) != NULL;
    (void)fclose(file);
    if (there)
        text[strcspn(text, "\n")] = '\0';
    return there && *text != '\0';
}

static const char *read_or(const char *path, const char *other) {
    static char text[FILE_SIZE];
    return read_line(path, text, sizeof text) ? text : other;
}

uint64_t kernel_core_id(void) {
    char path[FILE_SIZE];
    int cpu = sched_getcpu();
    (void)snprintf(path, sizeof path, CPU "/cpu%d/regs/identification/midr_el1", cpu < 0 ? 0 : cpu);
    return strtoull(read_or(path, "0"), NULL, 16);
}

void kernel_release(char *text, size_t size) {
    struct utsname name;
    (void)snprintf(text, size, "%s", uname(&name) == 0 ? name.release : "unknown");
}

struct text {
    char *bytes;
    size_t size, length;
};

/* Adds a part; what does not fit ends in "...". A newline or a byte outside ASCII becomes '?'. */
static void __attribute__((format(printf, 2, 3))) add(struct text *text, const char *format, ...) {
    static char part[2 * FILE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(part, sizeof part, format, arguments);
    va_end(arguments);
    for (const char *byte = part; *byte != '\0' && text->length < text->size - 1; byte++)
        text->bytes[text->length++] = *byte >= ' ' && *byte <= '~' ? *byte : '?';
    if (text->length == text->size - 1)
        memcpy(text->bytes + text->size - 4, "...", 3);
    text->bytes[text->length] = '\0';
}

/* Interrupt number of the measured device by /proc/interrupts; 0: it is not there. */
static unsigned interrupt_number(void) {
    char line[FILE_SIZE];
    unsigned found = 0;
    FILE *file = *measured == '\0' ? NULL : fopen("/proc/interrupts", "r");
    while (file != NULL && found == 0 && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        size_t length = strlen(line), wanted = strlen(measured);
        if (length > wanted && strcmp(line + length - wanted, measured) == 0)
            found = (unsigned)strtoul(line, NULL, 10);
    }
    if (file != NULL)
        (void)fclose(file);
    return found;
}

static const char *policy_name(int policy) {
    return policy == SCHED_FIFO ? "SCHED_FIFO" : policy == SCHED_RR ? "SCHED_RR" : "SCHED_OTHER";
}

static void add_thread(struct text *text) {
    struct sched_param scheduling = {0};
    int policy = sched_getscheduler(0);
    (void)sched_getparam(0, &scheduling);
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    (void)sched_getaffinity(0, sizeof cpus, &cpus);
    add(text, "; thread %s %d, ", policy_name(policy), scheduling.sched_priority);
    if (CPU_COUNT(&cpus) == 1)
        add(text, "on CPU %d", sched_getcpu());
    else
        add(text, "on any of %d CPUs", CPU_COUNT(&cpus));
}

void kernel_facts(char *bytes, size_t size) {
    struct text text = {bytes, size, 0};
    struct utsname name = {0};
    char path[FILE_SIZE], line[FILE_SIZE];
    int cpu = sched_getcpu();
    (void)uname(&name);
    bool realtime = strcmp(read_or("/sys/kernel/realtime", "0"), "1") == 0 ||
                    strstr(name.version, "PREEMPT_RT") != NULL;
    add(&text, "%s %s, %s; PREEMPT_RT %s", name.release, name.machine, name.version,
        realtime ? "yes" : "no");
    (void)snprintf(path, sizeof path, CPU "/cpu%d/cpufreq/scaling_governor", cpu < 0 ? 0 : cpu);
    add(&text, "; governor %s", read_or(path, "unknown"));
    add(&text, "; isolated %s", read_or(CPU "/isolated", "none"));
    add_thread(&text);
    unsigned number = interrupt_number();
    (void)snprintf(path, sizeof path, "/proc/irq/%u/smp_affinity_list", number);
    add(&text, "; IRQ affinity %s", number == 0 ? "unknown" : read_or(path, "unknown"));
    add(&text, "; module %s", hook_facts());
    for (unsigned program = 1; program <= programs_count(); program++)
        add(&text, "; program %s", programs_text(program));
    bool known = read_line("/proc/cmdline", line, sizeof line);
    add(&text, "; command line %s", known ? line : "unknown");
}

void kernel_set_up_thread(int cpu, int priority) {
    if (cpu >= 0) {
        cpu_set_t cpus;
        CPU_ZERO(&cpus);
        if (cpu < CPU_SETSIZE)
            CPU_SET((size_t)cpu, &cpus);
        if (sched_setaffinity(0, sizeof cpus, &cpus) != 0)
            refuse("--cpu names a CPU that the agent may not use", strerror(errno));
    }
    if (priority == 0)
        return;
    struct sched_param scheduling = {.sched_priority = priority};
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
        refuse("memory cannot be locked; run as root, or say --priority 0", strerror(errno));
    if (sched_setscheduler(0, SCHED_FIFO, &scheduling) != 0)
        refuse("SCHED_FIFO is refused; run as root, or say --priority 0", strerror(errno));
}

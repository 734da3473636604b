/* Start of the agent, in the place of a boot loader and entry.S: its command line. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine/fault.h"
#include "machine/linux/kernel.h"
#include "machine/linux/lines.h"
#include "machine/linux/programs.h"
#include "machine/linux/socket.h"

/* That of boot/main.c, which is compiled by another name. */
_Noreturn void firmware_main(void);

#define LISTEN "127.0.0.1:7316"
#define PRIORITY 80
#define PRIORITY_MOST 99

static const char usage[] =
    "usage: irqscope-agent [--listen ADDRESS:PORT] [--token FILE] [--cpu N] [--priority N]\n"
    "                      [--background NAME=COMMAND]... [--simulation SOCKET [--hook]]\n"
    "  --listen      where hosts connect; " LISTEN " unless said\n"
    "  --token       file with the word that a host has to know; for an address that others reach\n"
    "  --cpu         CPU that the measured thread is pinned to; none unless said\n"
    "  --priority    of SCHED_FIFO, 1 to 99, 80 unless said; 0: an ordinary thread\n"
    "  --background  program that an experiment may start by its name, up to 4\n"
    "  --simulation  simulated gateware in the place of UIO devices\n"
    "  --hook        threads play the hard handler and the interrupt thread of the kernel's "
    "module\n";

static long number(const char *option, const char *text, long most) {
    char *end;
    long value = strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || value < 0 || value > most) {
        (void)fprintf(stderr, "irqscope-agent: --%s %s: a number from 0 to %ld\n", option, text,
                      most);
        exit(2);
    }
    return value;
}

_Noreturn void fault_entry(void) { abort(); } /* nothing here calls it */

int main(int count, char **words) {
    static const struct option options[] = {{"listen", required_argument, NULL, 'l'},
                                            {"token", required_argument, NULL, 't'},
                                            {"cpu", required_argument, NULL, 'c'},
                                            {"priority", required_argument, NULL, 'p'},
                                            {"background", required_argument, NULL, 'b'},
                                            {"simulation", required_argument, NULL, 's'},
                                            {"hook", no_argument, NULL, 'k'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    const char *listen = LISTEN, *token = NULL, *simulation = NULL;
    bool hook = false;
    long cpu = -1, priority = PRIORITY;
    for (int found; (found = getopt_long(count, words, "", options, NULL)) != -1;) {
        switch (found) {
        case 'l':
            listen = optarg;
            break;
        case 't':
            token = optarg;
            break;
        case 'c':
            cpu = number("cpu", optarg, 1023);
            break;
        case 'p':
            priority = number("priority", optarg, PRIORITY_MOST);
            break;
        case 'b':
            programs_allow(optarg);
            break;
        case 's':
            simulation = optarg;
            break;
        case 'k':
            hook = true;
            break;
        case 'h':
            (void)fputs(usage, stdout);
            return 0;
        default:
            (void)fputs(usage, stderr);
            return 2;
        }
    }
    if (optind != count || (hook && simulation == NULL)) {
        (void)fputs(usage, stderr);
        return 2;
    }
    if (simulation != NULL)
        lines_simulate(simulation, hook);
    else
        lines_open();
    kernel_set_up_thread((int)cpu, (int)priority);
    socket_listen(listen, token);
    firmware_main();
}

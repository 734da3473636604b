/* Linux user space: waits for a rise of one GPIO line and pulses another. By the kernel's character
 * device (GPIO v2, Linux 5.10 and newer), which libgpiod wraps: so it needs no library.
 *
 *     ./answer /dev/gpiochip0 IN OUT
 *
 * For the least latency: chrt -f 80 ./answer ..., a core of its own, and no frequency scaling. */
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void fail(const char *what) {
    fprintf(stderr, "answer: %s: %s\n", what, strerror(errno));
    exit(1);
}

static unsigned line_number(const char *text) {
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (*text == '\0' || *end != '\0' || number > 1023) {
        fprintf(stderr, "answer: %s is no line of a chip; give a number\n", text);
        exit(2);
    }
    return (unsigned)number;
}

static int request(int chip, unsigned line, uint64_t flags) {
    struct gpio_v2_line_request wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.offsets[0] = line;
    wanted.num_lines = 1;
    wanted.config.flags = flags;
    strcpy(wanted.consumer, "irqscope");
    if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &wanted) < 0)
        fail("a line cannot be had; is it in use?");
    return wanted.fd;
}

static void set(int output, int level) {
    struct gpio_v2_line_values values = {.bits = (unsigned)level, .mask = 1};
    if (ioctl(output, GPIO_V2_LINE_SET_VALUES_IOCTL, &values) < 0)
        fail("the output cannot be set");
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: answer /dev/gpiochipN IN OUT\n");
        return 2;
    }
    int chip = open(argv[1], O_RDWR | O_CLOEXEC);
    if (chip < 0)
        fail(argv[1]);
    int input = request(chip, line_number(argv[2]),
                        GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING);
    int output = request(chip, line_number(argv[3]), GPIO_V2_LINE_FLAG_OUTPUT);
    for (;;) {
        struct gpio_v2_line_event event;
        if (read(input, &event, sizeof event) != (ssize_t)sizeof event)
            fail("no event can be read");
        set(output, 1);
        set(output, 0);
    }
}

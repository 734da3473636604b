#include "machine/linux/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "machine/linux/lines.h"
#include "machine/linux/refuse.h"
#include "machine/programs.h"
#include "machine/uart.h"

#define TOKEN_LEAST 16
#define TOKEN_MOST 128
#define GREETING "irqscope "
#define TOKEN_MS 2000 /* a host that has said no token by then is not one */

static int listening = -1, host = -1;
static char token[TOKEN_MOST + 1]; /* empty: none is asked for */
static uint32_t current_baud;
static uint8_t received[4096];
static size_t filled, next;

/* ---- opening --------------------------------------------------------------------------------- */

static void read_token(const char *path) {
    FILE *file = fopen(path, "r");
    if (file == NULL || fgets(token, sizeof token, file) == NULL)
        refuse("the token cannot be read", path);
    (void)fclose(file);
    token[strcspn(token, "\r\n")] = '\0';
    if (strlen(token) < TOKEN_LEAST)
        refuse("the token has less than 16 characters", path);
}

static struct sockaddr_in address_of(const char *place) {
    char name[INET_ADDRSTRLEN];
    struct sockaddr_in address = {.sin_family = AF_INET};
    const char *colon = strrchr(place, ':');
    char *end = NULL;
    size_t length = colon == NULL ? sizeof name : (size_t)(colon - place);
    unsigned long number = colon == NULL ? UINT16_MAX + 1ul : strtoul(colon + 1, &end, 10);
    if (length < sizeof name) {
        memcpy(name, place, length);
        name[length] = '\0';
    }
    if (length >= sizeof name || number > UINT16_MAX || end == colon + 1 || *end != '\0' ||
        inet_pton(AF_INET, strcmp(name, "localhost") == 0 ? "127.0.0.1" : name,
                  &address.sin_addr) != 1)
        refuse("--listen takes ADDRESS:PORT, as 127.0.0.1:7316", place);
    address.sin_port = htons((uint16_t)number);
    return address;
}

void socket_listen(const char *place, const char *token_file) {
    struct sockaddr_in address = address_of(place);
    socklen_t length = sizeof address;
    char name[INET_ADDRSTRLEN];
    int on = 1;
    if (token_file != NULL)
        read_token(token_file);
    else if (ntohl(address.sin_addr.s_addr) >> 24 != IN_LOOPBACKNET)
        refuse("an address that others reach needs --token FILE; or stay on 127.0.0.1 and "
               "come by ssh -L",
               place);
    listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listening < 0 || setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(listening, (struct sockaddr *)&address, length) != 0 || listen(listening, 4) != 0 ||
        getsockname(listening, (struct sockaddr *)&address, &length) != 0)
        refuse("cannot listen there", strerror(errno));
    (void)inet_ntop(AF_INET, &address.sin_addr, name, sizeof name);
    (void)printf("{\"port\": \"socket://%s:%u\", \"profile\": \"uio\"}\n", name,
                 ntohs(address.sin_port));
    (void)fflush(stdout);
}

/* ---- a host ---------------------------------------------------------------------------------- */

static bool is_readable(int fd, int ms) {
    struct pollfd look = {.fd = fd, .events = POLLIN};
    return poll(&look, 1, ms) == 1;
}

/* Whether the word is the token; takes as long for any word of its length. */
static bool is_token(const char *word, size_t length) {
    unsigned differences = length != strlen(token);
    for (size_t i = 0; i < length && i < strlen(token); i++)
        differences |= (unsigned)(word[i] ^ token[i]);
    return differences == 0;
}

/* Reads the line GREETING TOKEN. */
static bool greets(int fd) {
    char line[sizeof GREETING + TOKEN_MOST + 1];
    size_t length = 0;
    if (*token == '\0')
        return true;
    while (length < sizeof line && is_readable(fd, TOKEN_MS) && read(fd, line + length, 1) == 1) {
        if (line[length++] != '\n')
            continue;
        size_t before = sizeof GREETING - 1;
        return length > before && memcmp(line, GREETING, before) == 0 &&
               is_token(line + before, length - before - 1);
    }
    return false;
}

static void hang_up(void) {
    (void)close(host);
    host = -1;
    programs_stop();
}

static void accept_host(void) {
    int on = 1;
    int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (host >= 0 || !greets(fd)) {
        (void)fprintf(stderr, "irqscope-agent: a host was turned away: %s\n",
                      host >= 0 ? "another one is connected" : "wrong token");
        (void)close(fd);
        return;
    }
    host = fd;
    filled = next = 0;
}

/* ---- machine/uart.h -------------------------------------------------------------------------- */

uint32_t uart_reference_hz(void) { return 0; }
void uart_init(void) {}
unsigned uart_number(void) { return 0; }
bool uart_can_make(uint32_t baud) { return baud != 0; }
void uart_set_baud(uint32_t baud) { current_baud = baud; }
uint32_t uart_baud(void) { return current_baud; }
struct uart_errors uart_errors(void) { return (struct uart_errors){0}; }
void uart_drain(void) {}

void uart_send(const uint8_t *bytes, size_t length) {
    while (host >= 0 && length > 0) {
        ssize_t sent = send(host, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0) {
            hang_up();
            return;
        }
        bytes += sent;
        length -= (size_t)sent;
    }
}

/* A zero ends what a host that has gone began. */
uint8_t uart_receive(bool *damaged) {
    (void)damaged;
    while (next == filled) {
        struct pollfd looks[] = {{.fd = host, .events = POLLIN},
                                 {.fd = listening, .events = POLLIN},
                                 {.fd = lines_end(), .events = POLLIN}};
        if (poll(looks, sizeof looks / sizeof looks[0], -1) < 0)
            continue;
        if (looks[2].revents != 0)
            lines_ended();
        if (looks[1].revents != 0) {
            bool first = host < 0;
            accept_host();
            if (first && host >= 0)
                return 0;
        }
        if (looks[0].revents == 0)
            continue;
        ssize_t length = recv(host, received, sizeof received, 0);
        if (length <= 0) {
            hang_up();
            continue;
        }
        next = 0;
        filled = (size_t)length;
    }
    return received[next++];
}

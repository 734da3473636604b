/* Lets a test call the link's code: one command a line on stdin, one line of answer on stdout.
 * Bytes are written in hexadecimal, none as `-`. Built natively, with sanitizers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link/cobs.h"
#include "link/crc32.h"
#include "link/link.h"

#define LINE_SIZE 100000

static struct link tested;
static unsigned carried_out;

/* Kind 1, two bytes: answered by how often a request was carried out so far, and the bytes. */
static size_t count(const void *request, void *reply, irq_error_t *error) {
    (void)error;
    uint8_t *payload = reply;
    payload[0] = (uint8_t)++carried_out;
    memcpy(payload + 1, request, 2);
    return 3;
}

/* Kind 2, empty: refused. */
static size_t refuse(const void *request, void *reply, irq_error_t *error) {
    (void)request;
    (void)reply;
    carried_out++;
    *error = (irq_error_t){IRQ_ERROR_CODE_BAD_VALUE, 7, 0};
    return 0;
}

/* Kind 3, empty: the longest reply. */
static size_t fill(const void *request, void *reply, irq_error_t *error) {
    (void)request;
    (void)error;
    carried_out++;
    memset(reply, 0x5A, IRQ_MAX_PAYLOAD);
    return IRQ_MAX_PAYLOAD;
}

static const struct link_request requests[] = {{1, 2, count}, {2, 0, refuse}, {3, 0, fill}};

static void put_hex(const uint8_t *bytes, size_t length) {
    if (length == 0)
        putchar('-');
    for (size_t i = 0; i < length; i++)
        printf("%02x", bytes[i]);
}

/* Exactly as many bytes as there are, so that the sanitizer sees any access after them. */
static uint8_t *get_hex(const char *text, size_t *length) {
    *length = text[0] == '-' ? 0 : strlen(text) / 2;
    uint8_t *bytes = malloc(*length);
    for (size_t i = 0; i < *length; i++) {
        unsigned value;
        if (sscanf(text + 2 * i, "%2x", &value) != 1)
            exit(2);
        bytes[i] = (uint8_t)value;
    }
    return bytes;
}

static void encode(const uint8_t *bytes, size_t length) {
    uint8_t *encoded = malloc(COBS_ENCODED_SIZE(length));
    put_hex(encoded, cobs_encode(bytes, length, encoded));
    free(encoded);
}

static void decode(uint8_t *bytes, size_t length) {
    size_t decoded = cobs_decode(bytes, length, bytes);
    if (decoded == COBS_INVALID)
        printf("invalid");
    else
        put_hex(bytes, decoded);
}

/* For each end of a frame: `rejected`, or kind, session, number and payload. */
static void receive(const uint8_t *bytes, size_t length) {
    static struct link_receiver receiver;
    struct link_frame frame;
    for (size_t i = 0; i < length; i++) {
        enum link_event event = link_receive(&receiver, bytes[i], &frame);
        if (event == LINK_REJECTED)
            printf("rejected ");
        if (event == LINK_FRAME) {
            printf("%u,%u,%u,", frame.kind, frame.turn.session, frame.turn.number);
            put_hex(frame.payload, frame.length);
            putchar(' ');
        }
    }
}

/* For each end of a frame: `rejected`, or the answer and how often a request was carried out. */
static void serve(const uint8_t *bytes, size_t length) {
    struct link_frame frame;
    for (size_t i = 0; i < length; i++) {
        enum link_event event = link_receive(&tested.receiver, bytes[i], &frame);
        if (event == LINK_REJECTED)
            printf("rejected ");
        if (event == LINK_FRAME) {
            link_answer(&tested, &frame);
            put_hex(tested.answer, tested.answer_length);
            printf(",%u ", carried_out);
        }
    }
}

int main(void) {
    static char line[LINE_SIZE];
    static char argument[LINE_SIZE];
    char command[16];
    tested.requests = requests;
    tested.request_count = sizeof requests / sizeof requests[0];
    while (fgets(line, sizeof line, stdin)) {
        size_t length;
        if (sscanf(line, "%15s %99999s", command, argument) != 2)
            return 2;
        uint8_t *bytes = get_hex(argument, &length);
        if (strcmp(command, "crc") == 0)
            printf("%u", crc32(bytes, length));
        else if (strcmp(command, "encode") == 0)
            encode(bytes, length);
        else if (strcmp(command, "decode") == 0)
            decode(bytes, length);
        else if (strcmp(command, "receive") == 0)
            receive(bytes, length);
        else if (strcmp(command, "serve") == 0)
            serve(bytes, length);
        else if (strcmp(command, "damage") == 0)
            link_damage(&tested.receiver);
        else
            return 2;
        free(bytes);
        putchar('\n');
        fflush(stdout);
    }
    return 0;
}

/* The link's frames and its one rule: a request that was answered is never carried out again.
 * No hardware here: bytes in, bytes out. The messages are declared in generated/messages.h. */
#ifndef LINK_LINK_H
#define LINK_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "generated/messages.h"
#include "link/cobs.h"

/* version, kind, sequence; CRC-32 behind the payload */
#define LINK_HEADER_SIZE 4
#define LINK_CRC_SIZE 4
#define LINK_FRAME_SIZE (LINK_HEADER_SIZE + IRQ_MAX_PAYLOAD + LINK_CRC_SIZE)
#define LINK_ENCODED_SIZE (COBS_ENCODED_SIZE(LINK_FRAME_SIZE) + 1)

/* A decoded frame; `payload` points into the receiver and lives until its next byte. */
struct link_frame {
    uint8_t kind;
    uint16_t sequence;
    const uint8_t *payload;
    size_t length;
};

enum link_event {
    LINK_NOTHING, /* the frame goes on, or was empty */
    LINK_FRAME,
    LINK_REJECTED, /* damaged, too long or of another version */
};

struct link_receiver {
    uint8_t bytes[LINK_ENCODED_SIZE];
    size_t length;
    bool damaged;
};

/* How a kind of request is carried out. Writes the reply's payload and returns its length, or sets
 * error->code; the request has `length` bytes already. */
struct link_request {
    uint8_t kind;
    uint16_t length;
    size_t (*carry_out)(const void *request, void *reply, irq_error_t *error);
};

struct link {
    struct link_receiver receiver;
    const struct link_request *requests;
    size_t request_count;
    uint8_t reply[LINK_ENCODED_SIZE]; /* the last reply, encoded, to be sent once more */
    size_t reply_length;
    uint16_t sequence;      /* sequence number of the request being answered */
    uint16_t last_sequence; /* length of the reply that is remembered; 0: none */
    uint8_t payload[IRQ_MAX_PAYLOAD] __attribute__((aligned(8)));
};

/* Takes one byte. On LINK_FRAME *frame is filled. */
enum link_event link_receive(struct link_receiver *receiver, uint8_t byte,
                             struct link_frame *frame);

/* Tells that the line was bad: the frame that is being received will be rejected. */
void link_damage(struct link_receiver *receiver);

/* Answers a request: link->reply holds the bytes to send. */
void link_answer(struct link *link, const struct link_frame *frame);

/* Makes an ERROR the reply to the request being answered, or to none (sequence 0). */
void link_answer_error(struct link *link, irq_error_t error);

/* Encodes a frame with the zero that ends it; returns the number of bytes. */
size_t link_encode(uint8_t kind, uint16_t sequence, const uint8_t *payload, size_t length,
                   uint8_t encoded[LINK_ENCODED_SIZE]);

#endif

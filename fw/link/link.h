/* The link's frames and its one rule: a request is carried out once, in its turn. The last request
 * is answered again if repeated; older requests and those of another session are refused. No
 * hardware here: bytes in, bytes out. The messages are declared in generated/messages.h. */
#ifndef LINK_LINK_H
#define LINK_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "generated/messages.h"
#include "link/cobs.h"

/* version, kind, session, number; CRC-32 after the payload */
#define LINK_HEADER_SIZE 8
#define LINK_CRC_SIZE 4
#define LINK_FRAME_SIZE (LINK_HEADER_SIZE + IRQ_MAX_PAYLOAD + LINK_CRC_SIZE)
#define LINK_ENCODED_SIZE (COBS_ENCODED_SIZE(LINK_FRAME_SIZE) + 1)
#define LINK_REFUSAL_SIZE                                                                          \
    (COBS_ENCODED_SIZE(LINK_HEADER_SIZE + sizeof(irq_error_t) + LINK_CRC_SIZE) + 1)

/* Session and number of a request: numbers grow within a session. */
struct link_turn {
    uint16_t session; /* 0: none has begun */
    uint32_t number;  /* 0: begins the session */
};

/* A decoded frame; `payload` points into the receiver and lives until its next byte. */
struct link_frame {
    uint8_t kind;
    struct link_turn turn;
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

/* Carries a request out. Writes the reply's payload and returns its length, or sets error->code. */
typedef size_t link_carry_out(const void *request, void *reply, irq_error_t *error);

/* A kind of request; carry_out gets one that has `length` bytes already. */
struct link_request {
    uint8_t kind;
    uint16_t length;
    link_carry_out *carry_out;
};

struct link {
    struct link_receiver receiver;
    const struct link_request *requests;
    size_t request_count;
    const uint8_t *answer; /* what is to be sent now: the reply or a refusal, encoded */
    size_t answer_length;
    uint8_t reply[LINK_ENCODED_SIZE]; /* to the last request, to be sent once more */
    size_t reply_length;
    uint8_t refusal[LINK_REFUSAL_SIZE]; /* of a stale request; the reply does not change */
    struct link_turn last;              /* of the request carried out last */
    uint8_t payload[IRQ_MAX_PAYLOAD] __attribute__((aligned(8)));
};

/* Takes one byte. On LINK_FRAME *frame is filled. */
enum link_event link_receive(struct link_receiver *receiver, uint8_t byte,
                             struct link_frame *frame);

/* Reports a line error, so that the current frame is rejected. */
void link_damage(struct link_receiver *receiver);

/* Answers a request: link->answer holds the bytes to send. */
void link_answer(struct link *link, const struct link_frame *frame);

/* Makes an ERROR the reply to the request carried out last. */
void link_answer_error(struct link *link, irq_error_t error);

/* Encodes a frame with the zero that ends it; returns the number of bytes, LINK_ENCODED_SIZE at
 * most. */
size_t link_encode(uint8_t kind, struct link_turn turn, const uint8_t *payload, size_t length,
                   uint8_t *encoded);

#endif

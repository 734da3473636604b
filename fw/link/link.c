#include "link/link.h"

#include "lib/memory.h"
#include "link/crc32.h"

static uint16_t load16(const uint8_t *at) { return (uint16_t)(at[0] | at[1] << 8); }

static uint32_t load32(const uint8_t *at) { return load16(at) | (uint32_t)load16(at + 2) << 16; }

static void store16(uint8_t *at, uint16_t value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static void store32(uint8_t *at, uint32_t value) {
    store16(at, (uint16_t)value);
    store16(at + 2, (uint16_t)(value >> 16));
}

static bool decode(struct link_receiver *receiver, struct link_frame *frame) {
    uint8_t *bytes = receiver->bytes;
    size_t length = cobs_decode(bytes, receiver->length, bytes);
    if (length == COBS_INVALID || length < LINK_HEADER_SIZE + LINK_CRC_SIZE ||
        length > LINK_FRAME_SIZE)
        return false;
    length -= LINK_CRC_SIZE;
    if (load32(bytes + length) != crc32(bytes, length) || bytes[0] != IRQ_PROTOCOL_VERSION)
        return false;
    frame->kind = bytes[1];
    frame->turn = (struct link_turn){load16(bytes + 2), load32(bytes + 4)};
    frame->payload = bytes + LINK_HEADER_SIZE;
    frame->length = length - LINK_HEADER_SIZE;
    return true;
}

void link_damage(struct link_receiver *receiver) { receiver->damaged = true; }

enum link_event link_receive(struct link_receiver *receiver, uint8_t byte,
                             struct link_frame *frame) {
    if (byte != 0) {
        if (receiver->length < sizeof receiver->bytes)
            receiver->bytes[receiver->length++] = byte;
        else
            receiver->damaged = true;
        return LINK_NOTHING;
    }
    bool empty = receiver->length == 0 && !receiver->damaged;
    bool good = !empty && !receiver->damaged && decode(receiver, frame);
    receiver->length = 0;
    receiver->damaged = false;
    if (empty)
        return LINK_NOTHING;
    return good ? LINK_FRAME : LINK_REJECTED;
}

size_t link_encode(uint8_t kind, struct link_turn turn, const uint8_t *payload, size_t length,
                   uint8_t *encoded) {
    static uint8_t frame[LINK_FRAME_SIZE];
    frame[0] = IRQ_PROTOCOL_VERSION;
    frame[1] = kind;
    store16(frame + 2, turn.session);
    store32(frame + 4, turn.number);
    memcpy(frame + LINK_HEADER_SIZE, payload, length);
    length += LINK_HEADER_SIZE;
    store32(frame + length, crc32(frame, length));
    size_t written = cobs_encode(frame, length + LINK_CRC_SIZE, encoded);
    encoded[written++] = 0;
    return written;
}

static void send_reply(struct link *link) {
    link->answer = link->reply;
    link->answer_length = link->reply_length;
}

static void reply(struct link *link, uint8_t kind, const void *payload, size_t length) {
    link->reply_length = link_encode(kind, link->last, payload, length, link->reply);
    send_reply(link);
}

void link_answer_error(struct link *link, irq_error_t error) {
    reply(link, IRQ_KIND_ERROR, &error, sizeof error);
}

static void refuse(struct link *link, struct link_turn stale) {
    irq_error_t error = {IRQ_ERROR_CODE_STALE, link->last.session, link->last.number};
    link->answer_length =
        link_encode(IRQ_KIND_ERROR, stale, (const uint8_t *)&error, sizeof error, link->refusal);
    link->answer = link->refusal;
}

static void carry_out(struct link *link, const struct link_frame *frame) {
    irq_error_t error = {.code = IRQ_ERROR_CODE_UNKNOWN_KIND, .detail0 = frame->kind};
    size_t length = 0;
    for (size_t i = 0; i < link->request_count; i++) {
        const struct link_request *request = &link->requests[i];
        if (request->kind != frame->kind)
            continue;
        if (request->length == frame->length) {
            error = (irq_error_t){0};
            length = request->carry_out(frame->payload, link->payload, &error);
        } else {
            error =
                (irq_error_t){IRQ_ERROR_CODE_BAD_LENGTH, (uint32_t)frame->length, request->length};
        }
        break;
    }
    if (error.code != 0)
        link_answer_error(link, error);
    else
        reply(link, (uint8_t)(frame->kind + IRQ_REPLY), link->payload, length);
}

void link_answer(struct link *link, const struct link_frame *frame) {
    struct link_turn turn = frame->turn, last = link->last;
    bool same_session = turn.session == last.session;
    if (same_session && turn.number == last.number) {
        send_reply(link);
    } else if (same_session ? turn.number > last.number : turn.number == 0) {
        link->last = turn; /* first: a fault on the way is the answer to this one */
        carry_out(link, frame);
    } else {
        refuse(link, turn);
    }
}

/* Random load: before each interrupt a random number of loads and stores, and of calls, to random
 * places; padded by a counted loop, so that every interrupt has as many instructions in front of
 * it. With `warm` the path runs once more before the core waits. With `aimed` the places lie in the
 * cache sets of the path. */
#include "cases/kind.h"
#include "cases/parts/random.h"
#include "cases/parts/waiting.h"
#include "description.h"
#include "machine/caches.h"
#include "machine/lockdown.h"
#include "machine/path.h"
#include "machine/places.h"
#include "machine/translation.h"
#include "stacks/baremetal/baremetal.h"
#include "stacks/baremetal/cases/accesses.h"
#include "stacks/baremetal/cases/locking.h"
#include "stacks/baremetal/cases/warming.h"

#define KIB 1024
#define MIB (1024 * KIB)

/* The IRQ entry ends in its second line at the latest, as does a handler up to its marker. */
#define CODE_LINES 2

/* The load has to cost what locking the TLB spares: walks of the path read their descriptors. */
#if MACHINE_HAS_LOCKDOWN
#define DESCRIPTORS 3
#else
#define DESCRIPTORS 0
#endif
_Static_assert(2 * CODE_LINES + 1 + PATH_CALL_STACK_LINES + DESCRIPTORS <= ACCESSES_OFFSETS, "aim");

static struct accesses accesses;
static uint64_t lines_without_stack; /* sets that are aimed at */
static const irq_case_request_t *asked;
static uint64_t made;

/* Numbers of stimuli: the next one, which in the warm-up is one of those before the batch, and
 * the batch's first. */
static uint64_t next, first;

/* The code array follows the data array, on a boundary that suits any size of page. */
static uint64_t code_offset(const irq_case_request_t *request) {
    return ((uint64_t)request->array_kib * KIB + 2 * MIB - 1) & ~(uint64_t)(2 * MIB - 1);
}

static uint64_t most(const irq_case_request_t *request) {
    uint64_t each = (uint64_t)request->data_accesses + request->instruction_accesses;
    return ACCESSES_FIXED + ACCESSES_EACH * each;
}

static bool is_valid(const irq_case_request_t *request, enum irq_case_field *field) {
    *field = IRQ_CASE_FIELD_ARRAY_KIB;
    if (request->array_kib == 0 || 2 * code_offset(request) > ARRAYS_SIZE)
        return false;
    if (request->aimed && request->array_kib < PATH_WAY / KIB)
        return false;
    *field = IRQ_CASE_FIELD_BUDGET;
    return request->budget >= most(request);
}

static void aim_at(uintptr_t address, unsigned lines) {
    for (unsigned line = 0; line < lines; line++)
        accesses.offsets[accesses.lines++] =
            ((uint32_t)address + line * PATH_LINE) & (PATH_WAY - PATH_LINE);
}

static void aim(const irq_case_request_t *request) {
    struct stack_readback path = stack_readback();
    accesses.lines = 0;
    aim_at((uintptr_t)path.vbar + PATH_VECTOR, CODE_LINES);
    aim_at((uintptr_t)path.handler, CODE_LINES);
    if (request->dispatcher == IRQ_DISPATCHER_TABLE)
        aim_at((uintptr_t)&baremetal_here()->handlers[request->interrupt], 1);
#if MACHINE_HAS_LOCKDOWN
    aim_at(mmu_descriptor_of(path.vbar), 1);
    aim_at(mmu_descriptor_of(lockdown_devices[0]), 1);
    aim_at(mmu_descriptor_of(lockdown_devices[1]), 1);
#endif
    lines_without_stack = accesses.lines;
}

static void aim_at_stack(void) {
    accesses.lines = (uintptr_t)lines_without_stack;
    aim_at(PATH_CALL_STACK(), PATH_CALL_STACK_LINES);
}

static void prepare(const irq_case_request_t *request) {
    asked = request;
    uint64_t bytes = (uint64_t)request->array_kib * KIB;
    uint32_t *code = (uint32_t *)(uintptr_t)(ARRAYS_BASE + code_offset(request));
    for (uint64_t at = 0; at < bytes; at += PATH_LINE)
        code[at / sizeof *code] = PATH_RETURN;
    caches_flush(); /* what is fetched is what was written */
    accesses = (struct accesses){
        .data = ARRAYS_BASE,
        .code = (uintptr_t)code,
        .stride = request->aimed ? PATH_WAY : PATH_LINE,
        .lines = 1,
    };
    accesses.places = (uintptr_t)(bytes / accesses.stride);
    if (request->aimed)
        aim(request);
    if (request->warm)
        warming_prepare(request->interrupt);
    locking_set(0);
}

static void read_back(irq_case_reply_t *reply) { reply->aimed = accesses.stride == PATH_WAY; }

static void begin(const irq_case_request_t *request, const irq_batch_request_t *batch) {
    made = 0;
    first = batch->first_stimulus;
    next = first - request->warm_up;
    locking_begin();
}

static void load(void) {
    accesses.state = random_state(asked->load_seed, 0, next);
    accesses.loads = (uintptr_t)random_up_to(&accesses.state, asked->data_accesses);
    accesses.calls = (uintptr_t)random_up_to(&accesses.state, asked->instruction_accesses);
    uint64_t count = accesses.loads + accesses.calls;
    uint64_t padding = asked->budget - ACCESSES_FIXED - ACCESSES_EACH * count;
    accesses.padding = (uintptr_t)(padding / ACCESSES_PADDING);
    if ((int64_t)(next++ - first) >= 0)
        made += count;
    if (asked->aimed)
        aim_at_stack();
    accesses_run(&accesses);
    if (asked->warm)
        warming_run();
}

static void end(const irq_case_request_t *request, struct case_result *result) {
    (void)request;
    result->loads[0] = made;
    locking_end();
}

static const struct case_kind case_random_load = {
    .id = IRQ_CASE_ID_RANDOM_LOAD,
    .uses = USES_WAITING | USES_SGI | USES(WARM) | USES(ARRAY_KIB) | USES(DATA_ACCESSES) |
            USES(INSTRUCTION_ACCESSES) | USES(BUDGET) | USES(LOAD_SEED) | USES(AIMED),
    .takes_interrupts = true,
    .ends_by_interrupt = true,
    .is_valid = is_valid,
    .prepare = prepare,
    .read_back = read_back,
    .begin = begin,
    .run = waiting_run,
    .end = end,
    .before_wait = load,
#if MACHINE_HAS_LOCKDOWN
    .lock = locking_set,
#endif
};
CASE(case_random_load);

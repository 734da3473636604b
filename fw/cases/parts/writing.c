#include "cases/parts/writing.h"

#include "cases/parts/random.h"
#include "machine/cpu.h"
#include "machine/irq.h"
#include "stacks/baremetal/baremetal.h"

#define KIB 1024

/* An entry for each core, in a cache line of its own. */
static struct {
    uint64_t state; /* state of the random places */
    uint64_t count;
} __attribute__((aligned(64))) written[CORES];

bool writing_is_valid(const irq_case_request_t *request, enum irq_case_field *field) {
    *field = IRQ_CASE_FIELD_ARRAY_KIB;
    return request->array_kib != 0 && request->array_kib <= ARRAYS_SIZE / KIB;
}

void writing_begin(const irq_case_request_t *request, const irq_batch_request_t *batch) {
    for (unsigned core = 0; core < CORES; core++) {
        written[core].state = random_state(request->load_seed, core, batch->first_stimulus);
        written[core].count = 0; /* stays 0 for a core that does not write */
    }
}

typedef uint64_t (*write_t)(uint32_t *array, uint64_t words, uint64_t *state);

static void write_until_stopped(const irq_case_request_t *request, write_t write) {
    uint64_t words = (uint64_t)request->array_kib * KIB / sizeof(uint32_t);
    unsigned core = cpu_number();
    written[core].count = write((uint32_t *)ARRAYS_BASE, words, &written[core].state);
}

void writing(uintptr_t argument) {
    const irq_case_request_t *request = (const irq_case_request_t *)argument;
    baremetal_prepare(request->interrupt, PARKING_STOP, request->markers, request->dispatcher,
                      IRQ_PLACEMENT_DDR);
    baremetal_begin();
    parking_ready();
    write_until_stopped(request, baremetal_write);
}

void writing_run(const irq_case_request_t *request, struct case_result *result) {
    (void)result;
    write_until_stopped(request, stack_write);
}

void writing_end(const irq_case_request_t *request, struct case_result *result) {
    (void)request;
    for (unsigned core = 0; core < CORES; core++)
        result->loads[core] = written[core].count;
}

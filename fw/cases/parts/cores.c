#include "cases/parts/cores.h"

#include "cases/parts/handling.h"
#include "cases/parts/raising.h"
#include "lib/memory.h"
#include "machine/caches.h"
#include "machine/cpu.h"
#include "machine/irq.h"
#include "machine/state.h"
#include "machine/translation.h"

/* Read back by each core itself. */
static struct {
    bool running, handles;
    uint8_t priority;
    struct state state;
} states[CORES] __attribute__((aligned(64)));
static uint16_t measured_id;

static parking_work_t work_of(const irq_case_request_t *request, const struct case_kind *kind,
                              unsigned core) {
    return kind->work == NULL ? NULL : kind->work(request, core);
}

/* ---- the same caches and pages everywhere ---------------------------------------------------- */

static uintptr_t as_asked(const irq_case_request_t *request) {
    return request->caches | (uintptr_t)request->memory << 1 | (uintptr_t)request->pages << 2;
}

/* Its argument is not a pointer, as the cores' caches may temporarily differ. */
static void adapt(uintptr_t argument) {
    bool on = argument & 1;
    mmu_use((enum mmu_pages)(argument >> 2), (enum mmu_memory)(argument >> 1 & 1));
    if (on != CACHES_ARE_ON()) {
        if (on)
            caches_on();
        else
            caches_off();
    }
}

static void each_running(parking_work_t work, uintptr_t argument) {
    unsigned running = parking_cores();
    for (unsigned core = 1; core < CORES; core++)
        if (running >> core & 1) {
            parking_give(core, work, argument);
            parking_wait(core);
        }
}

void cores_prepare(const irq_case_request_t *request, const struct case_kind *kind) {
    unsigned needed = 0;
    for (unsigned core = 1; core < CORES; core++)
        needed |= (unsigned)(work_of(request, kind, core) != NULL) << core;
    parking_start(needed);
    mmu_prepare((enum mmu_pages)request->pages, request->placement == IRQ_PLACEMENT_OCM);
    each_running(adapt, as_asked(request));
    adapt(as_asked(request));
}

/* ---- reading back ---------------------------------------------------------------------------- */

static void read_back(uintptr_t id) {
    unsigned core = cpu_number();
    bool handles = irq_is_enabled((unsigned)id);
    if (id >= IRQ_FIRST_SHARED)
        handles = handles && (irq_targets(id) >> core & 1) != 0;
    states[core].running = true;
    states[core].handles = handles;
    states[core].priority = irq_priority(id);
    state_read(&states[core].state);
}

static void read_back_handling(uintptr_t argument) {
    handling_begin(argument);
    read_back(((const irq_case_request_t *)argument)->interrupt);
    handling_end(argument);
}

void cores_read_back(const irq_case_request_t *request, const struct case_kind *kind) {
    unsigned running = parking_cores();
    measured_id = request->interrupt;
    for (unsigned core = 1; core < CORES; core++) {
        memset(&states[core], 0, sizeof states[core]);
        if ((running >> core & 1) == 0)
            continue;
        if (work_of(request, kind, core) == handling)
            parking_give(core, read_back_handling, (uintptr_t)request);
        else
            parking_give(core, read_back, request->interrupt);
        parking_wait(core);
    }
}

size_t cores_state(unsigned core, irq_core_reply_t *reply) {
    if (core == 0)
        read_back(measured_id);
    const struct state *state = &states[core].state;
    *reply = (irq_core_reply_t){
        .core = (uint8_t)core,
        .running = states[core].running,
        .handles = states[core].handles,
        .priority = states[core].priority,
        .caches = state_caches(state),
        .vector = state_vectors(state),
    };
    return sizeof *reply + state_put(state, (irq_register_t *)(reply + 1));
}

/* ---- a batch --------------------------------------------------------------------------------- */

void cores_begin(const irq_case_request_t *request, const struct case_kind *kind) {
    unsigned running = parking_cores();
    for (unsigned core = 1; core < CORES; core++) {
        parking_work_t work = work_of(request, kind, core);
        if (work != NULL && (running >> core & 1) != 0) {
            parking_give(core, work, (uintptr_t)request);
            parking_wait_ready(core);
        }
    }
}

void cores_end(void) { parking_stop(); }

unsigned cores_handling(const irq_case_request_t *request, const struct case_kind *kind) {
    unsigned cores = 1;
    for (unsigned core = 1; core < CORES; core++)
        cores |= (unsigned)(work_of(request, kind, core) == handling) << core;
    return cores;
}

unsigned cores_raising(const irq_case_request_t *request, const struct case_kind *kind) {
    for (unsigned core = 1; core < CORES; core++) {
        parking_work_t work = work_of(request, kind, core);
        if (work == raising_all || work == raising_one_by_one)
            return core;
    }
    return 0;
}

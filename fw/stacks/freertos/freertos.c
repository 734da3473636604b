/* FreeRTOS as the stack of core 0: an application like any other. The instrument is a task, which
 * blocks while a batch runs; below it the kernel's idle task waits, above it one task marks that an
 * interrupt woke it. While the instrument talks, interrupts are masked and the kernel's time is
 * still. */
#include "stacks/freertos/freertos.h"

#include "cases/kind.h"
#include "freertos/kernel.h"
#include "lib/memory.h"
#include "machine/cpu.h"
#include "machine/marker.h"
#include "machine/start.h"

/* The kernel tick asserts that it runs with the lowest priority that is signalled. */
#define PRIORITY_TIMER_TICK (portLOWEST_USABLE_INTERRUPT_PRIORITY << portPRIORITY_SHIFT)

/* What T7 writes. */
#define WRITTEN UINT32_C(0x5A5A5A5A)

#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)
// clang-format off
#define CONFIGURATION \
    "sources sha256 " KERNEL_SHA256 "; " ARCH_TEXT \
    "; preemption " TEXT(configUSE_PREEMPTION) ", time slicing " TEXT(configUSE_TIME_SLICING) \
    ", optimised selection " TEXT(configUSE_PORT_OPTIMISED_TASK_SELECTION) \
    ", task priorities " TEXT(configMAX_PRIORITIES) \
    ", calls from interrupt priority " TEXT(configMAX_API_CALL_INTERRUPT_PRIORITY) \
    " of " TEXT(configUNIQUE_INTERRUPT_PRIORITIES) \
    ", call-stack checks " TEXT(configCHECK_FOR_STACK_OVERFLOW) \
    "; " ASSERTIONS_TEXT ", " TEXT(ARCH_KERNEL_TICK_BITS) "-bit kernel ticks, no FP context"
// clang-format on

/* A stack that is this one with a port of its own has another name. */
#ifndef STACK_NAME
#define STACK_NAME "freertos"
#endif

const struct stack stack_description = {
    .name = STACK_NAME,
    .version = tskKERNEL_VERSION_NUMBER,
    .configuration = CONFIGURATION,
    .fields = USES(MARKERS) | USES(CORES) | USES(PAGES) | USES(WARM_UP) | USES(BACKGROUND) |
              USES(RAISE_PERIOD) | USES(TIMER_TICK_PERIOD) | USES(ARRAY_KIB) | USES(LOAD_SEED),
    .wake_priority = API_PRIORITY,
    .timer_tick_priority = PRIORITY_TIMER_TICK,
};

struct freertos_core freertos_core;

_Static_assert(sizeof(TickType_t) * 8 == ARCH_KERNEL_TICK_BITS, "kernel ticks");

static const handler_t measured[MARKER_SETS] = {
    [IRQ_MARKERS_PAPER] = freertos_handler_paper,
    [IRQ_MARKERS_STAGES] = freertos_handler_stages,
#if MACHINE_HAS_STM
    [IRQ_MARKERS_PAPER_STM] = freertos_handler_paper_stm,
    [IRQ_MARKERS_STM_PAPER] = freertos_handler_stm_paper,
#endif
};

/* How the idle task waits, and how often it did. */
static bool asleep;
static uint64_t waits;

/* Called by the kernel. */
void vApplicationIdleHook(void);
void vApplicationGetIdleTaskMemory(StaticTask_t **task, StackType_t **call_stack, uint32_t *depth);

void vApplicationIdleHook(void) {
    waits++;
    if (freertos_core.stack.before_wait == NULL) {
        if (asleep)
            wait_for_interrupt();
        return;
    }
    /* What the hook raises must not be over before the core sleeps. */
    interrupts_mask();
    freertos_core.stack.before_wait();
    if (asleep)
        wait_for_interrupt();
    interrupts_unmask();
}

void vApplicationGetIdleTaskMemory(StaticTask_t **task, StackType_t **call_stack, uint32_t *depth) {
    static StaticTask_t idle;
    static StackType_t idle_call_stack[configMINIMAL_STACK_SIZE];
    *task = &idle;
    *call_stack = idle_call_stack;
    *depth = configMINIMAL_STACK_SIZE;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void run_woken(void *argument) {
    (void)argument;
    for (;;) {
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
        interrupts_mask();
        marker_send(MARKER_CHANGE(IRQSCOPE_MARKER_VECTOR, IRQSCOPE_MARKER_TASK));
        interrupts_unmask();
    }
}

static void run_application(void *argument) {
    interrupts_mask();
    irq_signal(true);
    ((void (*)(void))argument)();
}

_Noreturn void stack_start(void (*application)(void)) {
    static StaticTask_t tasks[2];
    static StackType_t woken_call_stack[configMINIMAL_STACK_SIZE];
    static StackType_t application_call_stack[CALL_STACK_SIZE / sizeof(StackType_t)];
    irq_signal(false); /* the kernel starts its first task with interrupts unmasked */
    arch_start();
    freertos_core.woken = xTaskCreateStatic(run_woken, "woken", configMINIMAL_STACK_SIZE, NULL,
                                            PRIORITY_WOKEN, woken_call_stack, &tasks[0]);
    freertos_core.application = xTaskCreateStatic(
        run_application, "instrument", CALL_STACK_SIZE / sizeof(StackType_t), (void *)application,
        PRIORITY_APPLICATION, application_call_stack, &tasks[1]);
    vTaskStartScheduler();
    __builtin_unreachable();
}

/* ---- cases ----------------------------------------------------------------------------------- */

struct stack_core *stack_core(void) { return &freertos_core.stack; }

void stack_prepare(unsigned id, unsigned finish, unsigned markers, unsigned dispatcher,
                   unsigned placement) {
    bool stages = markers == IRQ_MARKERS_STAGES;
    (void)placement; /* DDR: see `fields` */
    memset(&freertos_core.stack, 0, sizeof freertos_core.stack);
    freertos_core.stack.finish = finish;
    freertos_core.id = id;
    freertos_core.measured = measured[markers];
    freertos_core.unmeasured = stages ? freertos_unmeasured_stages : freertos_unmeasured_paper;
    freertos_core.dispatch =
        dispatcher == IRQ_DISPATCHER_TABLE ? freertos_dispatch_table : freertos_dispatch_direct;
    for (unsigned other = 0; other <= IRQ_ID_MASK; other++)
        freertos_core.handlers[other] = freertos_core.unmeasured;
    freertos_core.handlers[id] = freertos_core.measured;
    set_vectors((uintptr_t)(stages ? freertos_vectors_stages : freertos_vectors_paper));
    isb();
}

/* The marker set to which the vectors and their handler belong. */
static uint8_t markers_of(uint64_t vbar) {
    if (vbar == (uintptr_t)freertos_vectors_stages)
        return IRQ_MARKERS_STAGES;
    uint8_t markers = MARKER_SETS - 1;
    while (markers != IRQ_MARKERS_PAPER && measured[markers] != freertos_core.measured)
        markers--;
    return markers;
}

struct stack_readback stack_readback(void) {
    uint64_t vbar = vectors();
    return (struct stack_readback){
        .markers = markers_of(vbar),
        .dispatcher = freertos_core.dispatch == freertos_dispatch_table ? IRQ_DISPATCHER_TABLE
                                                                        : IRQ_DISPATCHER_DIRECT,
        .placement = PROGRAM_PLACEMENT,
        .vbar = vbar,
        .handler = (uintptr_t)freertos_core.measured,
        .call_stack = call_stack_top(),
    };
}

static unsigned markers_readback(void) { return stack_readback().markers; }

void stack_begin(void) {
    struct stack_core *core = &freertos_core.stack;
    marker_set_first(stack_first_marker(markers_readback()));
    core->level_mask = 0;
    core->finished = false;
    core->handled = core->held = core->spurious = core->others = core->timer_ticks = 0;
}

void freertos_run_batch(void (*work)(void)) {
    struct stack_core *core = &freertos_core.stack;
    TickType_t before = xTaskGetTickCount();
    interrupts_unmask();
    while (!core->finished)
        work();
    interrupts_mask();
    core->timer_ticks = (uint32_t)(xTaskGetTickCount() - before);
}

static void block(void) { (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY); }

uint64_t stack_wait(const struct stack_waiting *how) {
    asleep = !how->spin;
    waits = 0;
    freertos_run_batch(block);
    return waits;
}

static struct {
    uint32_t *array;
    uint64_t words, state, count;
} writing;

/* xorshift (Marsaglia 2003: 13, 7, 17), as bare metal's. */
static void write_once(void) {
    /* The last round of a warm-up removes its own hook within the batch. */
    if (freertos_core.stack.before_wait != NULL)
        freertos_core.stack.before_wait();
    writing.state ^= writing.state << 13;
    writing.state ^= writing.state >> 7;
    writing.state ^= writing.state << 17;
    *(volatile uint32_t *)&writing.array[(writing.state >> 32) * writing.words >> 32] = WRITTEN;
    writing.count++;
}

uint64_t stack_write(uint32_t *array, uint64_t words, uint64_t *state) {
    writing.array = array;
    writing.words = words;
    writing.state = *state;
    writing.count = 0;
    freertos_run_batch(write_once);
    *state = writing.state;
    return writing.count;
}

#include "stacks/load.h"

#include <stdbool.h>
#include <stddef.h>

#include "lib/memory.h"

/* irqscope.ld and stack.ld. */
extern char stack_data_start[], stack_data_end[], stack_data_loaded[];
extern char stack_bss_start[], stack_bss_end[];

void stack_load(void) {
    static bool kept;
    size_t size = (size_t)(stack_data_end - stack_data_start);
    if (!kept)
        memcpy(stack_data_loaded, stack_data_start, size);
    kept = true;
    memcpy(stack_data_start, stack_data_loaded, size);
    memset(stack_bss_start, 0, (size_t)(stack_bss_end - stack_bss_start));
}

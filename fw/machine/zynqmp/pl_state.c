#include "machine/pl_state.h"

#include "bound/addresses.h"
#include "lib/mmio.h"
#include "lib/registers.h"
#include "machine/port.h"
#include "machine/zynq/gpio.h"

#define CSU_PCAP_STATUS (CSU_BASE + 0x3010)
#define PMU_GLOBAL_PWR_STATE (PMU_GLOBAL_BASE + 0x100)
#define PL0_REF_CTRL (CRL_APB_BASE + 0xC0)
#define GPIO_RESET 5 /* bank of the PL's reset; only read */

static void walk(uint32_t pattern, irq_pl_state_reply_t *reply) {
    port_write(PORT_WORD(scratch), pattern);
    uint32_t read = port_read(PORT_WORD(scratch));
    reply->never_1 &= ~read;
    reply->never_0 &= read;
}

size_t pl_state_read(irq_pl_state_reply_t *reply) {
    const struct named_register found[] = {
        {"pcap_status", mmio_read32(CSU_PCAP_STATUS)},
        {"pwr_state", mmio_read32(PMU_GLOBAL_PWR_STATE)},
        {"pl0_ref_ctrl", mmio_read32(PL0_REF_CTRL)},
        {"dirm_5", gpio_read(GPIO_DIRM(GPIO_RESET))}, /* with the next two: the PL's reset */
        {"oen_5", gpio_read(GPIO_OEN(GPIO_RESET))},
        {"data_5", gpio_read(GPIO_DATA(GPIO_RESET))},
    };
    *reply = (irq_pl_state_reply_t){.never_1 = UINT32_MAX, .never_0 = UINT32_MAX};
    port_recover();
    for (unsigned bit = 0; bit < 32; bit++) {
        walk(UINT32_C(1) << bit, reply);
        walk(~(UINT32_C(1) << bit), reply);
    }
    unsigned failed_word;
    reply->acknowledged = !port_failed(&failed_word);
    return sizeof *reply +
           registers_put(found, sizeof found / sizeof found[0], (irq_register_t *)(reply + 1));
}

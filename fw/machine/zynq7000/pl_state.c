#include "machine/pl_state.h"

#include "bound/addresses.h"
#include "lib/mmio.h"
#include "lib/registers.h"
#include "machine/port.h"
#include "machine/zynq7000/slcr.h"

#define DEVCFG_INT_STS (DEVCFG_BASE + 0x00C)

static void walk(uint32_t pattern, irq_pl_state_reply_t *reply) {
    port_write(PORT_WORD(scratch), pattern);
    uint32_t read = port_read(PORT_WORD(scratch));
    reply->never_1 &= ~read;
    reply->never_0 &= read;
}

size_t pl_state_read(irq_pl_state_reply_t *reply) {
    const struct named_register found[] = {
        {"devcfg_int_sts", mmio_read32(DEVCFG_INT_STS)}, /* bit 2: PCFG_DONE */
        {"lvl_shftr_en", mmio_read32(SLCR_LVL_SHFTR_EN)},
        {"fpga0_clk_ctrl", mmio_read32(SLCR_FPGA0_CLK_CTRL)},
        {"fpga_rst_ctrl", mmio_read32(SLCR_FPGA_RST_CTRL)},
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

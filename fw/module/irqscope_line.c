// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Linux kernel module: the UIO driver of the measured line, as uio_pdrv_genirq, with a marker at
 * the first statement of the hard interrupt handler and one at that of the interrupt thread.
 *
 * Both are markers of source 1 (bits 7:4 of EMIO bank 3): the measured thread of irqscope-agent has
 * source 0, and a store to MASK_DATA_3_LSW changes one of them alone. The next interrupt comes when
 * the thread has enabled it again, so the two handlers never store at the same time.
 *
 * Node, in scripts/linux/irqscope.dtso: `irqscope,port` names the node of the GPIO controller. */
#include <linux/bits.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/irq.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/platform_device.h>
#include <linux/spinlock.h>
#include <linux/uio_driver.h>

#define MASK_DATA_3_LSW 0x018
#define DATA_3 0x04C

/* Bits 31:16 protect: a 0 lets the bit be written. */
#define SOURCE_SHIFT 4
#define SOURCE_MASK (~(0xFU << SOURCE_SHIFT) << 16)
#define TOGGLE BIT(3)

enum marker { MARKER_DUMMY = 0, MARKER_VECTOR = 1, MARKER_TASK = 4 };

struct line {
    struct uio_info info;
    void __iomem *port;
    unsigned int irq;
    u32 toggle;      /* of the next marker */
    spinlock_t lock; /* for `disabled` */
    bool disabled;
};

static bool threaded = IS_ENABLED(CONFIG_PREEMPT_RT);
module_param(threaded, bool, 0444);
MODULE_PARM_DESC(threaded, "wake the reader from an interrupt thread; PREEMPT_RT always does");

static void stamp(struct line *line, enum marker marker) {
    u32 nibble = line->toggle | marker;

    writel_relaxed(SOURCE_MASK | nibble << SOURCE_SHIFT, line->port + MASK_DATA_3_LSW);
    line->toggle ^= TOGGLE;
}

/* Disables the interrupt until the reader enables it, and wakes the reader. */
static void hand_on(struct line *line) {
    unsigned long flags;

    spin_lock_irqsave(&line->lock, flags);
    if (!line->disabled)
        disable_irq_nosync(line->irq);
    line->disabled = true;
    spin_unlock_irqrestore(&line->lock, flags);
    uio_event_notify(&line->info);
}

static irqreturn_t hard_handler(int irq, void *data) {
    struct line *line = data;

    stamp(line, MARKER_VECTOR);
    if (threaded)
        return IRQ_WAKE_THREAD;
    hand_on(line);
    return IRQ_HANDLED;
}

static irqreturn_t thread(int irq, void *data) {
    struct line *line = data;

    stamp(line, MARKER_TASK);
    hand_on(line);
    return IRQ_HANDLED;
}

/* A write to the device: 1 enables the interrupt, 0 disables it. */
static int control(struct uio_info *info, s32 enable) {
    struct line *line = info->priv;
    unsigned long flags;

    spin_lock_irqsave(&line->lock, flags);
    if (enable && line->disabled)
        enable_irq(line->irq);
    else if (!enable && !line->disabled)
        disable_irq_nosync(line->irq);
    line->disabled = !enable;
    spin_unlock_irqrestore(&line->lock, flags);
    return 0;
}

/* Takes the toggle as the pins have it; the dummy shows it to the gateware, if it was reset. */
static void begin_markers(struct line *line) {
    line->toggle = ~readl(line->port + DATA_3) >> SOURCE_SHIFT & TOGGLE;
    stamp(line, MARKER_DUMMY);
}

static void __iomem *map_port(struct device *device) {
    struct device_node *node = of_parse_phandle(device->of_node, "irqscope,port", 0);
    struct resource registers;
    void __iomem *port;
    int error;

    if (!node)
        return IOMEM_ERR_PTR(-EINVAL);
    error = of_address_to_resource(node, 0, &registers);
    of_node_put(node);
    if (error)
        return IOMEM_ERR_PTR(error);
    /* Mapped, not requested: the controller has a driver of its own. */
    port = devm_ioremap(device, registers.start, resource_size(&registers));
    return port ? port : IOMEM_ERR_PTR(-ENOMEM);
}

static int line_probe(struct platform_device *platform) {
    struct device *device = &platform->dev;
    struct line *line = devm_kzalloc(device, sizeof(*line), GFP_KERNEL);
    int irq, error;

    if (!line)
        return -ENOMEM;
    line->port = map_port(device);
    if (IS_ERR(line->port))
        return dev_err_probe(device, PTR_ERR(line->port), "no irqscope,port\n");
    irq = platform_get_irq(platform, 0);
    if (irq < 0)
        return irq;
    line->irq = irq;
    spin_lock_init(&line->lock);
    line->info.name = "irqscope-line-0";
    of_property_read_string(device->of_node, "linux,uio-name", &line->info.name);
    line->info.version =
        threaded ? "irqscope_line: hard handler, interrupt thread" : "irqscope_line: hard handler";
    line->info.irq = UIO_IRQ_CUSTOM;
    line->info.irqcontrol = control;
    line->info.priv = line;
    begin_markers(line);
    error = devm_uio_register_device(device, &line->info);
    if (error)
        return dev_err_probe(device, error, "no UIO device\n");
    /* A level fires again while it is only noted as disabled: the reader takes it back. */
    irq_set_status_flags(line->irq, IRQ_DISABLE_UNLAZY);
    /* Neither flag lets a kernel with threadirqs make a thread of the hard handler. The sense is
     * the device tree's. */
    return devm_request_threaded_irq(device, line->irq, hard_handler, threaded ? thread : NULL,
                                     threaded ? IRQF_ONESHOT : IRQF_NO_THREAD, line->info.name,
                                     line);
}

static const struct of_device_id line_of[] = {{.compatible = "irqscope,line"}, {}};
MODULE_DEVICE_TABLE(of, line_of);

static struct platform_driver line_driver = {
    .probe = line_probe,
    .driver = {.name = "irqscope_line", .of_match_table = line_of},
};

static int __init line_init(void) {
    /* Waking a reader sleeps there, which no hard handler may. */
    if (IS_ENABLED(CONFIG_PREEMPT_RT) && !threaded)
        return -EINVAL;
    return platform_driver_register(&line_driver);
}
module_init(line_init);

static void __exit line_exit(void) { platform_driver_unregister(&line_driver); }
module_exit(line_exit);

MODULE_DESCRIPTION("UIO driver of irqscope's measured line, with markers in its handlers");
MODULE_LICENSE("Dual MIT/GPL");

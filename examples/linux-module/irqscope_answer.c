// SPDX-License-Identifier: MIT
/* Linux kernel module: the hard interrupt handler of one GPIO pulses another. Not built here.
 *
 * Device tree, with pins of your own:
 *
 *     irqscope-answer {
 *         compatible = "irqscope,answer";
 *         in-gpios = <&gpio 24 GPIO_ACTIVE_HIGH>;
 *         out-gpios = <&gpio 25 GPIO_ACTIVE_HIGH>;
 *     };
 */
#include <linux/gpio/consumer.h>
#include <linux/interrupt.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>

static irqreturn_t answer(int irq, void *output) {
    gpiod_set_value(output, 1);
    gpiod_set_value(output, 0);
    return IRQ_HANDLED;
}

static int answer_probe(struct platform_device *device) {
    struct gpio_desc *input, *output;
    int irq;

    input = devm_gpiod_get(&device->dev, "in", GPIOD_IN);
    if (IS_ERR(input))
        return dev_err_probe(&device->dev, PTR_ERR(input), "no in-gpios\n");
    output = devm_gpiod_get(&device->dev, "out", GPIOD_OUT_LOW);
    if (IS_ERR(output))
        return dev_err_probe(&device->dev, PTR_ERR(output), "no out-gpios\n");
    if (gpiod_cansleep(output))
        return dev_err_probe(&device->dev, -EINVAL, "the output sleeps, as on I2C\n");
    irq = gpiod_to_irq(input);
    if (irq < 0)
        return dev_err_probe(&device->dev, irq, "the input has no interrupt\n");
    /* IRQF_NO_THREAD: in the hard handler on PREEMPT_RT, too. */
    return devm_request_irq(&device->dev, irq, answer, IRQF_TRIGGER_RISING | IRQF_NO_THREAD,
                            "irqscope-answer", output);
}

static const struct of_device_id answer_of[] = {{.compatible = "irqscope,answer"}, {}};
MODULE_DEVICE_TABLE(of, answer_of);

static struct platform_driver answer_driver = {
    .probe = answer_probe,
    .driver = {.name = "irqscope-answer", .of_match_table = answer_of},
};
module_platform_driver(answer_driver);

MODULE_DESCRIPTION("Answers an edge with an edge, for irqscope");
MODULE_LICENSE("Dual MIT/GPL");

/* Zephyr: the callback of one GPIO pulses another. Not built here. */
#include <zephyr/drivers/gpio.h>
#include <zephyr/kernel.h>

static const struct gpio_dt_spec input = GPIO_DT_SPEC_GET(DT_ALIAS(irqscope_in), gpios);
static const struct gpio_dt_spec output = GPIO_DT_SPEC_GET(DT_ALIAS(irqscope_out), gpios);
static struct gpio_callback on_edge;

static void answer(const struct device *port, struct gpio_callback *callback,
                   gpio_port_pins_t pins) {
    ARG_UNUSED(port);
    ARG_UNUSED(callback);
    ARG_UNUSED(pins);
    gpio_pin_set_dt(&output, 1);
    gpio_pin_set_dt(&output, 0);
}

int main(void) {
    if (!gpio_is_ready_dt(&input) || !gpio_is_ready_dt(&output))
        return 1;
    gpio_pin_configure_dt(&output, GPIO_OUTPUT_INACTIVE);
    gpio_pin_configure_dt(&input, GPIO_INPUT);
    gpio_init_callback(&on_edge, answer, BIT(input.pin));
    gpio_add_callback_dt(&input, &on_edge);
    gpio_pin_interrupt_configure_dt(&input, GPIO_INT_EDGE_TO_ACTIVE);
    return 0;
}

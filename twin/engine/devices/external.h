// A device on two wires, as irqscope measures any: a model of a processor that answers its
// interrupt pin with edges of its output pins, after delays from a table (twin/devices/NAME.toml).
//
// It samples its inputs by a clock of its own, so that a pulse between two samples is not seen. A
// rise, or a level that is high, makes the input's interrupt pending; one of each input may be
// pending while another is served. To serve is to go through the steps of one of the input's
// states, chosen by chance in proportion to their weights: each step drives one pin after a delay.
// Then it can serve again; of two that are pending, the input that was named first.
#pragma once

#include "core/pin_device.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace twin {

class ExternalDevice : public PinDevice {
  public:
    // Settings, each NAME=NUMBER in the order of the table: `clock`, `phase`, `seed`, `input` (one
    // or more), `by_level`, `late` (when it has served, it clears: 0 nothing, as it did before; 1
    // what is pending of that input; 2 of each input), `wiring`; `wire_output`, `wire_input` and
    // `wire_delay`; `state` (its weight), then `of` (the place of its input, unless it is the
    // first), then `pin`, `level`, `delay` and `spread` of each of its steps. Times in units.
    // Empty: nothing is wired.
    static std::unique_ptr<PinDevice> from(const std::vector<std::string> &settings);

    void sees(std::uint32_t outputs, bool armed, Time time) override;
    Time next() const override;
    void run() override;
    std::uint32_t levels() const override { return levels_; }

  private:
    struct Step {
        unsigned pin = 0;
        bool level = false;
        Time delay = 0, spread = 0;
    };
    struct State {
        std::uint64_t weight = 0;
        std::size_t input = 0; // its place in `inputs_`
        std::vector<Step> steps;
    };
    struct Input {
        unsigned pin = 0;
        bool sampled = false; // its level, as the device sees it
        bool pending = false;
        Time sample_at = never;
    };
    // What is pending and cleared when the device has served.
    enum class Late { nothing, own, all };
    // What may be wrong with the wires.
    enum class Wiring { good, no_edge, bounce, inverted, hum };

    void set(const std::string &name, std::uint64_t value);
    void finish();
    std::uint64_t random(std::uint64_t below);
    void sample();
    void serve();
    void begin(Input &input);
    void begin_step();
    void end_step();
    void drive(unsigned pin, bool level, Time time);
    void hum();

    Time clock_ = 0, phase_ = 0;
    std::uint64_t seed_ = 0;
    bool by_level_ = false;
    Late late_ = Late::nothing;
    Wiring wiring_ = Wiring::good;
    bool wired_ = false; // an output of the instrument is wired to one of its own inputs
    unsigned wire_output_ = 0, wire_input_ = 0;
    Time wire_delay_ = 0;
    std::vector<State> states_;
    std::vector<Input> inputs_;

    Time now_ = 0;
    std::uint32_t outputs_ = 0;
    const State *serving_ = nullptr;
    std::size_t step_ = 0;
    Time step_at_ = never, hum_at_ = never;
    std::uint32_t levels_ = 0;
    struct Drive {
        unsigned pin;
        bool level;
    };
    std::multimap<Time, Drive> under_way_; // in the wires
};

} // namespace twin

#include "devices/external.h"

#include "core/stop.h"

#include <algorithm>
#include <cstdlib>

namespace twin {

namespace {

constexpr Time us = 1000 * per_ns;

// A contact that bounces closes and opens so many times, each time for at most so long.
constexpr unsigned bounces = 3;
constexpr Time shortest_bounce = us / 5, longest_bounce = 2 * us;

// Half a period of 50 Hz mains.
constexpr Time half_hum = 10'000 * us;

constexpr unsigned pins = 8;

} // namespace

std::unique_ptr<PinDevice> ExternalDevice::from(const std::vector<std::string> &settings) {
    if (settings.empty())
        return nullptr;
    auto device = std::make_unique<ExternalDevice>();
    for (const auto &setting : settings) {
        auto at = setting.find('=');
        if (at == std::string::npos)
            refuse("a device's setting is NAME=NUMBER, not " + setting);
        char *rest = nullptr;
        std::uint64_t value = std::strtoull(setting.c_str() + at + 1, &rest, 10);
        if (at + 1 == setting.size() || *rest)
            refuse("not a number: " + setting);
        device->set(setting.substr(0, at), value);
    }
    device->finish();
    return device;
}

void ExternalDevice::set(const std::string &name, std::uint64_t value) {
    auto step = [&]() -> Step & {
        if (states_.empty() || states_.back().steps.empty())
            refuse("a device's " + name + " is behind no pin");
        return states_.back().steps.back();
    };
    auto pin = [&] {
        if (value >= pins)
            refuse("a device's " + name + " is below 8");
        return static_cast<unsigned>(value);
    };
    if (name == "clock")
        clock_ = value;
    else if (name == "phase")
        phase_ = value;
    else if (name == "seed")
        seed_ = value;
    else if (name == "input")
        inputs_.push_back({pin()});
    else if (name == "by_level")
        by_level_ = value != 0;
    else if (name == "late" && value <= static_cast<unsigned>(Late::all))
        late_ = static_cast<Late>(value);
    else if (name == "wiring" && value <= static_cast<unsigned>(Wiring::hum))
        wiring_ = static_cast<Wiring>(value);
    else if (name == "wire_output")
        wire_output_ = pin(), wired_ = true;
    else if (name == "wire_input")
        wire_input_ = pin();
    else if (name == "wire_delay")
        wire_delay_ = value;
    else if (name == "state")
        states_.push_back({value, 0, {}});
    else if (name == "of" && !states_.empty() && value < inputs_.size())
        states_.back().input = value;
    else if (name == "pin" && !states_.empty())
        states_.back().steps.push_back({pin()});
    else if (name == "level")
        step().level = value != 0;
    else if (name == "delay")
        step().delay = value;
    else if (name == "spread")
        step().spread = value;
    else
        refuse("a device has no setting " + name);
}

void ExternalDevice::finish() {
    if (!clock_ || inputs_.empty())
        refuse("a device has a clock and at least one input");
    for (std::size_t i = 0; i < inputs_.size(); ++i)
        if (std::ranges::none_of(states_, [i](const State &state) { return state.input == i; }))
            refuse("each input of a device has at least one state");
    for (const auto &state : states_)
        if (state.steps.empty() || !state.weight)
            refuse("a device's state has a weight and at least one step");
    if (wiring_ == Wiring::inverted)
        for (const auto &state : states_)
            for (const auto &step : state.steps)
                levels_ |= 1u << step.pin;
}

// splitmix64: each seed has a sequence of its own.
std::uint64_t ExternalDevice::random(std::uint64_t below) {
    seed_ += 0x9E37'79B9'7F4A'7C15;
    std::uint64_t z = seed_;
    z = (z ^ z >> 30) * 0xBF58'476D'1CE4'E5B9;
    z = (z ^ z >> 27) * 0x94D0'49BB'1331'11EB;
    return (z ^ z >> 31) % below;
}

void ExternalDevice::sees(std::uint32_t outputs, bool armed, Time time) {
    now_ = time;
    std::uint32_t changed = outputs ^ outputs_;
    outputs_ = outputs;
    for (auto &input : inputs_)
        if (changed >> input.pin & 1) {
            bool differs = (outputs_ >> input.pin & 1) != input.sampled;
            // A sample at the very moment of the change still sees the old level.
            input.sample_at = differs ? align_up(time + 1, clock_, phase_) : never;
        }
    if (wired_ && (changed >> wire_output_ & 1))
        under_way_.insert({time + wire_delay_, {wire_input_, (outputs_ >> wire_output_ & 1) != 0}});
    if (wiring_ != Wiring::hum)
        return;
    if (!armed)
        hum_at_ = never; // nobody looks
    else if (hum_at_ == never)
        hum_at_ = align_up(time + 1, half_hum);
}

Time ExternalDevice::next() const {
    Time drives = under_way_.empty() ? never : under_way_.begin()->first;
    Time first = std::min({drives, step_at_, hum_at_});
    for (const auto &input : inputs_)
        first = std::min(first, input.sample_at);
    return first;
}

void ExternalDevice::run() {
    now_ = next();
    while (!under_way_.empty() && under_way_.begin()->first == now_) {
        Drive driven = under_way_.begin()->second;
        under_way_.erase(under_way_.begin());
        levels_ = (levels_ & ~(1u << driven.pin)) | unsigned{driven.level} << driven.pin;
    }
    if (step_at_ == now_)
        end_step();
    sample();
    if (hum_at_ == now_)
        hum();
}

// Looks at the inputs whose sample is now.
void ExternalDevice::sample() {
    bool rises = false;
    for (auto &input : inputs_) {
        if (input.sample_at != now_)
            continue;
        input.sample_at = never;
        input.sampled = (outputs_ >> input.pin & 1) != 0;
        if (input.sampled) {
            input.pending = !by_level_;
            rises = true;
        }
    }
    if (rises)
        serve();
}

// Begins to serve the first interrupt that is pending, unless another is served.
void ExternalDevice::serve() {
    if (serving_)
        return;
    for (auto &input : inputs_)
        if (input.pending || (by_level_ && input.sampled)) {
            begin(input);
            return;
        }
}

void ExternalDevice::begin(Input &input) {
    input.pending = false;
    auto place = static_cast<std::size_t>(&input - inputs_.data());
    std::uint64_t all = 0;
    for (const auto &state : states_)
        all += state.input == place ? state.weight : 0;
    std::uint64_t chosen = random(all);
    for (const auto &state : states_) {
        if (state.input != place)
            continue;
        serving_ = &state;
        if (chosen < state.weight)
            break;
        chosen -= state.weight;
    }
    step_ = 0;
    begin_step();
}

void ExternalDevice::begin_step() {
    const Step &step = serving_->steps[step_];
    step_at_ = now_ + std::max<Time>(1, step.delay + random(step.spread + 1));
}

void ExternalDevice::end_step() {
    const Step &step = serving_->steps[step_];
    drive(step.pin, step.level, now_);
    if (++step_ < serving_->steps.size()) {
        begin_step();
        return;
    }
    step_at_ = never;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
        if (late_ == Late::all || (late_ == Late::own && i == serving_->input))
            inputs_[i].pending = false;
    serving_ = nullptr;
    serve();
}

// A change of an output, through whatever is wrong with the wire.
void ExternalDevice::drive(unsigned pin, bool level, Time time) {
    if (wiring_ == Wiring::no_edge || wiring_ == Wiring::hum)
        return; // the wire is open
    level = level != (wiring_ == Wiring::inverted);
    Time at = time + 1;
    under_way_.insert({at, {pin, level}});
    for (unsigned i = 0; wiring_ == Wiring::bounce && i < 2 * bounces; ++i) {
        at += shortest_bounce + random(longest_bounce - shortest_bounce);
        under_way_.insert({at, {pin, level != (i % 2 == 0)}});
    }
}

// Mains couple into every wire that the device should drive.
void ExternalDevice::hum() {
    for (const auto &state : states_)
        for (const auto &step : state.steps)
            levels_ = (levels_ & ~(1u << step.pin)) | static_cast<unsigned>(now_ / half_hum % 2)
                                                          << step.pin;
    hum_at_ = now_ + half_hum;
}

} // namespace twin

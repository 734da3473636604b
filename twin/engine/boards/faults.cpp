#include "boards/faults.h"

#include "core/settings.h"

namespace twin {

namespace {

constexpr SettingKey<Faults> keys[] = {
    {"bitstream_absent", &Faults::bitstream_absent},
    {"isolated", &Faults::isolated},
    {"clock_stopped", &Faults::clock_stopped},
    {"reset_held", &Faults::reset_held},
    {"pl_period", &Faults::pl_period},
    {"stuck_high", &Faults::stuck_high},
    {"stuck_low", &Faults::stuck_low},
    {"inverted", &Faults::inverted},
    {"swapped", &Faults::swapped},
    {"out_low", &Faults::out_low},
    {"in_low", &Faults::in_low},
    {"changed_word", &Faults::changed_word},
    {"change", &Faults::change},
    {"unwritable_word", &Faults::unwritable_word},
    {"level_only", &Faults::level_only},
    {"edge_only", &Faults::edge_only},
    {"dead_private", &Faults::dead_private},
    {"slow_rate", &Faults::slow_rate},
    {"lossy_from", &Faults::lossy_from},
    {"mute", &Faults::mute},
    {"swallowed", &Faults::swallowed},
    {"dead_cores", &Faults::dead_cores},
    {"gpio_delay", &Faults::gpio_delay},
};

} // namespace

void Faults::set(const std::string &setting) { set_member(*this, keys, setting, "fault"); }

} // namespace twin

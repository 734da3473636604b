// The constants of a timing profile. The table with meaning, source and range of each is
// twin/profiles/<name>.toml; the Python front hands the values over in units of 1/6 ns.
#pragma once

#include "units.h"

#include <map>
#include <string>

namespace twin {

// Constants by name. Each is taken exactly once; a missing or unknown one is refused.
class Constants {
  public:
    explicit Constants(std::map<std::string, Time> values) : values_(std::move(values)) {}

    Time take(const std::string &name);

    // Everything must have been taken.
    void finish() const;

  private:
    std::map<std::string, Time> values_;
};

// What every timing model has.
struct Profile {
    Time apb_phase = 0;       // first APB edge after time 0
    Time interrupt_entry = 0; // interrupt recognised -> first vector instruction
    Time wfi_wake = 0;        // wake-up event -> next instruction
    Time turn = 0;            // how far cores may be apart
    Time gic_path = 0;        // core <-> GIC, one way
    Time gic_pl_input = 0;    // PL output register -> GIC input
    Time gic_ps_input = 0;    // UART, timer -> GIC input
    Time gic_signal = 0;      // GIC state -> interrupt input of a core
    // More of it for each further interrupt of the core that is pending and enabled, or enabled.
    Time gic_select_pending = 0, gic_select_enabled = 0;
    Time peripheral_path = 0; // core <-> UART and control registers, one way
    Time gpio_path = 0;       // core -> GPIO port
    Time gpio_access = 0;     // GPIO port: start of an access -> pins
    Time gpio_spacing = 0;    // GPIO port: start of an access -> start of the next
    Time gpio_return = 0;     // GPIO port -> core
    Time gpio_input = 0;      // EMIO input pin -> DATA_RO
    Time stm_path = 0;        // core <-> stimulus port of the STM, where it is stamped, one way
    Time stm_event = 0;       // PL output register -> STM, where its edge is stamped

    // Takes its constants out of `constants`; a missing or impossible one is refused.
    static Profile from(Constants &constants);
};

} // namespace twin

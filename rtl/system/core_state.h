// What cores show of their state, for parts that know which core they are compiled with.
#pragma once

#include "encounters.h"
#include "flow.h"

#include <cstdint>
#include <optional>

namespace rtl {

// A core that shows what of its state is asked for.
template <typename Core>
concept Shows = requires(Core &core) { core.register_value; };

// A core that shows where it was when it took an interrupt.
template <typename Core>
concept ShowsTaken = requires(Core &core) { core.taken_pc; };

// mtvec. Only of a core that shows it.
template <typename Core> std::optional<std::uint32_t> trap_vector(const Core &core) {
    if constexpr (requires { core.trap_vector; })
        return core.trap_vector;
    return {};
}

// Whether an interrupt of this cause could not be taken. Only of a core that shows it.
template <typename Core> bool masks(const Core &core, unsigned cause) {
    if constexpr (Shows<const Core>)
        return !(core.interrupts_on && core.enabled >> cause & 1);
    return false;
}

struct Taken {
    unsigned cause;
    std::uint32_t pc;
};

// The interrupt that it has just taken. Only of a core that shows it.
template <typename Core> std::optional<Taken> taken(const Core &core) {
    if constexpr (ShowsTaken<const Core>)
        if (core.taken)
            return Taken{core.taken_cause, core.taken_pc};
    return {};
}

// What the lines meet in a cycle; the first of `lines` has the cause `first`. `code_at`: an
// instruction, by its address.
template <typename Core, typename CodeAt>
Encounters::Look encounter(const Core &core, std::uint64_t now, std::uint32_t levels,
                           unsigned first, unsigned lines, const CodeAt &code_at) {
    Encounters::Look look{};
    look.at = now;
    look.levels = levels;
    look.asleep = core.asleep;
    look.shows = Shows<const Core>;
    look.shows_taken = ShowsTaken<const Core>;
    for (unsigned line = 0; line < lines; ++line)
        look.masked |= std::uint32_t{masks(core, first + line)} << line;
    if (auto found = taken(core))
        look.taken = found->cause - first < lines ? found->cause - first : Encounters::lines;
    if (look.shows_taken && core.execute) {
        auto flow = instruction(core.execute_pc, code_at(core.execute_pc)).flow;
        look.traps = flow == twin::Flow::trap;
        look.returns = flow == twin::Flow::from_trap;
    }
    return look;
}

} // namespace rtl

#include "boards/zynqmp/bench.h"

#include "shells/emio.h"

namespace twin::zynqmp {

namespace {

struct Native {
    EmioShell shell;
    Pins pins{};
    bool skip = false;
    std::uint64_t skip_to = 0;

    explicit Native(bool resting) : shell({0, 0, 0}, resting) {
        shell.reset(true);
        for (unsigned i = 0; i < 8; ++i)
            shell.step();
        shell.reset(false);
    }
    void set(Inputs::Signal signal, std::uint64_t value) {
        switch (signal) {
        case Inputs::Signal::emio_o3:
            pins[0] = static_cast<std::uint32_t>(value);
            break;
        case Inputs::Signal::emio_o4:
            pins[1] = static_cast<std::uint32_t>(value);
            break;
        case Inputs::Signal::pmod_in:
            shell.set_inputs(static_cast<std::uint32_t>(value));
            break;
        case Inputs::Signal::skip:
            skip = value;
            break;
        case Inputs::Signal::skip_to:
            skip_to = value;
            break;
        }
        shell.set_pins(pins);
        shell.set_skip(skip, skip_to);
    }
    std::uint64_t step() {
        shell.step();
        return shell.now();
    }
    Outputs outputs() const {
        auto [first, second] = shell.pins();
        std::uint32_t lines = shell.lines();
        return {first,       second,         lines & 0xFF,  lines >> 8 & 0xFF,
                lines >> 16, shell.copies(), shell.events()};
    }
};

} // namespace

int bench_rtl(const std::string &path, bool resting, std::ostream &out) {
    Native model(resting);
    replay(model, Inputs::read(path), out);
    return 0;
}

} // namespace twin::zynqmp

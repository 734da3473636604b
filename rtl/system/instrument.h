// The instrument in the shell of soft cores, compiled by itself; it keeps step with the core.
//
// While nothing is under way in it and no tick is near that it waits for, it is left behind; before
// it is needed it catches up in one jump, which its proof of skipping allows.
#pragma once

#include <cstdint>
#include <memory>

class Virqscope_soft;

namespace rtl {

class Instrument {
  public:
    static constexpr std::uint64_t never = UINT64_MAX;

    // What reaches it in a cycle; nothing, if it is as made.
    struct Inputs {
        std::uint8_t valid = 0;  // a bit for each source of markers
        std::uint16_t codes = 0; // three bits for each
        bool strobe = false;     // an access of the register port is under way
        bool write = false;
        std::uint16_t word = 0;
        std::uint32_t data = 0;
        void mark(unsigned source, unsigned code) {
            valid |= static_cast<std::uint8_t>(1u << source);
            codes |= static_cast<std::uint16_t>(code << 3 * source);
        }
        bool any() const { return valid != 0 || strobe; }
    };
    struct Answer {
        bool acknowledged = false;
        std::uint32_t data = 0;
    };

    Instrument(std::uint32_t source_id, std::uint32_t source_hash, std::uint32_t tick_hz);
    ~Instrument();

    // Lives through cycle `now`. Cycles are asked for in their order, each once at most. Those left
    // out have no inputs, and lie before `due`.
    Answer cycle(std::uint64_t now, const Inputs &inputs);

    // First cycle that must not be left out; never: only inputs need one.
    std::uint64_t due() const { return due_; }

    // Interrupt outputs in the cycle after the last one.
    std::uint16_t irq() const { return irq_; }

    std::uint64_t evaluated() const { return evaluated_; }

  private:
    void edge();
    void look(bool inputs);

    std::unique_ptr<Virqscope_soft> model_;
    std::uint64_t tick_ = 0; // the cycle to come
    std::uint64_t due_ = 0;
    std::uint64_t evaluated_ = 0;
    std::uint16_t irq_ = 0;
};

} // namespace rtl

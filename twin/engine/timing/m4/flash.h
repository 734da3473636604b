// Flash with wait states and ST's accelerator: lines of 128 bits, a cache for instructions and one
// for literals, and a prefetch of the next line. RM0390, 3.4.
#pragma once

#include <cstdint>
#include <vector>

namespace twin::m4 {

// What FLASH_ACR says.
struct FlashControl {
    unsigned wait_states = 0;
    bool prefetches = false, caches_instructions = false, caches_data = false;
};

class Flash {
  public:
    Flash(std::size_t instruction_lines, std::size_t data_lines)
        : instructions_(instruction_lines), data_(data_lines) {}

    void set(const FlashControl &control);
    void clear_instructions() { instructions_.clear(); }
    void clear_data() { data_.clear(); }

    // Cycle in which the line of an address, asked for at `cycle`, is there: the next one, plus
    // what it waits.
    std::uint64_t fetch(std::uint32_t address, std::uint64_t cycle);
    std::uint64_t read(std::uint32_t address, std::uint64_t cycle);

    std::uint64_t instruction_misses() const { return instruction_misses_; }
    std::uint64_t data_misses() const { return data_misses_; }

  private:
    // Lines by their numbers, of which the one that was used longest ago goes first.
    class Lines {
      public:
        explicit Lines(std::size_t most) : most_(most) {}
        bool uses(std::uint32_t line);
        void take(std::uint32_t line);
        void clear() { lines_.clear(); }

      private:
        const std::size_t most_;
        std::vector<std::uint32_t> lines_; // the last one was used last
    };

    std::uint64_t from_array(std::uint64_t cycle);
    void prefetch(std::uint32_t line, std::uint64_t cycle);

    static constexpr std::uint32_t none = ~0u;
    FlashControl control_;
    Lines instructions_, data_;
    std::uint32_t line_ = none;     // that instructions come from
    std::uint32_t literals_ = none; // that data came from, without the cache
    std::uint32_t prefetched_ = none;
    std::uint64_t prefetched_at_ = 0; // it is there
    std::uint64_t array_free_ = 0;
    std::uint64_t instruction_misses_ = 0, data_misses_ = 0;
};

} // namespace twin::m4

// Instructions by address, each decoded once: a model keeps those that it has met.
#pragma once

#include "core/memory.h"
#include "core/stop.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace twin {

template <typename Instruction, Instruction (*decode)(std::uint32_t)> class Decoded {
  public:
    explicit Decoded(const Memory &memory) : memory_(memory), known_(entries) {}

    const Instruction &at(std::uint64_t pc) {
        if (pc / page_bytes != page_) {
            page_ = pc / page_bytes;
            code_ = memory_.at(pc & ~(page_bytes - 1), page_bytes);
            if (!code_)
                stop_engine("instruction fetch at " + hex(pc) + ", outside DDR and OCM");
        }
        std::uint32_t opcode;
        std::memcpy(&opcode, code_ + pc % page_bytes, sizeof opcode);
        auto &entry = known_[pc / 4 % entries];
        if (entry.opcode != opcode)
            entry = decode(opcode);
        return entry;
    }

  private:
    static constexpr std::size_t entries = 8192;
    static constexpr std::uint64_t page_bytes = 4096;

    const Memory &memory_;
    std::vector<Instruction> known_; // compared with the opcode
    std::uint64_t page_ = ~std::uint64_t{0};
    const std::uint8_t *code_ = nullptr;
};

} // namespace twin

// Bit fields of an A64 opcode.
#pragma once

#include <cstdint>

namespace twin::a64 {

class Fields {
  public:
    explicit Fields(std::uint32_t opcode) : opcode_(opcode) {}

    std::uint32_t bits(unsigned high, unsigned low) const {
        return opcode_ >> low & ((2u << (high - low)) - 1);
    }
    bool bit(unsigned n) const { return opcode_ >> n & 1; }
    std::int32_t signed_bits(unsigned high, unsigned low) const {
        return static_cast<std::int32_t>(opcode_ << (31 - high)) >> (31 - high + low);
    }
    std::uint8_t rn() const { return static_cast<std::uint8_t>(bits(9, 5)); }

  private:
    std::uint32_t opcode_;
};

} // namespace twin::a64

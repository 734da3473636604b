// Pseudo-random numbers where the hardware's choice is documented as pseudo-random only.
#pragma once

#include <cstdint>

namespace twin::a53 {

// xorshift, 64 bits. Same seed, same numbers.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15 + 1) {}

    std::uint32_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<std::uint32_t>(state_ >> 32);
    }

    // Another one, whose numbers have nothing to do with these.
    Random split() {
        std::uint64_t high = next();
        return Random(high << 32 | next());
    }

  private:
    std::uint64_t state_;
};

} // namespace twin::a53

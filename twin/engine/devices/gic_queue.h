// Interrupts that a GIC's distributor offers to one core, by priority, then by ID.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace twin {

class GicQueue {
  public:
    static constexpr unsigned most_ids = 192; // of the largest controller
    static constexpr unsigned none = 1024;    // no ID

    // Precondition: it is not there.
    void add(unsigned priority, unsigned id) {
        levels_ |= 1u << priority / 8;
        members_[priority / 8][id / 64] |= std::uint64_t{1} << id % 64;
        ++size_;
    }
    // Precondition: it is there, with this priority.
    void remove(unsigned priority, unsigned id) {
        auto &members = members_[priority / 8];
        members[id / 64] &= ~(std::uint64_t{1} << id % 64);
        if (members == Members{})
            levels_ &= ~(1u << priority / 8);
        --size_;
    }

    // The most urgent one, or none.
    unsigned first() const {
        if (!levels_)
            return none;
        const auto &members = members_[static_cast<unsigned>(std::countr_zero(levels_))];
        unsigned word = 0;
        while (!members[word])
            ++word;
        return word * 64 + static_cast<unsigned>(std::countr_zero(members[word]));
    }

    unsigned size() const { return size_; }

  private:
    using Members = std::array<std::uint64_t, most_ids / 64>; // a bit for each ID

    std::uint32_t levels_ = 0; // bit n: there are some of priority 8 n
    std::array<Members, 32> members_{};
    unsigned size_ = 0;
};

} // namespace twin

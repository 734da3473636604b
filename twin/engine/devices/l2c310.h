// L2C-310 (Arm DDI 0246): a cache outside the cores, with its maintenance by registers.
//
// An L2Operations models its contents, if any. Operations by way run in the background, as long as
// told; the others are done when the store arrives. Events and parity are not modelled.
#pragma once

#include "core/device.h"

#include <array>
#include <cstdint>

namespace twin {

// Effects of the registers on the cache. A board without a model of it needs none.
class L2Operations {
  public:
    virtual ~L2Operations() = default;

    virtual void set_enabled(bool enabled) = 0;
    virtual void line(std::uint64_t address, bool clean, bool invalidate) = 0;
    virtual void ways(std::uint32_t ways, bool clean, bool invalidate) = 0;
    // No allocation of data, or of instructions, by a master into the ways of the mask.
    virtual void lock(unsigned master, bool instructions, std::uint32_t ways) = 0;
};

struct L2Place {
    std::uint64_t base;
    Time path;                              // core <-> its registers, one way
    Time by_way;                            // how long an operation on all ways takes
    std::uint32_t filter_start, filter_end; // addresses of the second port, after reset
};

class L2c310 : public Device {
  public:
    static constexpr unsigned masters = 8;

    explicit L2c310(const L2Place &place) : place_(place) {}

    // `operations` receives the effects of the registers; it outlives this.
    void attach(L2Operations &operations) { operations_ = &operations; }

    const char *name() const override { return "L2C-310"; }
    std::vector<std::uint64_t> pages() const override { return {place_.base}; }
    Time path() const override { return place_.path; }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

  private:
    bool busy(Time now) const { return now < busy_until_; }

    const L2Place place_;
    L2Operations *operations_ = nullptr;
    std::uint32_t control_ = 0;
    std::uint32_t auxiliary_ = 0x0206'0000, tag_ = 0x777, data_ = 0x777;
    std::uint32_t mask_ = 0, debug_ = 0, prefetch_ = 0, power_ = 0;
    std::uint32_t filter_start_ = place_.filter_start, filter_end_ = place_.filter_end;
    std::array<std::uint32_t, 2 * masters> lockdown_{}; // data, instructions of each master
    std::uint32_t lock_lines_ = 0;
    Time busy_until_ = 0;
};

} // namespace twin

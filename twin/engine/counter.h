// The system counter and its control block IOU_SCNTRS (0xFF260000).
#pragma once

#include "device.h"

#include <functional>
#include <vector>

namespace twin {

struct Profile;

// Reset state: stopped at 0, as the board is before software (or psu_init) enables it.
class SystemCounter : public Device {
  public:
    explicit SystemCounter(const Profile &profile) : profile_(profile) {}

    // CNTPCT_EL0 at `time`.
    std::uint64_t count(Time time) const;

    // When the count reaches `value`; never while stopped.
    Time time_of(std::uint64_t value) const;

    // Called whenever the counter is started or stopped.
    void observe(std::function<void(Time)> observer) { observers_.push_back(std::move(observer)); }

    const char *name() const override { return "IOU_SCNTRS"; }
    std::vector<std::uint64_t> pages() const override { return {0xFF26'0000}; }
    Time path() const override;
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

  private:
    const Profile &profile_;
    bool enabled_ = false;
    Time since_ = 0;
    std::uint64_t base_ = 0;
    std::uint32_t frequency_ = 0;
    std::vector<std::function<void(Time)>> observers_;
};

} // namespace twin

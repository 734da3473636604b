// A system counter with its control block, as CNTPCT_EL0 shows it.
#pragma once

#include "core/count.h"
#include "core/device.h"

#include <functional>
#include <vector>

namespace twin {

// Reset state: stopped at 0, as the board is before software (or psu_init) enables it.
class SystemCounter : public Device, public Count {
  public:
    // `path`: time from a core, one way; `cycle`: length of its clock's cycle.
    SystemCounter(const char *name, std::uint64_t base, Time path, Time cycle)
        : name_(name), device_base_(base), path_(path), cycle_(cycle) {}

    std::uint64_t count(Time time) const override;
    Time time_of(std::uint64_t value) const override;
    void observe(std::function<void(Time)> observer) override {
        observers_.push_back(std::move(observer));
    }

    const char *name() const override { return name_; }
    std::vector<std::uint64_t> pages() const override { return {device_base_}; }
    Time path() const override { return path_; }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

    void enable(Time time);

  private:
    const char *const name_;
    const std::uint64_t device_base_;
    const Time path_, cycle_;
    void set_enabled(bool enabled, Time time);

    bool enabled_ = false;
    Time since_ = 0;
    std::uint64_t base_ = 0;
    std::uint32_t frequency_ = 0;
    std::vector<std::function<void(Time)>> observers_;
};

} // namespace twin

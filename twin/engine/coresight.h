// What the debug components of the PS share: a page of registers, a lock, an identification.
#pragma once

#include "device.h"
#include "profile.h"

#include <cstdint>
#include <vector>

namespace twin {

class ControlRegisters;

// One component. Registers of its own are behind read() and write().
class CoreSight : public Device {
  public:
    CoreSight(const Profile &profile, const ControlRegisters &control, std::uint64_t base,
              unsigned part)
        : profile_(profile), control_(control), base_(base), part_(part) {}

    std::vector<std::uint64_t> pages() const override { return {base_}; }
    Time path() const override { return profile_.peripheral_path; }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

  protected:
    // Of a register by its offset. `access` is for refuse_access.
    virtual std::uint32_t read(const Access &access, unsigned offset, Time time) = 0;
    virtual bool writable(unsigned offset) const = 0;
    virtual void write(unsigned offset, std::uint32_t value, Time time) = 0;

    const Profile &profile_;

  private:
    void check(const Access &access) const;

    const ControlRegisters &control_;
    std::uint64_t base_;
    unsigned part_;
    bool locked_ = true;
};

} // namespace twin

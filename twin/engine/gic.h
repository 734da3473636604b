// GIC-400: distributor and four CPU interfaces, secure view (Arm IHI 0048B, DDI 0471).
//
// 16 SGIs, 7 PPIs (25..31), 160 SPIs (32..191), 32 priority levels. The non-secure view, the
// virtualisation pages and the 64 KB aliases are not modelled.
#pragma once

#include "device.h"
#include "events.h"
#include "profile.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>

namespace twin {

class Gic : public Device {
  public:
    static constexpr unsigned cores = 4;
    static constexpr unsigned ids = 192;

    Gic(EventQueue &events, const Profile &profile);

    // Drives the interrupt inputs of a core.
    struct Outputs {
        std::function<void(bool level, Time time)> irq;
        std::function<void(bool level, Time time)> fiq;
    };
    void attach(unsigned core, Outputs outputs) { outputs_[core] = std::move(outputs); }

    // Input lines, active high here. Precondition: time is not before any earlier call's.
    void set_spi(unsigned id, bool level, Time time);
    void set_ppi(unsigned core, unsigned id, bool level, Time time);

    // Interrupts acknowledged so far by core and ID.
    const std::map<unsigned, std::uint64_t> &acknowledged(unsigned core) const {
        return acknowledged_[core];
    }

    const char *name() const override { return "GIC"; }
    std::vector<std::uint64_t> pages() const override;
    Time path() const override { return profile_.gic_path; }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

  private:
    // One interrupt. IDs below 32 have one for each core.
    struct Interrupt {
        bool group1 = false;
        bool enabled = false;
        bool latched = false; // edge seen, or made pending by software
        bool level = false;
        bool edge = false;
        std::uint8_t active = 0;  // bit n: active on core n
        std::uint8_t sources = 0; // SGI: pending from core n
        std::uint8_t priority = 0;
        std::uint8_t targets = 0; // SPI: bit n: core n
    };

    struct Interface {
        std::uint32_t control = 0;
        std::uint32_t mask = 0;          // PMR
        std::uint32_t binary_point = 2;  // BPR
        std::uint32_t binary_point1 = 3; // ABPR
        std::uint32_t active = 0;        // APR0: bit n: group priority 8 n is active
        bool irq = false;                // last driven
        bool fiq = false;
    };

    Interrupt &at(unsigned core, unsigned id);
    const Interrupt &at(unsigned core, unsigned id) const;
    bool exists(unsigned id) const { return id < 16 || id >= 25; }
    bool pending(unsigned id, const Interrupt &interrupt) const;
    bool forwarded(unsigned core, unsigned id) const;
    unsigned best(unsigned core) const;
    unsigned group_priority(unsigned core, const Interrupt &interrupt) const;
    unsigned running_priority(unsigned core) const;
    bool signals(unsigned core, unsigned id) const;
    void touch(unsigned id) { candidates_[id / 32] |= 1u << id % 32; }
    void update(Time time);
    void drive(unsigned core, bool irq, bool fiq, Time time);

    std::uint32_t load_distributor(const Access &access, unsigned core, std::uint32_t offset);
    void store_distributor(unsigned core, std::uint32_t offset, unsigned size, std::uint32_t value);
    std::uint32_t load_interface(const Access &access, unsigned core, std::uint32_t offset);
    void store_interface(const Access &access, unsigned core, std::uint32_t offset,
                         std::uint32_t value);
    std::uint32_t acknowledge(unsigned core);
    void end(const Access &access, unsigned core, std::uint32_t value);
    void deactivate(const Access &access, unsigned core, std::uint32_t value);
    void send_sgi(unsigned core, std::uint32_t value);

    EventQueue &events_;
    const Profile &profile_;
    bool enable0_ = false;
    bool enable1_ = false;
    std::array<std::array<Interrupt, 32>, cores> private_{};
    std::array<Interrupt, ids> shared_{};
    std::array<Interface, cores> interfaces_{};
    // IDs that may be pending on some core; an ID outside is pending on none.
    std::array<std::uint32_t, ids / 32> candidates_{};
    std::array<Outputs, cores> outputs_;
    std::array<std::map<unsigned, std::uint64_t>, cores> acknowledged_;
};

} // namespace twin

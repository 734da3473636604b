// Arm's interrupt controllers of architecture 1 and 2: distributor and CPU interfaces, secure view,
// 32 priority levels, the secure and the non-secure view. A GicKind says which controller it is.
// The virtualisation pages and the 64 KB aliases are not modelled.
#pragma once

#include "core/device.h"
#include "core/events.h"
#include "devices/gic_kind.h"
#include "devices/gic_queue.h"

#include <array>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

namespace twin {

// Where its registers are. GICC_DIR, of architecture 2, has a page of its own where each GICC page
// fills 64 KB.
struct GicPlace {
    std::uint64_t distributor, interface, deactivate = 0;
};

struct GicTimes {
    Time gic_path = 0;   // core <-> GIC, one way
    Time gic_signal = 0; // GIC state -> interrupt input of a core
    // Added for each background interrupt of the core that is pending and enabled, or only enabled.
    Time gic_select_pending = 0, gic_select_enabled = 0;
};

struct GicFaults {
    // SPIs whose sensitivity cannot be set.
    std::uint64_t level_only = 0;
    std::uint64_t edge_only = 0;
    // Mask of IDs; those inputs of each core never change.
    std::uint64_t dead_private = 0;
};

// What two sources tell differently.
struct GicVariants {
    // GICD_PPISR of a line that is active low at the GIC: its assertion, the pin, nothing.
    enum : std::uint64_t { ppisr_assertion, ppisr_pin, ppisr_zero };
    std::uint64_t ppisr = ppisr_assertion;

    // SGIs are as little enabled after reset as other interrupts, and can be disabled.
    std::uint64_t sgi_enables = 0;

    // The even bits of GICD_ICFGR, of each pair the one that says nothing, read 0.
    std::uint64_t icfgr_even_zero = 0;
};

class Gic : public Device {
  public:
    static constexpr unsigned most_cores = 4; // of the largest controller

    Gic(EventQueue &events, const GicKind &kind, const GicPlace &place, const GicTimes &times,
        const GicFaults &faults, const GicVariants &variants);

    // Drives the interrupt inputs of a core.
    struct Outputs {
        std::function<void(bool level, Time time)> irq;
        std::function<void(bool level, Time time)> fiq;
    };
    void attach(unsigned core, Outputs outputs) { outputs_[core] = std::move(outputs); }

    // The state that firmware at EL3 leaves for lower levels: every interrupt is of group 1, and
    // both groups are enabled.
    void hand_over();

    // Input lines, active high here. Precondition: time is not before any earlier call's.
    void set_spi(unsigned id, bool level, Time time);
    void set_ppi(unsigned core, unsigned id, bool level, Time time);

    // Counts of events at the interface of one core.
    struct Statistics {
        std::array<std::uint64_t, GicQueue::most_ids> acknowledged{}; // by ID
        std::uint64_t waited = 0;      // interrupts that became pending while another was active
        unsigned pending_max = 0;      // most that were pending at once
        std::uint64_t set_pending = 0; // by this core's stores, an SGI once for each target
    };
    // Whether it would not be signalled to the core, were it pending.
    bool masks(unsigned core, unsigned id) const;

    // The most urgent pending interrupt of this core, or GicQueue::none.
    unsigned first(unsigned core) const { return queues_[core].first(); }

    // What becomes of an SPI, in a line, for the report.
    std::string about(unsigned id) const;

    // Members of a JSON object, each after a comma.
    void write_stats(std::ostream &out, unsigned core) const;

    const char *name() const override { return "GIC"; }
    std::vector<std::uint64_t> pages() const override;
    Time path() const override { return times_.gic_path; }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

  private:
    // GICC_CTLR.
    static constexpr std::uint32_t enable_group0 = 1u << 0, enable_group1 = 1u << 1;
    static constexpr std::uint32_t ack_control = 1u << 2, fiq_enable = 1u << 3;
    static constexpr std::uint32_t common_binary_point = 1u << 4, eoi_mode = 1u << 9;
    static constexpr std::uint32_t eoi_mode_not_secure = 1u << 10;
    static constexpr std::uint32_t irq_bypass_off = 1u << 6 | 1u << 8;

    static constexpr std::uint32_t priority_bits = 0xF8; // that are there

    // The value read instead of an ID.
    static constexpr unsigned other_group = 1022, spurious = 1023;

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
        std::uint8_t queued = 0;  // bit n: in the queue of core n
    };

    struct Interface {
        std::uint32_t control = 0;
        std::uint32_t mask = 0;          // PMR
        std::uint32_t binary_point = 2;  // BPR
        std::uint32_t binary_point1 = 3; // ABPR
        std::uint32_t active = 0;        // APR0: bit n: group priority 8 n is active
        bool irq = false;                // last driven
        bool fiq = false;
        Time seen = 0; // the core has seen all of it
    };

    Interrupt &at(unsigned core, unsigned id);
    const Interrupt &at(unsigned core, unsigned id) const;
    void latch(unsigned id, Interrupt &interrupt);
    bool pending(unsigned id, const Interrupt &interrupt) const;
    bool forwarded(unsigned core, unsigned id) const;
    unsigned group_priority(unsigned core, const Interrupt &interrupt) const;
    unsigned running_priority(unsigned core) const;
    bool signals(unsigned core, unsigned id) const;
    void refresh(unsigned id);
    void set_priority(unsigned core, unsigned id, std::uint8_t priority);
    void update(Time time);
    void drive(unsigned core, bool irq, bool fiq, Time time);
    Time selection(unsigned core) const;
    unsigned enabled(unsigned core) const;

    // Which part an access goes to, and the offset in there.
    enum class Part { distributor, interface, deactivate };
    struct Register {
        Part part;
        std::uint32_t offset;
    };
    Register locate(std::uint64_t address) const;
    void check_width(const Access &access, Register reg) const;

    // The distributor's part.
    bool bytewise(std::uint32_t offset, bool is_store) const;
    std::uint32_t load_distributor(const Access &access, unsigned core, std::uint32_t offset);
    void store_distributor(const Access &access, unsigned core, std::uint32_t offset,
                           std::uint32_t value);
    void send_sgi(unsigned core, std::uint32_t value, bool secure);

    // The part of a core's interface.
    std::uint32_t load_interface(const Access &access, unsigned core, std::uint32_t offset);
    void store_interface(const Access &access, unsigned core, std::uint32_t offset,
                         std::uint32_t value);
    std::uint32_t acknowledge(unsigned core, bool secure, bool group1);
    void end(const Access &access, unsigned core, std::uint32_t value);
    void deactivate(const Access &access, unsigned core, std::uint32_t value);

    EventQueue &events_;
    const GicKind &kind_;
    const GicPlace place_;
    const GicTimes &times_;
    const GicFaults &faults_;
    const GicVariants &variants_;
    bool enable0_ = false;
    bool enable1_ = false;
    std::array<std::array<Interrupt, 32>, most_cores> private_{};
    std::array<Interrupt, GicQueue::most_ids> shared_{};
    std::array<Interface, most_cores> interfaces_{};
    std::array<GicQueue, most_cores> queues_;
    std::array<Outputs, most_cores> outputs_;
    std::array<Statistics, most_cores> statistics_;
};

} // namespace twin

#include "plic.h"

#include "core/stop.h"

namespace rtl {

namespace {
constexpr std::uint32_t pending_at = 0x1000, enabled_at = 0x2000;
constexpr std::uint32_t threshold_at = 0x200000, claim_at = 0x200004;
constexpr std::uint32_t contexts_end = 0x200000;
} // namespace

void Plic::set(std::uint32_t levels) {
    levels_ = levels & ~1u;
    pending_ = pending(levels_);
}

// The pending source that it would hand out, or 0: the lowest one of the highest priority.
unsigned Plic::best(std::uint32_t pending) const {
    unsigned found = 0;
    std::uint32_t above = threshold_;
    for (unsigned source = 1; source < sources; ++source)
        if (pending & enabled_ & 1u << source && priority_[source] > above) {
            found = source;
            above = priority_[source];
        }
    return found;
}

std::optional<std::uint32_t> Plic::load(std::uint32_t offset) {
    if (offset < pending_at)
        return offset / 4 < sources ? priority_[offset / 4] : 0;
    if (offset == pending_at)
        return pending_;
    if (offset == enabled_at)
        return enabled_;
    if (offset == threshold_at)
        return threshold_;
    if (offset == claim_at) {
        unsigned source = best(pending_);
        if (source) {
            pending_ &= ~(1u << source);
            claimed_ |= 1u << source;
        }
        return source;
    }
    if (offset < contexts_end) // of further sources, and of contexts that are not there
        return 0;
    return std::nullopt;
}

bool Plic::store(std::uint32_t offset, std::uint32_t value) {
    if (offset > 0 && offset / 4 < sources) {
        priority_[offset / 4] = value & highest;
    } else if (offset == enabled_at) {
        enabled_ = value & ~1u;
    } else if (offset == threshold_at) {
        threshold_ = value & highest;
    } else if (offset == claim_at) {
        if (value && value < sources && enabled_ & 1u << value)
            claimed_ &= ~(1u << value);
        set(levels_);
    } else {
        return offset < contexts_end;
    }
    return true;
}

bool Plic::masks(unsigned source) const {
    return source >= sources || !(enabled_ & ~claimed_ & 1u << source) ||
           priority_[source] <= threshold_;
}

std::string Plic::told(unsigned source) const {
    if (source >= sources)
        return "the PLIC has no source " + std::to_string(source);
    bool is_enabled = enabled_ & 1u << source, is_claimed = claimed_ & 1u << source;
    return "source " + std::to_string(source) + " of the PLIC is " +
           (is_enabled ? "enabled" : "not enabled") + ", of priority " +
           std::to_string(priority_[source]) + ", the threshold is " + std::to_string(threshold_) +
           (is_claimed ? ", and it is claimed and not completed" : "");
}

} // namespace rtl

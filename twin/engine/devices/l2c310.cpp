#include "devices/l2c310.h"

#include "core/core.h"

namespace twin {

namespace {

constexpr std::uint32_t reg_id = 0x000, reg_type = 0x004, reg_control = 0x100,
                        reg_auxiliary = 0x104;
constexpr std::uint32_t reg_tag = 0x108, reg_data = 0x10C, reg_mask = 0x214, reg_masked = 0x218;
constexpr std::uint32_t reg_raw = 0x21C, reg_clear = 0x220, reg_sync = 0x730;
// No register, but a store there has the effect of a sync: the way round erratum 753970 of r3p0,
// which AMD's start-up and Linux take on every revision.
constexpr std::uint32_t reg_sync_by_erratum = 0x740;
constexpr std::uint32_t invalidate_pa = 0x770, invalidate_way = 0x77C, clean_pa = 0x7B0;
constexpr std::uint32_t clean_way = 0x7BC, both_pa = 0x7F0, both_way = 0x7FC;
constexpr std::uint32_t reg_lockdown = 0x900, lockdown_end = 0x940, reg_lock_lines = 0x950;
constexpr std::uint32_t reg_unlock = 0x954, reg_filter_start = 0xC00, reg_filter_end = 0xC04;
constexpr std::uint32_t reg_debug = 0xF40, reg_prefetch = 0xF60, reg_power = 0xF80;

// r3p2; 8 ways of 64 KB, as the auxiliary register also says.
constexpr std::uint32_t id_value = 0x4100'00C8, type_value = 0x1C10'0100;
constexpr std::uint32_t all_ways = 0xFF;
// Of 16 ways: AMD's own start-up also names them all (embeddedsw, xil_cache.c). There are 8.
constexpr std::uint32_t way_bits = 0xFFFF;

bool is_lockdown(std::uint32_t offset) { return offset >= reg_lockdown && offset < lockdown_end; }

bool is_by_way(std::uint32_t offset) {
    return offset == invalidate_way || offset == clean_way || offset == both_way;
}

bool is_by_line(std::uint32_t offset) {
    return offset == invalidate_pa || offset == clean_pa || offset == both_pa;
}

} // namespace

std::uint32_t L2c310::load(const Access &access) {
    if (access.size != 4 || access.address % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    auto offset = static_cast<std::uint32_t>(access.address - place_.base);
    bool is_busy = busy(access.core->time());
    if (is_lockdown(offset))
        return lockdown_[(offset - reg_lockdown) / 4];
    if (is_by_way(offset) || offset == reg_unlock)
        return is_busy ? all_ways : 0;
    switch (offset) {
    case reg_id:
        return id_value;
    case reg_type:
        return type_value;
    case reg_control:
        return control_;
    case reg_auxiliary:
        return auxiliary_;
    case reg_tag:
        return tag_;
    case reg_data:
        return data_;
    case reg_mask:
        return mask_;
    case reg_masked:
    case reg_raw: // no event is modelled, so none has happened
        return 0;
    case reg_sync:
    case invalidate_pa:
    case clean_pa:
    case both_pa:
        return is_busy;
    case reg_lock_lines:
        return lock_lines_;
    case reg_filter_start:
        return filter_start_;
    case reg_filter_end:
        return filter_end_;
    case reg_debug:
        return debug_;
    case reg_prefetch:
        return prefetch_;
    case reg_power:
        return power_;
    }
    refuse_access(*this, access, "no such register");
}

void L2c310::check_store(const Access &access, std::uint32_t value) const {
    if (access.size != 4 || access.address % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    auto offset = static_cast<std::uint32_t>(access.address - place_.base);
    bool only_off = offset == reg_auxiliary || offset == reg_tag || offset == reg_data;
    if (only_off && control_ & 1)
        refuse_access(*this, access, "not while the cache is on");
    if (is_lockdown(offset) || is_by_way(offset)) {
        if (value & ~way_bits)
            refuse_access(*this, access, "there are 8 ways");
        return;
    }
    if (offset == reg_lock_lines && value)
        refuse_access(*this, access, "lockdown by line is not modelled");
    bool known = only_off || is_by_line(offset) || offset == reg_control || offset == reg_mask ||
                 offset == reg_clear || offset == reg_sync || offset == reg_sync_by_erratum ||
                 offset == reg_lock_lines || offset == reg_unlock || offset == reg_filter_start ||
                 offset == reg_filter_end || offset == reg_debug || offset == reg_prefetch ||
                 offset == reg_power;
    if (!known)
        refuse_access(*this, access, "no such writable register");
}

Time L2c310::store(const Access &access, std::uint32_t value, Time arrival) {
    auto offset = static_cast<std::uint32_t>(access.address - place_.base);
    bool cleans =
        offset == clean_pa || offset == clean_way || offset == both_pa || offset == both_way;
    bool drops = !(offset == clean_pa || offset == clean_way);
    if (is_by_way(offset)) {
        busy_until_ = arrival + place_.by_way;
        if (operations_)
            operations_->ways(value & all_ways, cleans, drops);
        return arrival;
    }
    if (is_by_line(offset)) {
        if (operations_)
            operations_->line(value & ~std::uint32_t{31}, cleans, drops);
        return arrival;
    }
    if (is_lockdown(offset)) {
        unsigned index = (offset - reg_lockdown) / 4;
        lockdown_[index] = value & all_ways;
        if (operations_)
            operations_->lock(index / 2, index % 2, value & all_ways);
        return arrival;
    }
    switch (offset) {
    case reg_control:
        control_ = value & 1;
        if (operations_)
            operations_->set_enabled(control_);
        break;
    case reg_auxiliary:
        auxiliary_ = value;
        break;
    case reg_tag:
        tag_ = value;
        break;
    case reg_data:
        data_ = value;
        break;
    case reg_mask:
        mask_ = value;
        break;
    case reg_filter_start:
        filter_start_ = value;
        break;
    case reg_filter_end:
        filter_end_ = value;
        break;
    case reg_debug:
        debug_ = value;
        break;
    case reg_prefetch:
        prefetch_ = value;
        break;
    case reg_power:
        power_ = value;
        break;
    default: // sync, clear: nothing is outstanding, and no event has happened
        break;
    }
    return arrival;
}

} // namespace twin

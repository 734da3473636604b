#include "boards/zynqmp/ipi.h"

namespace twin::zynqmp {

namespace {

// UG1085, "Interprocessor Interrupts"; UG1087, module IPI.
constexpr std::uint64_t channel = 0xFF30'0000, buffers = 0xFF99'0000, page = 0x1000;
constexpr std::uint64_t trigger = channel, observation = channel + 4, status = channel + 0x10,
                        mask = channel + 0x14, enable = channel + 0x18, disable = channel + 0x1C;
constexpr std::uint32_t agents = 0x0F0F'0301, to_pmu = 0x000F'0000;

// Answers of the PMU to the APU, whose channel is the first of the PMU's four.
constexpr std::size_t answer = (0x400 + 0x1C0 + 0x20) / 4;
constexpr std::uint32_t no_feature = 19;
constexpr Time answer_time = 60'000; // 10 us; the PMU's own time is not known

bool is_buffer(const Access &access) { return access.address - buffers < page; }

} // namespace

std::vector<std::uint64_t> Ipi::pages() const { return {channel, buffers}; }

std::uint32_t Ipi::load(const Access &access) {
    if (access.size != 4 || access.address % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    if (is_buffer(access))
        return buffers_[(access.address - buffers) / 4];
    switch (access.address) {
    case observation:
        return observed_;
    case status:
        return 0; // nobody sends to the APU
    case mask:
        return masked_;
    }
    refuse_access(*this, access, "no such readable register");
}

void Ipi::check_store(const Access &access, std::uint32_t value) const {
    if (access.size != 4 || access.address % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    if (is_buffer(access))
        return;
    switch (access.address) {
    case trigger:
        if (value & ~to_pmu)
            refuse_access(*this, access, "of the other processors only the PMU is modelled");
        return;
    case status:
    case enable:
    case disable:
        return;
    }
    refuse_access(*this, access, "no such writable register");
}

Time Ipi::store(const Access &access, std::uint32_t value, Time arrival) {
    if (is_buffer(access)) {
        buffers_[(access.address - buffers) / 4] = value;
        return arrival;
    }
    switch (access.address) {
    case trigger:
        observed_ |= value;
        events_.post(arrival + answer_time, [this, value] {
            observed_ &= ~value;
            buffers_[answer] = no_feature;
        });
        break;
    case enable:
        masked_ &= ~value;
        break;
    case disable:
        masked_ |= value & agents;
        break;
    }
    return arrival;
}

} // namespace twin::zynqmp

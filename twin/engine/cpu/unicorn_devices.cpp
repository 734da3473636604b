// How a UnicornCore reaches devices: their pages in Unicorn, and its accesses in twin time.

#include "core/stop.h"
#include "cpu/unicorn_core.h"

#include <unicorn/unicorn.h>

#include <algorithm>
#include <string>

namespace twin {

// Unicorn's callbacks.
struct DeviceHooks {
    static std::uint64_t load(uc_engine *, std::uint64_t offset, unsigned size, void *user) {
        auto *window = static_cast<UnicornCore::Window *>(user);
        return window->core->load(*window, offset, size);
    }

    static void store(uc_engine *, std::uint64_t offset, unsigned size, std::uint64_t value,
                      void *user) {
        auto *window = static_cast<UnicornCore::Window *>(user);
        window->core->store(*window, offset, size, value);
    }
};

void UnicornCore::map(Device &device) {
    for (auto page : device.pages()) {
        windows_.push_back(std::make_unique<Window>(Window{this, &device, page}));
        auto *window = windows_.back().get();
        uc_err error =
            uc_mmio_map(uc_, page, 0x1000, DeviceHooks::load, window, DeviceHooks::store, window);
        if (error != UC_ERR_OK)
            refuse(std::string(device.name()) + ": " + uc_strerror(error));
    }
}

// 64-bit and pair accesses arrive as several callbacks in one instruction, the lower half first.
void UnicornCore::check_single_access(const Device &device, const Access &access) {
    if (last_access_instruction_ == instructions_ && !device.takes_wide()) {
        Access whole = access;
        whole.address -= access.size;
        whole.size *= 2;
        refuse_access(device, whole, "wider than 32 bits, or a pair");
    }
    last_access_instruction_ = instructions_;
}

Access UnicornCore::access_of(const Window &window, std::uint64_t offset, unsigned size,
                              bool is_store) {
    return {this, pc_, window.base + offset, size, is_store, instructions_, is_secure()};
}

std::uint64_t UnicornCore::load(const Window &window, std::uint64_t offset, unsigned size) {
    begin_access();
    auto access = access_of(window, offset, size, false);
    check_single_access(*window.device, access);
    wait_until(issue_time() + window.device->path());
    std::uint32_t value = window.device->load(access);
    time_ = align_up(time_ + window.device->way_back(), cycle_) + cycle_;
    return value;
}

void UnicornCore::store(const Window &window, std::uint64_t offset, unsigned size,
                        std::uint64_t value) {
    begin_access();
    auto access = access_of(window, offset, size, true);
    auto *device = window.device;
    auto word = static_cast<std::uint32_t>(value);
    check_single_access(*device, access);
    device->check_store(access, word);
    Time arrival = issue_time() + device->path();
    ++stores_in_flight_;
    events_.post(arrival, [this, device, access, word, arrival] {
        Time done = device->store(access, word, arrival) + device->way_back();
        events_.post(done, [this, done] { store_completed(done); });
    });
    refresh_limit();
}

void UnicornCore::store_completed(Time time) {
    --stores_in_flight_;
    if (state_ == State::stalled && stores_in_flight_ == 0) {
        Time at = align_up(std::max(time_, time), cycle_);
        stalled_time_ += at - time_;
        time_ = at;
        state_ = State::running;
    }
    refresh_limit();
}

} // namespace twin

// The way to one memory: served in the order of asking, at a rate that the cluster shares.
#pragma once

#include "core/units.h"

namespace twin::a53 {

class Port {
  public:
    // `line_time`: how long a line of 64 bytes occupies it. At every multiple of `refresh_period`
    // it is still for `refresh_time`; period 0: never.
    explicit Port(Time line_time, Time refresh_period = 0, Time refresh_time = 0)
        : line_time_(line_time), refresh_period_(refresh_period), refresh_time_(refresh_time) {}

    // A transfer of `bytes` that is asked for at `time`. Returns when it begins.
    Time take(Time time, unsigned bytes);

    // How long a writer at `time` has to wait until at most `lines` are under way.
    Time wait_for_room(Time time, unsigned lines) const;

  private:
    Time line_time_;
    Time refresh_period_;
    Time refresh_time_;
    Time free_ = 0; // everything taken so far is done
};

} // namespace twin::a53

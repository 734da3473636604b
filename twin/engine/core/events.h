// Future events of the devices, in the order of twin time.
#pragma once

#include "core/units.h"

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace twin {

// Events of equal time run in the order in which they were posted.
class EventQueue {
  public:
    using Action = std::function<void()>;

    // Time of the earliest event, or never.
    Time next() const { return events_.empty() ? never : events_.top().time; }

    // Time of the event that runs or ran last.
    Time now() const { return now_; }

    void post(Time time, Action action) {
        events_.push(Event{time, number_++, std::move(action)});
        if (observer_)
            observer_(time);
    }

    // Runs the earliest event. Precondition: next() != never.
    void run_next() {
        Action action = std::move(const_cast<Event &>(events_.top()).action);
        now_ = events_.top().time;
        events_.pop();
        action();
    }

    // Called with the time of each event posted: a running core must not pass it.
    void observe(std::function<void(Time)> observer) { observer_ = std::move(observer); }

  private:
    struct Event {
        Time time;
        std::uint64_t number;
        Action action;
        bool operator<(const Event &other) const {
            return time != other.time ? time > other.time : number > other.number;
        }
    };

    std::priority_queue<Event> events_;
    std::uint64_t number_ = 0;
    Time now_ = 0;
    std::function<void(Time)> observer_;
};

} // namespace twin

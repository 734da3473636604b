// Writes packets of the MIPI System Trace Protocol 2 as an Arm STM does (Arm DDI 0444, trace
// packets): in nibbles, the lower one of a byte first, numbers from their highest nibble on.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace twin {

class StpWriter {
  public:
    explicit StpWriter(std::function<void(std::uint8_t)> take) : take_(std::move(take)) {}

    // Synchronisation comes before the first packet and every so many bytes.
    void begin(unsigned sync_bytes);

    // Writes D8TS, after what names its master and channel.
    void data8(unsigned master, unsigned channel, std::uint8_t value, std::uint64_t stamp);

    // Gives what has not filled a word of the trace bus yet, up to the next whole byte.
    void flush();

  private:
    void synchronise();
    void number(std::uint64_t value, unsigned nibbles);
    void stamp(std::uint64_t value);
    void send_words();

    std::function<void(std::uint8_t)> take_;
    std::vector<std::uint8_t> nibbles_;
    unsigned sync_bytes_ = 0;
    unsigned since_sync_ = 0;
    bool in_sync_ = false;
    unsigned master_ = 0, channel_ = 0;
    bool stamped_ = false; // since the last synchronisation
    std::uint64_t last_stamp_ = 0;
};

} // namespace twin

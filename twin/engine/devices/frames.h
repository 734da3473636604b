// The formatter of a trace memory (Arm IHI 0029, formatter protocol): 15 bytes of trace and the
// numbers of their sources in frames of 16 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace twin {

class Frames {
  public:
    using Frame = std::array<std::uint8_t, 16>;

    explicit Frames(std::function<void(const Frame &)> take) : take_(std::move(take)) {}

    void begin();
    void add(unsigned source, std::uint8_t byte);

    // Ends the frame under way.
    void flush();

  private:
    void name(unsigned source);
    void put(std::uint8_t byte);
    void next();

    std::function<void(const Frame &)> take_;
    Frame frame_{};
    unsigned place_ = 0;
    unsigned source_ = 0;
    unsigned frames_ = 0;
};

} // namespace twin

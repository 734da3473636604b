// The gateware behind a Unix socket, for the agent of fw/agent.mk: its registers are asked for by
// messages, its lines are sockets that behave as UIO devices do. Its time is that of this computer,
// so what is measured through it is this computer and the simulation.
#pragma once

#include "core/board.h"

#include <atomic>
#include <ostream>
#include <string>

namespace twin::zynqmp {

struct Served {
    std::string socket; // its path
    std::uint32_t source_id = 0;
    std::uint32_t source_hash = 0;
    std::uint32_t tick_hz = 0;
    std::string trace;
};

// Prints {"port": PATH, "profile": ""} once an agent can connect. Serves one agent after the other
// until `quit`; `wake` is a descriptor that can be read from then on.
void serve(const Served &options, const std::atomic<bool> &quit, int wake, std::ostream &out);

} // namespace twin::zynqmp

// Raw speed of the compiled gateware: every tick of a stimulus evaluated, nothing skipped.
#pragma once

#include <ostream>
#include <string>

namespace twin {

// Reads "tick,signal,value" rows (emio_o3, emio_o4, and last a row "TICKS,end,0"), evaluates the
// ticks and prints {"ticks", "seconds", "digest"}: the digest is over all outputs of every tick
// in which one changed, so that other simulators of the same gateware can be held against it.
// Returns the exit code.
int bench_rtl(const std::string &stimulus, std::ostream &out);

} // namespace twin

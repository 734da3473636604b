// The speed set on a terminal as a number. On its own: the kernel's termios2 and the C library's
// termios cannot be included together.
#pragma once

namespace twin {

// bit/s
unsigned terminal_speed(int fd);

} // namespace twin

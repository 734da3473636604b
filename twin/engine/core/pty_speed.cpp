#include "core/pty_speed.h"

#include "core/stop.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>

// Declared here: <sys/ioctl.h> would bring the C library's termios.
extern "C" int ioctl(int fd, unsigned long request, ...);

namespace twin {

unsigned terminal_speed(int fd) {
    termios2 settings{};
    if (ioctl(fd, TCGETS2, &settings) != 0)
        refuse("cannot read the speed of the pseudo-terminal");
    return settings.c_ospeed ? settings.c_ospeed : 1;
}

} // namespace twin

#ifndef ARCH_AARCH64_PATH_H
#define ARCH_AARCH64_PATH_H

#define PATH_VECTOR 0x280
#define PATH_LINE 64
#define PATH_RETURN 0xD65F03C0

/* The vector's frame, 160 bytes on the interrupted call stack, and the line from which that
 * grows down. The call stack is where the core waits: a little above a hook's. */
#define PATH_CALL_STACK_LINES 4
#define PATH_CALL_STACK()                                                                          \
    ((uintptr_t)__builtin_frame_address(0) - (PATH_CALL_STACK_LINES - 2) * PATH_LINE)

#endif

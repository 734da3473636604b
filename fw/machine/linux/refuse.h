#ifndef MACHINE_LINUX_REFUSE_H
#define MACHINE_LINUX_REFUSE_H

/* Ends the agent because it cannot begin: one line, exit code 2. `which` may be empty. */
_Noreturn void refuse(const char *what, const char *which);

#endif

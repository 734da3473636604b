/* Programs in the background, for this machine alone; the rest is in machine/programs.h. */
#ifndef MACHINE_LINUX_PROGRAMS_H
#define MACHINE_LINUX_PROGRAMS_H

/* Allows a program by NAME=COMMAND, which /bin/sh runs. Ends the agent where that is malformed. */
void programs_allow(const char *definition);

/* NAME: COMMAND of the program of that number, from 1 on. */
const char *programs_text(unsigned number);

#endif

/* The link: a TCP socket in the place of a UART (machine/uart.h), one host at a time. */
#ifndef MACHINE_LINUX_SOCKET_H
#define MACHINE_LINUX_SOCKET_H

/* Listens at ADDRESS:PORT. `token`: file with the word that a host has to begin with, or NULL,
 * which is for the computer's own addresses alone. Prints where it listens. Ends the agent where
 * that is refused. */
void socket_listen(const char *place, const char *token);

#endif

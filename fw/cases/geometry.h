/* How many lines and channels the gateware has. MOST: on any board, and the register map's. Where
 * boards have fewer, it is asked; machine/port.h says what a read gives if it fails. */
#ifndef CASES_GEOMETRY_H
#define CASES_GEOMETRY_H

#include "description.h"
#include "machine/port.h"

#define LINES_MOST IRQSCOPE__GEOMETRY__LINES_reset
#define CHANNELS_MOST IRQSCOPE__GEOMETRY__CHANNELS_reset

#if MACHINE_GEOMETRY_BY_BOARD
#define GEOMETRY_OF(word, name) (((word) & name##_bm) >> name##_bp)
#define LINES GEOMETRY_OF(port_read(PORT_WORD(geometry)), IRQSCOPE__GEOMETRY__LINES)
#define CHANNELS GEOMETRY_OF(port_read(PORT_WORD(geometry)), IRQSCOPE__GEOMETRY__CHANNELS)
#else
#define LINES LINES_MOST
#define CHANNELS CHANNELS_MOST
#endif

#endif

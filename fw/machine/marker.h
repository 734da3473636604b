/* Markers: one store each, stamped by the gateware. A marker word is made beforehand and holds
 * the code of the marker set's first marker, which therefore costs least; any other marker
 * changes the code on the way. */
#ifndef MACHINE_MARKER_H
#define MACHINE_MARKER_H

#include "bound/marker.h"

#endif

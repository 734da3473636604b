/* Markers: one store each, stamped by the gateware. A marker word is made beforehand and has the
 * code of the marker set's first one, which therefore costs least; any other changes the code on
 * the way. */
#ifndef MACHINE_MARKER_H
#define MACHINE_MARKER_H

#include "bound/marker.h"

#endif

/* Line 0, which each kind of core has elsewhere. */
#ifndef LINE_H
#define LINE_H

#include "FreeRTOS.h"
#include "task.h"

/* Lets it interrupt. Called by a task. */
void line_start(void);

/* Called by its handler. */
void on_line(void);

#endif

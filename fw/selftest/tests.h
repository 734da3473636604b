/* What each processor brings (aarch64/, arm32/), and the other cores. */
#ifndef SELFTEST_TESTS_H
#define SELFTEST_TESTS_H

extern const char vectors_selftest[];

/* How another core starts, in the name of its test. */
#include "bound/selftest.h"

/* Cores that are there. */
unsigned selftest_cores(void);

/* Further setup before an interrupt is taken; the vectors are already set. */
void selftest_begin(void);

void test_core(void);
void test_timers(void);
void test_translation(void);
void test_other_cores(void);

#endif

/* The transcript: one line a test, the same on every machine that passes. */
#ifndef SELFTEST_REPORT_H
#define SELFTEST_REPORT_H

#include <stdint.h>

/* Begins a test; its line is written when it ends. */
void report_begin(const char *name);

/* Notes a value that is not what it should be; the first one of a test is told. */
void report_check(const char *what, uint64_t expected, uint64_t got);

/* Writes `ok NAME`, or `not ok NAME: WHAT: expected X, got Y`. */
void report_end(void);

/* Writes `skip NAME: REASON`, of a test that cannot be held here. */
void report_skip(const char *name, const char *reason);

/* Writes the last line: SELFTEST PASS or SELFTEST FAIL. */
void report_verdict(void);

/* Writes that an exception came which nothing expected, and SELFTEST FAIL. */
void report_fault(uint64_t offset, uint64_t esr, uint64_t elr, uint64_t far);

#endif

#define SELFTEST_CORE_START " at its RVBAR"

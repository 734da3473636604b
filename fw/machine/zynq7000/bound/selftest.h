#define SELFTEST_CORE_START " where its word says"

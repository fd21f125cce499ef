// NAME under AFL++, in one process for many dumps. heapsmith changes the dumps: afl-fuzz loads libheapsmith_afl.so.
#include <unistd.h>

#include "parser.h"

__AFL_FUZZ_INIT();

int main(void) {
    // A result that is not used may be left out by the compiler, and the work with it.
    volatile int records = 0;
    __AFL_INIT();
    const uint8_t *dump = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(10000)) {
        records = parse(dump, (size_t)__AFL_FUZZ_TESTCASE_LEN);
    }
    return records < 0;
}

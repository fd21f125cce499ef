// NAME under AFL++. heapsmith changes the dumps: afl-fuzz loads libheapsmith_afl.so.
#include <unistd.h>

#include "parser.h"

#ifdef __AFL_FUZZ_TESTCASE_LEN

// One process for many dumps.
__AFL_FUZZ_INIT();

int main(void) {
    // A result that is not used may be left out by the compiler, and the work with it.
    volatile int records = 0;
    __AFL_INIT();
    const uint8_t *dump = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(10000)) records = parse(dump, (size_t)__AFL_FUZZ_TESTCASE_LEN);
    return records < 0;
}

#else

// With another compiler, one dump from standard input.
int main(void) {
    static uint8_t dump[1 << 20];
    size_t length = 0;
    ssize_t got = 0;
    while (length < sizeof dump && (got = read(0, dump + length, sizeof dump - length)) > 0) length += (size_t)got;
    return parse(dump, length) < 0;
}

#endif

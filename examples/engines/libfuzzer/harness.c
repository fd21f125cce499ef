// NAME under libFuzzer. heapsmith changes the dumps: it is linked from libheapsmith_libfuzzer.a.
#include "parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    parse(data, size);
    return 0;
}

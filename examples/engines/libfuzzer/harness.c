// NAME under libFuzzer. heapsmith changes the dumps: it is linked from libheapsmith_libfuzzer.a.
#include "parser.h"

// The functions that heapsmith has for libFuzzer. The linker leaves them out unless something refers to them.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other, size_t other_size, uint8_t *out,
                                 size_t max_out_size, unsigned int seed);
__attribute__((used)) static const void *const FROM_HEAPSMITH[] = {LLVMFuzzerCustomMutator, LLVMFuzzerCustomCrossOver};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    // A result that is not used may be left out by the compiler, and the work with it.
    volatile int records = parse(data, size);
    (void)records;
    return 0;
}

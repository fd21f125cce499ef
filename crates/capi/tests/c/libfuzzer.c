// libFuzzer's part, played by hand: inputs are changed in their place, and bytes that are no dump are handed back to libFuzzer.
#include "../../include/heapsmith.h"
#include "dump.h"
#include "expect.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other, size_t other_size, uint8_t *out,
                                 size_t max_out_size, unsigned int seed);

static size_t handed_back = 0;

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) {
    EXPECT(size <= max_size);
    handed_back++;
    if (size > 0) data[0] ^= 1;
    return size;
}

int main(void) {
    size_t changed = 0;
    for (unsigned int seed = 0; seed < 2000; seed++) {
        size_t room = 64 + seed % 64;
        uint8_t *data = malloc(room), *out = malloc(room);
        memcpy(data, DUMP, DUMP_LENGTH);
        size_t size = LLVMFuzzerCustomMutator(data, DUMP_LENGTH, room, seed);
        EXPECT(size > 0 && size <= room);
        changed += size != DUMP_LENGTH || memcmp(data, DUMP, size) != 0;
        size = LLVMFuzzerCustomCrossOver(DUMP, DUMP_LENGTH, data, size, out, room, seed);
        EXPECT(size > 0 && size <= room);
        free(data);
        free(out);
    }
    EXPECT(changed > 1900);
    EXPECT(handed_back > 60 && handed_back < 400);

    uint8_t bytes[64] = "no dump";
    size_t before = handed_back;
    EXPECT(LLVMFuzzerCustomMutator(bytes, 7, sizeof bytes, 1) == 7 && bytes[0] == ('n' ^ 1));
    EXPECT(handed_back == before + 1);
    uint8_t *none = malloc(1 << 16);
    size_t size = LLVMFuzzerCustomMutator(none, 0, 1 << 16, 1);
    EXPECT(heapsmith_is_dump(none, size));
    EXPECT(LLVMFuzzerCustomMutator(none, 0, 0, 1) == 0);
    EXPECT(LLVMFuzzerCustomCrossOver((const uint8_t *)"no", 2, DUMP, DUMP_LENGTH, none, 1, 1) == 1);
    free(none);
    puts("done");
    return 0;
}

// AFL++'s part, played by hand, with the library loaded at run time as AFL++ does.
#include <dlfcn.h>
#include <stdint.h>

#include "dump.h"
#include "expect.h"

int main(int count, char **arguments) {
    EXPECT(count == 2);
    void *library = dlopen(arguments[1], RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    EXPECT(dlsym(library, "LLVMFuzzerCustomMutator") == NULL);
    void *(*init)(void *, unsigned int) = dlsym(library, "afl_custom_init");
    void (*deinit)(void *) = dlsym(library, "afl_custom_deinit");
    size_t (*fuzz)(void *, uint8_t *, size_t, uint8_t **, uint8_t *, size_t, size_t) = dlsym(library, "afl_custom_fuzz");
    int32_t (*init_trim)(void *, uint8_t *, size_t) = dlsym(library, "afl_custom_init_trim");
    size_t (*trim)(void *, uint8_t **) = dlsym(library, "afl_custom_trim");
    int32_t (*post_trim)(void *, uint8_t) = dlsym(library, "afl_custom_post_trim");
    const char *(*describe)(void *, size_t) = dlsym(library, "afl_custom_describe");
    const char *(*introspection)(void *) = dlsym(library, "afl_custom_introspection");
    EXPECT(init && deinit && fuzz && init_trim && trim && post_trim && describe && introspection);

    void *mutator = init(NULL, 7);
    uint8_t input[sizeof DUMP];
    memcpy(input, DUMP, sizeof DUMP);
    size_t crossovers = 0;
    for (int round = 0; round < 2000; round++) {
        uint8_t *out = NULL;
        size_t size = fuzz(mutator, input, DUMP_LENGTH, &out, round % 2 ? input : NULL, round % 2 ? DUMP_LENGTH : 0, 200);
        EXPECT(out != NULL && size > 0 && size <= 200);
        EXPECT(strncmp(describe(mutator, 30), "heapsmith-", 10) == 0 && strlen(describe(mutator, 5)) == 5);
        crossovers += strcmp(introspection(mutator), "crossover") == 0;
    }
    EXPECT(crossovers > 100 && crossovers < 1000);
    EXPECT(memcmp(input, DUMP, sizeof DUMP) == 0);

    // Bytes that are no dump are AFL++'s own.
    uint8_t *out = NULL;
    EXPECT(fuzz(mutator, (uint8_t *)"no dump", 7, &out, NULL, 0, 200) == 0 && out != NULL);
    EXPECT(init_trim(mutator, (uint8_t *)"no dump", 7) == 0);

    // As afl-fuzz trims: until the step is the last one.
    int32_t steps = init_trim(mutator, input, DUMP_LENGTH), step = 0;
    EXPECT(steps > 0);
    size_t smallest = DUMP_LENGTH;
    for (int rounds = 0; step < steps; rounds++) {
        EXPECT(rounds < 1000);
        size_t size = trim(mutator, &out);
        EXPECT(out != NULL && size < smallest);
        int kept = holds(out, size, "\1A");
        if (kept) smallest = size;
        step = post_trim(mutator, kept);
    }
    EXPECT(smallest == 31 + 14);
    deinit(mutator);
    puts("done");
    return 0;
}

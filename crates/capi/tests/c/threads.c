// Two threads: each has its own errors, and both get the same dumps.
#include <pthread.h>

#include "../../include/heapsmith.h"
#include "dump.h"
#include "expect.h"

static void *work(void *name) {
    char recipe[64];
    snprintf(recipe, sizeof recipe, "%s=1", (const char *)name);
    uint64_t sum = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        HeapsmithBuffer out;
        EXPECT(heapsmith_generate(TEXT(recipe), 1000, &out) == HEAPSMITH_STATUS_ARGUMENT);
        EXPECT(strstr(heapsmith_last_error(), recipe) != NULL);
        EXPECT(heapsmith_mutate(DUMP, DUMP_LENGTH, seed, 1000, &out) == HEAPSMITH_STATUS_OK);
        EXPECT(heapsmith_last_error() == NULL);
        for (size_t at = 0; at < out.length; at++) sum = sum * 31 + out.data[at];
        heapsmith_free(&out);
    }
    size_t cases;
    EXPECT(is_quick() || heapsmith_corpus_count(&cases) == HEAPSMITH_STATUS_OK);
    return (void *)(uintptr_t)sum;
}

int main(void) {
    pthread_t one, other;
    void *sums[2];
    EXPECT(pthread_create(&one, NULL, work, "left") == 0 && pthread_create(&other, NULL, work, "right") == 0);
    EXPECT(pthread_join(one, &sums[0]) == 0 && pthread_join(other, &sums[1]) == 0);
    EXPECT(sums[0] == sums[1]);
    puts("done");
    return 0;
}

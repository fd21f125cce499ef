// Changes dumps of each format many times, each a change of a dump that was changed up to 20 times already; and says how many of them
// are valid. For a run by hand: million.sh.
#include <time.h>

#include "../../include/heapsmith.h"
#include "expect.h"

int main(int count, char **arguments) {
    const char *const formats[] = {"phd4", "phd6", "hprof", "classic"};
    uint64_t changes = count > 1 ? strtoull(arguments[1], NULL, 10) : 1000;
    const size_t most = 8192;
    for (size_t format = 0; format < sizeof formats / sizeof *formats; format++) {
        HeapsmithBuffer first, dump, next;
        // The largest dump of up to 4 KiB.
        for (unsigned objects = 512; objects > 0; objects -= objects / 8 + 1) {
            char recipe[100];
            snprintf(recipe, sizeof recipe, "preset=tiny,objects=%u,seed=5,format=%s", objects, formats[format]);
            if (heapsmith_generate(TEXT(recipe), 4096, &first) == HEAPSMITH_STATUS_OK) break;
        }
        EXPECT(first.length > 0);
        size_t length = first.length;
        clock_t begin = clock();
        uint64_t looked = 0, valid = 0;
        dump = first;
        for (uint64_t seed = 0; seed < changes; seed++) {
            HeapsmithStatus status = seed % 7 == 6
                ? heapsmith_cross_over(dump.data, dump.length, first.data, first.length, seed, most, &next)
                : heapsmith_mutate(dump.data, dump.length, seed, most, &next);
            EXPECT(status == HEAPSMITH_STATUS_OK && next.length <= most);
            if (dump.data != first.data) heapsmith_free(&dump);
            dump = next;
            if (seed % 1000 == 0) {
                HeapsmithBuffer report;
                EXPECT(heapsmith_validate(dump.data, dump.length, 1 << 20, &report) == HEAPSMITH_STATUS_OK);
                looked++;
                valid += holds(report.data, report.length, "\"valid\":true");
                heapsmith_free(&report);
            }
            if (seed % 20 == 19) {
                heapsmith_free(&dump);
                dump = first;
            }
        }
        if (dump.data != first.data) heapsmith_free(&dump);
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        printf("%s: %zu bytes, %llu changes, %.0f a second, no fault; %llu of %llu looked at are valid\n", formats[format], length,
               (unsigned long long)changes, (double)changes / seconds, (unsigned long long)valid, (unsigned long long)looked);
        heapsmith_free(&first);
    }
    return 0;
}

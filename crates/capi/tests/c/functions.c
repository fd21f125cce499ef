// Every function of heapsmith.h, called as it is meant to be.
#include "../../include/heapsmith.h"
#include "dump.h"
#include "expect.h"

static const size_t MOST = 1 << 20;

static void makes_dumps(void) {
    HeapsmithBuffer dump, same;
    EXPECT(heapsmith_generate(TEXT("preset=tiny,objects=20,seed=7,format=hprof"), MOST, &dump) == HEAPSMITH_STATUS_OK);
    EXPECT(dump.length > 31 && memcmp(dump.data, "JAVA PROFILE 1.0.", 17) == 0);
    EXPECT(heapsmith_is_dump(dump.data, dump.length));
    EXPECT(!heapsmith_is_dump(TEXT("no dump")));
    EXPECT(heapsmith_generate(TEXT("heapsmith-2:preset=tiny,objects=20,seed=7,format=hprof"), MOST, &same) == HEAPSMITH_STATUS_OK);
    EXPECT(same.length == dump.length && memcmp(same.data, dump.data, same.length) == 0);
    heapsmith_free(&same);

    // No bytes give the recipe's own dump, and one change gives another.
    const char *options = "preset=tiny,objects=20,seed=7,format=hprof";
    EXPECT(heapsmith_dump_from_bytes(TEXT(options), NULL, 0, MOST, &same) == HEAPSMITH_STATUS_OK);
    EXPECT(same.length == dump.length && memcmp(same.data, dump.data, same.length) == 0);
    heapsmith_free(&same);
    const uint8_t bytes[] = {0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
    EXPECT(heapsmith_dump_from_bytes(TEXT(options), bytes, sizeof bytes, MOST, &same) == HEAPSMITH_STATUS_OK);
    EXPECT(same.length != dump.length || memcmp(same.data, dump.data, same.length) != 0);
    heapsmith_free(&same);
    heapsmith_free(&dump);
}

// A heap file's text: the name of the class and the text of the object are in the dump as they stand.
static void builds_dumps(void) {
    HeapsmithBuffer dump;
    const char *text = "class shop.Order { int id }\nobject first shop.Order id=7\nroot jni-global @first\n";
    EXPECT(heapsmith_build(TEXT(text), TEXT("hprof"), MOST, &dump) == HEAPSMITH_STATUS_OK);
    EXPECT(dump.length > 31 && memcmp(dump.data, "JAVA PROFILE 1.0.", 17) == 0);
    EXPECT(holds(dump.data, dump.length, "shop/Order"));
    heapsmith_free(&dump);
    EXPECT(heapsmith_build(TEXT(text), TEXT("phd6/openj9"), MOST, &dump) == HEAPSMITH_STATUS_OK);
    EXPECT(dump.length > 2 && memcmp(dump.data + 2, "portable heap dump", 18) == 0);
    heapsmith_free(&dump);
    EXPECT(heapsmith_build(TEXT(text), TEXT("hprof"), 40, &dump) == HEAPSMITH_STATUS_LIMIT);
    EXPECT(heapsmith_build(TEXT("class {"), TEXT("hprof"), MOST, &dump) == HEAPSMITH_STATUS_ARGUMENT);
    EXPECT(strstr(heapsmith_last_error(), "1:7") != NULL);
    EXPECT(heapsmith_build(TEXT(text), TEXT("elf"), MOST, &dump) == HEAPSMITH_STATUS_ARGUMENT);
}

static void changes_dumps(void) {
    HeapsmithBuffer changed, again;
    for (uint64_t seed = 0; seed < 500; seed++) {
        EXPECT(heapsmith_mutate(DUMP, DUMP_LENGTH, seed, 100, &changed) == HEAPSMITH_STATUS_OK);
        EXPECT(changed.length <= 100);
        EXPECT(heapsmith_mutate(DUMP, DUMP_LENGTH, seed, 100, &again) == HEAPSMITH_STATUS_OK);
        EXPECT(changed.length == again.length && memcmp(changed.data, again.data, again.length) == 0);
        heapsmith_free(&again);
        EXPECT(heapsmith_cross_over(changed.data, changed.length, DUMP, DUMP_LENGTH, seed, 120, &again) == HEAPSMITH_STATUS_OK);
        EXPECT(again.length <= 120);
        heapsmith_free(&again);
        heapsmith_free(&changed);
    }
    // No bytes become a dump.
    EXPECT(heapsmith_mutate(NULL, 0, 1, MOST, &changed) == HEAPSMITH_STATUS_OK);
    EXPECT(heapsmith_is_dump(changed.data, changed.length));
    heapsmith_free(&changed);
}

// What is left of the dump is what the caller keeps: here, all candidates with the string.
static void trims_dumps(void) {
    HeapsmithTrimmer *trimmer;
    HeapsmithBuffer candidate;
    EXPECT(heapsmith_trim_new(DUMP, DUMP_LENGTH, &trimmer) == HEAPSMITH_STATUS_OK);
    while (heapsmith_trim_candidate(trimmer, &candidate) == HEAPSMITH_STATUS_OK) {
        EXPECT(candidate.length < DUMP_LENGTH);
        EXPECT(heapsmith_trim_judge(trimmer, holds(candidate.data, candidate.length, "\1A")) == HEAPSMITH_STATUS_OK);
        heapsmith_free(&candidate);
    }
    EXPECT(candidate.data == NULL && candidate.length == 0);
    EXPECT(heapsmith_trim_result(trimmer, &candidate) == HEAPSMITH_STATUS_OK);
    // The header and the string.
    EXPECT(candidate.length == 31 + 14 && memcmp(candidate.data, DUMP, candidate.length) == 0);
    heapsmith_free(&candidate);
    heapsmith_trim_free(trimmer);
}

static void judges_dumps(void) {
    HeapsmithBuffer dump, text, report;
    EXPECT(heapsmith_generate(TEXT("preset=tiny,objects=20,seed=7,format=phd6"), MOST, &dump) == HEAPSMITH_STATUS_OK);
    EXPECT(heapsmith_validate(dump.data, dump.length, MOST, &report) == HEAPSMITH_STATUS_OK);
    EXPECT(holds(report.data, report.length, "\"valid\":true"));
    heapsmith_free(&report);
    EXPECT(heapsmith_validate(dump.data, dump.length / 2, MOST, &report) == HEAPSMITH_STATUS_OK);
    EXPECT(holds(report.data, report.length, "\"valid\":false"));
    heapsmith_free(&report);

    EXPECT(heapsmith_listing(dump.data, dump.length, 0, MOST, &text) == HEAPSMITH_STATUS_OK);
    EXPECT(holds(text.data, text.length, "\"listing\":1"));
    EXPECT(heapsmith_compare_listing(dump.data, dump.length, 0, text.data, text.length, MOST, &report) == HEAPSMITH_STATUS_OK);
    EXPECT(holds(report.data, report.length, "\"equal\":true"));
    heapsmith_free(&report);
    heapsmith_free(&text);

    EXPECT(heapsmith_digest(dump.data, dump.length, 0, MOST, &text) == HEAPSMITH_STATUS_OK);
    EXPECT(heapsmith_compare_digest(dump.data, dump.length, 0, text.data, text.length, MOST, &report) == HEAPSMITH_STATUS_OK);
    heapsmith_free(&report);
    // The digest of another heap.
    HeapsmithBuffer other;
    EXPECT(heapsmith_generate(TEXT("preset=tiny,objects=20,seed=8,format=phd6"), MOST, &other) == HEAPSMITH_STATUS_OK);
    EXPECT(heapsmith_compare_digest(other.data, other.length, 0, text.data, text.length, MOST, &report) == HEAPSMITH_STATUS_NO);
    EXPECT(holds(report.data, report.length, "\"equal\":false"));
    heapsmith_free(&report);
    heapsmith_free(&text);
    EXPECT(heapsmith_listing(other.data, other.length, 0, MOST, &text) == HEAPSMITH_STATUS_OK);
    EXPECT(heapsmith_compare_listing(dump.data, dump.length, 0, text.data, text.length, MOST, &report) == HEAPSMITH_STATUS_NO);
    heapsmith_free(&report);
    heapsmith_free(&text);
    heapsmith_free(&other);

    EXPECT(heapsmith_answers(dump.data, dump.length, 0, MOST, &text) == HEAPSMITH_STATUS_OK);
    EXPECT(holds(text.data, text.length, "\"histogram\""));
    heapsmith_free(&text);
    heapsmith_free(&dump);
}

static void lists_cases(void) {
    size_t cases = 0;
    EXPECT(heapsmith_corpus_count(&cases) == HEAPSMITH_STATUS_OK);
    EXPECT(cases > 100);
    size_t listings = 0, refusals = 0;
    for (size_t number = 0; number < cases; number += 97) {
        HeapsmithBuffer dump, description, answer;
        EXPECT(heapsmith_corpus_case(number, 64 << 20, &dump, &description) == HEAPSMITH_STATUS_OK);
        EXPECT(holds(description.data, description.length, "\"id\":\""));
        HeapsmithStatus status = heapsmith_corpus_answer(number, 0, 64 << 20, &answer);
        listings += status == HEAPSMITH_STATUS_OK;
        refusals += status == HEAPSMITH_STATUS_NO;
        heapsmith_free(&answer);
        heapsmith_free(&description);
        heapsmith_free(&dump);
    }
    EXPECT(listings > 0 && refusals > 0);
}

int main(void) {
    EXPECT(heapsmith_abi_version() == HEAPSMITH_ABI_VERSION);
    makes_dumps();
    builds_dumps();
    changes_dumps();
    trims_dumps();
    judges_dumps();
    if (!is_quick()) lists_cases();
    EXPECT(heapsmith_last_error() == NULL);
    puts("done");
    return 0;
}

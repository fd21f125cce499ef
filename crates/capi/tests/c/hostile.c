// Arguments that no caller should give.
#include "../../include/heapsmith.h"
#include "dump.h"
#include "expect.h"

static const size_t MOST = 1 << 20;

static void refuses(HeapsmithStatus status, HeapsmithStatus wanted, HeapsmithBuffer *out, const char *reason) {
    if (status != wanted || heapsmith_last_error() == NULL || strstr(heapsmith_last_error(), reason) == NULL) {
        fprintf(stderr, "%d, %s; expected %d, %s\n", status, heapsmith_last_error(), wanted, reason);
        exit(1);
    }
    EXPECT(out == NULL || (out->data == NULL && out->length == 0));
}

int main(void) {
    const HeapsmithStatus ARGUMENT = HEAPSMITH_STATUS_ARGUMENT, LIMIT = HEAPSMITH_STATUS_LIMIT;
    const HeapsmithStatus INVALID = HEAPSMITH_STATUS_INVALID;
    uint8_t byte = 0xff;
    HeapsmithBuffer out = {&byte, 77};

    // Null.
    refuses(heapsmith_generate(NULL, 5, MOST, &out), ARGUMENT, &out, "the recipe is null");
    refuses(heapsmith_generate(TEXT("seed=1"), MOST, NULL), ARGUMENT, NULL, "buffer is null");
    refuses(heapsmith_mutate(NULL, 5, 1, MOST, &out), ARGUMENT, &out, "the input is null");
    refuses(heapsmith_mutate(DUMP, DUMP_LENGTH, 1, MOST, NULL), ARGUMENT, NULL, "buffer is null");
    refuses(heapsmith_cross_over(DUMP, DUMP_LENGTH, NULL, 1, 1, MOST, &out), ARGUMENT, &out, "the second input is null");
    refuses(heapsmith_validate(NULL, 1, MOST, &out), ARGUMENT, &out, "the dump is null");
    refuses(heapsmith_trim_new(DUMP, DUMP_LENGTH, NULL), ARGUMENT, NULL, "trimmer is null");
    refuses(heapsmith_trim_candidate(NULL, &out), ARGUMENT, &out, "the trimmer is null");
    refuses(heapsmith_trim_judge(NULL, true), ARGUMENT, NULL, "the trimmer is null");
    refuses(heapsmith_trim_result(NULL, &out), ARGUMENT, &out, "the trimmer is null");
    refuses(heapsmith_corpus_count(NULL), ARGUMENT, NULL, "number is null");
    refuses(heapsmith_corpus_case(0, MOST, NULL, &out), ARGUMENT, &out, "buffer is null");
    refuses(heapsmith_corpus_case(0, MOST, &out, NULL), ARGUMENT, &out, "description is null");
    heapsmith_trim_free(NULL);
    heapsmith_free(NULL);
    heapsmith_free(&out);
    heapsmith_free(&out);
    EXPECT(!heapsmith_is_dump(NULL, 0) && !heapsmith_is_dump(NULL, 9));

    // Lengths that no memory has.
    refuses(heapsmith_mutate(DUMP, SIZE_MAX, 1, MOST, &out), ARGUMENT, &out, "more than memory has");
    refuses(heapsmith_generate(TEXT("seed=1"), 0, &out), LIMIT, &out, "more than 0 bytes");

    // Texts.
    refuses(heapsmith_generate(&byte, 1, MOST, &out), ARGUMENT, &out, "the recipe is not UTF-8: byte 0");
    refuses(heapsmith_generate(TEXT("no=recipe"), MOST, &out), ARGUMENT, &out, "recipe");
    refuses(heapsmith_generate((const uint8_t *)"seed=\0", 6, MOST, &out), ARGUMENT, &out, "seed");
    refuses(heapsmith_dump_from_bytes(&byte, 1, NULL, 0, MOST, &out), ARGUMENT, &out, "not UTF-8");
    refuses(heapsmith_compare_listing(DUMP, DUMP_LENGTH, 0, TEXT("no listing"), MOST, &out), INVALID, &out, "listing");
    refuses(heapsmith_compare_digest(DUMP, DUMP_LENGTH, 0, TEXT("no digest"), MOST, &out), ARGUMENT, &out, "digest");

    // Limits.
    refuses(heapsmith_generate(TEXT("objects=1000000"), 4096, &out), LIMIT, &out, "more than 4096 bytes");
    refuses(heapsmith_generate(TEXT("objects=100000,mutation=1"), 4096, &out), LIMIT, &out, "more than 4096 bytes");
    refuses(heapsmith_validate(DUMP, DUMP_LENGTH, 10, &out), LIMIT, &out, "more than 10 bytes");
    for (size_t most = 0; most < 40; most++) {
        EXPECT(heapsmith_mutate(DUMP, DUMP_LENGTH, most, most, &out) == HEAPSMITH_STATUS_OK && out.length <= most);
        heapsmith_free(&out);
        EXPECT(heapsmith_mutate(&byte, 1, most, most, &out) == HEAPSMITH_STATUS_OK && out.length <= most);
        heapsmith_free(&out);
        EXPECT(heapsmith_mutate(NULL, 0, most, most, &out) == HEAPSMITH_STATUS_OK && out.length <= most);
        heapsmith_free(&out);
        EXPECT(heapsmith_cross_over(DUMP, DUMP_LENGTH, DUMP, DUMP_LENGTH, 1, most, &out) == HEAPSMITH_STATUS_OK && out.length <= most);
        heapsmith_free(&out);
    }

    // Numbers and dumps that there are not.
    refuses(heapsmith_listing(DUMP, DUMP_LENGTH, 9, MOST, &out), ARGUMENT, &out, "no heap 9");
    if (!is_quick()) {
        HeapsmithBuffer other;
        refuses(heapsmith_corpus_case(0, 1, &out, &other), ARGUMENT, &out, "1 are allowed");
        refuses(heapsmith_corpus_answer(0, 99, MOST, &out), ARGUMENT, &out, "no answer 99");
        refuses(heapsmith_corpus_case(SIZE_MAX, MOST, &out, &other), ARGUMENT, &out, "no case");
    }
    refuses(heapsmith_listing(TEXT("no dump"), 0, MOST, &out), INVALID, &out, "offset 0");
    refuses(heapsmith_answers(NULL, 0, 0, MOST, &out), INVALID, &out, "empty");
    for (size_t length = 0; length < DUMP_LENGTH; length++) {
        HeapsmithStatus status = heapsmith_listing(DUMP, length, 0, MOST, &out);
        EXPECT(status != HEAPSMITH_STATUS_DEFECT && status != HEAPSMITH_STATUS_LIMIT);
        heapsmith_free(&out);
    }

    // Bytes that are no dump have no candidate.
    HeapsmithTrimmer *trimmer;
    EXPECT(heapsmith_trim_new(TEXT("no dump"), &trimmer) == HEAPSMITH_STATUS_OK);
    EXPECT(heapsmith_trim_candidate(trimmer, &out) == HEAPSMITH_STATUS_NO);
    EXPECT(heapsmith_trim_judge(trimmer, true) == HEAPSMITH_STATUS_OK);
    heapsmith_trim_free(trimmer);
    puts("done");
    return 0;
}

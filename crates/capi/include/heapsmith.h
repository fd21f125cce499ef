// heapsmith: JVM heap dumps, made, changed and judged. Made by cbindgen from crates/capi; docs/engines.md explains it.
//
// A function returns a HeapsmithStatus. What it gives is a buffer, which heapsmith_free releases. A function that fails gives an empty
// buffer, and heapsmith_last_error says why, for each thread. Functions may be called from several threads at a time, except with
// one trimmer.

#ifndef HEAPSMITH_H
#define HEAPSMITH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Version of the functions and types of this header. It grows with every change that a compiled program would notice.
#define HEAPSMITH_ABI_VERSION 1

// The outcome of a call.
typedef enum {
  // It was done; of a comparison, everything compared is the same.
  HEAPSMITH_STATUS_OK = 0,
  // There is nothing to give: no further candidate, no listing because a refusal is right; of a comparison, something differs.
  HEAPSMITH_STATUS_NO = 1,
  // An argument is wrong: a null pointer, a text that is not UTF-8, a recipe or a number that there is not.
  HEAPSMITH_STATUS_ARGUMENT = 2,
  // The dump or listing breaks a rule of its format.
  HEAPSMITH_STATUS_INVALID = 3,
  // A limit in bytes would be exceeded, or the machine failed.
  HEAPSMITH_STATUS_LIMIT = 4,
  // A defect of heapsmith.
  HEAPSMITH_STATUS_DEFECT = 5,
} HeapsmithStatus;

// A trimmer of an input. It makes candidates, each a dump with fewer records, and is told after each whether it is kept.
typedef struct HeapsmithTrimmer HeapsmithTrimmer;

// Bytes that the library made. A buffer without bytes has a null pointer.
typedef struct {
  // The bytes.
  uint8_t *data;
  // The number of bytes.
  size_t length;
} HeapsmithBuffer;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library that is linked, to be compared with `HEAPSMITH_ABI_VERSION` of the header.
uint32_t heapsmith_abi_version(void);

// Releases the bytes of a buffer, and makes it empty. A null pointer and an empty buffer are allowed.
//
// # Safety
// The buffer is one that a function of this library filled, and was not copied and released before.
void heapsmith_free(HeapsmithBuffer *buffer);

// The findings of a dump, as `heapsmith validate --json` prints them. A dump that breaks rules is no error: the report says so.
//
// # Safety
// `dump` is valid for `length` bytes, `out` for a buffer.
HeapsmithStatus heapsmith_validate(const uint8_t *dump,
                                   size_t length,
                                   size_t max_size,
                                   HeapsmithBuffer *out);

// The listing of a heap of a dump (0 is the first), as `heapsmith decode` prints it. A dump that is not valid is an error. A text of more than `max_size` bytes is an error.
//
// # Safety
// `dump` is valid for `length` bytes, `out` for a buffer.
HeapsmithStatus heapsmith_listing(const uint8_t *dump,
                                  size_t length,
                                  size_t heap,
                                  size_t max_size,
                                  HeapsmithBuffer *out);

// What an analyser should find in a heap of a dump, as `heapsmith answers --json` prints it. A text of more than `max_size` bytes is an error.
//
// # Safety
// `dump` is valid for `length` bytes, `out` for a buffer.
HeapsmithStatus heapsmith_answers(const uint8_t *dump,
                                  size_t length,
                                  size_t heap,
                                  size_t max_size,
                                  HeapsmithBuffer *out);

// The digest of a heap of a dump, as `heapsmith digest --buckets --json` prints it. A text of more than `max_size` bytes is an error.
//
// # Safety
// `dump` is valid for `length` bytes, `out` for a buffer.
HeapsmithStatus heapsmith_digest(const uint8_t *dump,
                                 size_t length,
                                 size_t heap,
                                 size_t max_size,
                                 HeapsmithBuffer *out);

// Compares a heap of a dump with the listing that a program made of it. `HEAPSMITH_STATUS_OK` says that everything
// compared is the same, `HEAPSMITH_STATUS_NO` that something differs; the buffer has the report of either. Neither the listing nor the
// report may have more than `max_size` bytes.
//
// # Safety
// `dump` and `listing` are valid for their lengths, `out` for a buffer.
HeapsmithStatus heapsmith_compare_listing(const uint8_t *dump,
                                          size_t length,
                                          size_t heap,
                                          const uint8_t *listing,
                                          size_t listing_length,
                                          size_t max_size,
                                          HeapsmithBuffer *out);

// Compares a heap of a dump with the digest that a program made of it. `HEAPSMITH_STATUS_OK` says that everything
// compared is the same, `HEAPSMITH_STATUS_NO` that something differs; the buffer has the report of either. Neither the digest nor the
// report may have more than `max_size` bytes.
//
// # Safety
// `dump` and `digest` are valid for their lengths, `out` for a buffer.
HeapsmithStatus heapsmith_compare_digest(const uint8_t *dump,
                                         size_t length,
                                         size_t heap,
                                         const uint8_t *digest,
                                         size_t digest_length,
                                         size_t max_size,
                                         HeapsmithBuffer *out);

// The number of cases of the corpus. The first call makes all of them, which takes some seconds at most.
//
// # Safety
// `out` is valid for a number.
HeapsmithStatus heapsmith_corpus_count(size_t *out);

// A case of the corpus by its number, from 0: its dump, and its description as in `corpus/manifest.json`, with its id and how many
// answers are right.
//
// # Safety
// `dump` and `description` are each valid for a buffer.
HeapsmithStatus heapsmith_corpus_case(size_t number,
                                      size_t max_size,
                                      HeapsmithBuffer *dump,
                                      HeapsmithBuffer *description);

// A right answer about a case, in the order of its description: a listing; `HEAPSMITH_STATUS_NO` where a refusal is right.
//
// # Safety
// `out` is valid for a buffer.
HeapsmithStatus heapsmith_corpus_answer(size_t number,
                                        size_t answer,
                                        size_t max_size,
                                        HeapsmithBuffer *out);

// Makes the dump of a recipe, such as `preset=tiny,objects=20,seed=7,format=hprof`, or of a whole line that `heapsmith generate --recipe`
// takes. A dump of more than `max_size` bytes is an error.
//
// # Safety
// `recipe` is valid for `recipe_length` bytes, `out` for a buffer.
HeapsmithStatus heapsmith_generate(const uint8_t *recipe,
                                   size_t recipe_length,
                                   size_t max_size,
                                   HeapsmithBuffer *out);

// Makes the dump of a heap file's text, in a format such as `hprof` or `phd6/openj9`, as `heapsmith build` writes it. What the format
// does not record is left out. A dump of more than `max_size` bytes is an error.
//
// # Safety
// `text` and `format` are valid for their lengths, `out` for a buffer.
HeapsmithStatus heapsmith_build(const uint8_t *text,
                                size_t text_length,
                                const uint8_t *format,
                                size_t format_length,
                                size_t max_size,
                                HeapsmithBuffer *out);

// Makes a dump of a fuzzer's bytes. The options are those of a recipe; no bytes give the recipe's own dump. The first two bytes are
// added to the seed, and each eight of the following ones decide one change, so that bytes that differ little give dumps that do.
//
// # Safety
// `options` and `bytes` are valid for their lengths, `out` for a buffer.
HeapsmithStatus heapsmith_dump_from_bytes(const uint8_t *options,
                                          size_t options_length,
                                          const uint8_t *bytes,
                                          size_t length,
                                          size_t max_size,
                                          HeapsmithBuffer *out);

// Whether bytes begin like a dump of any format. Null and no bytes do not.
//
// # Safety
// `bytes` is null or valid for `length` bytes.
bool heapsmith_is_dump(const uint8_t *bytes, size_t length);

// Changes an input by a seed; the same input and seed give the same bytes, at most `max_size` of them. A dump mostly stays readable
// to its end. No bytes become a small dump, and bytes that are no dump are changed without regard to a format.
//
// # Safety
// `bytes` is valid for `length` bytes, `out` for a buffer.
HeapsmithStatus heapsmith_mutate(const uint8_t *bytes,
                                 size_t length,
                                 uint64_t seed,
                                 size_t max_size,
                                 HeapsmithBuffer *out);

// Crosses two inputs over: the first one with some records of the other, at most `max_size` bytes. Where these do not fit, the first
// one is changed as by `heapsmith_mutate`.
//
// # Safety
// `one` and `other` are valid for their lengths, `out` for a buffer.
HeapsmithStatus heapsmith_cross_over(const uint8_t *one,
                                     size_t one_length,
                                     const uint8_t *other,
                                     size_t other_length,
                                     uint64_t seed,
                                     size_t max_size,
                                     HeapsmithBuffer *out);

// The reason why the last call of this thread failed, as UTF-8 with a zero byte at its end; null if it did not. The text stays
// until the thread calls another function of the library.
const char *heapsmith_last_error(void);

// Makes a trimmer of an input, for `heapsmith_trim_free` to release. It has no candidate where the input is no dump.
//
// # Safety
// `bytes` is valid for `length` bytes, `out` for a pointer.
HeapsmithStatus heapsmith_trim_new(const uint8_t *bytes,
                                   size_t length,
                                   HeapsmithTrimmer **out);

// The next candidate, the same until it is judged; `HEAPSMITH_STATUS_NO` at the end.
//
// # Safety
// `trimmer` is one that was made and not released, used by no other thread now; `out` is valid for a buffer.
HeapsmithStatus heapsmith_trim_candidate(HeapsmithTrimmer *trimmer, HeapsmithBuffer *out);

// Says whether the candidate does what the input did. Without a candidate, nothing is done.
//
// # Safety
// `trimmer` is one that was made and not released, used by no other thread now.
HeapsmithStatus heapsmith_trim_judge(HeapsmithTrimmer *trimmer, bool is_kept);

// The smallest input so far.
//
// # Safety
// `trimmer` is one that was made and not released, used by no other thread now; `out` is valid for a buffer.
HeapsmithStatus heapsmith_trim_result(HeapsmithTrimmer *trimmer, HeapsmithBuffer *out);

// Releases a trimmer. A null pointer is allowed.
//
// # Safety
// `trimmer` is null, or one that was made and not released.
void heapsmith_trim_free(HeapsmithTrimmer *trimmer);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HEAPSMITH_H */

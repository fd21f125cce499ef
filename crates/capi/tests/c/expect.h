// A check that names its line.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                                       \
    do {                                                                                        \
        if (!(condition)) {                                                                     \
            fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition);            \
            exit(1);                                                                            \
        }                                                                                       \
    } while (0)

#define TEXT(text) (const uint8_t *)(text), strlen(text)

// Whether the corpus is left out: under valgrind, making it takes minutes.
static inline int is_quick(void) { return getenv("HEAPSMITH_QUICK") != NULL; }

// Whether bytes have a text in them.
static inline int holds(const uint8_t *data, size_t length, const char *text) {
    size_t wanted = strlen(text);
    for (size_t at = 0; at + wanted <= length; at++) {
        if (memcmp(data + at, text, wanted) == 0) return 1;
    }
    return 0;
}

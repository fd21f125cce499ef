// A parser of HPROF's records, for the template to work as it is: put the call of yours in its place.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// The number of records, or -1 for a dump that is refused. It must neither crash nor hang, whatever the bytes are.
static int parse(const uint8_t *dump, size_t length) {
    const uint8_t *zero = memchr(dump, 0, length);
    if (length < 12 || memcmp(dump, "JAVA PROFILE", 12) != 0 || zero == NULL) return -1;
    size_t at = (size_t)(zero - dump) + 1 + 4 + 8;
    int records = 0;
    while (at < length) {
        if (length - at < 9) return -1;
        const uint8_t *stated = dump + at + 5;
        size_t body = (size_t)stated[0] << 24 | (size_t)stated[1] << 16 | (size_t)stated[2] << 8 | stated[3];
        if (length - at - 9 < body) return -1;
        at += 9 + body;
        records++;
    }
    return records;
}

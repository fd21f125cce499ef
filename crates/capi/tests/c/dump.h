// An HPROF dump, spelled by hand: a STRING "A" with the identifier 1, and a HEAP DUMP with a ROOT UNKNOWN of 0x20.
#include <stdint.h>

static const uint8_t DUMP[] =
    "JAVA PROFILE 1.0.2\0\0\0\0\4\0\0\0\0\0\0\0\0"
    "\1\0\0\0\0\0\0\0\5\0\0\0\1A"
    "\x0c\0\0\0\0\0\0\0\5\xff\0\0\0\x20";
// Without the zero byte that ends a text of C.
static const size_t DUMP_LENGTH = sizeof(DUMP) - 1;

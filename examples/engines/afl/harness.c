// NAME under AFL++. heapsmith changes the dumps: afl-fuzz loads libheapsmith_afl.so.
#include <stdio.h>

#include "parser.h"

int main(int count, char **arguments) {
    static uint8_t dump[1 << 20];
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : stdin;
    if (file == NULL) return 2;
    size_t length = fread(dump, 1, sizeof dump, file);
    return parse(dump, length) < 0;
}

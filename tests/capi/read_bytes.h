// SPDX-License-Identifier: Apache-2.0
#ifndef TEMPER_TESTS_READ_BYTES_H
#define TEMPER_TESTS_READ_BYTES_H

#include <stdio.h>
#include <stdlib.h>

/* The first bytes of a file. Ends the program if it has fewer. */
static void read_bytes(const char* path, void* bytes, size_t size) {
    FILE* file = fopen(path, "rb");
    const size_t count = file == NULL ? 0 : fread(bytes, 1, size, file);
    if (file != NULL) fclose(file);
    if (count == size) return;
    fprintf(stderr, "%s: too short\n", path);
    exit(1);
}

#endif

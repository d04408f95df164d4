// SPDX-License-Identifier: Apache-2.0
/*
 * The interface of transports: libraries that carry messages between the processes (ranks) of a
 * run, such as MPI. Plain C, so that a library needs nothing of the program that loads it.
 *
 * A transport is a shared library that exports one object of type TemperTransportApi under the name
 * `temper_transport`. All its functions are called by the same thread. Functions that return int
 * return 0 for success; otherwise they have written a sentence to `error`. Messages between two
 * ranks with the same channel arrive in the order in which they were sent.
 */
#ifndef TEMPER_TRANSPORT_H
#define TEMPER_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

/* The names are C's, not those of our sources. NOLINTBEGIN(readability-identifier-naming) */

#ifdef __cplusplus
extern "C" {
#endif

/* Increases with each change of this file. */
#define TEMPER_TRANSPORT_ABI 1

#if defined(__GNUC__)
#define TEMPER_TRANSPORT_EXPORT __attribute__((visibility("default")))
#else
#define TEMPER_TRANSPORT_EXPORT
#endif

/* No message is larger; larger data is sent in parts. */
#define TEMPER_TRANSPORT_MAX_BYTES ((size_t)1 << 28)

typedef struct TemperTransport TemperTransport; /* one rank's end of it */
typedef struct TemperTransfer TemperTransfer;   /* a message on its way */
typedef struct TemperTransportError {
    char text[512]; /* ends with 0 */
} TemperTransportError;

typedef struct TemperTransportApi {
    uint32_t abi;     /* TEMPER_TRANSPORT_ABI; read before anything else */
    const char* name; /* e.g. "mpi" */

    /*
     * Joins the ranks that were started together; returns when all have. Programs may join several
     * times, one after the other, unless the transport refuses.
     */
    int (*open)(TemperTransport** transport, int32_t* rank, int32_t* ranks,
                TemperTransportError* error);

    /*
     * Begin a message; the memory must stay as it is until test() says that it is done. `channel`
     * is less than 32,768. A receiver gives the exact number of bytes; others are an error.
     */
    int (*send)(TemperTransport* transport, int32_t to, int32_t channel, const void* data,
                size_t bytes, TemperTransfer** transfer, TemperTransportError* error);
    int (*receive)(TemperTransport* transport, int32_t from, int32_t channel, void* data,
                   size_t bytes, TemperTransfer** transfer, TemperTransportError* error);
    /*
     * Sets *done to 0 or 1 without waiting. After 1, the transfer is gone; after an error, it is to
     * be dropped.
     */
    int (*test)(TemperTransport* transport, TemperTransfer* transfer, int32_t* done,
                TemperTransportError* error);
    /*
     * Gives up on a message that nobody may complete. May take a moment, until nothing uses the
     * memory any more.
     */
    void (*drop)(TemperTransport* transport, TemperTransfer* transfer);

    /* All ranks call it, after their last messages. */
    void (*close)(TemperTransport* transport);
    /* Ends all ranks, this one included if the transport works that way. */
    void (*abort)(TemperTransport* transport);
} TemperTransportApi;

#ifdef __cplusplus
}
#endif

/* NOLINTEND(readability-identifier-naming) */

#endif

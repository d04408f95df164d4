// SPDX-License-Identifier: Apache-2.0
/* The transport over MPI: engine/distributed/transport_api.h says what each function does. */
#include <mpi.h>
#include <stdlib.h>

#include "engine/distributed/transport_api.h"

struct TemperTransport {
    MPI_Comm ranks;         /* its own, so that no messages mix with those of other code */
    int owns_mpi;           /* 0: the program has initialized MPI itself, and ends it */
    double receive_seconds; /* that drop() may still wait for messages to this rank */
    double send_seconds;    /* the same for those to others */
};

struct TemperTransfer {
    MPI_Request request;
    int bytes; /* to be received; kSends: they are sent */
};

enum { kSends = -1 };

/* Other ranks may be gone, so nobody waits longer for messages that are given up. */
static const double kDropSeconds = 1;

/* Returns: 1, as its callers do. */
static int fail(TemperTransportError* error, const char* text) {
    size_t i = 0;
    for (; text[i] != 0 && i + 1 < sizeof(error->text); ++i) error->text[i] = text[i];
    error->text[i] = 0;
    return 1;
}

/* Writes MPI's words for the status, if it is an error. */
static int check(int status, TemperTransportError* error) {
    if (status == MPI_SUCCESS) return 0;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (MPI_Error_string(status, text, &length) != MPI_SUCCESS) length = 0;
    text[length] = 0;
    return fail(error, text);
}

/* This is a thread of Temper's; a program that has initialized MPI itself did so in another. */
static int start_mpi(int* owns_mpi, TemperTransportError* error) {
    int is_open = 0, has_ended = 0, level = 0;
    if (check(MPI_Initialized(&is_open), error) || check(MPI_Finalized(&has_ended), error))
        return 1;
    if (has_ended)
        return fail(error, "MPI has ended in this process; ranks can be joined only once.");
    *owns_mpi = !is_open;
    if (!is_open) return check(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level), error);
    if (check(MPI_Query_thread(&level), error)) return 1;
    if (level >= MPI_THREAD_SERIALIZED) return 0;
    return fail(
        error, "This program has initialized MPI for one thread; MPI_THREAD_SERIALIZED is needed.");
}

static int open_ranks(TemperTransport** transport, int32_t* rank, int32_t* ranks,
                      TemperTransportError* error) {
    int owns_mpi = 0, place = 0, count = 0;
    if (start_mpi(&owns_mpi, error)) return 1;
    TemperTransport* made = calloc(1, sizeof(TemperTransport));
    if (made == NULL) return check(MPI_ERR_NO_MEM, error);
    if (check(MPI_Comm_dup(MPI_COMM_WORLD, &made->ranks), error) ||
        check(MPI_Comm_set_errhandler(made->ranks, MPI_ERRORS_RETURN), error) ||
        check(MPI_Comm_rank(made->ranks, &place), error) ||
        check(MPI_Comm_size(made->ranks, &count), error)) {
        free(made);
        return 1;
    }
    made->owns_mpi = owns_mpi;
    made->receive_seconds = made->send_seconds = kDropSeconds;
    *transport = made;
    *rank = place;
    *ranks = count;
    return 0;
}

static TemperTransfer* make_transfer(int bytes, TemperTransportError* error) {
    TemperTransfer* transfer = calloc(1, sizeof(TemperTransfer));
    if (transfer == NULL) {
        check(MPI_ERR_NO_MEM, error);
    } else {
        transfer->bytes = bytes;
    }
    return transfer;
}

static int begin_send(TemperTransport* transport, int32_t to, int32_t channel, const void* data,
                      size_t bytes, TemperTransfer** transfer, TemperTransportError* error) {
    TemperTransfer* made = make_transfer(kSends, error);
    if (made == NULL) return 1;
    if (check(MPI_Isend(data, (int)bytes, MPI_BYTE, to, channel, transport->ranks, &made->request),
              error)) {
        free(made);
        return 1;
    }
    *transfer = made;
    return 0;
}

static int begin_receive(TemperTransport* transport, int32_t from, int32_t channel, void* data,
                         size_t bytes, TemperTransfer** transfer, TemperTransportError* error) {
    TemperTransfer* made = make_transfer((int)bytes, error);
    if (made == NULL) return 1;
    if (check(
            MPI_Irecv(data, (int)bytes, MPI_BYTE, from, channel, transport->ranks, &made->request),
            error)) {
        free(made);
        return 1;
    }
    *transfer = made;
    return 0;
}

static int test(TemperTransport* transport, TemperTransfer* transfer, int32_t* done,
                TemperTransportError* error) {
    (void)transport;
    MPI_Status status;
    int is_done = 0, bytes = 0;
    if (check(MPI_Test(&transfer->request, &is_done, &status), error)) return 1;
    if (is_done && transfer->bytes != kSends) {
        if (check(MPI_Get_count(&status, MPI_BYTE, &bytes), error)) return 1;
        if (bytes != transfer->bytes)
            return fail(error, "A message is shorter than its receiver expects.");
    }
    *done = is_done;
    if (is_done) free(transfer);
    return 0;
}

/*
 * Messages that nobody has sent are cancelled. Others can't be taken back: what is on its way gets
 * the time to arrive, because it may be read from the memory, or written to it, until then.
 */
static void drop(TemperTransport* transport, TemperTransfer* transfer) {
    const int receives = transfer->bytes != kSends;
    double* seconds = receives ? &transport->receive_seconds : &transport->send_seconds;
    const double begin = MPI_Wtime();
    /* after an error, MPI has freed the request */
    int is_done = transfer->request == MPI_REQUEST_NULL;
    if (receives && !is_done) MPI_Cancel(&transfer->request);
    do {
        if (!is_done && MPI_Test(&transfer->request, &is_done, MPI_STATUS_IGNORE)) break;
    } while (!is_done && MPI_Wtime() - begin < *seconds);
    *seconds -= MPI_Wtime() - begin;
    if (transfer->request != MPI_REQUEST_NULL) MPI_Request_free(&transfer->request);
    free(transfer);
}

static void close_ranks(TemperTransport* transport) {
    const int owns_mpi = transport->owns_mpi;
    MPI_Comm_free(&transport->ranks);
    free(transport);
    if (owns_mpi) MPI_Finalize();
}

static void abort_ranks(TemperTransport* transport) { MPI_Abort(transport->ranks, 1); }

TEMPER_TRANSPORT_EXPORT const TemperTransportApi temper_transport = {
    .abi = TEMPER_TRANSPORT_ABI,
    .name = "mpi",
    .open = open_ranks,
    .send = begin_send,
    .receive = begin_receive,
    .test = test,
    .drop = drop,
    .close = close_ranks,
    .abort = abort_ranks,
};

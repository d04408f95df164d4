// SPDX-License-Identifier: Apache-2.0
/* The transport over MPI: engine/distributed/transport_api.h says what each function does. */
#include <mpi.h>
#include <stdlib.h>

#include "engine/distributed/transport_api.h"

struct TemperTransport {
    MPI_Comm ranks; /* its own, so that no messages mix with those of other code */
};

struct TemperTransfer {
    MPI_Request request;
};

/* Writes MPI's words for the status, if it is an error. */
static int check(int status, TemperTransportError* error) {
    if (status == MPI_SUCCESS) return 0;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (MPI_Error_string(status, text, &length) != MPI_SUCCESS) length = 0;
    size_t i = 0;
    for (; i < (size_t)length && i + 1 < sizeof(error->text); ++i) error->text[i] = text[i];
    error->text[i] = 0;
    return 1;
}

static int open_ranks(TemperTransport** transport, int32_t* rank, int32_t* ranks,
                      TemperTransportError* error) {
    int level = 0, is_open = 0, place = 0, count = 0;
    if (check(MPI_Initialized(&is_open), error)) return 1;
    if (!is_open && check(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level), error))
        return 1;
    TemperTransport* made = calloc(1, sizeof(TemperTransport));
    if (made == NULL) return check(MPI_ERR_NO_MEM, error);
    if (check(MPI_Comm_dup(MPI_COMM_WORLD, &made->ranks), error) ||
        check(MPI_Comm_set_errhandler(made->ranks, MPI_ERRORS_RETURN), error) ||
        check(MPI_Comm_rank(made->ranks, &place), error) ||
        check(MPI_Comm_size(made->ranks, &count), error)) {
        free(made);
        return 1;
    }
    *transport = made;
    *rank = place;
    *ranks = count;
    return 0;
}

static TemperTransfer* make_transfer(TemperTransportError* error) {
    TemperTransfer* transfer = calloc(1, sizeof(TemperTransfer));
    if (transfer == NULL) check(MPI_ERR_NO_MEM, error);
    return transfer;
}

static int begin_send(TemperTransport* transport, int32_t to, int32_t channel, const void* data,
                      size_t bytes, TemperTransfer** transfer, TemperTransportError* error) {
    TemperTransfer* made = make_transfer(error);
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
    TemperTransfer* made = make_transfer(error);
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
    int is_done = 0;
    if (check(MPI_Test(&transfer->request, &is_done, MPI_STATUS_IGNORE), error)) return 1;
    *done = is_done;
    if (is_done) free(transfer);
    return 0;
}

static void drop(TemperTransport* transport, TemperTransfer* transfer) {
    (void)transport;
    MPI_Cancel(&transfer->request);
    MPI_Request_free(&transfer->request);
    free(transfer);
}

static void close_ranks(TemperTransport* transport) {
    MPI_Comm_free(&transport->ranks);
    free(transport);
    MPI_Finalize();
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

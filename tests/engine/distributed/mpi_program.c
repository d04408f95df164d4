// SPDX-License-Identifier: Apache-2.0
/*
 * mpirun -np 2 temper_mpi_program TRANSPORT CASE: does what programs may do with the transport over
 * MPI, and prints what happens; see mpi_transport_test.cpp.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/distributed/transport_api.h"

static const TemperTransportApi* api;
static int32_t rank, ranks;

/* Returns: NULL after an error. */
static TemperTransport* join(void) {
    TemperTransport* transport = NULL;
    TemperTransportError error;
    if (api->open(&transport, &rank, &ranks, &error)) {
        puts(error.text);
        return NULL;
    }
    return transport;
}

static void leave(TemperTransport* transport) {
    api->close(transport);
    puts("left");
}

static void join_twice(void) {
    leave(join());
    if (join() != NULL) puts("joined again");
}

/* The program itself uses MPI, before and after. */
static void join_within_mpi(int level) {
    int given = 0;
    MPI_Init_thread(NULL, NULL, level, &given);
    TemperTransport* transport = join();
    if (transport != NULL) leave(transport);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    puts("MPI went on");
}

/* Until the message has arrived, or can't any more. */
static void wait_for(TemperTransport* transport, TemperTransfer* transfer) {
    TemperTransportError error;
    for (int32_t done = 0; !done;) {
        if (api->test(transport, transfer, &done, &error)) {
            puts(error.text);
            return api->drop(transport, transfer);
        }
    }
}

/* Rank 0 sends another number of bytes than rank 1 expects, and then the right one. */
static void send_bytes(size_t sent) {
    static char data[64];
    const size_t sizes[] = {sent, 8};
    TemperTransport* transport = join();
    for (int i = 0; i < 2; ++i) {
        TemperTransfer* transfer = NULL;
        TemperTransportError error;
        if (rank == 0 ? api->send(transport, 1, 5, data, sizes[i], &transfer, &error)
                      : api->receive(transport, 0, 5, data, 8, &transfer, &error)) {
            puts(error.text);
            return;
        }
        wait_for(transport, transfer);
    }
    leave(transport);
}

/* Each rank waits for a message that nobody sends, and sends one that nobody waits for. */
static void drop_messages(void) {
    enum { kBytes = 8 << 20 }; /* too many to be sent before somebody waits for them */
    char* sent = calloc(kBytes, 1);
    char* received = calloc(kBytes, 1);
    TemperTransport* transport = join();
    TemperTransfer *sending = NULL, *receiving = NULL;
    TemperTransportError error;
    if (api->receive(transport, 1 - rank, 5, received, kBytes, &receiving, &error) ||
        api->send(transport, 1 - rank, 6, sent, kBytes, &sending, &error)) {
        puts(error.text);
        return;
    }
    api->drop(transport, receiving);
    api->drop(transport, sending);
    leave(transport);
    free(received);
    free(sent);
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) return 2;
    api = dlsym(library, "temper_transport");
    if (api == NULL) return 2;
    const char* what = argv[2];
    if (strcmp(what, "twice") == 0) join_twice();
    if (strcmp(what, "within MPI") == 0) join_within_mpi(MPI_THREAD_SERIALIZED);
    if (strcmp(what, "within MPI of one thread") == 0) join_within_mpi(MPI_THREAD_SINGLE);
    if (strcmp(what, "fewer bytes") == 0) send_bytes(4);
    if (strcmp(what, "more bytes") == 0) send_bytes(12);
    if (strcmp(what, "dropped") == 0) drop_messages();
    return 0;
}

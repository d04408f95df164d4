// SPDX-License-Identifier: Apache-2.0
/*
 * c_steps FOLDER INPUT LABELS STEPS: trains the artifacts in a folder in C, on the same batch in
 * each step, and prints the losses. INPUT has float32 [2, 784], LABELS int32 [2], as bare bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <temper/temper.h>

#include "read_bytes.h"

static TemperFailure* failure = NULL;

/* Ends the program if a call has failed. */
static void check(TemperStatus status) {
    if (status == TEMPER_OK) return;
    fprintf(stderr, "%s: %s\n  hint: %s\n", temper_status_name(status),
            temper_failure_message(failure), temper_failure_hint(failure));
    temper_failure_release(failure);
    exit(1);
}

int main(int argc, char** argv) {
    static float input[2 * 784];
    int32_t labels[2];
    const int64_t input_shape[] = {2, 784}, labels_shape[] = {2};
    TemperArray inputs[2] = {{NULL, sizeof input, NULL, 2, TEMPER_DTYPE_FLOAT32, 0},
                             {NULL, sizeof labels, NULL, 1, TEMPER_DTYPE_INT32, 0}};
    TemperArray loss = {0};
    TemperArtifactPaths paths = {0};
    TemperArtifacts* artifacts = NULL;
    TemperCheckpoint* checkpoint = NULL;
    TemperSession* session = NULL;
    char path[4][4096];
    const char* names[] = {"training_model.onnx", "eval_model.onnx", "adamw.onnx",
                           "checkpoint.ckpt"};
    int i;

    if (argc != 5 || temper_abi_version() != TEMPER_ABI_VERSION) return 2;
    read_bytes(argv[2], input, sizeof input);
    read_bytes(argv[3], labels, sizeof labels);
    inputs[0].data = input;
    inputs[0].shape = input_shape;
    inputs[1].data = labels;
    inputs[1].shape = labels_shape;
    for (i = 0; i < 4; ++i) snprintf(path[i], sizeof path[i], "%s/%s", argv[1], names[i]);
    paths.struct_size = sizeof paths;
    paths.training_model = path[0];
    paths.eval_model = path[1];
    paths.optimizer_model = path[2];
    paths.checkpoint = path[3];

    check(temper_artifacts_load_files(&paths, &artifacts, &failure));
    check(temper_checkpoint_create(artifacts, &checkpoint, &failure));
    check(temper_session_create(artifacts, checkpoint, "{\"run\": {\"threads\": 1}}", &session,
                                &failure));
    temper_artifacts_release(artifacts);
    for (i = 0; i < atoi(argv[4]); ++i) {
        check(temper_session_train_step(session, inputs, 2, &loss, 1, &failure));
        printf("%.9g\n", *(const float*)loss.data);
        check(temper_session_optimizer_step(session, &failure));
        check(temper_session_reset_gradients(session, &failure));
    }
    temper_checkpoint_release(checkpoint);
    temper_session_release(session);
    return 0;
}

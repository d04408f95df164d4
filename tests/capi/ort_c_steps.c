// SPDX-License-Identifier: Apache-2.0
/*
 * ort_c_steps FOLDER INPUT LABELS STEPS: a training program for ONNX Runtime's C API. It trains the
 * artifacts in a folder, on the same batch in each step, and prints the losses. INPUT has float32
 * [2, 784], LABELS int32 [2], as bare bytes.
 */
#include <onnxruntime_training_c_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "read_bytes.h"

static const OrtApi* ort;
static const OrtTrainingApi* training;

/* Ends the program if a call has failed. */
static void check(OrtStatus* status) {
    if (status == NULL) return;
    fprintf(stderr, "%d: %s\n", (int)ort->GetErrorCode(status), ort->GetErrorMessage(status));
    ort->ReleaseStatus(status);
    exit(1);
}

int main(int argc, char** argv) {
    static float input[2 * 784];
    int32_t labels[2];
    const int64_t input_shape[] = {2, 784}, labels_shape[] = {2};
    char path[4][4096];
    const char* names[] = {"training_model.onnx", "eval_model.onnx", "adamw.onnx",
                           "checkpoint.ckpt"};
    OrtEnv* env;
    OrtSessionOptions* options;
    OrtMemoryInfo* memory;
    OrtCheckpointState* state;
    OrtTrainingSession* session;
    OrtValue* inputs[2];
    OrtValue* outputs[1] = {NULL};
    float* loss;
    int i;

    if (argc != 5) return 2;
    ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
    training = ort->GetTrainingApi(ORT_API_VERSION);
    if (training == NULL) return 3;
    for (i = 0; i < 4; ++i) snprintf(path[i], sizeof path[i], "%s/%s", argv[1], names[i]);
    read_bytes(argv[2], input, sizeof input);
    read_bytes(argv[3], labels, sizeof labels);

    check(ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "steps", &env));
    check(ort->CreateSessionOptions(&options));
    check(ort->SetIntraOpNumThreads(options, 1));
    check(training->LoadCheckpoint(path[3], &state));
    check(training->CreateTrainingSession(env, options, state, path[0], path[1], path[2], &session));
    check(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
    check(ort->CreateTensorWithDataAsOrtValue(memory, input, sizeof input, input_shape, 2,
                                              ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &inputs[0]));
    check(ort->CreateTensorWithDataAsOrtValue(memory, labels, sizeof labels, labels_shape, 1,
                                              ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, &inputs[1]));
    for (i = 0; i < atoi(argv[4]); ++i) {
        check(training->TrainStep(session, NULL, 2, (const OrtValue* const*)inputs, 1, outputs));
        check(ort->GetTensorMutableData(outputs[0], (void**)&loss));
        printf("%.9g\n", *loss);
        check(training->OptimizerStep(session, NULL));
        check(training->LazyResetGrad(session));
    }

    ort->ReleaseValue(outputs[0]);
    for (i = 0; i < 2; ++i) ort->ReleaseValue(inputs[i]);
    ort->ReleaseMemoryInfo(memory);
    training->ReleaseTrainingSession(session);
    training->ReleaseCheckpointState(state);
    ort->ReleaseSessionOptions(options);
    ort->ReleaseEnv(env);
    return 0;
}

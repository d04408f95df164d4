// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <temper/temper.h>

enum { SAMPLES = 64, STEPS = 500 };

static TemperFailure* failure = NULL;

static void check(TemperStatus status) {
    if (status == TEMPER_OK) return;
    fprintf(stderr, "error: %s\n  hint: %s\n", temper_failure_message(failure),
            temper_failure_hint(failure));
    temper_failure_release(failure);
    exit(1);
}

/* Learns y = 2 a - 3 b + 1 from samples; writes the model for inference to the path given. */
int main(int argc, char** argv) {
    static float samples[SAMPLES][2], targets[SAMPLES][1];
    const int64_t samples_shape[] = {SAMPLES, 2}, targets_shape[] = {SAMPLES, 1};
    const TemperArray inputs[] = {
        {samples, sizeof samples, samples_shape, 2, TEMPER_DTYPE_FLOAT32, 0},
        {targets, sizeof targets, targets_shape, 2, TEMPER_DTYPE_FLOAT32, 0}};
    for (int i = 0; i < SAMPLES; ++i) {
        samples[i][0] = (float)(i % 8) / 4 - 1;
        samples[i][1] = (float)(i / 8) / 4 - 1;
        targets[i][0] = 2 * samples[i][0] - 3 * samples[i][1] + 1;
    }

    TemperModel* model = NULL;
    TemperArtifacts* artifacts = NULL;
    TemperCheckpoint* checkpoint = NULL;
    TemperSession* session = NULL;
    check(temper_model_from_text("<ir_version: 8, opset_import: [\"\" : 17]>"
                                 "linear (float[N, 2] x) => (float[N, 1] y)"
                                 "<float[2, 1] w = {0, 0}, float[1] b = {0}>"
                                 "{ product = MatMul(x, w) y = Add(product, b) }",
                                 &model, &failure));
    check(temper_artifacts_make(model,
                                "{\"artifacts\": {\"loss\": {\"key\": \"mse\"},"
                                " \"optimizer\": {\"key\": \"sgd\"}}}",
                                NULL, &artifacts, &failure));
    check(temper_checkpoint_create(artifacts, &checkpoint, &failure));
    check(temper_session_create(artifacts, checkpoint, NULL, &session, &failure));
    temper_model_release(model);
    temper_artifacts_release(artifacts);

    check(temper_session_set_learning_rate(session, 0.1F, &failure));
    for (int step = 1; step <= STEPS; ++step) {
        TemperArray loss;
        check(temper_session_train_step(session, inputs, 2, &loss, 1, &failure));
        if (step == 1 || step == STEPS)
            printf("step %d: loss %.6f\n", step, *(const float*)loss.data);
        check(temper_session_optimizer_step(session, &failure));
        check(temper_session_reset_gradients(session, &failure));
    }

    TemperArray weight, bias;
    check(temper_checkpoint_parameter(checkpoint, "w", &weight, &failure));
    check(temper_checkpoint_parameter(checkpoint, "b", &bias, &failure));
    printf("y = %.3f a + %.3f b + %.3f\n", ((const float*)weight.data)[0],
           ((const float*)weight.data)[1], *(const float*)bias.data);

    const char* output = "y";
    if (argc > 1) check(temper_session_export(session, argv[1], &output, 1, NULL, &failure));
    temper_session_release(session);
    temper_checkpoint_release(checkpoint);
    return 0;
}

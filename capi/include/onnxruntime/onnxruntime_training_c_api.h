// SPDX-License-Identifier: Apache-2.0
/*
 * ONNX Runtime's C API for training as of version 1.19, over Temper; see onnxruntime_c_api.h.
 *
 * OrtApi::GetTrainingApi() returns the functions. A step is TrainStep, OptimizerStep,
 * LazyResetGrad. Outputs that are null are made for the caller; others have to fit, and are written
 * to. Run options are accepted and have no effect.
 */
#ifndef TEMPER_ONNXRUNTIME_TRAINING_C_API_H
#define TEMPER_ONNXRUNTIME_TRAINING_C_API_H

#include <onnxruntime_c_api.h>

/* The names are ONNX Runtime's. NOLINTBEGIN(readability-identifier-naming) */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OrtTrainingSession OrtTrainingSession;
typedef struct OrtCheckpointState OrtCheckpointState;

typedef enum OrtPropertyType {
    OrtIntProperty = 0,   /* int64_t */
    OrtFloatProperty = 1, /* float */
    OrtStringProperty = 2 /* char* */
} OrtPropertyType;

struct OrtTrainingApi {
    OrtStatus* (*LoadCheckpoint)(const ORTCHAR_T* path, OrtCheckpointState** state);
    OrtStatus* (*SaveCheckpoint)(OrtCheckpointState* state, const ORTCHAR_T* path,
                                 bool include_optimizer_state);

    /* The paths of eval and optimizer model may be null. */
    OrtStatus* (*CreateTrainingSession)(const OrtEnv* env, const OrtSessionOptions* options,
                                        OrtCheckpointState* state, const ORTCHAR_T* training_model,
                                        const ORTCHAR_T* eval_model,
                                        const ORTCHAR_T* optimizer_model,
                                        OrtTrainingSession** session);
    OrtStatus* (*CreateTrainingSessionFromBuffer)(
        const OrtEnv* env, const OrtSessionOptions* options, OrtCheckpointState* state,
        const void* training_model, size_t training_model_size, const void* eval_model,
        size_t eval_model_size, const void* optimizer_model, size_t optimizer_model_size,
        OrtTrainingSession** session);

    OrtStatus* (*TrainingSessionGetTrainingModelOutputCount)(const OrtTrainingSession* session,
                                                             size_t* count);
    OrtStatus* (*TrainingSessionGetEvalModelOutputCount)(const OrtTrainingSession* session,
                                                         size_t* count);
    /* The names are made with the allocator. */
    OrtStatus* (*TrainingSessionGetTrainingModelOutputName)(const OrtTrainingSession* session,
                                                            size_t index, OrtAllocator* allocator,
                                                            char** name);
    OrtStatus* (*TrainingSessionGetEvalModelOutputName)(const OrtTrainingSession* session,
                                                        size_t index, OrtAllocator* allocator,
                                                        char** name);

    OrtStatus* (*LazyResetGrad)(OrtTrainingSession* session);
    OrtStatus* (*TrainStep)(OrtTrainingSession* session, const OrtRunOptions* options,
                            size_t input_count, const OrtValue* const* inputs, size_t output_count,
                            OrtValue** outputs);
    OrtStatus* (*EvalStep)(const OrtTrainingSession* session, const OrtRunOptions* options,
                           size_t input_count, const OrtValue* const* inputs, size_t output_count,
                           OrtValue** outputs);
    OrtStatus* (*SetLearningRate)(OrtTrainingSession* session, float rate);
    OrtStatus* (*GetLearningRate)(OrtTrainingSession* session, float* rate);
    OrtStatus* (*OptimizerStep)(OrtTrainingSession* session, const OrtRunOptions* options);
    /* The rate is `initial_rate` until the first SchedulerStep. */
    OrtStatus* (*RegisterLinearLRScheduler)(OrtTrainingSession* session, int64_t warmup_steps,
                                            int64_t total_steps, float initial_rate);
    OrtStatus* (*SchedulerStep)(OrtTrainingSession* session);

    /* All parameters one after the other, float32, in the order of the training model. */
    OrtStatus* (*GetParametersSize)(OrtTrainingSession* session, size_t* elements,
                                    bool trainable_only);
    OrtStatus* (*CopyParametersToBuffer)(OrtTrainingSession* session, OrtValue* buffer,
                                         bool trainable_only);
    OrtStatus* (*CopyBufferToParameters)(OrtTrainingSession* session, OrtValue* buffer,
                                         bool trainable_only);

    void (*ReleaseTrainingSession)(OrtTrainingSession* session);
    void (*ReleaseCheckpointState)(OrtCheckpointState* state);

    OrtStatus* (*ExportModelForInferencing)(OrtTrainingSession* session, const ORTCHAR_T* path,
                                            size_t output_count, const char* const* outputs);
    /* Of sessions that are created afterwards. */
    OrtStatus* (*SetSeed)(int64_t seed);

    OrtStatus* (*TrainingSessionGetTrainingModelInputCount)(const OrtTrainingSession* session,
                                                            size_t* count);
    OrtStatus* (*TrainingSessionGetEvalModelInputCount)(const OrtTrainingSession* session,
                                                        size_t* count);
    OrtStatus* (*TrainingSessionGetTrainingModelInputName)(const OrtTrainingSession* session,
                                                           size_t index, OrtAllocator* allocator,
                                                           char** name);
    OrtStatus* (*TrainingSessionGetEvalModelInputName)(const OrtTrainingSession* session,
                                                       size_t index, OrtAllocator* allocator,
                                                       char** name);

    OrtStatus* (*AddProperty)(OrtCheckpointState* state, const char* name, OrtPropertyType type,
                              void* value);
    /* The value is made with the allocator. */
    OrtStatus* (*GetProperty)(const OrtCheckpointState* state, const char* name,
                              OrtAllocator* allocator, OrtPropertyType* type, void** value);
    OrtStatus* (*LoadCheckpointFromBuffer)(const void* bytes, size_t size,
                                           OrtCheckpointState** state);
    OrtStatus* (*GetParameterTypeAndShape)(const OrtCheckpointState* state, const char* name,
                                           OrtTensorTypeAndShapeInfo** info);
    /* Copies the values, of the same type and shape, into the parameter. */
    OrtStatus* (*UpdateParameter)(OrtCheckpointState* state, const char* name, OrtValue* values);
    /* A copy, made with the allocator. */
    OrtStatus* (*GetParameter)(const OrtCheckpointState* state, const char* name,
                               OrtAllocator* allocator, OrtValue** values);
};

#ifdef __cplusplus
}
#endif

/* NOLINTEND(readability-identifier-naming) */

#endif /* TEMPER_ONNXRUNTIME_TRAINING_C_API_H */

// SPDX-License-Identifier: Apache-2.0
/* The second half of temper.h: checkpoints, training sessions, inference. */
#ifndef TEMPER_TEMPER_TRAINING_H
#define TEMPER_TEMPER_TRAINING_H

#include <temper/temper.h>

/* The names are C's, not those of our sources. NOLINTBEGIN(readability-identifier-naming) */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- checkpoints ----------------------------------------------------------------------------- */

/* Parameters, optimizer state and properties. Training changes them in place. */
typedef struct TemperCheckpoint TemperCheckpoint;

/* A new one with the initial values of the artifacts. */
TEMPER_API TemperStatus temper_checkpoint_create(const TemperArtifacts* artifacts,
                                                 TemperCheckpoint** checkpoint,
                                                 TemperFailure** failure);
TEMPER_API TemperStatus temper_checkpoint_load(const char* path, TemperCheckpoint** checkpoint,
                                               TemperFailure** failure);
TEMPER_API TemperStatus temper_checkpoint_from_bytes(const void* bytes, int64_t size,
                                                     TemperCheckpoint** checkpoint,
                                                     TemperFailure** failure);
/* The file is replaced only if writing succeeds. To continue training later, include the state of
 * the optimizer. */
TEMPER_API TemperStatus temper_checkpoint_save(TemperCheckpoint* checkpoint, const char* path,
                                               int32_t include_optimizer_state,
                                               TemperFailure** failure);
/* The bytes of such a file. To be released with temper_memory_release(). */
TEMPER_API TemperStatus temper_checkpoint_to_bytes(TemperCheckpoint* checkpoint,
                                                   int32_t include_optimizer_state, void** bytes,
                                                   int64_t* size, TemperFailure** failure);
TEMPER_API void temper_checkpoint_release(TemperCheckpoint* checkpoint);

/* Names of the parameters; they live as long as the checkpoint. */
TEMPER_API TemperStatus temper_checkpoint_parameters(const TemperCheckpoint* checkpoint,
                                                     TemperNames* names, TemperFailure** failure);
/*
 * The parameter's own memory, which may be written to between steps. It lives as long as this
 * checkpoint object.
 */
TEMPER_API TemperStatus temper_checkpoint_parameter(TemperCheckpoint* checkpoint, const char* name,
                                                    TemperArray* values, TemperFailure** failure);
/* Copies values of the same type and shape into the parameter. */
TEMPER_API TemperStatus temper_checkpoint_set_parameter(TemperCheckpoint* checkpoint,
                                                        const char* name, const TemperArray* values,
                                                        TemperFailure** failure);
/*
 * The memory of the parameter's gradient, as long as this checkpoint object lives; data is null and
 * dtype 0 if there is none: for frozen parameters, and until a session is created.
 */
TEMPER_API TemperStatus temper_checkpoint_gradient(TemperCheckpoint* checkpoint, const char* name,
                                                   TemperArray* gradient, TemperFailure** failure);
TEMPER_API TemperStatus temper_checkpoint_is_trainable(TemperCheckpoint* checkpoint,
                                                       const char* name, int32_t* trainable,
                                                       TemperFailure** failure);
/* Completed optimizer steps. */
TEMPER_API TemperStatus temper_checkpoint_steps(TemperCheckpoint* checkpoint, int64_t* steps,
                                                TemperFailure** failure);
/* Whether it has only the names of the parameters: see temper_session_set_all_parameters(). */
TEMPER_API TemperStatus temper_checkpoint_is_nominal(TemperCheckpoint* checkpoint, int32_t* nominal,
                                                     TemperFailure** failure);

enum { TEMPER_PROPERTY_INT = 0, TEMPER_PROPERTY_FLOAT = 1, TEMPER_PROPERTY_TEXT = 2 };

/* A value that a checkpoint keeps under a name. */
typedef struct TemperProperty {
    uint64_t struct_size;
    const char* text; /* or null */
    int64_t integer;
    float number;
    int32_t kind;
} TemperProperty;

/* The names live until the next such call with this checkpoint object. */
TEMPER_API TemperStatus temper_checkpoint_properties(TemperCheckpoint* checkpoint,
                                                     TemperNames* names, TemperFailure** failure);
/* The text lives until the next such call with this checkpoint object. */
TEMPER_API TemperStatus temper_checkpoint_property(TemperCheckpoint* checkpoint, const char* name,
                                                   TemperProperty* property,
                                                   TemperFailure** failure);
/* Adds or overwrites; the kind may change. */
TEMPER_API TemperStatus temper_checkpoint_set_property(TemperCheckpoint* checkpoint,
                                                       const char* name,
                                                       const TemperProperty* property,
                                                       TemperFailure** failure);
TEMPER_API TemperStatus temper_checkpoint_remove_property(TemperCheckpoint* checkpoint,
                                                          const char* name,
                                                          TemperFailure** failure);

/* ---- sessions -------------------------------------------------------------------------------- */

/* Computes losses and gradients and updates the parameters of a checkpoint. */
typedef struct TemperSession TemperSession;

/*
 * A step is temper_session_train_step(), temper_session_optimizer_step(),
 * temper_session_reset_gradients(). Of the choices, it reads those of "run" that say how to
 * compute: "threads", "seed", "device", "precision" and so on.
 */
TEMPER_API TemperStatus temper_session_create(const TemperArtifacts* artifacts,
                                              TemperCheckpoint* checkpoint,
                                              const char* specification, TemperSession** session,
                                              TemperFailure** failure);
/* Frees what the session uses; later calls with it are errors. Waits for a call of another thread.
 */
TEMPER_API TemperStatus temper_session_close(TemperSession* session, TemperFailure** failure);
TEMPER_API void temper_session_release(TemperSession* session);

/* Names of the inputs and outputs of the training model (`training` not 0) or of the eval model, as
 * long as the session lives. The first output is the loss. */
TEMPER_API TemperStatus temper_session_inputs(const TemperSession* session, int32_t training,
                                              TemperNames* names, TemperFailure** failure);
TEMPER_API TemperStatus temper_session_outputs(const TemperSession* session, int32_t training,
                                               TemperNames* names, TemperFailure** failure);

/*
 * Forward and backward. One array for each input, in their order. `outputs` receives one array for
 * each output; output_count is their number, or 0 if none is wanted. The arrays live until the next
 * call that computes with this session. Gradients are written to their buffers (first step after
 * creation or temper_session_reset_gradients()) or added to them.
 */
TEMPER_API TemperStatus temper_session_train_step(TemperSession* session, const TemperArray* inputs,
                                                  int64_t input_count, TemperArray* outputs,
                                                  int64_t output_count, TemperFailure** failure);
/* Forward only, with the eval model; changes nothing. */
TEMPER_API TemperStatus temper_session_eval_step(TemperSession* session, const TemperArray* inputs,
                                                 int64_t input_count, TemperArray* outputs,
                                                 int64_t output_count, TemperFailure** failure);
/* The same for any values of the eval model, by name. */
TEMPER_API TemperStatus temper_session_evaluate(TemperSession* session, const TemperArray* inputs,
                                                int64_t input_count, const char* const* values,
                                                int64_t value_count, TemperArray* outputs,
                                                TemperFailure** failure);
/* The next step overwrites the gradients; until then they keep their values. */
TEMPER_API TemperStatus temper_session_reset_gradients(TemperSession* session,
                                                       TemperFailure** failure);
TEMPER_API TemperStatus temper_session_optimizer_step(TemperSession* session,
                                                      TemperFailure** failure);
/* Euclidean norm of all gradients. */
TEMPER_API TemperStatus temper_session_gradient_norm(TemperSession* session, double* norm,
                                                     TemperFailure** failure);
/* In place: for averaging and clipping. */
TEMPER_API TemperStatus temper_session_scale_gradients(TemperSession* session, float factor,
                                                       TemperFailure** failure);
/* Of Dropout and other random operators, from the next train step on. */
TEMPER_API TemperStatus temper_session_set_seed(TemperSession* session, uint64_t seed,
                                                TemperFailure** failure);

TEMPER_API TemperStatus temper_session_learning_rate(TemperSession* session, float* rate,
                                                     TemperFailure** failure);
TEMPER_API TemperStatus temper_session_set_learning_rate(TemperSession* session, float rate,
                                                         TemperFailure** failure);
/* ONNX Runtime's: linear warm-up and decay. The rate is `initial` until the first
 * temper_session_schedule_step(). */
TEMPER_API TemperStatus temper_session_set_linear_schedule(TemperSession* session,
                                                           int64_t warmup_steps,
                                                           int64_t total_steps, float initial,
                                                           TemperFailure** failure);
/* Any of Temper's: "schedule" and "learning_rate" of "run" in the choices. The rate does not change
 * until the first temper_session_schedule_step(). */
TEMPER_API TemperStatus temper_session_set_schedule(TemperSession* session,
                                                    const char* specification, int64_t total_steps,
                                                    TemperFailure** failure);
/* Sets the rate of the next optimizer step. */
TEMPER_API TemperStatus temper_session_schedule_step(TemperSession* session,
                                                     TemperFailure** failure);
/* Tells the schedule the loss of an evaluation, which "plateau" needs. */
TEMPER_API TemperStatus temper_session_schedule_note_evaluation(TemperSession* session, double loss,
                                                                TemperFailure** failure);

/* Number of elements of the trainable parameters, or of all. */
TEMPER_API TemperStatus temper_session_parameters_size(TemperSession* session,
                                                       int32_t trainable_only, int64_t* elements,
                                                       TemperFailure** failure);
/* Copies them, one after the other in the order of the training model, to an array of type float32
 * with so many elements. */
TEMPER_API TemperStatus temper_session_get_all_parameters(TemperSession* session,
                                                          int32_t trainable_only,
                                                          const TemperArray* buffer,
                                                          TemperFailure** failure);
/* The inverse. With trainable_only 0, it makes a nominal checkpoint a real one. */
TEMPER_API TemperStatus temper_session_set_all_parameters(TemperSession* session,
                                                          int32_t trainable_only,
                                                          const TemperArray* buffer,
                                                          TemperFailure** failure);

typedef struct TemperExportOptions {
    uint64_t struct_size;
    int64_t opset;                 /* of ONNX's operators; 0: the model's */
    int32_t fold_batch_norms;      /* 1: merges batch normalizations into layers */
    int32_t external_data;         /* 1: weights beside the model, in PATH.data */
    int32_t as_it_came;            /* 1: in the element types of the file that the model is from */
    int32_t include_normalization; /* 1: the model takes values as the data had them */
} TemperExportOptions;

/* Writes a model for inference with the current parameters. `outputs` are values of the eval model;
 * `options` may be null. */
TEMPER_API TemperStatus temper_session_export(TemperSession* session, const char* path,
                                              const char* const* outputs, int64_t output_count,
                                              const TemperExportOptions* options,
                                              TemperFailure** failure);

/*
 * Receives each event of a run, in the thread that called temper_session_fit(): a JSON object with
 * "event" ("start", "step", "eval", "checkpoint", "end", ...) and its fields, as in the log of
 * `temper train`. It lives until the function returns. The function must not throw, nor use the
 * session except for reading. Returns: 0 to continue; anything else ends the run after this step.
 */
typedef int32_t (*TemperEventFunction)(void* context, const char* event);

/*
 * Trains as `temper train` does, with the same results: "run" of the choices names the data and has
 * the settings, such as "data", "eval_data", "epochs", "batch_size", "save_folder". `on_event` may
 * be null; it receives `context`. A run that is ended early is a success.
 */
TEMPER_API TemperStatus temper_session_fit(TemperSession* session, const char* specification,
                                           TemperEventFunction on_event, void* context,
                                           TemperFailure** failure);

/* ---- inference ------------------------------------------------------------------------------- */

/* Runs a model; calls take turns. */
typedef struct TemperInference TemperInference;

/* `outputs`: any values of the model by name, or null for its outputs. `threads` 0: one per core.
 */
TEMPER_API TemperStatus temper_inference_create(const TemperModel* model,
                                                const char* const* outputs, int64_t output_count,
                                                int32_t threads, TemperInference** inference,
                                                TemperFailure** failure);
TEMPER_API void temper_inference_release(TemperInference* inference);
/* Names, as long as the object lives. */
TEMPER_API TemperStatus temper_inference_inputs(const TemperInference* inference,
                                                TemperNames* names, TemperFailure** failure);
TEMPER_API TemperStatus temper_inference_outputs(const TemperInference* inference,
                                                 TemperNames* names, TemperFailure** failure);
/* One array for each input and output, in their order. The outputs live until the next run. `seed`:
 * of random operators. */
TEMPER_API TemperStatus temper_inference_run(TemperInference* inference, const TemperArray* inputs,
                                             int64_t input_count, TemperArray* outputs,
                                             int64_t output_count, uint64_t seed,
                                             TemperFailure** failure);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(readability-identifier-naming) */

#endif /* TEMPER_TEMPER_TRAINING_H */

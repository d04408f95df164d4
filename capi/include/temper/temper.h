// SPDX-License-Identifier: Apache-2.0
/*
 * Temper's C interface: trains ONNX models. Plain C11, also valid C++; docs/c_api.md describes it.
 *
 * Errors. Functions return a status, TEMPER_OK (0) for success. `failure`, always the last
 * parameter, may be null; otherwise it is set to null, or after an error to an object that says
 * what happened, to be released. Other results are null or unchanged after an error. No exception
 * leaves the library. A null pointer where a value is needed is an error, never a crash.
 *
 * Ownership. An object that a function creates belongs to the caller, who releases it; null may be
 * released, too. Objects keep what they need alive: any order of release is right. What is
 * returned as `const char*`, as TemperNames or in a struct belongs to the object that it came from,
 * as long as the comment at the function says. Inputs are only read, and only during the call.
 *
 * Threads. Models and artifacts never change: threads may share them. Calls with a session, its
 * checkpoint, or other sessions over that checkpoint take turns, so that any thread may call; an
 * array that a call returns is then safe only as long as no other thread makes the call that ends
 * it. Everything else may be used by one thread at a time.
 *
 * Texts are UTF-8 and end with 0. Structs that begin with `struct_size` may grow at their end: the
 * caller sets it to sizeof the struct, and options that it leaves 0 have their defaults.
 */
#ifndef TEMPER_TEMPER_H
#define TEMPER_TEMPER_H

#include <stdint.h>

/* The names are C's, not those of our sources. NOLINTBEGIN(readability-identifier-naming) */

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TEMPER_API __attribute__((visibility("default")))
#else
#define TEMPER_API
#endif

/* Increases with each change of this file that breaks programs, as does the library's soname. */
#define TEMPER_ABI_VERSION 1

/* That of the library. */
TEMPER_API int32_t temper_abi_version(void);
/* The version of Temper: "0.1.0". */
TEMPER_API const char* temper_version(void);

/* ---- errors ---------------------------------------------------------------------------------- */

typedef int32_t TemperStatus;
enum {
    TEMPER_OK = 0,
    TEMPER_INVALID_INPUT = 1, /* a file, an argument or data is wrong */
    TEMPER_NOT_FOUND = 2,     /* a file or a name does not exist */
    TEMPER_UNSUPPORTED = 3,   /* valid, but not something that Temper can do */
    TEMPER_IO = 4,            /* the operating system refused: permission, disk full, ... */
    TEMPER_NUMERIC = 5,       /* NaN or infinity where a number is needed */
    TEMPER_STATE = 6,         /* the call is not possible now, e.g. with a closed session */
    TEMPER_INTERNAL = 7       /* a bug in Temper, or too little memory */
};

/* "invalid input"; "unknown status" for other numbers. */
TEMPER_API const char* temper_status_name(TemperStatus status);

typedef struct TemperFailure TemperFailure;
typedef struct TemperFindings TemperFindings;

/* These take null, too: a success without texts. The results live as long as the failure. */
TEMPER_API TemperStatus temper_failure_status(const TemperFailure* failure);
/* What was found and what was expected, one sentence. */
TEMPER_API const char* temper_failure_message(const TemperFailure* failure);
/* What to do, or "". */
TEMPER_API const char* temper_failure_hint(const TemperFailure* failure);
/* All problems of a model or of choices; none for other errors. */
TEMPER_API const TemperFindings* temper_failure_findings(const TemperFailure* failure);
TEMPER_API void temper_failure_release(TemperFailure* failure);

/* ---- names, arrays, findings ----------------------------------------------------------------- */

typedef struct TemperNames {
    const char* const* names;
    int64_t count;
} TemperNames;

/* Element types: the numbers of ONNX's TensorProto.DataType. */
enum {
    TEMPER_DTYPE_NONE = 0,
    TEMPER_DTYPE_FLOAT32 = 1,
    TEMPER_DTYPE_UINT8 = 2,
    TEMPER_DTYPE_INT8 = 3,
    TEMPER_DTYPE_UINT16 = 4,
    TEMPER_DTYPE_INT16 = 5,
    TEMPER_DTYPE_INT32 = 6,
    TEMPER_DTYPE_INT64 = 7,
    TEMPER_DTYPE_STRING = 8, /* elements are const char* */
    TEMPER_DTYPE_BOOL = 9,   /* a byte each */
    TEMPER_DTYPE_FLOAT16 = 10,
    TEMPER_DTYPE_FLOAT64 = 11,
    TEMPER_DTYPE_UINT32 = 12,
    TEMPER_DTYPE_UINT64 = 13,
    TEMPER_DTYPE_BFLOAT16 = 16
};

/* "float32"; "unknown" for other numbers. */
TEMPER_API const char* temper_dtype_name(int32_t dtype);

/* A dense row-major array. This struct never grows. */
typedef struct TemperArray {
    void* data;
    int64_t byte_size; /* of the data; checked against shape and dtype */
    const int64_t* shape;
    int64_t rank; /* 0: a scalar, whose shape may be null */
    int32_t dtype;
    int32_t reserved; /* 0 */
} TemperArray;

enum { TEMPER_INFO = 0, TEMPER_WARNING = 1, TEMPER_ERROR = 2 };

/* A problem of a model or of choices, or a remark about them. */
typedef struct TemperFinding {
    uint64_t struct_size;
    const char* code; /* stable: "G001" */
    const char* node; /* its name, or "" */
    const char* op;   /* its operator, or "" */
    const char* message;
    const char* hint; /* or "" */
    TemperNames parameters;
    int32_t severity;
    int32_t reserved;
} TemperFinding;

TEMPER_API int64_t temper_findings_count(const TemperFindings* findings);
/* The texts live as long as what the findings came from. */
TEMPER_API TemperStatus temper_findings_get(const TemperFindings* findings, int64_t index,
                                            TemperFinding* finding, TemperFailure** failure);

/* Texts and bytes that a function has made for the caller (char**, void**). */
TEMPER_API void temper_memory_release(void* memory);

/* ---- choices --------------------------------------------------------------------------------- */

/*
 * Choices are JSON, as in project.json and in docs/training.md: {"artifacts": {"loss": {"key":
 * "mse"}}, "run": {"epochs": 3}}. All members are optional, unknown ones are errors; null or "" is
 * {}. This makes `complete` from it, which has every member. To be released.
 */
TEMPER_API TemperStatus temper_specification_complete(const char* specification, char** complete,
                                                      TemperFailure** failure);
/*
 * What can be chosen, for forms and for checks, as JSON: {"run": [{"key", "label", "help", "kind",
 * "default", "minimum", "maximum", "unit"}], "loss": [{"key", "label", "help", "hyperparameters":
 * [{"key", "label", "help", "kind", "default", "minimum", "maximum", "unit"}]}], "optimizer": ...,
 * "schedule": ...}. A maximum may be null: none. To be released.
 */
TEMPER_API TemperStatus temper_settings(char** settings, TemperFailure** failure);

/* ---- models ---------------------------------------------------------------------------------- */

/* An ONNX model; it never changes. */
typedef struct TemperModel TemperModel;

/* Reads a file in ONNX or ORT format. */
TEMPER_API TemperStatus temper_model_open(const char* path, TemperModel** model,
                                          TemperFailure** failure);
TEMPER_API TemperStatus temper_model_from_bytes(const void* bytes, int64_t size,
                                                TemperModel** model, TemperFailure** failure);
/* In ONNX's textual format. */
TEMPER_API TemperStatus temper_model_from_text(const char* text, TemperModel** model,
                                               TemperFailure** failure);
/* To ORT format if the path ends with ".ort". The file is replaced only if writing succeeds. */
TEMPER_API TemperStatus temper_model_save(const TemperModel* model, const char* path,
                                          TemperFailure** failure);
/* The bytes of an ONNX file. To be released. */
TEMPER_API TemperStatus temper_model_to_bytes(const TemperModel* model, void** bytes, int64_t* size,
                                              TemperFailure** failure);
TEMPER_API void temper_model_release(TemperModel* model);

/* An input or output. */
typedef struct TemperValueInfo {
    uint64_t struct_size;
    const char* name;
    const int64_t* shape;       /* [rank]; -1: not a number */
    const char* const* symbols; /* [rank]: "batch"; null for numbers and nameless dimensions */
    int64_t rank;               /* -1: unknown */
    int32_t dtype;
    int32_t reserved;
} TemperValueInfo;

/* A parameter of a model. */
typedef struct TemperParameterInfo {
    uint64_t struct_size;
    const char* name;
    const char* kind;   /* "trainable", "batch-norm statistic", "constant", "shape data" */
    const char* reason; /* why it is of this kind */
    const int64_t* shape;
    int64_t rank;
    int32_t dtype;
    int32_t trains; /* 1: it trains unless something else is chosen */
} TemperParameterInfo;

/* The texts and shapes of all of these live as long as the model. */
TEMPER_API TemperStatus temper_model_input_count(const TemperModel* model, int64_t* count,
                                                 TemperFailure** failure);
TEMPER_API TemperStatus temper_model_input(const TemperModel* model, int64_t index,
                                           TemperValueInfo* input, TemperFailure** failure);
TEMPER_API TemperStatus temper_model_output_count(const TemperModel* model, int64_t* count,
                                                  TemperFailure** failure);
TEMPER_API TemperStatus temper_model_output(const TemperModel* model, int64_t index,
                                            TemperValueInfo* output, TemperFailure** failure);
TEMPER_API TemperStatus temper_model_parameter_count(const TemperModel* model, int64_t* count,
                                                     TemperFailure** failure);
TEMPER_API TemperStatus temper_model_parameter(const TemperModel* model, int64_t index,
                                               TemperParameterInfo* parameter,
                                               TemperFailure** failure);
/* What keeps parameters from training, and remarks. The first call tries all gradients. */
TEMPER_API TemperStatus temper_model_findings(const TemperModel* model,
                                              const TemperFindings** findings,
                                              TemperFailure** failure);

/* ---- artifacts ------------------------------------------------------------------------------- */

/* What training starts from: three models and a checkpoint. They never change. */
typedef struct TemperArtifacts TemperArtifacts;

typedef struct TemperArtifactOptions {
    uint64_t struct_size;
    uint64_t head_seed; /* of the weights of a new head */
} TemperArtifactOptions;

/* Files, or a folder's; all but the training model may be null. */
typedef struct TemperArtifactPaths {
    uint64_t struct_size;
    const char* training_model;
    const char* eval_model;
    const char* optimizer_model;
    const char* checkpoint;
} TemperArtifactPaths;

/* The files in memory; all but the training model may be null. */
typedef struct TemperArtifactBytes {
    uint64_t struct_size;
    const void* training_model;
    int64_t training_model_size;
    const void* eval_model;
    int64_t eval_model_size;
    const void* optimizer_model;
    int64_t optimizer_model_size;
    const void* checkpoint;
    int64_t checkpoint_size;
} TemperArtifactBytes;

/* Reads everything but "run" of the choices, and from that the learning rate. `options` may be
 * null. If something keeps the choices from being carried out, the failure has all findings. */
TEMPER_API TemperStatus temper_artifacts_make(const TemperModel* model, const char* specification,
                                              const TemperArtifactOptions* options,
                                              TemperArtifacts** artifacts, TemperFailure** failure);
/* Of a folder that temper_artifacts_save() or ONNX Runtime has written. */
TEMPER_API TemperStatus temper_artifacts_load(const char* folder, TemperArtifacts** artifacts,
                                              TemperFailure** failure);
TEMPER_API TemperStatus temper_artifacts_load_files(const TemperArtifactPaths* paths,
                                                    TemperArtifacts** artifacts,
                                                    TemperFailure** failure);
TEMPER_API TemperStatus temper_artifacts_from_bytes(const TemperArtifactBytes* bytes,
                                                    TemperArtifacts** artifacts,
                                                    TemperFailure** failure);
/* Writes training_model.onnx, eval_model.onnx, optimizer_model.onnx and checkpoint. */
TEMPER_API TemperStatus temper_artifacts_save(const TemperArtifacts* artifacts, const char* folder,
                                              TemperFailure** failure);
TEMPER_API void temper_artifacts_release(TemperArtifacts* artifacts);

/* Names of the parameters that train, or do not, and the remarks of making them; they live as long
 * as the artifacts. Loaded artifacts have no remarks. */
TEMPER_API TemperStatus temper_artifacts_trainable(const TemperArtifacts* artifacts,
                                                   TemperNames* names, TemperFailure** failure);
TEMPER_API TemperStatus temper_artifacts_frozen(const TemperArtifacts* artifacts,
                                                TemperNames* names, TemperFailure** failure);
TEMPER_API TemperStatus temper_artifacts_findings(const TemperArtifacts* artifacts,
                                                  const TemperFindings** findings,
                                                  TemperFailure** failure);

enum { TEMPER_TRAINING_MODEL = 0, TEMPER_EVAL_MODEL = 1, TEMPER_OPTIMIZER_MODEL = 2 };

/* One of the models; TEMPER_NOT_FOUND if there is none of this kind. */
TEMPER_API TemperStatus temper_artifacts_model(const TemperArtifacts* artifacts, int32_t kind,
                                               TemperModel** model, TemperFailure** failure);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(readability-identifier-naming) */

#include <temper/temper_training.h>

#endif /* TEMPER_TEMPER_H */

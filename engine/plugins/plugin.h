// SPDX-License-Identifier: Apache-2.0
/*
 * The interface for plugins of Temper: plain C, so that any compiler can build a plugin, in any
 * language that can export a symbol. docs/plugins.md says how to write one.
 *
 * A plugin is a shared library that exports one object of type TemperPlugin under the name
 * `temper_plugin`. Functions return 0 for success; otherwise they have called fail() with a message
 * before. A struct that begins with its size may grow: later versions add members at its end.
 * Strings are UTF-8 and end with 0. What a plugin passes on (strings, tables) lives as long as the
 * plugin is loaded; what it receives lives until its function returns. No function may let an
 * exception escape.
 */
#ifndef TEMPER_PLUGIN_H
#define TEMPER_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

/* The names are C's, not those of our sources. NOLINTBEGIN(readability-identifier-naming) */

#ifdef __cplusplus
extern "C" {
#endif

/* Increases with each change of this file that breaks older plugins. */
#define TEMPER_PLUGIN_ABI 1

#if defined(__GNUC__)
#define TEMPER_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define TEMPER_PLUGIN_EXPORT
#endif

/* Element types: the numbers of ONNX's TensorProto.DataType. String tensors are not supported. */
enum {
    TEMPER_FLOAT32 = 1,
    TEMPER_UINT8 = 2,
    TEMPER_INT8 = 3,
    TEMPER_UINT16 = 4,
    TEMPER_INT16 = 5,
    TEMPER_INT32 = 6,
    TEMPER_INT64 = 7,
    TEMPER_BOOL = 9,
    TEMPER_FLOAT16 = 10,
    TEMPER_FLOAT64 = 11,
    TEMPER_UINT32 = 12,
    TEMPER_UINT64 = 13,
    TEMPER_BFLOAT16 = 16
};

#define TEMPER_MAX_RANK 16

/*
 * A dimension that is unknown before the run. Smaller numbers stand for symbols ("batch"): the
 * same number is the same dimension.
 */
#define TEMPER_UNKNOWN_DIM (-1)

/* Operators have at most this many inputs, and at most this many outputs. */
#define TEMPER_MAX_PORTS 32

/* Element type and shape. */
typedef struct TemperType {
    int32_t dtype; /* 0: unknown */
    int32_t rank;  /* -1: unknown */
    int64_t dims[TEMPER_MAX_RANK];
} TemperType;

/* A dense row-major array; `data` is null if an optional input or output is omitted. */
typedef struct TemperTensor {
    void* data;
    TemperType type;
} TemperTensor;

/* Handles of the host. */
typedef struct TemperError TemperError;       /* pass it to fail() */
typedef struct TemperNode TemperNode;         /* a node of a graph, for its attributes */
typedef struct TemperThreads TemperThreads;   /* for parallel_for() */
typedef struct TemperRegistry TemperRegistry; /* takes what a plugin adds */

/* ---- operators ------------------------------------------------------------------------------ */

/* An operator: its name in models, its output types, its computation, its gradient. */
typedef struct TemperOperator {
    size_t size;        /* sizeof(TemperOperator) */
    const char* domain; /* e.g. "com.example"; not "" and not "com.microsoft" */
    const char* name;   /* ONNX's op_type, e.g. "Swish" */
    int32_t min_inputs; /* the first ones, which are always present */
    int32_t max_inputs; /* those after min_inputs may be omitted */
    int32_t outputs;    /* the maximum number, 1 or more */

    /*
     * Sets the types of the outputs for those of the inputs, whose dtype, rank and dimensions may
     * be unknown; what depends on them is left unknown. For the shapes of a run all are known, and
     * then all of the outputs have to be. Everything in `outputs` is initially unknown.
     */
    int (*infer)(const TemperNode* node, const TemperType* inputs, int32_t input_count,
                 TemperType* outputs, int32_t output_count, TemperError* error);

    /* Computes the outputs. The bits must not depend on the number of threads. */
    int (*run)(const TemperNode* node, const TemperTensor* inputs, int32_t input_count,
               TemperTensor* outputs, int32_t output_count, TemperThreads* threads,
               TemperError* error);

    /*
     * Computes the gradients of the inputs; null: no gradient passes the operator. `outputs` are
     * those of run(); their data is null unless gradient_reads_outputs is set. `output_gradients`
     * have the outputs' types; data is null if no gradient arrives. `input_gradients` have the
     * inputs' types; data is null if none is wanted, as for inputs that are not floating-point
     * numbers. At least one of each has data.
     */
    int (*run_gradient)(const TemperNode* node, const TemperTensor* inputs, int32_t input_count,
                        const TemperTensor* outputs, const TemperTensor* output_gradients,
                        int32_t output_count, TemperTensor* input_gradients, TemperThreads* threads,
                        TemperError* error);
    int32_t gradient_reads_outputs; /* 1: run_gradient needs the outputs of run() */

    /* Bit i is set: no gradient flows into input i (indices, axes, labels) whatever its type. */
    uint32_t inputs_without_gradient;

    /*
     * 1: run and run_gradient take float16 and bfloat16. Otherwise they get float32 instead, and
     * their results are rounded; infer is called with the types of the model and with these.
     */
    int32_t takes_half_precision;
} TemperOperator;

/* ---- data formats --------------------------------------------------------------------------- */

/* One kind of value that every sample has. */
typedef struct TemperColumn {
    const char* name;
    TemperType type;            /* of one sample, without the batch dimension; all known */
    const char* const* classes; /* names by class index for an integer column, or null */
    int32_t class_count;
    int32_t is_target; /* 1: what a model has to predict */
    int32_t is_image;  /* 1: pixels [C, H, W] or [H, W] */
} TemperColumn;

/* What the user wrote after the path, `key=value`. */
typedef struct TemperOption {
    const char* key;
    const char* value;
} TemperOption;

/* A key that a format accepts. */
typedef struct TemperOptionInfo {
    const char* key;
    const char* help; /* one sentence */
} TemperOptionInfo;

/* A data format: its name, how it is recognized, and how its samples are read. */
typedef struct TemperDataFormat {
    size_t size;       /* sizeof(TemperDataFormat) */
    const char* key;   /* lower-case letters, as in `key:path?option=value` */
    const char* label; /* for people, e.g. "Libsvm table" */
    const TemperOptionInfo* options;
    int32_t option_count;

    /* 1 if a file or folder looks like this format by the end of its name; 0 otherwise. */
    int (*recognises)(const char* path);
    /* Opens it: the functions below receive `*data`. The file may not exist, or be damaged. */
    int (*open)(const char* path, const TemperOption* options, int32_t option_count, void** data,
                TemperError* error);
    int64_t (*sample_count)(void* data);
    int32_t (*column_count)(void* data);
    /* Fills `column`; its strings live as long as `data`. */
    void (*column)(void* data, int32_t index, TemperColumn* column);
    /*
     * Copies the values of samples, one after another, to `target`. Called by several threads at
     * a time.
     */
    int (*read)(void* data, int32_t column, const int64_t* samples, int64_t count, void* target,
                TemperError* error);
    void (*close)(void* data);
} TemperDataFormat;

/* ---- metrics, losses, schedules ------------------------------------------------------------- */

/* A number computed over all samples of an evaluation, batch by batch. */
typedef struct TemperMetric {
    size_t size;       /* sizeof(TemperMetric) */
    const char* key;   /* e.g. "f1" */
    const char* label; /* e.g. "F1 score" */
    const char* help;  /* one sentence */
    int32_t higher_is_better;
    /* The losses that it suits, separated by spaces: cross-entropy, bce-with-logits, mse, l1 ... */
    const char* losses;

    void* (*create)(void);
    int (*add)(void* metric, const TemperTensor* prediction, const TemperTensor* target,
               TemperError* error);
    double (*value)(void* metric);
    void (*destroy)(void* metric);
} TemperMetric;

/* A number that a user may set. */
typedef struct TemperHyperParameter {
    const char* key;   /* e.g. "delta" */
    const char* label; /* e.g. "Delta" */
    const char* help;  /* one sentence */
    double default_value;
    double minimum;
    double maximum;
} TemperHyperParameter;

/*
 * A loss: an operator that maps a prediction and a target to a scalar. Its hyperparameters
 * become float attributes of the node. The target has the prediction's type, or is int64 classes.
 */
typedef struct TemperLoss {
    size_t size; /* sizeof(TemperLoss) */
    const char* key;
    const char* label;
    const char* help;
    const char* domain; /* of the operator: a plugin's */
    const char* op_type;
    int32_t reads_classes; /* 1: logits [N, classes, ...] against class numbers */
    const TemperHyperParameter* hyper_parameters;
    int32_t hyper_parameter_count;
} TemperLoss;

/* A learning-rate schedule. */
typedef struct TemperSchedule {
    size_t size; /* sizeof(TemperSchedule) */
    const char* key;
    const char* label;
    const char* help;
    const TemperHyperParameter* hyper_parameters;
    int32_t hyper_parameter_count;
    /*
     * The rate of the optimizer step after `steps_done` steps. `values`: the hyperparameters, in
     * order. Called by several threads at a time.
     */
    double (*rate)(int64_t steps_done, int64_t total_steps, double initial_rate,
                   const double* values);
} TemperSchedule;

/* ---- panels of the studio ------------------------------------------------------------------- */

/*
 * A tool at the edge of the studio's window, made with Qt 6 Widgets. A library with panels belongs
 * in the subfolder `studio` of a plugin folder, which the command line, which has no Qt, does not
 * search. Both functions are called in the window's thread, and load() before the application is
 * created.
 */
typedef struct TemperPanel {
    size_t size;                   /* sizeof(TemperPanel) */
    const char* key;               /* e.g. "big-loss" */
    const char* title;             /* e.g. "Loss, large" */
    void* (*create)(void* parent); /* a new QWidget, child of the QWidget `parent` */
    /*
     * Called after an event in the run that the window shows; may be null. `json` is a line as
     * written by `temper train --log`: {"event": "step", "step": 3, "loss": 0.25, ...}.
     */
    void (*event)(void* widget, const char* json);
} TemperPanel;

/* ---- host and plugin ------------------------------------------------------------------------ */

/* The functions of the host. The add_... functions copy the table they receive. */
typedef struct TemperHost {
    size_t size;         /* sizeof(TemperHost) of the host: it has no members beyond it */
    const char* version; /* of Temper, e.g. "0.4.0" */

    int (*add_operator)(TemperRegistry* registry, const TemperOperator* op, TemperError* error);
    int (*add_data_format)(TemperRegistry* registry, const TemperDataFormat* format,
                           TemperError* error);
    int (*add_metric)(TemperRegistry* registry, const TemperMetric* metric, TemperError* error);
    int (*add_loss)(TemperRegistry* registry, const TemperLoss* loss, TemperError* error);
    int (*add_schedule)(TemperRegistry* registry, const TemperSchedule* schedule,
                        TemperError* error);

    /*
     * Reports an error: what was found, what was expected, and in `hint` what to do (or null).
     * Always returns 1, for `return host->fail(error, ..., ...)`.
     */
    int (*fail)(TemperError* error, const char* message, const char* hint);

    /* Attributes of a node; `fallback` if it has none of that name and kind. */
    int64_t (*int_attribute)(const TemperNode* node, const char* name, int64_t fallback);
    float (*float_attribute)(const TemperNode* node, const char* name, float fallback);
    const char* (*string_attribute)(const TemperNode* node, const char* name, const char* fallback);
    /* The numbers of a list: returns their count; `*values` is null if there is no list. */
    size_t (*ints_attribute)(const TemperNode* node, const char* name, const int64_t** values);
    size_t (*floats_attribute)(const TemperNode* node, const char* name, const float** values);

    /* Splits [0, count) into ranges of `grain` and calls body for each, on several threads. */
    void (*parallel_for)(TemperThreads* threads, int64_t count, int64_t grain,
                         void (*body)(void* context, int64_t begin, int64_t end), void* context);

    int (*add_panel)(TemperRegistry* registry, const TemperPanel* panel, TemperError* error);
} TemperHost;

/* The object that a plugin exports as `temper_plugin`. */
typedef struct TemperPlugin {
    uint32_t abi;        /* TEMPER_PLUGIN_ABI; read before anything else */
    const char* name;    /* e.g. "swish" */
    const char* version; /* e.g. "1.0" */
    const char* summary; /* one sentence */
    /*
     * Adds everything that the plugin provides. `host` stays valid. Called once; if it does not
     * return 0, the plugin is refused as a whole.
     */
    int (*load)(const TemperHost* host, TemperRegistry* registry, TemperError* error);
} TemperPlugin;

extern TEMPER_PLUGIN_EXPORT const TemperPlugin temper_plugin;

#ifdef __cplusplus
}
#endif

/* NOLINTEND(readability-identifier-naming) */

#endif

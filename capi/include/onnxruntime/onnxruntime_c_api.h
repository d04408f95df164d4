// SPDX-License-Identifier: Apache-2.0
/*
 * ONNX Runtime's C API as of version 1.19, over Temper: names, values, order and types are those of
 * ONNX Runtime, so that programs with a training part compile, and programs compiled with its own
 * headers find each function at its place. docs/c_api.md lists what works here. Everything else
 * returns a status with the code ORT_NOT_IMPLEMENTED that names the function; types of which
 * programs need more than a pointer to call such functions are incomplete.
 *
 * Pass what ..._create... functions return to the function Release... of the type; statuses, too. A
 * null status is a success.
 */
#ifndef TEMPER_ONNXRUNTIME_C_API_H
#define TEMPER_ONNXRUNTIME_C_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The names are ONNX Runtime's. NOLINTBEGIN(readability-identifier-naming) */

#ifdef __cplusplus
extern "C" {
#endif

#define ORT_API_VERSION 19

/* Of paths. */
#define ORTCHAR_T char
#define ORT_TSTR(text) text

#define ORT_API_CALL
#if defined(__GNUC__)
#define ORT_EXPORT __attribute__((visibility("default")))
#else
#define ORT_EXPORT
#endif

typedef enum ONNXTensorElementDataType {
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED = 0,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT = 1,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8 = 2,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8 = 3,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16 = 4,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16 = 5,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32 = 6,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 = 7,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING = 8,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL = 9,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 = 10,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE = 11,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32 = 12,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64 = 13,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64 = 14,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128 = 15,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16 = 16,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN = 17,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ = 18,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2 = 19,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ = 20,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4 = 21,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4 = 22
} ONNXTensorElementDataType;

typedef enum ONNXType {
    ONNX_TYPE_UNKNOWN = 0,
    ONNX_TYPE_TENSOR = 1,
    ONNX_TYPE_SEQUENCE = 2,
    ONNX_TYPE_MAP = 3,
    ONNX_TYPE_OPAQUE = 4,
    ONNX_TYPE_SPARSETENSOR = 5,
    ONNX_TYPE_OPTIONAL = 6
} ONNXType;

typedef enum OrtErrorCode {
    ORT_OK = 0,
    ORT_FAIL = 1,
    ORT_INVALID_ARGUMENT = 2,
    ORT_NO_SUCHFILE = 3,
    ORT_NO_MODEL = 4,
    ORT_ENGINE_ERROR = 5,
    ORT_RUNTIME_EXCEPTION = 6,
    ORT_INVALID_PROTOBUF = 7,
    ORT_MODEL_LOADED = 8,
    ORT_NOT_IMPLEMENTED = 9,
    ORT_INVALID_GRAPH = 10,
    ORT_EP_FAIL = 11
} OrtErrorCode;

typedef enum OrtLoggingLevel {
    ORT_LOGGING_LEVEL_VERBOSE = 0,
    ORT_LOGGING_LEVEL_INFO = 1,
    ORT_LOGGING_LEVEL_WARNING = 2,
    ORT_LOGGING_LEVEL_ERROR = 3,
    ORT_LOGGING_LEVEL_FATAL = 4
} OrtLoggingLevel;

typedef enum GraphOptimizationLevel {
    ORT_DISABLE_ALL = 0,
    ORT_ENABLE_BASIC = 1,
    ORT_ENABLE_EXTENDED = 2,
    ORT_ENABLE_ALL = 99
} GraphOptimizationLevel;

typedef enum ExecutionMode { ORT_SEQUENTIAL = 0, ORT_PARALLEL = 1 } ExecutionMode;

typedef enum OrtAllocatorType {
    OrtInvalidAllocator = -1,
    OrtDeviceAllocator = 0,
    OrtArenaAllocator = 1
} OrtAllocatorType;

typedef enum OrtMemType {
    OrtMemTypeCPUInput = -2,
    OrtMemTypeCPUOutput = -1,
    OrtMemTypeCPU = OrtMemTypeCPUOutput,
    OrtMemTypeDefault = 0
} OrtMemType;

typedef enum OrtMemoryInfoDeviceType {
    OrtMemoryInfoDeviceType_CPU = 0,
    OrtMemoryInfoDeviceType_GPU = 1,
    OrtMemoryInfoDeviceType_FPGA = 2
} OrtMemoryInfoDeviceType;

typedef enum OrtLanguageProjection {
    ORT_PROJECTION_C = 0,
    ORT_PROJECTION_CPLUSPLUS = 1,
    ORT_PROJECTION_CSHARP = 2,
    ORT_PROJECTION_PYTHON = 3,
    ORT_PROJECTION_JAVA = 4,
    ORT_PROJECTION_WINML = 5,
    ORT_PROJECTION_NODEJS = 6
} OrtLanguageProjection;

typedef enum OrtSparseFormat {
    ORT_SPARSE_UNDEFINED = 0,
    ORT_SPARSE_COO = 1,
    ORT_SPARSE_CSRC = 2,
    ORT_SPARSE_BLOCK_SPARSE = 4
} OrtSparseFormat;

typedef enum OrtSparseIndicesFormat {
    ORT_SPARSE_COO_INDICES = 0,
    ORT_SPARSE_CSR_INNER_INDICES = 1,
    ORT_SPARSE_CSR_OUTER_INDICES = 2,
    ORT_SPARSE_BLOCK_SPARSE_INDICES = 3
} OrtSparseIndicesFormat;

typedef enum OrtOpAttrType {
    ORT_OP_ATTR_UNDEFINED = 0,
    ORT_OP_ATTR_INT = 1,
    ORT_OP_ATTR_INTS = 2,
    ORT_OP_ATTR_FLOAT = 3,
    ORT_OP_ATTR_FLOATS = 4,
    ORT_OP_ATTR_STRING = 5,
    ORT_OP_ATTR_STRINGS = 6
} OrtOpAttrType;

typedef struct OrtEnv OrtEnv;
typedef struct OrtStatus OrtStatus;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtIoBinding OrtIoBinding;
typedef struct OrtSession OrtSession;
typedef struct OrtValue OrtValue;
typedef struct OrtRunOptions OrtRunOptions;
typedef struct OrtTypeInfo OrtTypeInfo;
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;
typedef struct OrtMapTypeInfo OrtMapTypeInfo;
typedef struct OrtSequenceTypeInfo OrtSequenceTypeInfo;
typedef struct OrtOptionalTypeInfo OrtOptionalTypeInfo;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtCustomOpDomain OrtCustomOpDomain;
typedef struct OrtModelMetadata OrtModelMetadata;
typedef struct OrtThreadPoolParams OrtThreadPoolParams;
typedef struct OrtThreadingOptions OrtThreadingOptions;
typedef struct OrtArenaCfg OrtArenaCfg;
typedef struct OrtPrepackedWeightsContainer OrtPrepackedWeightsContainer;
typedef struct OrtCUDAProviderOptions OrtCUDAProviderOptions;
typedef struct OrtCUDAProviderOptionsV2 OrtCUDAProviderOptionsV2;
typedef struct OrtROCMProviderOptions OrtROCMProviderOptions;
typedef struct OrtTensorRTProviderOptions OrtTensorRTProviderOptions;
typedef struct OrtTensorRTProviderOptionsV2 OrtTensorRTProviderOptionsV2;
typedef struct OrtMIGraphXProviderOptions OrtMIGraphXProviderOptions;
typedef struct OrtOpenVINOProviderOptions OrtOpenVINOProviderOptions;
typedef struct OrtCANNProviderOptions OrtCANNProviderOptions;
typedef struct OrtDnnlProviderOptions OrtDnnlProviderOptions;
typedef struct OrtOp OrtOp;
typedef struct OrtOpAttr OrtOpAttr;
typedef struct OrtLogger OrtLogger;
typedef struct OrtShapeInferContext OrtShapeInferContext;
typedef struct OrtKernelInfo OrtKernelInfo;
typedef struct OrtKernelContext OrtKernelContext;
typedef struct OrtCustomOp OrtCustomOp;
typedef struct OrtApi OrtApi;
typedef struct OrtTrainingApi OrtTrainingApi;

typedef OrtStatus* OrtStatusPtr;

/* A program may pass its own. */
typedef struct OrtAllocator {
    uint32_t version; /* ORT_API_VERSION */
    void* (*Alloc)(struct OrtAllocator*, size_t);
    void (*Free)(struct OrtAllocator*, void*);
    const OrtMemoryInfo* (*Info)(const struct OrtAllocator*);
    void* (*Reserve)(struct OrtAllocator*, size_t); /* since version 18 */
} OrtAllocator;

typedef void (*OrtLoggingFunction)(void*, OrtLoggingLevel, const char*, const char*, const char*,
                                   const char*);
typedef void (*OrtThreadWorkerFn)(void*);
typedef const struct OrtCustomHandleType* OrtCustomThreadHandle;
typedef OrtCustomThreadHandle (*OrtCustomCreateThreadFn)(void*, OrtThreadWorkerFn, void*);
typedef void (*OrtCustomJoinThreadFn)(OrtCustomThreadHandle);
typedef void (*RunAsyncCallbackFn)(void*, OrtValue**, size_t, OrtStatus*);

typedef struct OrtApiBase {
    const OrtApi* (*GetApi)(uint32_t); /* null for a version above ORT_API_VERSION */
    const char* (*GetVersionString)(void);
} OrtApiBase;

ORT_EXPORT const OrtApiBase* OrtGetApiBase(void);

struct OrtApi {
    OrtStatus* (*CreateStatus)(OrtErrorCode, const char*);
    OrtErrorCode (*GetErrorCode)(const OrtStatus*);
    const char* (*GetErrorMessage)(const OrtStatus*);
    OrtStatus* (*CreateEnv)(OrtLoggingLevel, const char*, OrtEnv**);
    OrtStatus* (*CreateEnvWithCustomLogger)(OrtLoggingFunction, void*, OrtLoggingLevel, const char*,
                                            OrtEnv**);
    OrtStatus* (*EnableTelemetryEvents)(const OrtEnv*);
    OrtStatus* (*DisableTelemetryEvents)(const OrtEnv*);
    OrtStatus* (*CreateSession)(const OrtEnv*, const char*, const OrtSessionOptions*, OrtSession**);
    OrtStatus* (*CreateSessionFromArray)(const OrtEnv*, const void*, size_t,
                                         const OrtSessionOptions*, OrtSession**);
    OrtStatus* (*Run)(OrtSession*, const OrtRunOptions*, const char* const*, const OrtValue* const*,
                      size_t, const char* const*, size_t, OrtValue**);
    OrtStatus* (*CreateSessionOptions)(OrtSessionOptions**);
    OrtStatus* (*SetOptimizedModelFilePath)(OrtSessionOptions*, const char*);
    OrtStatus* (*CloneSessionOptions)(const OrtSessionOptions*, OrtSessionOptions**);
    OrtStatus* (*SetSessionExecutionMode)(OrtSessionOptions*, ExecutionMode);
    OrtStatus* (*EnableProfiling)(OrtSessionOptions*, const char*);
    OrtStatus* (*DisableProfiling)(OrtSessionOptions*);
    OrtStatus* (*EnableMemPattern)(OrtSessionOptions*);
    OrtStatus* (*DisableMemPattern)(OrtSessionOptions*);
    OrtStatus* (*EnableCpuMemArena)(OrtSessionOptions*);
    OrtStatus* (*DisableCpuMemArena)(OrtSessionOptions*);
    OrtStatus* (*SetSessionLogId)(OrtSessionOptions*, const char*);
    OrtStatus* (*SetSessionLogVerbosityLevel)(OrtSessionOptions*, int);
    OrtStatus* (*SetSessionLogSeverityLevel)(OrtSessionOptions*, int);
    OrtStatus* (*SetSessionGraphOptimizationLevel)(OrtSessionOptions*, GraphOptimizationLevel);
    OrtStatus* (*SetIntraOpNumThreads)(OrtSessionOptions*, int);
    OrtStatus* (*SetInterOpNumThreads)(OrtSessionOptions*, int);
    OrtStatus* (*CreateCustomOpDomain)(const char*, OrtCustomOpDomain**);
    OrtStatus* (*CustomOpDomain_Add)(OrtCustomOpDomain*, const OrtCustomOp*);
    OrtStatus* (*AddCustomOpDomain)(OrtSessionOptions*, OrtCustomOpDomain*);
    OrtStatus* (*RegisterCustomOpsLibrary)(OrtSessionOptions*, const char*, void**);
    OrtStatus* (*SessionGetInputCount)(const OrtSession*, size_t*);
    OrtStatus* (*SessionGetOutputCount)(const OrtSession*, size_t*);
    OrtStatus* (*SessionGetOverridableInitializerCount)(const OrtSession*, size_t*);
    OrtStatus* (*SessionGetInputTypeInfo)(const OrtSession*, size_t, OrtTypeInfo**);
    OrtStatus* (*SessionGetOutputTypeInfo)(const OrtSession*, size_t, OrtTypeInfo**);
    OrtStatus* (*SessionGetOverridableInitializerTypeInfo)(const OrtSession*, size_t,
                                                           OrtTypeInfo**);
    OrtStatus* (*SessionGetInputName)(const OrtSession*, size_t, OrtAllocator*, char**);
    OrtStatus* (*SessionGetOutputName)(const OrtSession*, size_t, OrtAllocator*, char**);
    OrtStatus* (*SessionGetOverridableInitializerName)(const OrtSession*, size_t, OrtAllocator*,
                                                       char**);
    OrtStatus* (*CreateRunOptions)(OrtRunOptions**);
    OrtStatus* (*RunOptionsSetRunLogVerbosityLevel)(OrtRunOptions*, int);
    OrtStatus* (*RunOptionsSetRunLogSeverityLevel)(OrtRunOptions*, int);
    OrtStatus* (*RunOptionsSetRunTag)(OrtRunOptions*, const char*);
    OrtStatus* (*RunOptionsGetRunLogVerbosityLevel)(const OrtRunOptions*, int*);
    OrtStatus* (*RunOptionsGetRunLogSeverityLevel)(const OrtRunOptions*, int*);
    OrtStatus* (*RunOptionsGetRunTag)(const OrtRunOptions*, const char**);
    OrtStatus* (*RunOptionsSetTerminate)(OrtRunOptions*);
    OrtStatus* (*RunOptionsUnsetTerminate)(OrtRunOptions*);
    OrtStatus* (*CreateTensorAsOrtValue)(OrtAllocator*, const int64_t*, size_t,
                                         ONNXTensorElementDataType, OrtValue**);
    OrtStatus* (*CreateTensorWithDataAsOrtValue)(const OrtMemoryInfo*, void*, size_t,
                                                 const int64_t*, size_t, ONNXTensorElementDataType,
                                                 OrtValue**);
    OrtStatus* (*IsTensor)(const OrtValue*, int*);
    OrtStatus* (*GetTensorMutableData)(OrtValue*, void**);
    OrtStatus* (*FillStringTensor)(OrtValue*, const char* const*, size_t);
    OrtStatus* (*GetStringTensorDataLength)(const OrtValue*, size_t*);
    OrtStatus* (*GetStringTensorContent)(const OrtValue*, void*, size_t, size_t*, size_t);
    OrtStatus* (*CastTypeInfoToTensorInfo)(const OrtTypeInfo*, const OrtTensorTypeAndShapeInfo**);
    OrtStatus* (*GetOnnxTypeFromTypeInfo)(const OrtTypeInfo*, ONNXType*);
    OrtStatus* (*CreateTensorTypeAndShapeInfo)(OrtTensorTypeAndShapeInfo**);
    OrtStatus* (*SetTensorElementType)(OrtTensorTypeAndShapeInfo*, ONNXTensorElementDataType);
    OrtStatus* (*SetDimensions)(OrtTensorTypeAndShapeInfo*, const int64_t*, size_t);
    OrtStatus* (*GetTensorElementType)(const OrtTensorTypeAndShapeInfo*,
                                       ONNXTensorElementDataType*);
    OrtStatus* (*GetDimensionsCount)(const OrtTensorTypeAndShapeInfo*, size_t*);
    OrtStatus* (*GetDimensions)(const OrtTensorTypeAndShapeInfo*, int64_t*, size_t);
    OrtStatus* (*GetSymbolicDimensions)(const OrtTensorTypeAndShapeInfo*, const char**, size_t);
    OrtStatus* (*GetTensorShapeElementCount)(const OrtTensorTypeAndShapeInfo*, size_t*);
    OrtStatus* (*GetTensorTypeAndShape)(const OrtValue*, OrtTensorTypeAndShapeInfo**);
    OrtStatus* (*GetTypeInfo)(const OrtValue*, OrtTypeInfo**);
    OrtStatus* (*GetValueType)(const OrtValue*, ONNXType*);
    OrtStatus* (*CreateMemoryInfo)(const char*, OrtAllocatorType, int, OrtMemType, OrtMemoryInfo**);
    OrtStatus* (*CreateCpuMemoryInfo)(OrtAllocatorType, OrtMemType, OrtMemoryInfo**);
    OrtStatus* (*CompareMemoryInfo)(const OrtMemoryInfo*, const OrtMemoryInfo*, int*);
    OrtStatus* (*MemoryInfoGetName)(const OrtMemoryInfo*, const char**);
    OrtStatus* (*MemoryInfoGetId)(const OrtMemoryInfo*, int*);
    OrtStatus* (*MemoryInfoGetMemType)(const OrtMemoryInfo*, OrtMemType*);
    OrtStatus* (*MemoryInfoGetType)(const OrtMemoryInfo*, OrtAllocatorType*);
    OrtStatus* (*AllocatorAlloc)(OrtAllocator*, size_t, void**);
    OrtStatus* (*AllocatorFree)(OrtAllocator*, void*);
    OrtStatus* (*AllocatorGetInfo)(const OrtAllocator*, const OrtMemoryInfo**);
    OrtStatus* (*GetAllocatorWithDefaultOptions)(OrtAllocator**);
    OrtStatus* (*AddFreeDimensionOverride)(OrtSessionOptions*, const char*, int64_t);
    OrtStatus* (*GetValue)(const OrtValue*, int, OrtAllocator*, OrtValue**);
    OrtStatus* (*GetValueCount)(const OrtValue*, size_t*);
    OrtStatus* (*CreateValue)(const OrtValue* const*, size_t, ONNXType, OrtValue**);
    OrtStatus* (*CreateOpaqueValue)(const char*, const char*, const void*, size_t, OrtValue**);
    OrtStatus* (*GetOpaqueValue)(const char*, const char*, const OrtValue*, void*, size_t);
    OrtStatus* (*KernelInfoGetAttribute_float)(const OrtKernelInfo*, const char*, float*);
    OrtStatus* (*KernelInfoGetAttribute_int64)(const OrtKernelInfo*, const char*, int64_t*);
    OrtStatus* (*KernelInfoGetAttribute_string)(const OrtKernelInfo*, const char*, char*, size_t*);
    OrtStatus* (*KernelContext_GetInputCount)(const OrtKernelContext*, size_t*);
    OrtStatus* (*KernelContext_GetOutputCount)(const OrtKernelContext*, size_t*);
    OrtStatus* (*KernelContext_GetInput)(const OrtKernelContext*, size_t, const OrtValue**);
    OrtStatus* (*KernelContext_GetOutput)(OrtKernelContext*, size_t, const int64_t*, size_t,
                                          OrtValue**);
    void (*ReleaseEnv)(OrtEnv*);
    void (*ReleaseStatus)(OrtStatus*);
    void (*ReleaseMemoryInfo)(OrtMemoryInfo*);
    void (*ReleaseSession)(OrtSession*);
    void (*ReleaseValue)(OrtValue*);
    void (*ReleaseRunOptions)(OrtRunOptions*);
    void (*ReleaseTypeInfo)(OrtTypeInfo*);
    void (*ReleaseTensorTypeAndShapeInfo)(OrtTensorTypeAndShapeInfo*);
    void (*ReleaseSessionOptions)(OrtSessionOptions*);
    void (*ReleaseCustomOpDomain)(OrtCustomOpDomain*);
    OrtStatus* (*GetDenotationFromTypeInfo)(const OrtTypeInfo*, const char**, size_t*);
    OrtStatus* (*CastTypeInfoToMapTypeInfo)(const OrtTypeInfo*, const OrtMapTypeInfo**);
    OrtStatus* (*CastTypeInfoToSequenceTypeInfo)(const OrtTypeInfo*, const OrtSequenceTypeInfo**);
    OrtStatus* (*GetMapKeyType)(const OrtMapTypeInfo*, ONNXTensorElementDataType*);
    OrtStatus* (*GetMapValueType)(const OrtMapTypeInfo*, OrtTypeInfo**);
    OrtStatus* (*GetSequenceElementType)(const OrtSequenceTypeInfo*, OrtTypeInfo**);
    void (*ReleaseMapTypeInfo)(OrtMapTypeInfo*);
    void (*ReleaseSequenceTypeInfo)(OrtSequenceTypeInfo*);
    OrtStatus* (*SessionEndProfiling)(OrtSession*, OrtAllocator*, char**);
    OrtStatus* (*SessionGetModelMetadata)(const OrtSession*, OrtModelMetadata**);
    OrtStatus* (*ModelMetadataGetProducerName)(const OrtModelMetadata*, OrtAllocator*, char**);
    OrtStatus* (*ModelMetadataGetGraphName)(const OrtModelMetadata*, OrtAllocator*, char**);
    OrtStatus* (*ModelMetadataGetDomain)(const OrtModelMetadata*, OrtAllocator*, char**);
    OrtStatus* (*ModelMetadataGetDescription)(const OrtModelMetadata*, OrtAllocator*, char**);
    OrtStatus* (*ModelMetadataLookupCustomMetadataMap)(const OrtModelMetadata*, OrtAllocator*,
                                                       const char*, char**);
    OrtStatus* (*ModelMetadataGetVersion)(const OrtModelMetadata*, int64_t*);
    void (*ReleaseModelMetadata)(OrtModelMetadata*);
    OrtStatus* (*CreateEnvWithGlobalThreadPools)(OrtLoggingLevel, const char*,
                                                 const OrtThreadingOptions*, OrtEnv**);
    OrtStatus* (*DisablePerSessionThreads)(OrtSessionOptions*);
    OrtStatus* (*CreateThreadingOptions)(OrtThreadingOptions**);
    void (*ReleaseThreadingOptions)(OrtThreadingOptions*);
    OrtStatus* (*ModelMetadataGetCustomMetadataMapKeys)(const OrtModelMetadata*, OrtAllocator*,
                                                        char***, int64_t*);
    OrtStatus* (*AddFreeDimensionOverrideByName)(OrtSessionOptions*, const char*, int64_t);
    OrtStatus* (*GetAvailableProviders)(char***, int*);
    OrtStatus* (*ReleaseAvailableProviders)(char**, int);
    OrtStatus* (*GetStringTensorElementLength)(const OrtValue*, size_t, size_t*);
    OrtStatus* (*GetStringTensorElement)(const OrtValue*, size_t, size_t, void*);
    OrtStatus* (*FillStringTensorElement)(OrtValue*, const char*, size_t);
    OrtStatus* (*AddSessionConfigEntry)(OrtSessionOptions*, const char*, const char*);
    OrtStatus* (*CreateAllocator)(const OrtSession*, const OrtMemoryInfo*, OrtAllocator**);
    void (*ReleaseAllocator)(OrtAllocator*);
    OrtStatus* (*RunWithBinding)(OrtSession*, const OrtRunOptions*, const OrtIoBinding*);
    OrtStatus* (*CreateIoBinding)(OrtSession*, OrtIoBinding**);
    void (*ReleaseIoBinding)(OrtIoBinding*);
    OrtStatus* (*BindInput)(OrtIoBinding*, const char*, const OrtValue*);
    OrtStatus* (*BindOutput)(OrtIoBinding*, const char*, const OrtValue*);
    OrtStatus* (*BindOutputToDevice)(OrtIoBinding*, const char*, const OrtMemoryInfo*);
    OrtStatus* (*GetBoundOutputNames)(const OrtIoBinding*, OrtAllocator*, char**, size_t**,
                                      size_t*);
    OrtStatus* (*GetBoundOutputValues)(const OrtIoBinding*, OrtAllocator*, OrtValue***, size_t*);
    void (*ClearBoundInputs)(OrtIoBinding*);
    void (*ClearBoundOutputs)(OrtIoBinding*);
    OrtStatus* (*TensorAt)(OrtValue*, const int64_t*, size_t, void**);
    OrtStatus* (*CreateAndRegisterAllocator)(OrtEnv*, const OrtMemoryInfo*, const OrtArenaCfg*);
    OrtStatus* (*SetLanguageProjection)(const OrtEnv*, OrtLanguageProjection);
    OrtStatus* (*SessionGetProfilingStartTimeNs)(const OrtSession*, uint64_t*);
    OrtStatus* (*SetGlobalIntraOpNumThreads)(OrtThreadingOptions*, int);
    OrtStatus* (*SetGlobalInterOpNumThreads)(OrtThreadingOptions*, int);
    OrtStatus* (*SetGlobalSpinControl)(OrtThreadingOptions*, int);
    OrtStatus* (*AddInitializer)(OrtSessionOptions*, const char*, const OrtValue*);
    OrtStatus* (*CreateEnvWithCustomLoggerAndGlobalThreadPools)(OrtLoggingFunction, void*,
                                                                OrtLoggingLevel, const char*,
                                                                const OrtThreadingOptions*,
                                                                OrtEnv**);
    OrtStatus* (*SessionOptionsAppendExecutionProvider_CUDA)(OrtSessionOptions*,
                                                             const OrtCUDAProviderOptions*);
    OrtStatus* (*SessionOptionsAppendExecutionProvider_ROCM)(OrtSessionOptions*,
                                                             const OrtROCMProviderOptions*);
    OrtStatus* (*SessionOptionsAppendExecutionProvider_OpenVINO)(OrtSessionOptions*,
                                                                 const OrtOpenVINOProviderOptions*);
    OrtStatus* (*SetGlobalDenormalAsZero)(OrtThreadingOptions*);
    OrtStatus* (*CreateArenaCfg)(size_t, int, int, int, OrtArenaCfg**);
    void (*ReleaseArenaCfg)(OrtArenaCfg*);
    OrtStatus* (*ModelMetadataGetGraphDescription)(const OrtModelMetadata*, OrtAllocator*, char**);
    OrtStatus* (*SessionOptionsAppendExecutionProvider_TensorRT)(OrtSessionOptions*,
                                                                 const OrtTensorRTProviderOptions*);
    OrtStatus* (*SetCurrentGpuDeviceId)(int);
    OrtStatus* (*GetCurrentGpuDeviceId)(int*);
    OrtStatus* (*KernelInfoGetAttributeArray_float)(const OrtKernelInfo*, const char*, float*,
                                                    size_t*);
    OrtStatus* (*KernelInfoGetAttributeArray_int64)(const OrtKernelInfo*, const char*, int64_t*,
                                                    size_t*);
    OrtStatus* (*CreateArenaCfgV2)(const char* const*, const size_t*, size_t, OrtArenaCfg**);
    OrtStatus* (*AddRunConfigEntry)(OrtRunOptions*, const char*, const char*);
    OrtStatus* (*CreatePrepackedWeightsContainer)(OrtPrepackedWeightsContainer**);
    void (*ReleasePrepackedWeightsContainer)(OrtPrepackedWeightsContainer*);
    OrtStatus* (*CreateSessionWithPrepackedWeightsContainer)(const OrtEnv*, const char*,
                                                             const OrtSessionOptions*,
                                                             OrtPrepackedWeightsContainer*,
                                                             OrtSession**);
    OrtStatus* (*CreateSessionFromArrayWithPrepackedWeightsContainer)(const OrtEnv*, const void*,
                                                                      size_t,
                                                                      const OrtSessionOptions*,
                                                                      OrtPrepackedWeightsContainer*,
                                                                      OrtSession**);
    OrtStatus* (*SessionOptionsAppendExecutionProvider_TensorRT_V2)(
        OrtSessionOptions*, const OrtTensorRTProviderOptionsV2*);
    OrtStatus* (*CreateTensorRTProviderOptions)(OrtTensorRTProviderOptionsV2**);
    OrtStatus* (*UpdateTensorRTProviderOptions)(OrtTensorRTProviderOptionsV2*, const char* const*,
                                                const char* const*, size_t);
    OrtStatus* (*GetTensorRTProviderOptionsAsString)(const OrtTensorRTProviderOptionsV2*,
                                                     OrtAllocator*, char**);
    void (*ReleaseTensorRTProviderOptions)(OrtTensorRTProviderOptionsV2*);
    OrtStatus* (*EnableOrtCustomOps)(OrtSessionOptions*);
    OrtStatus* (*RegisterAllocator)(OrtEnv*, OrtAllocator*);
    OrtStatus* (*UnregisterAllocator)(OrtEnv*, const OrtMemoryInfo*);
    OrtStatus* (*IsSparseTensor)(const OrtValue*, int*);
    OrtStatus* (*CreateSparseTensorAsOrtValue)(OrtAllocator*, const int64_t*, size_t,
                                               ONNXTensorElementDataType, OrtValue**);
    OrtStatus* (*FillSparseTensorCoo)(OrtValue*, const OrtMemoryInfo*, const int64_t*, size_t,
                                      const void*, const int64_t*, size_t);
    OrtStatus* (*FillSparseTensorCsr)(OrtValue*, const OrtMemoryInfo*, const int64_t*, size_t,
                                      const void*, const int64_t*, size_t, const int64_t*, size_t);
    OrtStatus* (*FillSparseTensorBlockSparse)(OrtValue*, const OrtMemoryInfo*, const int64_t*,
                                              size_t, const void*, const int64_t*, size_t,
                                              const int32_t*);
    OrtStatus* (*CreateSparseTensorWithValuesAsOrtValue)(const OrtMemoryInfo*, void*,
                                                         const int64_t*, size_t, const int64_t*,
                                                         size_t, ONNXTensorElementDataType,
                                                         OrtValue**);
    OrtStatus* (*UseCooIndices)(OrtValue*, int64_t*, size_t);
    OrtStatus* (*UseCsrIndices)(OrtValue*, int64_t*, size_t, int64_t*, size_t);
    OrtStatus* (*UseBlockSparseIndices)(OrtValue*, const int64_t*, size_t, int32_t*);
    OrtStatus* (*GetSparseTensorFormat)(const OrtValue*, OrtSparseFormat*);
    OrtStatus* (*GetSparseTensorValuesTypeAndShape)(const OrtValue*, OrtTensorTypeAndShapeInfo**);
    OrtStatus* (*GetSparseTensorValues)(const OrtValue*, const void**);
    OrtStatus* (*GetSparseTensorIndicesTypeShape)(const OrtValue*, OrtSparseIndicesFormat,
                                                  OrtTensorTypeAndShapeInfo**);
    OrtStatus* (*GetSparseTensorIndices)(const OrtValue*, OrtSparseIndicesFormat, size_t*,
                                         const void**);
    OrtStatus* (*HasValue)(const OrtValue*, int*);
    OrtStatus* (*KernelContext_GetGPUComputeStream)(const OrtKernelContext*, void**);
    OrtStatus* (*GetTensorMemoryInfo)(const OrtValue*, const OrtMemoryInfo**);
    OrtStatus* (*GetExecutionProviderApi)(const char*, uint32_t, const void**);
    OrtStatus* (*SessionOptionsSetCustomCreateThreadFn)(OrtSessionOptions*,
                                                        OrtCustomCreateThreadFn);
    OrtStatus* (*SessionOptionsSetCustomThreadCreationOptions)(OrtSessionOptions*, void*);
    OrtStatus* (*SessionOptionsSetCustomJoinThreadFn)(OrtSessionOptions*, OrtCustomJoinThreadFn);
    OrtStatus* (*SetGlobalCustomCreateThreadFn)(OrtThreadingOptions*, OrtCustomCreateThreadFn);
    OrtStatus* (*SetGlobalCustomThreadCreationOptions)(OrtThreadingOptions*, void*);
    OrtStatus* (*SetGlobalCustomJoinThreadFn)(OrtThreadingOptions*, OrtCustomJoinThreadFn);
    OrtStatus* (*SynchronizeBoundInputs)(OrtIoBinding*);
    OrtStatus* (*SynchronizeBoundOutputs)(OrtIoBinding*);
    OrtStatus* (*SessionOptionsAppendExecutionProvider_CUDA_V2)(OrtSessionOptions*,
                                                                const OrtCUDAProviderOptionsV2*);
    OrtStatus* (*CreateCUDAProviderOptions)(OrtCUDAProviderOptionsV2**);
    OrtStatus* (*UpdateCUDAProviderOptions)(OrtCUDAProviderOptionsV2*, const char* const*,
                                            const char* const*, size_t);
    OrtStatus* (*GetCUDAProviderOptionsAsString)(const OrtCUDAProviderOptionsV2*, OrtAllocator*,
                                                 char**);
    void (*ReleaseCUDAProviderOptions)(OrtCUDAProviderOptionsV2*);
    OrtStatus* (*SessionOptionsAppendExecutionProvider_MIGraphX)(OrtSessionOptions*,
                                                                 const OrtMIGraphXProviderOptions*);
    OrtStatus* (*AddExternalInitializers)(OrtSessionOptions*, const char* const*,
                                          const OrtValue* const*, size_t);
    OrtStatus* (*CreateOpAttr)(const char*, const void*, int, OrtOpAttrType, OrtOpAttr**);
    void (*ReleaseOpAttr)(OrtOpAttr*);
    OrtStatus* (*CreateOp)(const OrtKernelInfo*, const char*, const char*, int, const char**,
                           const ONNXTensorElementDataType*, int, const OrtOpAttr* const*, int, int,
                           int, OrtOp**);
    OrtStatus* (*InvokeOp)(const OrtKernelContext*, const OrtOp*, const OrtValue* const*, int,
                           OrtValue* const*, int);
    void (*ReleaseOp)(OrtOp*);
    OrtStatus* (*SessionOptionsAppendExecutionProvider)(OrtSessionOptions*, const char*,
                                                        const char* const*, const char* const*,
                                                        size_t);
    OrtStatus* (*CopyKernelInfo)(const OrtKernelInfo*, OrtKernelInfo**);
    void (*ReleaseKernelInfo)(OrtKernelInfo*);
    const OrtTrainingApi* (*GetTrainingApi)(uint32_t);
    OrtStatus* (*SessionOptionsAppendExecutionProvider_CANN)(OrtSessionOptions*,
                                                             const OrtCANNProviderOptions*);
    OrtStatus* (*CreateCANNProviderOptions)(OrtCANNProviderOptions**);
    OrtStatus* (*UpdateCANNProviderOptions)(OrtCANNProviderOptions*, const char* const*,
                                            const char* const*, size_t);
    OrtStatus* (*GetCANNProviderOptionsAsString)(const OrtCANNProviderOptions*, OrtAllocator*,
                                                 char**);
    void (*ReleaseCANNProviderOptions)(OrtCANNProviderOptions*);
    void (*MemoryInfoGetDeviceType)(const OrtMemoryInfo*, OrtMemoryInfoDeviceType*);
    OrtStatus* (*UpdateEnvWithCustomLogLevel)(OrtEnv*, OrtLoggingLevel);
    OrtStatus* (*SetGlobalIntraOpThreadAffinity)(OrtThreadingOptions*, const char*);
    OrtStatus* (*RegisterCustomOpsLibrary_V2)(OrtSessionOptions*, const char*);
    OrtStatus* (*RegisterCustomOpsUsingFunction)(OrtSessionOptions*, const char*);
    OrtStatus* (*KernelInfo_GetInputCount)(const OrtKernelInfo*, size_t*);
    OrtStatus* (*KernelInfo_GetOutputCount)(const OrtKernelInfo*, size_t*);
    OrtStatus* (*KernelInfo_GetInputName)(const OrtKernelInfo*, size_t, char*, size_t*);
    OrtStatus* (*KernelInfo_GetOutputName)(const OrtKernelInfo*, size_t, char*, size_t*);
    OrtStatus* (*KernelInfo_GetInputTypeInfo)(const OrtKernelInfo*, size_t, OrtTypeInfo**);
    OrtStatus* (*KernelInfo_GetOutputTypeInfo)(const OrtKernelInfo*, size_t, OrtTypeInfo**);
    OrtStatus* (*KernelInfoGetAttribute_tensor)(const OrtKernelInfo*, const char*, OrtAllocator*,
                                                OrtValue**);
    OrtStatus* (*HasSessionConfigEntry)(const OrtSessionOptions*, const char*, int*);
    OrtStatus* (*GetSessionConfigEntry)(const OrtSessionOptions*, const char*, char*, size_t*);
    OrtStatus* (*SessionOptionsAppendExecutionProvider_Dnnl)(OrtSessionOptions*,
                                                             const OrtDnnlProviderOptions*);
    OrtStatus* (*CreateDnnlProviderOptions)(OrtDnnlProviderOptions**);
    OrtStatus* (*UpdateDnnlProviderOptions)(OrtDnnlProviderOptions*, const char* const*,
                                            const char* const*, size_t);
    OrtStatus* (*GetDnnlProviderOptionsAsString)(const OrtDnnlProviderOptions*, OrtAllocator*,
                                                 char**);
    void (*ReleaseDnnlProviderOptions)(OrtDnnlProviderOptions*);
    OrtStatus* (*KernelInfo_GetNodeName)(const OrtKernelInfo*, char*, size_t*);
    OrtStatus* (*KernelInfo_GetLogger)(const OrtKernelInfo*, const OrtLogger**);
    OrtStatus* (*KernelContext_GetLogger)(const OrtKernelContext*, const OrtLogger**);
    OrtStatus* (*Logger_LogMessage)(const OrtLogger*, OrtLoggingLevel, const char*, const char*,
                                    int, const char*);
    OrtStatus* (*Logger_GetLoggingSeverityLevel)(const OrtLogger*, OrtLoggingLevel*);
    OrtStatus* (*KernelInfoGetConstantInput_tensor)(const OrtKernelInfo*, size_t, int*,
                                                    const OrtValue**);
    OrtStatus* (*CastTypeInfoToOptionalTypeInfo)(const OrtTypeInfo*, const OrtOptionalTypeInfo**);
    OrtStatus* (*GetOptionalContainedTypeInfo)(const OrtOptionalTypeInfo*, OrtTypeInfo**);
    OrtStatus* (*GetResizedStringTensorElementBuffer)(OrtValue*, size_t, size_t, char**);
    OrtStatus* (*KernelContext_GetAllocator)(const OrtKernelContext*, const OrtMemoryInfo*,
                                             OrtAllocator**);
    const char* (*GetBuildInfoString)(void);
    OrtStatus* (*CreateROCMProviderOptions)(OrtROCMProviderOptions**);
    OrtStatus* (*UpdateROCMProviderOptions)(OrtROCMProviderOptions*, const char* const*,
                                            const char* const*, size_t);
    OrtStatus* (*GetROCMProviderOptionsAsString)(const OrtROCMProviderOptions*, OrtAllocator*,
                                                 char**);
    void (*ReleaseROCMProviderOptions)(OrtROCMProviderOptions*);
    OrtStatus* (*CreateAndRegisterAllocatorV2)(OrtEnv*, const char*, const OrtMemoryInfo*,
                                               const OrtArenaCfg*, const char* const*,
                                               const char* const*, size_t);
    OrtStatus* (*RunAsync)(OrtSession*, const OrtRunOptions*, const char* const*,
                           const OrtValue* const*, size_t, const char* const*, size_t, OrtValue**,
                           RunAsyncCallbackFn, void*);
    OrtStatus* (*UpdateTensorRTProviderOptionsWithValue)(OrtTensorRTProviderOptionsV2*, const char*,
                                                         void*);
    OrtStatus* (*GetTensorRTProviderOptionsByName)(const OrtTensorRTProviderOptionsV2*, const char*,
                                                   void**);
    OrtStatus* (*UpdateCUDAProviderOptionsWithValue)(OrtCUDAProviderOptionsV2*, const char*, void*);
    OrtStatus* (*GetCUDAProviderOptionsByName)(const OrtCUDAProviderOptionsV2*, const char*,
                                               void**);
    OrtStatus* (*KernelContext_GetResource)(const OrtKernelContext*, int, int, void**);
    OrtStatus* (*SetUserLoggingFunction)(OrtSessionOptions*, OrtLoggingFunction, void*);
    OrtStatus* (*ShapeInferContext_GetInputCount)(const OrtShapeInferContext*, size_t*);
    OrtStatus* (*ShapeInferContext_GetInputTypeShape)(const OrtShapeInferContext*, size_t,
                                                      OrtTensorTypeAndShapeInfo**);
    OrtStatus* (*ShapeInferContext_GetAttribute)(const OrtShapeInferContext*, const char*,
                                                 const OrtOpAttr**);
    OrtStatus* (*ShapeInferContext_SetOutputTypeShape)(const OrtShapeInferContext*, size_t,
                                                       const OrtTensorTypeAndShapeInfo*);
    OrtStatus* (*SetSymbolicDimensions)(OrtTensorTypeAndShapeInfo*, const char**, size_t);
    OrtStatus* (*ReadOpAttr)(const OrtOpAttr*, OrtOpAttrType, void*, size_t, size_t*);
    OrtStatus* (*SetDeterministicCompute)(OrtSessionOptions*, bool);
    OrtStatus* (*KernelContext_ParallelFor)(const OrtKernelContext*, void (*)(void*, size_t),
                                            size_t, size_t, void*);
    OrtStatus* (*SessionOptionsAppendExecutionProvider_OpenVINO_V2)(OrtSessionOptions*,
                                                                    const char* const*,
                                                                    const char* const*, size_t);
    OrtStatus* (*SessionOptionsAppendExecutionProvider_VitisAI)(OrtSessionOptions*,
                                                                const char* const*,
                                                                const char* const*, size_t);
    OrtStatus* (*KernelContext_GetScratchBuffer)(const OrtKernelContext*, const OrtMemoryInfo*,
                                                 size_t, void**);
    OrtStatus* (*KernelInfoGetAllocator)(const OrtKernelInfo*, OrtMemType, OrtAllocator**);
    OrtStatus* (*AddExternalInitializersFromFilesInMemory)(OrtSessionOptions*, const char* const*,
                                                           char* const*, const size_t*, size_t);
};

#ifdef __cplusplus
}
#endif

/* NOLINTEND(readability-identifier-naming) */

#endif /* TEMPER_ONNXRUNTIME_C_API_H */

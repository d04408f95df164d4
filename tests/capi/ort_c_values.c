// SPDX-License-Identifier: Apache-2.0
/*
 * ort_c_values LIBRARY MODEL: calls functions of ONNX Runtime's C API in a library and prints what
 * they return, so that libtemper.so and ONNX Runtime's own library can be compared. MODEL has one
 * input, float32 [N, 784].
 */
#include <dlfcn.h>
#include <onnxruntime_training_c_api.h>
#include <stdio.h>

static const OrtApi* ort;

static void check(OrtStatus* status) {
    if (status == NULL) return;
    printf("failed: %s\n", ort->GetErrorMessage(status));
    ort->ReleaseStatus(status);
    exit(1);
}

/* Prints the code of an error that is expected. */
static void refused(const char* what, OrtStatus* status) {
    printf("%s: %s\n", what, status == NULL ? "accepted" : "refused");
    ort->ReleaseStatus(status);
}

static void print_info(OrtTensorTypeAndShapeInfo* info) {
    int64_t dims[8] = {0};
    const char* symbols[8] = {0};
    size_t rank, count, i;
    enum ONNXTensorElementDataType type;
    check(ort->GetTensorElementType(info, &type));
    check(ort->GetDimensionsCount(info, &rank));
    check(ort->GetDimensions(info, dims, rank));
    check(ort->GetSymbolicDimensions(info, symbols, rank));
    printf("type %d, rank %d:", (int)type, (int)rank);
    for (i = 0; i < rank; ++i)
        printf(" %d '%s'", (int)dims[i], symbols[i] == NULL ? "" : symbols[i]);
    if (rank == 0 || dims[0] >= 0) {
        check(ort->GetTensorShapeElementCount(info, &count));
        printf(", %d elements", (int)count);
    }
    printf("\n");
}

static void statuses(void) {
    OrtStatus* status = ort->CreateStatus(ORT_NO_MODEL, "no model here");
    printf("%d %s\n", (int)ort->GetErrorCode(status), ort->GetErrorMessage(status));
    ort->ReleaseStatus(status);
}

static void memory_infos(void) {
    OrtMemoryInfo *first, *second;
    const char* name;
    int id, differ;
    OrtMemType mem_type;
    OrtAllocatorType type;
    OrtMemoryInfoDeviceType device;
    check(ort->CreateMemoryInfo("Cpu", OrtArenaAllocator, 0, OrtMemTypeDefault, &first));
    check(ort->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &second));
    check(ort->MemoryInfoGetName(first, &name));
    check(ort->MemoryInfoGetId(first, &id));
    check(ort->MemoryInfoGetMemType(first, &mem_type));
    check(ort->MemoryInfoGetType(first, &type));
    ort->MemoryInfoGetDeviceType(first, &device);
    printf("%s %d %d %d %d\n", name, id, (int)mem_type, (int)type, (int)device);
    check(ort->CompareMemoryInfo(first, first, &differ));
    printf("same: %d\n", differ);
    check(ort->CompareMemoryInfo(first, second, &differ));
    printf("different: %d\n", differ != 0);
    ort->ReleaseMemoryInfo(first);
    ort->ReleaseMemoryInfo(second);
}

static void numbers(OrtAllocator* allocator) {
    float data[6] = {1, 2, 3, 4, 5, 6};
    const int64_t shape[] = {2, 3}, location[] = {1, 2}, outside[] = {2, 0};
    OrtMemoryInfo* memory;
    OrtValue *value = NULL, *made = NULL;
    OrtTensorTypeAndShapeInfo* info;
    OrtTypeInfo* type_info;
    const OrtTensorTypeAndShapeInfo* tensor_info;
    enum ONNXType type;
    int is_tensor;
    void* address;
    check(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
    check(ort->CreateTensorWithDataAsOrtValue(memory, data, sizeof data, shape, 2,
                                              ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
    check(ort->IsTensor(value, &is_tensor));
    check(ort->GetValueType(value, &type));
    check(ort->GetTensorMutableData(value, &address));
    printf("tensor %d, type %d, own memory %d\n", is_tensor, (int)type, address == (void*)data);
    check(ort->TensorAt(value, location, 2, &address));
    printf("at [1, 2]: %g\n", *(float*)address);
    refused("outside", ort->TensorAt(value, outside, 2, &address));
    check(ort->GetTensorTypeAndShape(value, &info));
    print_info(info);
    ort->ReleaseTensorTypeAndShapeInfo(info);
    check(ort->GetTypeInfo(value, &type_info));
    check(ort->GetOnnxTypeFromTypeInfo(type_info, &type));
    check(ort->CastTypeInfoToTensorInfo(type_info, &tensor_info));
    printf("kind %d, tensor %d\n", (int)type, tensor_info != NULL);
    ort->ReleaseTypeInfo(type_info);
    refused("too small", ort->CreateTensorWithDataAsOrtValue(
                             memory, data, sizeof data - 1, shape, 2,
                             ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &made));
    check(ort->CreateTensorAsOrtValue(allocator, shape, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64,
                                      &made));
    check(ort->GetTensorTypeAndShape(made, &info));
    print_info(info);
    ort->ReleaseTensorTypeAndShapeInfo(info);
    ort->ReleaseValue(made);
    ort->ReleaseValue(value);
    ort->ReleaseMemoryInfo(memory);
}

static void texts(OrtAllocator* allocator) {
    const char* words[] = {"ein", "gr\xc3\xbc\xc3\x9f", ""};
    const int64_t shape[] = {3};
    char content[64] = {0};
    size_t offsets[3], length, i;
    OrtValue* value;
    check(ort->CreateTensorAsOrtValue(allocator, shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
                                      &value));
    refused("too few", ort->FillStringTensor(value, words, 2));
    check(ort->FillStringTensor(value, words, 3));
    check(ort->GetStringTensorDataLength(value, &length));
    check(ort->GetStringTensorContent(value, content, length, offsets, 3));
    printf("%d bytes '%.*s'", (int)length, (int)length, content);
    for (i = 0; i < 3; ++i) printf(" %d", (int)offsets[i]);
    check(ort->FillStringTensorElement(value, "drei", 2));
    check(ort->GetStringTensorElementLength(value, 2, &length));
    check(ort->GetStringTensorElement(value, length, 2, content));
    printf(" '%.*s'\n", (int)length, content);
    refused("index", ort->GetStringTensorElementLength(value, 3, &length));
    ort->ReleaseValue(value);
}

static void infos(void) {
    const int64_t dims[] = {4, 5};
    OrtTensorTypeAndShapeInfo* info;
    check(ort->CreateTensorTypeAndShapeInfo(&info));
    check(ort->SetTensorElementType(info, ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE));
    check(ort->SetDimensions(info, dims, 2));
    print_info(info);
    ort->ReleaseTensorTypeAndShapeInfo(info);
}

static void options(void) {
    OrtSessionOptions *first, *copy;
    OrtRunOptions* run;
    char value[16] = {0};
    size_t size = sizeof value;
    int has, number;
    const char* tag;
    check(ort->CreateSessionOptions(&first));
    check(ort->SetSessionGraphOptimizationLevel(first, ORT_ENABLE_ALL));
    check(ort->SetInterOpNumThreads(first, 1));
    check(ort->AddSessionConfigEntry(first, "session.set_denormal_as_zero", "0"));
    check(ort->CloneSessionOptions(first, &copy));
    check(ort->HasSessionConfigEntry(copy, "session.set_denormal_as_zero", &has));
    check(ort->GetSessionConfigEntry(copy, "session.set_denormal_as_zero", value, &size));
    printf("entry %d '%s' %d\n", has, value, (int)size);
    check(ort->HasSessionConfigEntry(copy, "nothing", &has));
    printf("nothing %d\n", has);
    ort->ReleaseSessionOptions(copy);
    ort->ReleaseSessionOptions(first);
    check(ort->CreateRunOptions(&run));
    check(ort->RunOptionsSetRunTag(run, "label"));
    check(ort->RunOptionsGetRunTag(run, &tag));
    check(ort->RunOptionsSetRunLogVerbosityLevel(run, 3));
    check(ort->RunOptionsGetRunLogVerbosityLevel(run, &number));
    printf("tag %s, verbosity %d\n", tag, number);
    ort->ReleaseRunOptions(run);
}

static void inference(const char* model, OrtAllocator* allocator) {
    static float data[2 * 784];
    const int64_t shape[] = {2, 784};
    OrtEnv* env;
    OrtSessionOptions* session_options;
    OrtSession* session;
    OrtMemoryInfo* memory;
    OrtValue *input, *output = NULL;
    OrtTypeInfo* type_info;
    const OrtTensorTypeAndShapeInfo* info;
    size_t inputs, outputs;
    char *input_name, *output_name;
    float* results;
    int i;
    for (i = 0; i < 2 * 784; ++i) data[i] = (float)(i % 17) / 17;
    check(ort->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "values", &env));
    check(ort->CreateSessionOptions(&session_options));
    check(ort->SetIntraOpNumThreads(session_options, 1));
    check(ort->CreateSession(env, model, session_options, &session));
    check(ort->SessionGetInputCount(session, &inputs));
    check(ort->SessionGetOutputCount(session, &outputs));
    check(ort->SessionGetInputName(session, 0, allocator, &input_name));
    check(ort->SessionGetOutputName(session, 0, allocator, &output_name));
    printf("%d input %s, %d output %s\n", (int)inputs, input_name, (int)outputs, output_name);
    check(ort->SessionGetInputTypeInfo(session, 0, &type_info));
    check(ort->CastTypeInfoToTensorInfo(type_info, &info));
    print_info((OrtTensorTypeAndShapeInfo*)info);
    ort->ReleaseTypeInfo(type_info);
    check(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
    check(ort->CreateTensorWithDataAsOrtValue(memory, data, sizeof data, shape, 2,
                                              ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &input));
    check(ort->Run(session, NULL, (const char* const*)&input_name, (const OrtValue* const*)&input, 1,
                   (const char* const*)&output_name, 1, &output));
    check(ort->GetTensorMutableData(output, (void**)&results));
    for (i = 0; i < 20; ++i) printf("%.3f ", results[i]);
    printf("\n");
    check(ort->AllocatorFree(allocator, input_name));
    check(ort->AllocatorFree(allocator, output_name));
    ort->ReleaseValue(output);
    ort->ReleaseValue(input);
    ort->ReleaseMemoryInfo(memory);
    ort->ReleaseSession(session);
    ort->ReleaseSessionOptions(session_options);
    ort->ReleaseEnv(env);
}

int main(int argc, char** argv) {
    void* library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    const OrtApiBase* (*base)(void) = NULL;
    OrtAllocator* allocator;
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    *(void**)&base = dlsym(library, "OrtGetApiBase");
    ort = base()->GetApi(ORT_API_VERSION);
    if (ort == NULL) return 3;
    check(ort->GetAllocatorWithDefaultOptions(&allocator));
    statuses();
    memory_infos();
    numbers(allocator);
    texts(allocator);
    infos();
    options();
    inference(argv[2], allocator);
    return 0;
}

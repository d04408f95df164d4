// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tests/capi/ort_objects.h"

namespace temper::test {

namespace {

int allocations = 0;

void* countedAlloc(OrtAllocator*, size_t size) {
    ++allocations;
    return std::malloc(size);
}

void countedFree(OrtAllocator*, void* memory) {
    --allocations;
    std::free(memory);
}

}  // namespace

/// The tables of functions; ort_c_oracle_test compares them with ONNX Runtime's own.
class OrtCInterfaceTest : public QObject {
    Q_OBJECT

private slots:
    void everyFunctionIsThere();
    void whatIsMissingSaysSo();
    void onlyKnownVersionsAreGiven();
    void allocatorsOfProgramsAreUsed();
    void mistakesAreStatuses();
};

void OrtCInterfaceTest::everyFunctionIsThere() {
    for (const auto& [table, size] :
         {std::pair<const void*, size_t>(&ortApi(), sizeof(OrtApi)),
          std::pair<const void*, size_t>(&ortTraining(), sizeof(OrtTrainingApi))}) {
        std::vector<void*> functions(size / sizeof(void*));
        std::memcpy(functions.data(), table, size);
        QVERIFY(functions.size() > 30);
        QVERIFY(std::ranges::find(functions, nullptr) == functions.end());
    }
}

void OrtCInterfaceTest::whatIsMissingSaysSo() {
    const OrtApi& ort = ortApi();
    OrtOwned<OrtSessionOptions> options;
    ORT_SUCCEEDS(ort.CreateSessionOptions(options.out()));
    void* handle = nullptr;
    OrtIoBinding* binding = nullptr;
    for (const auto& [name, status] :
         {std::pair("RegisterCustomOpsLibrary",
                    ort.RegisterCustomOpsLibrary(options, "x.so", &handle)),
          std::pair("SessionOptionsAppendExecutionProvider_CUDA",
                    ort.SessionOptionsAppendExecutionProvider_CUDA(options, nullptr)),
          std::pair("CreateIoBinding", ort.CreateIoBinding(nullptr, &binding)),
          std::pair("EnableProfiling", ort.EnableProfiling(options, "x")),
          std::pair("AddFreeDimensionOverride", ort.AddFreeDimensionOverride(options, "x", 1)),
          std::pair("AddExternalInitializersFromFilesInMemory",
                    ort.AddExternalInitializersFromFilesInMemory(options, nullptr, nullptr, nullptr,
                                                                 0))}) {
        QVERIFY(status != nullptr);
        QCOMPARE(ort.GetErrorCode(status), ORT_NOT_IMPLEMENTED);
        QCOMPARE(messageOf(status),
                 QString("Temper does not implement %1 of ONNX Runtime.").arg(name));
    }
    ort.ReleaseIoBinding(nullptr);
    ort.ReleaseOp(nullptr);
}

void OrtCInterfaceTest::onlyKnownVersionsAreGiven() {
    const OrtApiBase* base = OrtGetApiBase();
    QVERIFY(base->GetApi(1) != nullptr && base->GetApi(ORT_API_VERSION) != nullptr);
    QVERIFY(base->GetApi(ORT_API_VERSION + 1) == nullptr && base->GetApi(0) == nullptr);
    QVERIFY(ortApi().GetTrainingApi(13) != nullptr);
    QVERIFY(ortApi().GetTrainingApi(12) == nullptr && ortApi().GetTrainingApi(20) == nullptr);
    QVERIFY(QString(base->GetVersionString()).startsWith("1.19."));
    char** providers = nullptr;
    int count = 0;
    ORT_SUCCEEDS(ortApi().GetAvailableProviders(&providers, &count));
    QCOMPARE(count, 1);
    QCOMPARE(QString(providers[0]), QString("CPUExecutionProvider"));
    ORT_SUCCEEDS(ortApi().ReleaseAvailableProviders(providers, count));
}

void OrtCInterfaceTest::allocatorsOfProgramsAreUsed() {
    OrtAllocator own = {};
    own.version = ORT_API_VERSION;
    own.Alloc = countedAlloc;
    own.Free = countedFree;
    own.Reserve = countedAlloc;
    OrtObjects objects;
    QCOMPARE(objects.load(), QString());
    allocations = 0;
    char* name = nullptr;
    ORT_SUCCEEDS(
        ortTraining().TrainingSessionGetTrainingModelInputName(objects.session, 0, &own, &name));
    QCOMPARE(allocations, 1);
    ORT_SUCCEEDS(ortApi().AllocatorFree(&own, name));
    QCOMPARE(allocations, 0);
    OrtOwned<OrtValue> parameter;
    ORT_SUCCEEDS(ortTraining().GetParameter(objects.state, "fc2.bias", &own, parameter.out()));
    QCOMPARE(allocations, 1);
    QCOMPARE(tensorOf(parameter.get()).shape(), Shape{10});
    parameter.out();
    QCOMPARE(allocations, 0);
}

void OrtCInterfaceTest::mistakesAreStatuses() {
    const OrtApi& ort = ortApi();
    OrtOwned<OrtMemoryInfo> memory;
    OrtOwned<OrtValue> value;
    ORT_SUCCEEDS(ort.CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, memory.out()));
    float number = 0;
    const int64_t negative[] = {-1}, huge[] = {int64_t{1} << 62};
    const auto make = [&](const int64_t* shape, ONNXTensorElementDataType type, void* data) {
        return codeOf(ort.CreateTensorWithDataAsOrtValue(memory, data, sizeof number, shape, 1,
                                                         type, value.out()));
    };
    QCOMPARE(make(negative, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &number), ORT_INVALID_ARGUMENT);
    QCOMPARE(make(huge, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &number), ORT_INVALID_ARGUMENT);
    QCOMPARE(make(huge, ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, &number), ORT_INVALID_ARGUMENT);
    QCOMPARE(make(nullptr, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &number), ORT_INVALID_ARGUMENT);
    QCOMPARE(make(negative, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4, &number), ORT_NOT_IMPLEMENTED);
    QCOMPARE(make(negative, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &number), ORT_INVALID_ARGUMENT);
    QVERIFY(codeOf(ort.CreateTensorAsOrtValue(ortAllocator(), huge, 1,
                                              ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, value.out())) !=
            ORT_OK);
    QCOMPARE(codeOf(ort.CreateMemoryInfo("Cuda", OrtDeviceAllocator, 0, OrtMemTypeDefault,
                                         memory.out())),
             ORT_NOT_IMPLEMENTED);
    OrtObjects objects;
    OrtOwned<OrtSession> session;
    QCOMPARE(
        codeOf(ort.CreateSession(objects.env, "/nowhere.onnx", objects.options, session.out())),
        ORT_NO_SUCHFILE);
    QCOMPARE(codeOf(ort.CreateSession(nullptr, nullptr, nullptr, nullptr)), ORT_INVALID_ARGUMENT);
    void* data = nullptr;
    QCOMPARE(codeOf(ort.GetTensorMutableData(nullptr, &data)), ORT_INVALID_ARGUMENT);
    QCOMPARE(codeOf(ort.GetTensorMutableData(value, nullptr)), ORT_INVALID_ARGUMENT);
    QCOMPARE(codeOf(ort.SetIntraOpNumThreads(nullptr, 1)), ORT_INVALID_ARGUMENT);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OrtCInterfaceTest)
#include "ort_c_interface_test.moc"

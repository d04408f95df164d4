// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <functional>
#include <limits>

#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/capi/objects.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

namespace {

/// A call with a mistake; receives the objects of an intact session.
using Mistake = std::function<TemperStatus(TrainingObjects&, TemperFailure**)>;

TemperArray arrayWith(const std::function<void(TemperArray&)>& change) {
    static float numbers[4] = {};
    static const int64_t shape[] = {2, 2};
    TemperArray array{numbers, sizeof numbers, shape, 2, TEMPER_DTYPE_FLOAT32, 0};
    change(array);
    return array;
}

/// The batch of the recorded session with another first input.
TemperStatus stepWith(TrainingObjects& objects, const TemperArray& input, TemperFailure** failure) {
    static int32_t labels[2] = {1, 1};
    static const int64_t shape[] = {2};
    const TemperArray inputs[] = {input, {labels, sizeof labels, shape, 1, TEMPER_DTYPE_INT32, 0}};
    return temper_session_train_step(objects.session, inputs, 2, nullptr, 0, failure);
}

TemperStatus inferenceOf(const std::string& text, TemperFailure** failure) {
    const auto graph = parseText("<ir_version: 8, opset_import: [\"\" : 18]> m " + text);
    const std::string bytes = serializeModel(*graph);
    Owned<TemperModel> model;
    const TemperStatus read = temper_model_from_bytes(
        bytes.data(), static_cast<int64_t>(bytes.size()), model.out(), failure);
    Owned<TemperInference> inference;
    return read == TEMPER_OK
               ? temper_inference_create(model, nullptr, 0, 0, inference.out(), failure)
               : read;
}

struct Row {
    const char* name;
    TemperStatus status;
    const char* message;  ///< a part of it
    Mistake call;
};

std::vector<Row> nullRows() {
    const auto row = [](const char* name, const char* message, Mistake call) {
        return Row{name, TEMPER_INVALID_INPUT, message, std::move(call)};
    };
    return {
        row("open: no path", "'path' is null",
            [](auto&, auto* failure) {
                Owned<TemperModel> model;
                return temper_model_open(nullptr, model.out(), failure);
            }),
        row("open: no place for the model", "'model' is null",
            [](auto&, auto* failure) { return temper_model_open("x.onnx", nullptr, failure); }),
        row("make: no model", "'model' is null",
            [](auto&, auto* failure) {
                Owned<TemperArtifacts> made;
                return temper_artifacts_make(nullptr, nullptr, nullptr, made.out(), failure);
            }),
        row("load: no paths", "'paths' is null",
            [](auto&, auto* failure) {
                Owned<TemperArtifacts> made;
                return temper_artifacts_load_files(nullptr, made.out(), failure);
            }),
        row("load: no training model", "'training_model' is null",
            [](auto&, auto* failure) {
                Owned<TemperArtifacts> made;
                const TemperArtifactPaths paths{sizeof paths, nullptr, nullptr, nullptr, nullptr};
                return temper_artifacts_load_files(&paths, made.out(), failure);
            }),
        row("bytes: size without bytes", "'eval_model' is null",
            [](auto&, auto* failure) {
                Owned<TemperArtifacts> made;
                TemperArtifactBytes bytes = {};
                bytes.struct_size = sizeof bytes;
                bytes.training_model = "x";
                bytes.training_model_size = 1;
                bytes.eval_model_size = 5;
                return temper_artifacts_from_bytes(&bytes, made.out(), failure);
            }),
        row("session: no checkpoint", "'checkpoint' is null",
            [](auto& objects, auto* failure) {
                Owned<TemperSession> session;
                return temper_session_create(objects.artifacts, nullptr, nullptr, session.out(),
                                             failure);
            }),
        row("step: no session", "'session' is null",
            [](auto&, auto* failure) {
                return temper_session_train_step(nullptr, nullptr, 0, nullptr, 0, failure);
            }),
        row("step: no inputs", "'inputs' is null",
            [](auto& objects, auto* failure) {
                return temper_session_train_step(objects.session, nullptr, 2, nullptr, 0, failure);
            }),
        row("step: no place for outputs", "'outputs' is null",
            [](auto& objects, auto* failure) {
                return temper_session_train_step(objects.session, nullptr, 2, nullptr, 1, failure);
            }),
        row("close: no session", "'session' is null",
            [](auto&, auto* failure) { return temper_session_close(nullptr, failure); }),
        row("rate: no place", "'rate' is null",
            [](auto& objects, auto* failure) {
                return temper_session_learning_rate(objects.session, nullptr, failure);
            }),
        row("parameter: no name", "'name' is null",
            [](auto& objects, auto* failure) {
                TemperArray values = {};
                return temper_checkpoint_parameter(objects.checkpoint, nullptr, &values, failure);
            }),
        row("export: null among the outputs", "'outputs' is null",
            [](auto& objects, auto* failure) {
                const char* outputs[] = {nullptr};
                return temper_session_export(objects.session, "x.onnx", outputs, 1, nullptr,
                                             failure);
            }),
        row("findings: none", "'findings' is null",
            [](auto&, auto* failure) {
                TemperFinding finding = {};
                return temper_findings_get(nullptr, 0, &finding, failure);
            }),
        row("inference: no model", "'model' is null",
            [](auto&, auto* failure) {
                Owned<TemperInference> inference;
                return temper_inference_create(nullptr, nullptr, 0, 0, inference.out(), failure);
            }),
        row("fit: no session", "'session' is null",
            [](auto&, auto* failure) {
                return temper_session_fit(nullptr, nullptr, nullptr, nullptr, failure);
            }),
        row("property: text is null", "'property->text' is null",
            [](auto& objects, auto* failure) {
                TemperProperty property = {};
                property.struct_size = sizeof property;
                property.kind = TEMPER_PROPERTY_TEXT;
                return temper_checkpoint_set_property(objects.checkpoint, "x", &property, failure);
            }),
    };
}

std::vector<Row> arrayRows() {
    const auto row = [](const char* name, const char* message,
                        const std::function<void(TemperArray&)>& change) {
        const TemperArray array = arrayWith(change);
        return Row{name, TEMPER_INVALID_INPUT, message, [array](auto& objects, auto* failure) {
                       return stepWith(objects, array, failure);
                   }};
    };
    return {
        row("array: another shape", "[2, 2] and [500, 784]", [](auto&) {}),
        row("array: another rank", "input-0",
            [](auto& array) { array.rank = 1, array.byte_size = 8; }),
        row("array: another type", "input-0",
            [](auto& array) { array.dtype = TEMPER_DTYPE_INT32; }),
        row("array: no type", "element type 0", [](auto& array) { array.dtype = 0; }),
        row("array: unknown type", "element type 99", [](auto& array) { array.dtype = 99; }),
        row("array: too few bytes", "has 15 bytes; expected 4 elements of 4",
            [](auto& array) { array.byte_size = 15; }),
        row("array: negative bytes", "has -16 bytes", [](auto& array) { array.byte_size = -16; }),
        row("array: negative rank", "rank -1", [](auto& array) { array.rank = -1; }),
        row("array: no shape", "no shape", [](auto& array) { array.shape = nullptr; }),
        row("array: no data", "has no data", [](auto& array) { array.data = nullptr; }),
        row("array: negative dimension", "-2",
            [](auto& array) {
                static const int64_t shape[] = {-2, -2};
                array.shape = shape;
            }),
        row("array: more elements than there are numbers", "more elements than 64 bits",
            [](auto& array) {
                static const int64_t shape[] = {int64_t{1} << 40, int64_t{1} << 40};
                array.shape = shape;
            }),
        row("array: bytes that overflow", "bytes; expected",
            [](auto& array) {
                static const int64_t shape[] = {int64_t{1} << 31, int64_t{1} << 31};
                array.shape = shape;
                array.byte_size = 0;
            }),
        row("array: null among texts", "a text of input 'input-0'",
            [](auto& array) {
                static const char* texts[4] = {"a", nullptr, "c", "d"};
                array.data = texts;
                array.byte_size = sizeof texts;
                array.dtype = TEMPER_DTYPE_STRING;
            }),
    };
}

std::vector<Row> otherRows() {
    return {
        {"step: too few inputs", TEMPER_INVALID_INPUT, "takes 2 inputs (input-0, labels); found 1",
         [](auto& objects, auto* failure) {
             const TemperArray input = arrayWith([](auto&) {});
             return temper_session_train_step(objects.session, &input, 1, nullptr, 0, failure);
         }},
        {"step: wrong number of outputs", TEMPER_INVALID_INPUT,
         "number of outputs is 2; expected 1",
         [](auto& objects, auto* failure) {
             TemperArray outputs[2] = {};
             return temper_session_train_step(objects.session, nullptr, 2, outputs, 2, failure);
         }},
        {"eval: no eval model", TEMPER_STATE, "Evaluation session not initialized",
         [](auto& objects, auto* failure) {
             return temper_session_eval_step(objects.session, nullptr, 0, nullptr, 0, failure);
         }},
        {"schedule: none", TEMPER_STATE, "No learning rate scheduler was registered",
         [](auto& objects, auto* failure) {
             return temper_session_schedule_step(objects.session, failure);
         }},
        {"parameter: unknown", TEMPER_NOT_FOUND, "no_such",
         [](auto& objects, auto* failure) {
             TemperArray values = {};
             return temper_checkpoint_parameter(objects.checkpoint, "no_such", &values, failure);
         }},
        {"parameter: another shape", TEMPER_INVALID_INPUT, "fc1.bias",
         [](auto& objects, auto* failure) {
             const TemperArray values = arrayWith([](auto&) {});
             return temper_checkpoint_set_parameter(objects.checkpoint, "fc1.bias", &values,
                                                    failure);
         }},
        {"buffer: another size", TEMPER_INVALID_INPUT, "expected float32[397510]",
         [](auto& objects, auto* failure) {
             const TemperArray values = arrayWith([](auto&) {});
             return temper_session_get_all_parameters(objects.session, 0, &values, failure);
         }},
        {"open: missing file", TEMPER_NOT_FOUND, "/nowhere.onnx",
         [](auto&, auto* failure) {
             Owned<TemperModel> model;
             return temper_model_open("/nowhere.onnx", model.out(), failure);
         }},
        {"open: empty path", TEMPER_INVALID_INPUT, "'path' is empty",
         [](auto&, auto* failure) {
             Owned<TemperModel> model;
             return temper_model_open("", model.out(), failure);
         }},
        {"save: a folder that cannot be made", TEMPER_IO, "/dev/null",
         [](auto& objects, auto* failure) {
             return temper_checkpoint_save(objects.checkpoint, "/dev/null/x.ckpt", 0, failure);
         }},
        {"bytes: negative size", TEMPER_INVALID_INPUT, "size of 'bytes' is -1",
         [](auto&, auto* failure) {
             Owned<TemperModel> model;
             return temper_model_from_bytes("x", -1, model.out(), failure);
         }},
        {"names: negative count", TEMPER_INVALID_INPUT, "number of 'outputs' is -1",
         [](auto& objects, auto* failure) {
             return temper_session_export(objects.session, "x.onnx", nullptr, -1, nullptr, failure);
         }},
        {"choices: no JSON", TEMPER_INVALID_INPUT, "JSON",
         [](auto& objects, auto* failure) {
             Owned<TemperSession> session;
             return temper_session_create(objects.artifacts, objects.checkpoint, "{", session.out(),
                                          failure);
         }},
        {"options: struct_size not set", TEMPER_INVALID_INPUT, "struct_size of 'options' is 0",
         [](auto& objects, auto* failure) {
             const TemperExportOptions options = {};
             return temper_session_export(objects.session, "x.onnx", nullptr, 0, &options, failure);
         }},
        {"options: of a newer version", TEMPER_UNSUPPORTED, "options that this version",
         [](auto& objects, auto* failure) {
             struct {
                 TemperExportOptions known;
                 int64_t unknown;
             } options = {{}, 1};
             options.known.struct_size = sizeof options;
             return temper_session_export(objects.session, "x.onnx", nullptr, 0, &options.known,
                                          failure);
         }},
        {"info: struct_size not set", TEMPER_INVALID_INPUT, "struct_size of 'property' is 0",
         [](auto& objects, auto* failure) {
             TemperProperty property = {};
             property.struct_size = sizeof property;
             temper_checkpoint_set_property(objects.checkpoint, "x", &property, nullptr);
             property.struct_size = 0;
             return temper_checkpoint_property(objects.checkpoint, "x", &property, failure);
         }},
        {"property: unknown kind", TEMPER_INVALID_INPUT, "kind of property is 3",
         [](auto& objects, auto* failure) {
             TemperProperty property = {};
             property.struct_size = sizeof property;
             property.kind = 3;
             return temper_checkpoint_set_property(objects.checkpoint, "x", &property, failure);
         }},
        {"inference: unknown output", TEMPER_NOT_FOUND, "nothing",
         [](auto& objects, auto* failure) {
             Owned<TemperModel> model;
             Owned<TemperInference> inference;
             temper_artifacts_model(objects.artifacts, TEMPER_TRAINING_MODEL, model.out(), nullptr);
             const char* output = "nothing";
             return temper_inference_create(model, &output, 1, 0, inference.out(), failure);
         }},
        {"inference: too many threads", TEMPER_INVALID_INPUT, "number of threads is -1",
         [](auto& objects, auto* failure) {
             Owned<TemperModel> model;
             Owned<TemperInference> inference;
             temper_artifacts_model(objects.artifacts, TEMPER_TRAINING_MODEL, model.out(), nullptr);
             return temper_inference_create(model, nullptr, 0, -1, inference.out(), failure);
         }},
        {"inference: a sequence comes out", TEMPER_UNSUPPORTED,
         "Output 's' is seq(float32[2]); expected a tensor.",
         [](auto&, auto* failure) {
             return inferenceOf("(float[2] x) => (seq(float[]) s) { s = SequenceConstruct(x) }",
                                failure);
         }},
        {"inference: an optional goes in", TEMPER_UNSUPPORTED,
         "Input 'o' is optional(float32[2]); expected a tensor.",
         [](auto&, auto* failure) {
             return inferenceOf(
                 "(optional(float[2]) o) => (float[2] x) { x = OptionalGetElement(o) }", failure);
         }},
        {"fit: unknown metric", TEMPER_INVALID_INPUT, "elegance",
         [](auto& objects, auto* failure) {
             return temper_session_fit(objects.session,
                                       R"({"run": {"data": "x.npz", "metrics": ["elegance"]}})",
                                       nullptr, nullptr, failure);
         }},
    };
}

std::vector<Row> allRows() {
    std::vector<Row> rows;
    for (auto& some : {nullRows(), arrayRows(), otherRows()})
        rows.insert(rows.end(), some.begin(), some.end());
    return rows;
}

}  // namespace

/// Each mistake gets a status and texts that name it, and leaves the objects as they were.
class CapiErrorsTest : public QObject {
    Q_OBJECT

private slots:
    void mistakesAreNamed_data();
    void mistakesAreNamed();
    void aFailureIsOptional();
    void nullIsReleased();
    void numbersHaveNames();
};

void CapiErrorsTest::mistakesAreNamed_data() {
    QTest::addColumn<size_t>("index");
    const std::vector<Row> rows = allRows();
    for (size_t i = 0; i < rows.size(); ++i) QTest::newRow(rows[i].name) << i;
}

void CapiErrorsTest::mistakesAreNamed() {
    QFETCH(size_t, index);
    const Row row = allRows()[index];
    const std::string folder = (conformanceFolder() / "ort/training_api/").string();
    TrainingObjects objects;
    QCOMPARE(objects.load(folder + "training_model.onnx", {}, folder + "adamw.onnx",
                          folder + "checkpoint.ckpt"),
             QString());
    FailureTexts failure;
    const TemperStatus status = row.call(objects, failure.out());
    const QString found = failure.message();
    QVERIFY2(found.contains(row.message), qPrintable(found));
    QCOMPARE(temper_status_name(status), temper_status_name(row.status));
    QCOMPARE(temper_failure_status(failure.get()), row.status);
    QVERIFY2(found.endsWith('.'), qPrintable(found));

    const std::vector<Tensor> feeds{Tensor(DType::Float32, {2, 784}), Tensor(DType::Int32, {2})};
    QVERIFY(std::isfinite(objects.trainStep(feeds)));
}

void CapiErrorsTest::aFailureIsOptional() {
    Owned<TemperModel> model;
    QCOMPARE(temper_model_open("/nowhere.onnx", model.out(), nullptr), TEMPER_NOT_FOUND);
    QVERIFY(model.get() == nullptr);
    TemperFailure* failure = nullptr;
    QCOMPARE(temper_model_open("/nowhere.onnx", model.out(), &failure), TEMPER_NOT_FOUND);
    QVERIFY(failure != nullptr);
    Owned<char> complete;
    TemperFailure* first = failure;
    QCOMPARE(temper_specification_complete(nullptr, complete.out(), &failure), TEMPER_OK);
    QVERIFY(failure == nullptr);  // also after an earlier error
    temper_failure_release(first);
}

void CapiErrorsTest::nullIsReleased() {
    temper_model_release(nullptr);
    temper_artifacts_release(nullptr);
    temper_checkpoint_release(nullptr);
    temper_session_release(nullptr);
    temper_inference_release(nullptr);
    temper_failure_release(nullptr);
    temper_memory_release(nullptr);
    QCOMPARE(temper_failure_status(nullptr), TEMPER_OK);
    QCOMPARE(QString(temper_failure_message(nullptr)), QString());
    QCOMPARE(temper_findings_count(temper_failure_findings(nullptr)), int64_t{0});
}

void CapiErrorsTest::numbersHaveNames() {
    QCOMPARE(QString(temper_status_name(TEMPER_STATE)), QString("state"));
    QCOMPARE(QString(temper_status_name(-1)), QString("unknown status"));
    QCOMPARE(QString(temper_dtype_name(TEMPER_DTYPE_BFLOAT16)), QString("bfloat16"));
    QCOMPARE(QString(temper_dtype_name(TEMPER_DTYPE_NONE)), QString("unknown"));
    QCOMPARE(QString(temper_dtype_name(std::numeric_limits<int32_t>::max())), QString("unknown"));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CapiErrorsTest)
#include "capi_errors_test.moc"

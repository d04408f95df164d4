// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <functional>
#include <random>

#include "engine/core/file.h"
#include "tests/engine/onnx/onnx_test_support.h"
#include "tests/support/bad_files.h"

namespace temper::test {

using Damage = std::function<void(onnx::ModelProto&)>;

/// Files that are not models, and models that contradict themselves.
class BadModelTest : public QObject {
    Q_OBJECT

private slots:
    void otherFileIsRecognised_data();
    void otherFileIsRecognised();
    void folderIsNotAModel();
    void missingFileIsNotFound();
    void contradictionIsRefusedByName_data();
    void contradictionIsRefusedByName();
    void contradictionIsShownWithItsError_data();
    void contradictionIsShownWithItsError();
    void deepBodiesAreRefused();
    void cutOffModelIsRefusedOrWhole();
    void changedBytesNeverCrash_data();
    void changedBytesNeverCrash();
    void randomBytesAreRefused();
};

void BadModelTest::otherFileIsRecognised_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const QByteArray& bytes, const char* message) {
        QTest::newRow(name) << bytes << message;
    };
    row("empty", {}, "The file is empty; expected an ONNX model.");
    row("text", "Hello, I am a text file.\n", "The file is text");
    row("web page", "<!DOCTYPE html>\n<html></html>", "Perhaps a web page was downloaded");
    row("JSON", "{\"a\": 1}", "The file is text");
    row("PNG", QByteArray("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", 16), "The file is a PNG image");
    row("JPEG", "\xff\xd8\xff\xe0....JFIF", "The file is a JPEG image");
    row("ZIP", "PK\x03\x04....", "The file is a ZIP archive");
    row("gzip", QByteArray("\x1f\x8b\x08\0\0\0", 6), "Unpack it first");
    row("NumPy", "\x93NUMPY\x01", "The file is a NumPy array");
    row("pickle", "\x80\x02}q", "a Python pickle");
    row("HDF5", "\x89HDF\r\n", "a Keras model");
    row("ORT format", QByteArray("\x18\0\0\0ORTM....", 12), "truncated or damaged");
    row("checkpoint", QByteArray("\x18\0\0\0ODTC....", 12), "The file is a checkpoint");
    row("Git LFS", "version https://git-lfs.github.com/spec/v1\noid", "git lfs pull");
    row("zeros", QByteArray(1000, '\0'), "The file is not an ONNX model, or it is cut off");
    row("other bytes", "\xde\xad\xbe\xef\x01\x02", "The file is not an ONNX model");
}

void BadModelTest::otherFileIsRecognised() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, message);
    const QTemporaryDir folder;
    const std::string path = folder.filePath("given.onnx").toStdString();
    writeFileAtomically(path, bytes.toStdString());
    const QString error = errorOf([&] { loadModel(path); });
    QVERIFY2(error.contains(message) && error.contains("given.onnx"), qPrintable(error));
    compareWithBadFiles("ONNX model: another kind of file", error, folder.path());
}

void BadModelTest::folderIsNotAModel() {
    const QTemporaryDir folder;
    const QString error = errorOf([&] { loadModel(folder.path().toStdString()); });
    QVERIFY2(error.contains("is a folder; expected an ONNX file"), qPrintable(error));
}

void BadModelTest::missingFileIsNotFound() {
    const QString error = errorOf([] { loadModel("no such folder/m.onnx"); });
    QVERIFY2(error.contains("'no such folder/m.onnx' does not exist"), qPrintable(error));
}

using Model = onnx::ModelProto;

void row(const char* name, const Damage& damage, const char* message) {
    QTest::newRow(name) << damage << QString(message);
}

void addGraphRows() {
    row(
        "no graph", [](Model& m) { m.clear_graph(); }, "not an ONNX model, or it is cut off");
    row(
        "no IR version", [](Model& m) { m.clear_ir_version(); }, "not an ONNX model");
    row(
        "old IR version", [](Model& m) { m.set_ir_version(2); }, "IR version 2; expected 3 or");
    row(
        "no opset", [](Model& m) { m.clear_opset_import(); },
        "import an opset of ONNX's operators");
    row(
        "negative opset", [](Model& m) { m.mutable_opset_import(0)->set_version(-1); },
        "imports version -1");
    row(
        "input twice", [](Model& m) { addValue(*m.mutable_graph()->add_input(), "x"); },
        "'x' is defined twice");
    row(
        "output twice", [](Model& m) { addNode(*m.mutable_graph(), "Neg", "x", "y"); },
        "the Neg node of 'y'|'y' is defined twice");
    row(
        "listed output twice", [](Model& m) { addValue(*m.mutable_graph()->add_output(), "y"); },
        "'y' is already a graph output");
    row(
        "undefined input", [](Model& m) { m.mutable_graph()->mutable_node(0)->set_input(0, "z"); },
        "node 'relu' (Relu): Input 'z' is not defined");
    row(
        "undefined output",
        [](Model& m) { m.mutable_graph()->mutable_node(0)->set_output(0, "z"); },
        "Output 'y' of graph 'small' is not defined");
    row(
        "cycle", [](Model& m) { m.mutable_graph()->mutable_node(0)->set_input(0, "y"); },
        "has a cycle through node 'relu' (Relu)");
    row(
        "no operator", [](Model& m) { m.mutable_graph()->mutable_node(0)->clear_op_type(); },
        "Node 'relu' has no operator type");
    row(
        "untyped input", [](Model& m) { m.mutable_graph()->mutable_input(0)->clear_type(); },
        "Input 'x' has no type");
    row(
        "negative dimension",
        [](Model& m) {
            m.mutable_graph()
                ->mutable_input(0)
                ->mutable_type()
                ->mutable_tensor_type()
                ->mutable_shape()
                ->add_dim()
                ->set_dim_value(-7);
        },
        "Input 'x' has a dimension of -7");
    row(
        "unknown input type",
        [](Model& m) {
            m.mutable_graph()
                ->mutable_input(0)
                ->mutable_type()
                ->mutable_tensor_type()
                ->set_elem_type(29);
        },
        "Input 'x' has the element type number 29");
    row(
        "map input",
        [](Model& m) { m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_map_type(); },
        "Input 'x' is a map");
    row(
        "sparse initializer",
        [](Model& m) {
            m.mutable_graph()->add_sparse_initializer()->mutable_values()->set_name("s");
        },
        "Initializer 's' is sparse");
}

void tensorRow(const char* name, const std::vector<int64_t>& dims,
               const std::function<void(onnx::TensorProto&)>& fill, const char* message) {
    row(
        name, [dims, fill](Model& m) { fill(addInitializer(m, "w", dims)); }, message);
}

void addTensorRows() {
    using Tensor = onnx::TensorProto;
    const auto nothing = [](Tensor&) {};
    tensorRow("huge dimension", {int64_t{1} << 40}, nothing,
              "has 0 numbers; expected 1099511627776");
    tensorRow("overflowing shape", {int64_t{1} << 40, int64_t{1} << 40}, nothing,
              "fit into memory");
    tensorRow("negative shape", {-1}, nothing, "Initializer 'w' has the shape [-1]");
    tensorRow(
        "empty overflowing shape", {0, int64_t{1} << 62, int64_t{1} << 62},
        [](Tensor& t) { t.set_raw_data("abcd"); }, "has 4 bytes of data; expected 0 bytes");
    tensorRow(
        "too few bytes", {2}, [](Tensor& t) { t.set_raw_data("abcd"); },
        "Initializer 'w' of float32[2] has 4 bytes of data; expected 8 bytes");
    tensorRow(
        "too many numbers", {1}, [](Tensor& t) { t.add_float_data(1), t.add_float_data(2); },
        "has 2 numbers; expected 1");
    tensorRow(
        "wrong field", {1}, [](Tensor& t) { t.add_int64_data(1); }, "has 0 numbers; expected 1");
    tensorRow(
        "no element type", {1}, [](Tensor& t) { t.clear_data_type(); }, "has no element type");
    tensorRow(
        "negative element type", {1}, [](Tensor& t) { t.set_data_type(-3); }, "no element type");
    tensorRow(
        "unknown element type", {1}, [](Tensor& t) { t.set_data_type(99); }, "type number 99");
    tensorRow(
        "strings", {2}, [](Tensor& t) { t.set_data_type(Tensor::STRING), t.add_string_data("a"); },
        "has 1 string; expected 2 strings");
    tensorRow(
        "segments", {1}, [](Tensor& t) { t.mutable_segment()->set_begin(0); },
        "stored in segments");
    tensorRow(
        "no name", {1}, [](Tensor& t) { t.clear_name(), t.add_float_data(1); }, "has no name");
}

void addAttributeRows() {
    const auto attributeRow = [](const char* name, const auto& fill, const char* message) {
        row(
            name,
            [fill](Model& m) {
                auto& attribute = *m.mutable_graph()->mutable_node(0)->add_attribute();
                attribute.set_name("a");
                fill(attribute);
            },
            message);
    };
    using Attribute = onnx::AttributeProto;
    attributeRow(
        "attribute without a value", [](Attribute&) {}, "Attribute 'a' has neither");
    attributeRow(
        "reference outside of functions", [](Attribute& a) { a.set_ref_attr_name("b"); },
        "refers to the attribute 'b' of a function");
    attributeRow(
        "type attribute", [](Attribute& a) { a.set_type(Attribute::TYPE_PROTO); },
        "Attribute 'a' is the type of nothing");
    attributeRow(
        "list of graphs as attribute", [](Attribute& a) { a.set_type(Attribute::GRAPHS); },
        "Attribute 'a' is a GRAPHS");
    attributeRow(
        "bad tensor attribute",
        [](Attribute& a) { a.mutable_t()->add_dims(3), a.mutable_t()->set_data_type(1); },
        "node 'relu' (Relu): Attribute 'a' of float32[3] has 0 numbers");
    row(
        "attribute twice",
        [](Model& m) {
            for (int i = 0; i < 2; ++i) {
                auto& attribute = *m.mutable_graph()->mutable_node(0)->add_attribute();
                attribute.set_name("a");
                attribute.set_i(i);
            }
        },
        "Attribute 'a' is given twice");
    row(
        "constant without a value",
        [](Model& m) { m.mutable_graph()->mutable_node(0)->set_op_type("Constant"); },
        "It has 0 attributes");
}

void addFunctionRows() {
    const auto addFunction = [](Model& m, const std::string& name,
                                const std::vector<std::string>& calls) {
        onnx::FunctionProto& function = *m.add_functions();
        function.set_name(name);
        function.set_domain("f");
        for (const std::string& call : calls) {
            onnx::NodeProto& node = *function.add_node();
            node.set_domain("f");
            node.set_op_type(call);
        }
    };
    const auto call = [](Model& m, const std::string& name) {
        m.mutable_graph()->mutable_node(0)->set_domain("f");
        m.mutable_graph()->mutable_node(0)->set_op_type(name);
    };
    row(
        "recursive function",
        [=](Model& m) { addFunction(m, "a", {"b"}), addFunction(m, "b", {"a"}), call(m, "a"); },
        "calls itself or nests deeper");
    row(
        "doubling functions",
        [=](Model& m) {
            for (int i = 0; i < 40; ++i) {
                const std::string next = "f" + std::to_string(i + 1);
                addFunction(m, "f" + std::to_string(i), {next, next});
            }
            addFunction(m, "f40", {});
            call(m, "f0");
        },
        "expand to more than");
    row(
        "function twice",
        [=](Model& m) { addFunction(m, "a", {}), addFunction(m, "a", {}), call(m, "a"); },
        "Function 'a' is defined twice");
    row(
        "function of another opset",
        [=](Model& m) {
            addFunction(m, "a", {"Relu"});
            m.mutable_functions(0)->mutable_node(0)->clear_domain();
            m.mutable_functions(0)->mutable_node(0)->add_input("a");
            m.mutable_functions(0)->add_input("a");
            m.mutable_functions(0)->mutable_node(0)->add_output("b");
            m.mutable_functions(0)->add_output("b");
            m.mutable_functions(0)->add_opset_import()->set_version(16);
            call(m, "a");
        },
        "uses version 16 of ONNX's operators, the model version 17");
}

void BadModelTest::contradictionIsRefusedByName_data() {
    QTest::addColumn<Damage>("damage");
    QTest::addColumn<QString>("message");
    addGraphRows();
    addTensorRows();
    addAttributeRows();
    addFunctionRows();
}

void BadModelTest::contradictionIsRefusedByName() {
    QFETCH(Damage, damage);
    QFETCH(QString, message);
    onnx::ModelProto model = smallModel();
    damage(model);
    const QString error = errorOf([&] { parseProto(model); });
    QVERIFY2(error.contains("Model 'm.onnx'"), qPrintable(error));
    for (const QString& part : message.split('|')) {
        QVERIFY2(error.contains(part), qPrintable(error));
    }
    compareWithBadFiles("ONNX model", error);
}

void BadModelTest::contradictionIsShownWithItsError_data() {
    QTest::addColumn<Damage>("damage");
    QTest::addColumn<QString>("code");
    const auto shown = [](const char* name, const Damage& damage, const char* code) {
        QTest::newRow(name) << damage << code;
    };
    shown(
        "undefined input", [](Model& m) { m.mutable_graph()->mutable_node(0)->set_input(0, "z"); },
        "M001");
    shown(
        "undefined output",
        [](Model& m) { m.mutable_graph()->mutable_node(0)->set_output(0, "z"); }, "M001");
    shown(
        "output twice", [](Model& m) { addNode(*m.mutable_graph(), "Neg", "x", "y"); }, "M002");
    shown(
        "cycle", [](Model& m) { m.mutable_graph()->mutable_node(0)->set_input(0, "y"); }, "M003");
}

/// The same models as in contradictionIsRefusedByName().
void BadModelTest::contradictionIsShownWithItsError() {
    QFETCH(Damage, damage);
    QFETCH(QString, code);
    onnx::ModelProto model = smallModel();
    damage(model);
    QVERIFY(!errorOf([&] { parseProto(model); }).isEmpty());
    std::vector<Finding> faults;
    const std::string bytes = model.SerializeAsString();
    const auto graph = parseModel(bytesOf(bytes), "m.onnx", {}, {.faults = &faults});
    QVERIFY(textOf(*graph).contains("temper.fault"));
    QCOMPARE(faults.size(), size_t{1});
    QCOMPARE(QString::fromStdString(faults[0].code), code);
    compareWithBadFiles("ONNX model, viewed",
                        QString::fromStdString(faults[0].message + " | " + faults[0].hint));
}

void BadModelTest::deepBodiesAreRefused() {
    onnx::GraphProto body = smallModel().graph();
    for (int i = 0; i < 200; ++i) {
        onnx::GraphProto outer = smallModel().graph();
        auto& attribute = *outer.mutable_node(0)->add_attribute();
        attribute.set_name("body");
        attribute.mutable_g()->Swap(&body);
        body.Swap(&outer);
    }
    onnx::ModelProto model = smallModel();
    model.mutable_graph()->Swap(&body);
    QVERIFY(errorOf([&] { parseProto(model); }).contains("not an ONNX model"));
}

/// A model with a bit of everything.
std::string richModel() {
    return serializeModel(*parseText(R"(
        <ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1], producer_name: "p",
         metadata_props: ["k": "v"]>
        rich (float[N, 4] x, bool c, seq(int64[N]) s) => (float[N, 3] y, z, t) <
            float[4, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
            int64[2] axes = {0, 1}, bool[2] flags = {1, 0}, float16[1] half = {15360}> {
            one = Constant<value = float {1}>()
            h = MatMul(x, w)
            y = Softmax<axis = -1, __name = "n", __list = [1.5, 2.0], __words = ["a", "b"]>(h)
            z = If<then_branch = a () => (float u) { u = Add(h, one) },
                   else_branch = b () => (h) {}>(c)
            t = com.microsoft.Foo(s, axes, flags, half)
        })"));
}

/// True if the bytes are a model that can be written again; false if they are rejected.
bool isAccepted(const std::string& bytes) {
    try {
        const std::unique_ptr<Graph> graph = parseBytes(bytes);
        return !serializeModel(*graph).empty() && !toText(*graph).empty();
    } catch (const Error& error) {
        const bool isOurFault =
            error.code() == ErrorCode::Internal || error.code() == ErrorCode::Io;
        if (isOurFault || !QString(error.what()).contains("m.onnx")) qFatal("%s", error.what());
        return false;
    }
}

void BadModelTest::cutOffModelIsRefusedOrWhole() {
    const std::string model = richModel();
    QVERIFY(isAccepted(model));
    size_t refused = 0;
    for (size_t length = 0; length < model.size(); ++length) {
        if (!isAccepted(model.substr(0, length))) ++refused;
    }
    // A cut between two fields of the model message may leave a valid model.
    QVERIFY2(refused + 10 > model.size(), qPrintable(QString::number(refused)));
}

void BadModelTest::changedBytesNeverCrash_data() {
    QTest::addColumn<unsigned>("seed");
    QTest::addColumn<int>("changes");
    for (unsigned seed = 1; seed <= 5; ++seed) {
        QTest::addRow("one byte, seed %u", seed) << seed << 1;
        QTest::addRow("five bytes, seed %u", seed) << seed << 5;
    }
}

void BadModelTest::changedBytesNeverCrash() {
    QFETCH(unsigned, seed);
    QFETCH(int, changes);
    const std::string model = richModel();
    std::mt19937 random(seed);
    int refused = 0;
    for (int round = 0; round < 200; ++round) {
        std::string changed = model;
        for (int i = 0; i < changes; ++i) {
            char& byte = changed[random() % changed.size()];
            const bool flip = (random() & 1U) != 0;
            byte = static_cast<char>(flip ? byte ^ (1 << (random() % 8)) : random() % 256);
        }
        if (!isAccepted(changed)) ++refused;
    }
    QVERIFY2(refused > 20, qPrintable(QString::number(refused)));
    // A changed weight is not damage.
    QVERIFY(changes > 1 || refused < 200);
}

void BadModelTest::randomBytesAreRefused() {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        std::string bytes(random() % 200, '\0');
        for (char& byte : bytes) byte = static_cast<char>(random() % 256);
        QVERIFY(!isAccepted(bytes));
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::BadModelTest)
#include "bad_model_test.moc"

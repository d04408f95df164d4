// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <filesystem>
#include <memory>
#include <set>

#include "engine/onnx/model_file.h"
#include "tests/support/listed_tests.h"
#include "tests/support/op_check.h"
#include "tests/support/recent_onnx_tests.h"

namespace fs = std::filesystem;
using temper::test::Outcome;

constexpr std::string_view kRecent = "recent/";
/// The tolerance of ONNX's own runner.
constexpr temper::test::Tolerance kTolerance{1e-3, 1e-7};

/// The known failures of the tests that are installed.
static std::vector<std::string> knownFailures() {
    std::vector<std::string> names;
    for (const auto& [name, reason] : temper::test::knownOnnxFailures()) {
        if (!name.starts_with(kRecent) || !temper::test::recentOnnxTests().empty())
            names.push_back(name);
    }
    return names;
}

/// The folder of "node/test_abs", or of "recent/test_abs" from the newer tests.
static fs::path folderOf(const std::string& name) {
    if (name.starts_with(kRecent))
        return temper::test::recentOnnxTests() / name.substr(kRecent.size());
    return fs::path(TEMPER_ONNX_TESTDATA) / name;
}

/// "node/test_abs", ... : the tests of libonnx-testdata and the newer tests.
static std::vector<std::string> recordedTests() {
    std::vector<std::string> names;
    for (const char* kind : {"node", "pytorch-converted", "pytorch-operator", "simple", "recent"}) {
        const bool isRecent = std::string_view(kind) == "recent";
        const fs::path folder =
            isRecent ? temper::test::recentOnnxTests() : fs::path(TEMPER_ONNX_TESTDATA) / kind;
        if (!fs::is_directory(folder)) continue;
        for (const auto& entry : fs::directory_iterator(folder)) {
            if (!fs::exists(entry.path() / "model.onnx")) continue;
            names.push_back(std::string(kind) + "/" + entry.path().filename().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

/// The model of a test; null if it can't be read.
static std::unique_ptr<temper::Graph> modelOf(const std::string& name) {
    try {
        return temper::loadModel(folderOf(name) / "model.onnx");
    } catch (const temper::Error&) {
        return nullptr;
    }
}

/// The records of Fourier transforms were computed in float32: where zeros belong, they have its
/// rounding errors (1.9e-7). These tests are compared as those of the installed ONNX are, with a
/// tenth of the relative tolerance instead.
static temper::test::Tolerance toleranceOf(const std::string& name) {
    const bool hasRoundedZeros = name.find("/test_dft") != std::string::npos;
    return name.starts_with(kRecent) && !hasRoundedZeros ? kTolerance
                                                         : temper::test::onnxTolerance(name);
}

static Outcome runTest(const std::string& name) {
    return temper::test::runOnnxTest(folderOf(name), toleranceOf(name));
}

/// ONNX's own tests of operators. Those of operators that Temper has pass, except a list of known
/// failures that may only shrink.
class OnnxNodeTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void operatorsThatTemperLacksAreListed();
    void recordedTestPasses_data();
    void recordedTestPasses();
    void knownFailureStillFails_data();
    void knownFailureStillFails();

private:
    std::vector<std::string> supported_;
    std::set<std::string> used_;     ///< operators of the tests
    std::set<std::string> lacking_;  ///< those of them that Temper lacks
};

void OnnxNodeTest::initTestCase() {
    if (!fs::is_directory(TEMPER_ONNX_TESTDATA)) QSKIP("libonnx-testdata is not installed");
    for (const std::string& name : recordedTests()) {
        const auto model = modelOf(name);
        if (!model) continue;
        for (const temper::Node* node : model->nodes()) used_.insert(node->qualifiedOp());
        const std::vector<std::string> missing = temper::test::missingOperators(*model);
        if (missing.empty()) supported_.push_back(name);
        lacking_.insert(missing.begin(), missing.end());
    }
}

void OnnxNodeTest::operatorsThatTemperLacksAreListed() {
    const auto listed = temper::test::listedOnnxTests("unsupported_operators.txt");
    QStringList problems;
    for (const std::string& op : lacking_) {
        if (!listed.contains(op)) problems << QString::fromStdString(op) + " is lacking";
    }
    for (const auto& [op, reason] : listed) {
        if (used_.contains(op) && !lacking_.contains(op))
            problems << QString::fromStdString(op) + " is supported: unlist it";
    }
    QVERIFY2(problems.isEmpty(), qPrintable("\n" + problems.join('\n')));
}

void OnnxNodeTest::recordedTestPasses_data() {
    QTest::addColumn<QString>("name");
    for (const std::string& name : supported_) {
        if (temper::test::knownOnnxFailures().contains(name)) continue;
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
}

void OnnxNodeTest::recordedTestPasses() {
    QFETCH(QString, name);
    const Outcome outcome = runTest(name.toStdString());
    QVERIFY2(outcome.kind == Outcome::Kind::Passed, outcome.message.c_str());
}

void OnnxNodeTest::knownFailureStillFails_data() {
    QTest::addColumn<QString>("name");
    for (const std::string& name : knownFailures())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void OnnxNodeTest::knownFailureStillFails() {
    QFETCH(QString, name);
    const Outcome outcome = runTest(name.toStdString());
    QVERIFY2(outcome.kind != Outcome::Kind::Passed, "it passes: take it off the list");
}

QTEST_APPLESS_MAIN(OnnxNodeTest)
#include "onnx_node_test.moc"

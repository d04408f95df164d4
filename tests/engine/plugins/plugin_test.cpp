// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/data/open_data.h"
#include "engine/onnx/graph_text.h"
#include "engine/plugins/plugin_loader.h"
#include "engine/plugins/plugin_trial.h"
#include "engine/training/evaluation/metrics.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/session/training_session.h"
#include "tests/support/bad_files.h"
#include "tests/support/op_check.h"

using namespace temper;
using namespace temper::test;

namespace {

/// Two layers with Swish between them, as the plugin's operator or as operators of ONNX.
std::string network(bool asPlugin) {
    const std::string activation = asPlugin ? "a = com.example.Swish<beta = 1.5>(h)"
                                            : "b = Constant<value_float = 1.5>()\n"
                                              "z = Mul(h, b)\n"
                                              "s = Sigmoid(z)\n"
                                              "a = Mul(h, s)";
    return R"(<ir_version: 8, opset_import: ["" : 17, "com.example" : 1]>
        g (float[N, 3] x) => (float[N, 2] y)
        <float[3, 4] w = {0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 0.7, -0.8, 0.9, 1.0, -1.1, 1.2},
         float[4, 2] v = {0.5, -0.4, 0.3, -0.2, 0.1, 0.2, -0.3, 0.4}> {
        h = MatMul(x, w)
        )" +
           activation +
           R"(
        y = MatMul(a, v)
    })";
}

std::vector<double> lossesOf(const std::string& network, const Selection& loss, int threads = 1) {
    const auto set = std::make_shared<const OpSet>(standardOps());
    ArtifactSpec spec;
    spec.loss = loss;
    Artifacts artifacts = generateArtifacts(*parseText(network), *set, spec);
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, set, SessionOptions{threads, 0});
    session.setLearningRate(0.05F);
    const std::vector<Tensor> feeds = {
        Tensor::of<float>({4, 3}, {1, 2, 3, -1, 0, 1, 0.5F, 0.25F, -2, 4, 1, 1}),
        Tensor::of<float>({4, 2}, {1, 0, 0, 1, 1, 1, -1, 2})};
    std::vector<double> losses;
    for (int step = 0; step < 20; ++step) {
        losses.push_back(session.trainStep(feeds).front().toDouble());
        session.optimizerStep();
        session.lazyResetGrad();
    }
    return losses;
}

void compareLosses(const std::vector<double>& losses, const std::vector<double>& expected) {
    QCOMPARE(losses.size(), expected.size());
    for (size_t i = 0; i < losses.size(); ++i) {
        QVERIFY2(std::abs(losses[i] - expected[i]) <= 1e-5 * expected[i],
                 qPrintable(QString("step %1: %2, expected %3")
                                .arg(i)
                                .arg(losses[i], 0, 'g', 9)
                                .arg(expected[i], 0, 'g', 9)));
    }
}

class PluginTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        reports_ = loadPlugins({TEMPER_PLUGINS});
        training_ = loadPlugins({TEMPER_WHOLE_PLUGINS});
    }

    void examplesAreLoaded() {
        QCOMPARE(reports_.size(), size_t{2});
        for (const PluginReport& report : reports_)
            QVERIFY2(report.isLoaded(), report.problem.c_str());
        QCOMPARE(reports_[0].name, std::string("libsvm"));
        QCOMPARE(reports_[0].provides, std::vector<std::string>{"data format libsvm"});
        QCOMPARE(reports_[1].name, std::string("swish"));
        QCOMPARE(reports_[1].provides, std::vector<std::string>{"operator com.example.Swish"});
    }

    void onesInCAreLoadedToo() {
        QCOMPARE(training_.size(), size_t{2});
        for (const PluginReport& report : training_)
            QVERIFY2(report.isLoaded(), report.problem.c_str());
        QCOMPARE(training_[0].provides, std::vector<std::string>{"schedule half"});
        QCOMPARE(makeLrSchedule({"half", {}}, 0.5, 10)->rateAt(3), 0.25);
    }

    void brokenOnesAreRefusedByName_data() {
        QTest::addColumn<QString>("problem");
        QTest::newRow("crashes") << "crashed while being loaded";
        QTest::newRow("exits") << "terminated the program while being loaded (exit status 3)";
        QTest::newRow("formula_word") << "loss 'sigmoid', which already exists";
        QTest::newRow("future") << "version 2 of the plugin interface; this Temper has version 1";
        QTest::newRow("homeless") << "operator 'com.test.Nowhere', which does not exist";
        QTest::newRow("known_format") << "data format 'csv', which already exists";
        QTest::newRow("nothing") << "does not export 'temper_plugin'";
        QTest::newRow("refuses") << "The device 'x1' is not there.";
        QTest::newRow("reserved") << "is in a reserved domain";
        QTest::newRow("throws") << "It threw an exception: out of luck";
    }
    void brokenOnesAreRefusedByName() {
        QFETCH(QString, problem);
        static const auto kBroken = loadPlugins({TEMPER_BROKEN_PLUGINS});
        QCOMPARE(kBroken.size(), size_t{10});
        const std::string name = QTest::currentDataTag();
        const auto found = std::ranges::find_if(
            kBroken, [&](const auto& report) { return report.file.stem() == name; });
        QVERIFY(found != kBroken.end());
        QVERIFY(!found->isLoaded());
        QVERIFY(found->provides.empty());
        QVERIFY2(found->problem.find(problem.toStdString()) != std::string::npos,
                 found->problem.c_str());
        compareWithBadFiles("Plugin", QString::fromStdString(found->problem + " | " + found->hint));
    }

    void filesThatAreNotLibrariesAreRefused() {
        const QTemporaryDir folder;
        QFile file(folder.filePath("text.so"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("this is text");
        file.close();
        const auto reports = loadPlugins({folder.path().toStdString()});
        QCOMPARE(reports.size(), size_t{1});
        QVERIFY2(reports[0].problem.starts_with("It can't be loaded as a shared library"),
                 reports[0].problem.c_str());
        QVERIFY(!reports[0].hint.empty());
    }

    void theSamePluginTwiceIsRefused() {
        const auto reports = loadPlugins({TEMPER_PLUGINS});
        for (const PluginReport& report : reports) {
            QVERIFY(!report.isLoaded());
            QVERIFY2(report.problem.find("already exists") != std::string::npos,
                     report.problem.c_str());
        }
    }

    void oneThatHangsIsStopped() {
        const Trial trial = tryInProcess(
            [] {
                for (;;) QTest::qSleep(1000);
            },
            std::chrono::milliseconds(200));
        QVERIFY(trial.problem.find("took longer") != std::string::npos);
    }

    void whatAPluginSaysWhileItIsTriedIsKept() {
        const Trial trial = tryInProcess(
            [] { throw Error(ErrorCode::InvalidInput, "Nothing goes.", "Try something else."); });
        QCOMPARE(trial.problem, std::string("Nothing goes."));
        QCOMPARE(trial.hint, std::string("Try something else."));
        QVERIFY(tryInProcess([] {}).problem.empty());
    }

    void foldersThatCanNotBeSearchedAreNamed_data() {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("problem");
        QTest::newRow("relative") << "plugins"
                                  << "path is relative";
        QTest::newRow("here") << "."
                              << "path is relative";
        QTest::newRow("a file") << TEMPER_PLUGINS "/swish.so"
                                << "It can't be read: Not a directory";
    }
    void foldersThatCanNotBeSearchedAreNamed() {
        QFETCH(QString, folder);
        QFETCH(QString, problem);
        const auto reports = loadPlugins({folder.toStdString()});
        QCOMPARE(reports.size(), size_t{1});
        QVERIFY(reports[0].isFolder && !reports[0].isLoaded());
        QVERIFY2(reports[0].problem.find(problem.toStdString()) != std::string::npos,
                 reports[0].problem.c_str());
    }

    void missingFoldersAreLeftOut() {
        const QTemporaryDir folder;
        const std::string path = folder.path().toStdString();
        QVERIFY(loadPlugins({path, path + "/nowhere"}).empty());
    }

    void foldersComeFromTheEnvironmentOnce() {
        qputenv("TEMPER_PLUGIN_PATH", "/somewhere/plugins::/somewhere/else/../plugins/");
        qputenv("XDG_DATA_HOME", "/data");
        const auto folders = pluginFolders();
        qputenv("TEMPER_NO_PLUGINS", "1");
        const auto none = pluginFolders();
        for (const char* name : {"TEMPER_PLUGIN_PATH", "XDG_DATA_HOME", "TEMPER_NO_PLUGINS"})
            qunsetenv(name);
        QCOMPARE(folders.size(), size_t{3});
        QCOMPARE(folders[0].string(), std::string("/somewhere/plugins"));
        QCOMPARE(folders[1].string(), std::string("/data/temper/plugins"));
        QVERIFY(folders[2].string().ends_with("/lib/temper/plugins"));
        QVERIFY(none.empty());
    }

    // Compared with the same mathematics in ONNX's operators.
    void anOperatorTrainsWithItsGradient() {
        const std::vector<double> losses = lossesOf(network(true), {"mse", {}});
        compareLosses(losses, lossesOf(network(false), {"mse", {}}));
        QVERIFY(losses.back() < 0.5 * losses.front());
        QCOMPARE(lossesOf(network(true), {"mse", {}}, 3), losses);
    }

    void aLossTrainsAsTheSameOneOfTemper() {
        const std::vector<double> losses = lossesOf(network(true), {"scaled-square", {}});
        compareLosses(losses, lossesOf(network(true), {"mse", {}}));
        std::vector<double> doubled = lossesOf(network(true), {"scaled-square", {{"scale", 2}}});
        QVERIFY(std::abs(doubled.front() - 2 * losses.front()) <= 1e-5 * doubled.front());
    }

    void aLossIsAFunctionInFormulas() {
        Selection formula{"0.5 * scaled_square(y, target, scale=2)", {}};
        compareLosses(lossesOf(network(true), formula), lossesOf(network(true), {"mse", {}}));
    }

    void aMetricIsFedBatchByBatch() {
        const auto metric = makeMetric("worst-error", "mse");
        metric->add(Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({2}, {1.5F, 2}));
        metric->add(Tensor::of<float>({1}, {3}), Tensor::of<float>({1}, {0.75F}));
        QCOMPARE(metric->value(), 2.25);
        const auto others = fittingMetrics("cross-entropy");
        QVERIFY(std::ranges::find(others, "worst-error") == others.end());
    }

    void aScheduleGivesTheRate() {
        const auto schedule = makeLrSchedule({"ramp", {{"rest", 0.125}}}, 0.5, 10);
        QCOMPARE(schedule->rateAt(0), 0.5);
        QCOMPARE(schedule->rateAt(5), 0.25);
        QCOMPARE(schedule->rateAt(10), 0.125);
        QCOMPARE(makeLrSchedule({"ramp", {}}, 0.5, 10)->rateAt(11), 0.5);
    }

    void halfPrecisionIsComputedInFloat32() {
        const std::string text = R"(<ir_version: 8, opset_import: ["" : 17, "com.example" : 1]>
            g (float[3] x) => (float[3] y) {
                h = Cast<to = 16>(x)
                s = com.example.Swish(h)
                y = Cast<to = 1>(s)
            })";
        const auto results = runText(text, {{"x", Tensor::of<float>({3}, {-1, 0, 2})}});
        const auto values = results.at("y").values<float>();
        QCOMPARE(std::vector<float>(values.begin(), values.end()),
                 (std::vector<float>{-0.26953125F, 0, 1.7578125F}));  // x / (1 + exp(-x)) to 8 bits
    }

    void artifactsKeepTheOperatorsName() {
        const OpSet set = standardOps();
        ArtifactSpec spec;
        spec.loss = {"mse", {}};
        const Artifacts artifacts = generateArtifacts(*parseText(network(true)), set, spec);
        std::vector<std::string> operators;
        for (const Node* node : artifacts.trainingModel->nodes()) {
            if (node->domain() == "com.example") operators.push_back(node->opType());
        }
        std::ranges::sort(operators);
        QCOMPARE(operators, (std::vector<std::string>{"Swish", "SwishGrad"}));
    }

    void typesThatItDoesNotTakeAreNamed() {
        const std::string text = R"(<ir_version: 8, opset_import: ["" : 17, "com.example" : 1]>
            g (int64[2] x) => (int64[2] y) { y = com.example.Swish(x) })";
        try {
            runText(text, {{"x", Tensor::of<int64_t>({2}, {1, 2})}});
            QFAIL("it ran");
        } catch (const Error& error) {
            QVERIFY2(error.message().find("for floating point numbers") != std::string::npos,
                     error.what());
        }
    }

    void nodesThatThePluginDoesNotExpectAreRefusedBefore_data() {
        QTest::addColumn<QString>("node");
        QTest::addColumn<QString>("problem");
        QTest::newRow("no input") << "y = com.example.Swish()"
                                  << "It has 0 inputs";
        QTest::newRow("an input left out") << "y = com.example.Swish(\"\")"
                                           << "input";
        QTest::newRow("two inputs") << "y = com.example.Swish(x, x)"
                                    << "It has 2 inputs";
        QTest::newRow("two outputs") << "y, z = com.example.Swish(x)"
                                     << "It has 2 outputs";
        QTest::newRow("no gradient") << "y = com.example.SwishGrad(\"\", x)"
                                     << "lacks a gradient";
        QTest::newRow("no forward input") << "y = com.example.SwishGrad(x)"
                                          << "";
    }
    void nodesThatThePluginDoesNotExpectAreRefusedBefore() {
        QFETCH(QString, node);
        QFETCH(QString, problem);
        const QString text = R"(<ir_version: 8, opset_import: ["" : 17, "com.example" : 1]>
            g (float[2] x) => (float[2] y) { %1 })";
        try {
            runText(text.arg(node).toStdString(), {{"x", Tensor::of<float>({2}, {1, 2})}});
            QFAIL("it ran");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains(problem), error.what());
        }
    }

    void aFormatIsReadAsTheOthers() {
        const QTemporaryDir folder;
        QFile file(folder.filePath("heart.libsvm"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("+1 1:0.5 3:-2\n-1 2:1e-1\n# a comment\n\n+1 4:7\n-1 1:1\n");
        file.close();
        const OpenedData data = openData(file.fileName().toStdString() + "?normalize=none");
        QCOMPARE(data.spec.kind, std::string("libsvm"));
        QCOMPARE(data.training->size(), int64_t{4});
        const Tensor features = data.training->get(0, data.training->columnIndex("features"));
        QCOMPARE(features.shape(), (Shape{4}));
        const auto values = features.values<float>();
        QCOMPARE(std::vector<float>(values.begin(), values.end()),
                 (std::vector<float>{0.5F, 0, -2, 0}));
        const size_t label = data.training->columnIndex("label");
        QCOMPARE(data.training->columns()[label].classes, (std::vector<std::string>{"-1", "+1"}));
        QCOMPARE(data.training->get(1, label).toInt64(), int64_t{0});
        QCOMPARE(data.training->get(2, label).toInt64(), int64_t{1});
    }

    void aBadFileIsNamedWithItsLine_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("problem");
        QTest::newRow("a word") << QByteArray("+1 1:2\nspam 1:2\n")
                                << "Line 2: it does not start with a label";
        QTest::newRow("index 0") << QByteArray("1 0:2\n") << "'0:2' is not an index:value pair";
        QTest::newRow("no value") << QByteArray("1 3:\n") << "index 3 has no value";
        QTest::newRow("huge index")
            << QByteArray("1 99999999999:1\n") << "is not an index:value pair";
        QTest::newRow("empty") << QByteArray() << "no samples";
    }
    void aBadFileIsNamedWithItsLine() {
        QFETCH(QByteArray, content);
        QFETCH(QString, problem);
        const QTemporaryDir folder;
        QFile file(folder.filePath("bad.svm"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        try {
            openData(file.fileName().toStdString());
            QFAIL("it was read");
        } catch (const Error& error) {
            const QString message = QString::fromStdString(error.what());
            QVERIFY2(message.contains(problem), error.what());
            QVERIFY2(message.contains("bad.svm"), error.what());
        }
    }

private:
    std::vector<PluginReport> reports_;
    std::vector<PluginReport> training_;
};

}  // namespace

QTEST_GUILESS_MAIN(PluginTest)
#include "plugin_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/runtime/cpu/instruction_set.h"
#include "tests/app/temper_program.h"

namespace temper::test {

/// Plugins as users install them: in a folder named by TEMPER_PLUGIN_PATH.
class CliPluginsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init() { qputenv("TEMPER_PLUGIN_PATH", TEMPER_PLUGINS); }
    void cleanup() { qunsetenv("TEMPER_PLUGIN_PATH"); }
    void theyAreListed();
    void withoutAnyTheFoldersAreNamed();
    void brokenOnesAreWarningsAndTheRestContinues();
    void anOperatorAndAFormatTrainAndExport_data();
    void anOperatorAndAFormatTrainAndExport();
    void itsGradientPassesTheCheck();
    void withoutThePluginItsOperatorIsNamed();
    void noneIsLoadedFromARelativePath();
    void theyCanBeLeftOut();

private:
    QString at(const QString& name) const { return dir_.filePath(name); }
    QTemporaryDir dir_;
};

/// Two groups of points, told apart by the sum of the features; a few features are missing.
static QByteArray table(int samples) {
    QByteArray text;
    for (int i = 0; i < samples; ++i) {
        const int sign = i % 2 == 0 ? 1 : -1;
        text += sign > 0 ? "+1" : "-1";
        for (int k = 1; k <= 4; ++k) {
            if ((i + k) % 5 == 0) continue;
            text += ' ' + QByteArray::number(k) + ':' +
                    QByteArray::number(sign * 0.5 + 0.1 * ((i * 7 + k * 3) % 9 - 4));
        }
        text += '\n';
    }
    return text;
}

void CliPluginsTest::initTestCase() {
    // Keep out plugins of the user who runs the tests.
    qputenv("XDG_DATA_HOME", dir_.path().toUtf8());
    const auto graph = parseText(R"(<ir_version: 8, opset_import: ["" : 17, "com.example" : 1]>
        net (float[N, 4] features) => (float[N, 2] logits)
        <float[4, 3] w = {0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 0.7, -0.8, 0.9, 1.0, -1.1, 1.2},
         float[3, 2] v = {0.5, -0.4, 0.3, -0.2, 0.1, 0.2}> {
        h = MatMul(features, w)
        a = com.example.Swish<beta = 1.5>(h)
        logits = MatMul(a, v)
    })");
    saveModel(*graph, at("net.onnx").toStdString());
    for (const char* name : {"train.libsvm", "test.libsvm"}) {
        QFile file(at(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(table(QByteArray(name).startsWith("train") ? 200 : 40));
    }
}

void CliPluginsTest::theyAreListed() {
    const ProgramResult listed = runTemper({"plugins"});
    QCOMPARE(listed.exitStatus, 0);
    QVERIFY2(listed.out.contains("swish 1.0") &&
                 listed.out.contains("operator com.example.Swish") &&
                 listed.out.contains("data format libsvm"),
             listed.all());
    const QJsonObject json = runTemper({"plugins", "--json"}).json();
    QCOMPARE(json["folders"].toArray().first().toString(), QString(TEMPER_PLUGINS));
    const QJsonArray plugins = json["plugins"].toArray();
    QCOMPARE(plugins.size(), 2);
    QCOMPARE(plugins[1].toObject()["name"].toString(), QString("swish"));
    QVERIFY(plugins[1].toObject()["loaded"].toBool());
}

void CliPluginsTest::withoutAnyTheFoldersAreNamed() {
    qunsetenv("TEMPER_PLUGIN_PATH");
    const ProgramResult result = runTemper({"plugins"});
    QCOMPARE(result.exitStatus, 0);
    QVERIFY2(result.out.contains("No plugins found") &&
                 result.out.contains((dir_.path() + "/temper/plugins (missing)").toUtf8()),
             result.all());
}

void CliPluginsTest::brokenOnesAreWarningsAndTheRestContinues() {
    qputenv("TEMPER_PLUGIN_PATH", TEMPER_BROKEN_PLUGINS ":" TEMPER_PLUGINS);
    const ProgramResult result = runTemper({"plugins", "--json"});
    QCOMPARE(result.exitStatus, 0);
    QCOMPARE(result.err.count("warning: plugin '"), 10);
    QVERIFY2(result.err.contains("crashes.so' is not loaded: It crashed while being loaded"),
             result.all());
    int loaded = 0;
    for (const QJsonValue plugin : result.json()["plugins"].toArray())
        loaded += plugin.toObject()["loaded"].toBool() ? 1 : 0;
    QCOMPARE(loaded, 2);
}

void CliPluginsTest::anOperatorAndAFormatTrainAndExport_data() {
    QTest::addColumn<QString>("precision");
    QTest::newRow("float32") << "fp32";
    QTest::newRow("bfloat16") << "bf16";
}

void CliPluginsTest::anOperatorAndAFormatTrainAndExport() {
    QFETCH(QString, precision);
    const ProgramResult made = runTemper(
        {"artifacts", "net.onnx", "--out", precision, "--loss", "cross-entropy"}, dir_.path());
    QVERIFY2(made.exitStatus == 0, made.all());
    const ProgramResult trained =
        runTemper({"train", precision, "--data", "libsvm:train.libsvm?normalize=none", "--epochs",
                   "20", "--lr", "0.02", "--precision", precision, "--save", precision + "/run"},
                  dir_.path());
    limitInstructionSet();  // as the program does
    if (precision == "bf16" && bfloat16Units() == BFloat16Units::None) {
        QVERIFY2(trained.exitStatus != 0 && trained.err.contains("does not multiply in bfloat16"),
                 trained.all());
        return;
    }
    QVERIFY2(trained.exitStatus == 0, trained.all());
    const QString checkpoint = precision + "/run/last.ckpt";
    const ProgramResult evaluated =
        runTemper({"evaluate", precision, "--checkpoint", checkpoint, "--data",
                   "libsvm:test.libsvm?normalize=none", "--json"},
                  dir_.path());
    const double accuracy = evaluated.json()["metrics"].toObject()["accuracy"].toDouble();
    QVERIFY2(accuracy > 0.9, evaluated.all());
    const ProgramResult exported = runTemper(
        {"export", precision, "--checkpoint", checkpoint, "--out", "trained.onnx"}, dir_.path());
    QVERIFY2(exported.exitStatus == 0, exported.all());
    const auto model = loadModel(at("trained.onnx").toStdString());
    QVERIFY(std::ranges::any_of(model->nodes(), [](const Node* node) {
        return node->qualifiedOp() == "com.example.Swish";
    }));
}

void CliPluginsTest::itsGradientPassesTheCheck() {
    writeNpz(at("feeds.npz").toStdString(),
             {{"features", Tensor::of<float>({2, 4}, {1, -2, 0.5F, 3, -1, 0.25F, 2, -0.5F})},
              {"labels", Tensor::of<int64_t>({2}, {0, 1})}});
    const ProgramResult result = runTemper({"gradcheck", "net.onnx", "--feeds", "feeds.npz",
                                            "--loss", "cross-entropy", "--tolerance", "1e-6"},
                                           dir_.path());
    QVERIFY2(result.exitStatus == 0, result.all());
}

void CliPluginsTest::withoutThePluginItsOperatorIsNamed() {
    qunsetenv("TEMPER_PLUGIN_PATH");
    const ProgramResult result = runTemper(
        {"artifacts", "net.onnx", "--out", "none", "--loss", "cross-entropy"}, dir_.path());
    QVERIFY2(result.exitStatus == 1 && result.err.contains("com.example.Swish") &&
                 result.err.contains("'temper plugins'"),
             result.all());
}

void CliPluginsTest::noneIsLoadedFromARelativePath() {
    QFile::copy(QString(TEMPER_PLUGINS) + "/swish.so", at("swish.so"));
    qputenv("TEMPER_PLUGIN_PATH", ".");
    const ProgramResult result = runTemper({"plugins"}, dir_.path());
    QVERIFY2(result.out.contains("No plugins found"), result.all());
    QVERIFY2(result.err.contains("plugin folder '.' is not loaded: Its path is relative"),
             result.all());
}

void CliPluginsTest::theyCanBeLeftOut() {
    qputenv("TEMPER_NO_PLUGINS", "1");
    const ProgramResult result = runTemper({"plugins"});
    qunsetenv("TEMPER_NO_PLUGINS");
    QVERIFY2(result.out.contains("TEMPER_NO_PLUGINS is set"), result.all());
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliPluginsTest)
#include "cli_plugins_test.moc"

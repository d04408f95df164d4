// SPDX-License-Identifier: Apache-2.0
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <utility>

#include "engine/data/npz_file.h"
#include "engine/ort/checkpoint_file.h"
#include "tests/engine/ort/checkpoint_text.h"
#include "tests/support/oracle.h"

namespace temper::test {

namespace fs = std::filesystem;

QString describeTensor(const QJsonValue& tensor) {
    QStringList dims;
    for (const QJsonValue& dim : tensor["shape"].toArray()) dims << QString::number(dim.toInt());
    return tensor["name"].toString() + " " + tensor["dtype"].toString() + " [" + dims.join(", ") +
           "]\n";
}

/// The lines that describe() makes from a checkpoint, made from the script's output for it.
QString describeParameters(const QJsonObject& printed) {
    QString text;
    for (const QJsonValue& tensor : printed["trainable"].toArray()) {
        text += "trainable " + describeTensor(tensor);
    }
    for (const QJsonValue& tensor : printed["frozen"].toArray()) {
        text += "frozen " + describeTensor(tensor);
    }
    for (const QJsonValue& group : printed["optimizerGroups"].toArray()) {
        text += "group " + group["name"].toString() + " step " +
                QString::number(group["step"].toInt()) + " rate " +
                QString::number(group["initialLearningRate"].toDouble(), 'f', 6) + "\n";
        for (const QJsonValue& state : group["states"].toArray()) {
            for (const QJsonValue& moment : state["momentums"].toArray()) {
                text += "  " + state["parameter"].toString() + " " + describeTensor(moment);
            }
        }
    }
    return text;
}

/// Checkpoints compared with a reader, a writer and a runtime that are not ours.
class CheckpointOracleTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void whatWeWriteIsReadByOthersAlike();
    void whatOthersWriteIsReadAlike();
    void ortTrainsFromACheckpointThatWeWrote();

private:
    QString path(const char* name) const { return dir_.filePath(name); }
    fs::path fsPath(const char* name) const { return path(name).toStdString(); }
    QTemporaryDir dir_;
};

void CheckpointOracleTest::initTestCase() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
}

void CheckpointOracleTest::whatWeWriteIsReadByOthersAlike() {
    CheckpointFile file = richCheckpoint();
    const auto properties = std::exchange(file.properties, {});
    const QString expected = QString::fromStdString(describe(file));
    file.properties = properties;
    writeCheckpoint(file, fsPath("ours"));

    const OracleResult read =
        runOracle("ckpt.py", {"--checkpoint", path("ours"), "--out", path("read.npz")});
    QVERIFY2(read.succeeded(), qPrintable(read.log));
    QCOMPARE(describeParameters(read.output), expected);
    QCOMPARE(read.output["version"].toInt(), 2);
    QCOMPARE(read.output["nominal"].toBool(true), false);
    const QJsonValue bag = read.output["properties"];
    QCOMPARE(bag["epoch"]["type"].toString(), QString("int64"));
    QCOMPARE(bag["epoch"]["value"].toVariant().toLongLong(), -7);
    QCOMPARE(bag["best loss"]["type"].toString(), QString("float"));
    QCOMPARE(bag["best loss"]["value"].toDouble(), 0.0625);
    QCOMPARE(bag["note"]["value"].toString(), QString::fromUtf8("a\nb \u4e2d"));
    QCOMPARE(bag["empty"]["value"].toString("absent"), QString());

    const auto arrays = readNpz(fsPath("read.npz"));
    for (const auto* list : {&file.trainable, &file.frozen}) {
        for (const NamedTensor& tensor : *list) {
            if (tensor.data.numElements() == 0) continue;  // the script leaves these out
            QVERIFY2(arrays.contains(tensor.name), tensor.name.c_str());
            QVERIFY(dataOf(tensor) == dataOf({"", arrays.at(tensor.name)}));
        }
    }
    for (const NamedTensor& moment : file.optimizerGroups[0].parameters[0].moments) {
        const Tensor& actual = arrays.at("group0/conv.weight/" + moment.name);
        QVERIFY(dataOf(moment) == dataOf({"", actual}));
    }
}

void CheckpointOracleTest::whatOthersWriteIsReadAlike() {
    const Tensor weight = Tensor::of<float>({2, 3}, {1, 2, 3, -4, 5e-20F, 6e20F});
    const Tensor moment = Tensor::of<float>({2, 3}, {6, 5, 4, 3, 2, 1});
    writeNpz(fsPath("params.npz"), {{"w", weight},
                                    {"f", Tensor::of<float>({1}, {9})},
                                    {"i", Tensor::of<int64_t>({}, {1LL << 40})}});
    writeNpz(fsPath("moments.npz"), {{"w/momentum0", moment}, {"w/momentum1", weight}});
    const OracleResult written =
        runOracle("mkckpt.py",
                  {"--params", path("params.npz"), "--frozen", "f", "--step", "17", "--initial-lr",
                   "0.5", "--moments", path("moments.npz"), "--property", "epoch=3", "--property",
                   "loss=0.25", "--property", "who=someone", "--out", path("theirs")});
    QVERIFY2(written.succeeded(), qPrintable(written.log));

    const CheckpointFile file = readCheckpoint(fsPath("theirs"));
    QCOMPARE(describe(file),
             std::string("trainable w float32 [2, 3]\nfrozen f float32 [1]\nfrozen i int64 []\n"
                         "group group0 step 17 rate 0.500000\n"
                         "  w momentum0 float32 [2, 3]\n  w momentum1 float32 [2, 3]\n"
                         "property epoch int 3\nproperty loss float 0.250000\n"
                         "property who string someone\n"));
    QVERIFY(dataOf(file.trainable[0]) == dataOf({"", weight}));
    QCOMPARE(file.frozen[1].data.toInt64(), int64_t{1} << 40);
    const auto& moments = file.optimizerGroups[0].parameters[0].moments;
    QVERIFY(dataOf(moments[0]) == dataOf({"", moment}));
    QVERIFY(dataOf(moments[1]) == dataOf({"", weight}));
}

/// The runtime gives the same losses from our copy of its checkpoint as from its own.
void CheckpointOracleTest::ortTrainsFromACheckpointThatWeWrote() {
    const fs::path ort = fs::path(TEMPER_CONFORMANCE_DIR) / "ort";
    const QString folder = QString::fromStdString((ort / "training_api").string());
    writeCheckpoint(readCheckpoint(ort / "training_api" / "checkpoint.ckpt"), fsPath("copy"));
    const auto train = [&](const QString& checkpoint) {
        return runOracle("train.py",
                         {"--train", folder + "/training_model.onnx", "--optimizer",
                          folder + "/adamw.onnx", "--checkpoint", checkpoint, "--feeds",
                          QString::fromStdString((ort / "feeds/mnist").string()), "--steps", "3"});
    };
    const OracleResult theirs = train(folder + "/checkpoint.ckpt");
    const OracleResult ours = train(path("copy"));
    QVERIFY2(theirs.succeeded(), qPrintable(theirs.log));
    QVERIFY2(ours.succeeded(), qPrintable(ours.log));
    QCOMPARE(ours.output["steps"].toArray().size(), 3);
    QCOMPARE(ours.output["steps"], theirs.output["steps"]);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CheckpointOracleTest)
#include "checkpoint_oracle_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <cerrno>
#include <map>

#include "engine/core/file_group.h"
#include "engine/core/tensor.h"
#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/ort/checkpoint_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

namespace fs = std::filesystem;

using Files = std::map<QString, QByteArray>;

/// Commands that write several files change all of them or none, whichever call fails and at
/// whichever call the program is killed.
class CliOutputsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        for (const char* weight : {"0.1", "0.7"}) {
            const QString name = weight[2] == '1' ? "old" : "new";
            saveModel(*parseText(QString(kModel).arg(weight).toStdString()),
                      path(name + ".onnx").toStdString());
            const ProgramResult made =
                runTemper({"artifacts", path(name + ".onnx"), "--out", path(name)});
            QVERIFY2(made.exitStatus == 0, made.all().constData());
            const CheckpointFile checkpoint =
                readCheckpoint(path(name + "/checkpoint").toStdString());
            writeCheckpoint(checkpoint, path(name + ".ckpt").toStdString(),
                            {.externalDataThreshold = 1, .smallestExternalTensor = 0});
        }
        writeNpz(path("feeds.npz").toStdString(), {{"x", Tensor::of<float>({2, 2}, {1, 2, 3, 4})},
                                                   {"labels", Tensor::of<int64_t>({2}, {0, 2})}});
    }

    void aFullDiskChangesNothing_data() { commandRows(); }
    void aFullDiskChangesNothing() {
        eachFault("write", ENOSPC, 0, [&](const ProgramResult& result, const Files& files) {
            QVERIFY2(isFriendlyError(result), result.all().constData());
            QVERIFY2(result.err.contains("No space left on device"), result.all().constData());
            QVERIFY2(!result.err.contains(".temper-new"), result.all().constData());
            compare(files, before_);
        });
    }

    void aDiskErrorWhileSyncingChangesNothing_data() { commandRows(); }
    void aDiskErrorWhileSyncingChangesNothing() {
        eachFault("fsync", EIO, 0, [&](const ProgramResult& result, const Files& files) {
            // Only the contents count, not the folder.
            compare(files, result.exitStatus == 0 ? after_ : before_);
        });
    }

    void aFileThatCantBePutInPlaceChangesNothing_data() { commandRows(); }
    void aFileThatCantBePutInPlaceChangesNothing() {
        eachFault("rename", EROFS, 1, [&](const ProgramResult& result, const Files& files) {
            QVERIFY2(isFriendlyError(result), result.all().constData());
            QVERIFY2(result.err.contains("Read-only file system"), result.all().constData());
            compare(files, before_);
        });
    }

    void aFileSystemWithoutHardLinksIsNotAFault_data() { commandRows(); }
    void aFileSystemWithoutHardLinksIsNotAFault() {
        begin();
        const ProgramResult result = run(QString("link:%1:.replaced:0:0").arg(EPERM));
        QVERIFY2(result.exitStatus == 0, result.all().constData());
        compare(filesOf(path("out")), after_);
    }

    /// The next command finds all old or all new files, and nothing is left over.
    void aKilledProgramLeavesTheOldFilesOrTheNew_data() { commandRows(); }
    void aKilledProgramLeavesTheOldFilesOrTheNew() {
        QFETCH(QStringList, reader);
        begin();
        int old = 0, changed = 0;
        for (int call = 0;; ++call) {
            restore();
            const ProgramResult result = run(QString("kill:0:%1:%2:1").arg(path("out")).arg(call));
            if (result.exitStatus >= 0) {
                QVERIFY2(result.exitStatus == 0, result.all().constData());
                break;
            }
            if (reader.isEmpty()) {
                finishFileGroup(path("out").toStdString());
            } else {
                const ProgramResult read = runTemper(filled(reader, "out"));
                QVERIFY2(read.exitStatus == 0, read.all().constData());
            }
            const Files files = filesOf(path("out"));
            compare(files, files == before_ ? before_ : after_);
            if (QTest::currentTestFailed()) {
                qWarning("killed at call %d", call);
                return;
            }
            ++(files == before_ ? old : changed);
            // The next command that writes removes the leftovers.
            const ProgramResult next = run({});
            QVERIFY2(next.exitStatus == 0, next.all().constData());
            const QStringList hidden =
                QDir(path("out")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
            QVERIFY2(hidden.filter(".temper").isEmpty(), qPrintable(hidden.join(' ')));
        }
        QVERIFY(old > 0 && changed > 0);
        qInfo("killed %d times: %d times the old files, %d times the new", old + changed, old,
              changed);
    }

    /// The log and the checkpoints of the run are written during the run.
    void aLessonKeepsTheResultsOfThePreviousOne_data() {
        QTest::addColumn<QString>("fault");
        QTest::newRow("full disk") << QString("write:%1:.temper-new:%2:0").arg(ENOSPC);
        QTest::newRow("disk error") << QString("fsync:%1:.temper-new:%2:0").arg(EIO);
        QTest::newRow("can't be put in place") << QString("rename:%1:lesson/:%2:0").arg(EROFS);
        QTest::newRow("killed") << "kill:0:.temper:%2:1";
    }
    void aLessonKeepsTheResultsOfThePreviousOne() {
        QFETCH(QString, fault);
        const auto results = [&] {
            if (fault.startsWith("kill")) finishFileGroup(path("lesson").toStdString());
            Files files = filesOf(path("lesson"));
            std::erase_if(files, [](const auto& file) {
                return file.first == "run.jsonl" || file.first.startsWith("checkpoints/");
            });
            return files;
        };
        const QStringList command{"demo", "iris", "--out", path("lesson"), "--seed"};
        QDir(path("lesson")).removeRecursively();
        QCOMPARE(runWithFault(command + QStringList{"1"}, {}).exitStatus, 0);
        const Files before = results();
        QCOMPARE(before.size(), size_t{7});
        for (const int call : {0, 2, 5, 9}) {
            const ProgramResult result = runWithFault(
                command + QStringList{"2"}, QString(fault).replace("%2", QString::number(call)));
            QVERIFY2(call > 0 || result.exitStatus != 0, result.all().constData());
            if (result.exitStatus == 0) break;  // there are fewer calls
            compare(results(), before);
            if (QTest::currentTestFailed()) qWarning("failed at call %d", call);
        }
    }

private:
    static constexpr const char* kModel = R"(
        agraph (float[N, 2] x) => (float[N, 3] logits)
            <float[2, 3] w = {%1, -0.2, 0.3, 0.4, 0.5, -0.6}, float[3] b = {0.0, 0.1, 0.2}> {
            logits = Gemm(x, w, b)
        })";

    /// In the arguments FROM stands for "old" or "new", OUT for the folder of the files.
    static void commandRows() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QStringList>("reader");
        const auto row = [](const char* name, const QString& arguments, const QString& reader) {
            QTest::newRow(name) << arguments.split(' ')
                                << (reader.isEmpty() ? QStringList() : reader.split(' '));
        };
        row("artifacts", "artifacts FROM.onnx --out OUT", "inspect OUT");
        row("artifacts in two formats",
            "artifacts FROM.onnx --out OUT --ort-format --nominal-checkpoint --prefix p_",
            "inspect OUT --prefix p_");
        row("export with external data",
            "export FROM --out OUT/m.onnx --external-data --outputs logits", "inspect OUT/m.onnx");
        row("convert with external data", "export FROM.onnx --out OUT/m.onnx --external-data",
            "inspect OUT/m.onnx");
        row("checkpoint extract", "checkpoint extract FROM/checkpoint --out OUT", "");
        row("checkpoint with external data",
            "checkpoint set-property FROM.ckpt one 1 --out OUT/c.ckpt",
            "checkpoint show OUT/c.ckpt");
        row("step", "step FROM --feeds feeds.npz --grads OUT/g.npz --params OUT/p.npz", "");
    }

    QString path(const QString& name) const { return dir_.filePath(name); }

    QStringList filled(QStringList arguments, const QString& out, const QString& from = {}) const {
        for (QString& argument : arguments) argument.replace("FROM", from).replace("OUT", out);
        for (QString& argument : arguments)
            if (argument.startsWith("out") || argument.startsWith("kept"))
                argument = path(argument);
        return arguments;
    }

    /// The new command overwrites the old files, with a fault.
    ProgramResult run(const QString& fault) const {
        QFETCH(QStringList, arguments);
        return runWithFault(filled(arguments, "out", "new"), fault);
    }

    ProgramResult runWithFault(const QStringList& arguments, const QString& fault) const {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        if (!fault.isEmpty()) {
            environment.insert("LD_PRELOAD", QStringLiteral(TEMPER_FAULT_INJECTOR));
            environment.insert("TEMPER_FAULT", fault);
            environment.insert("ASAN_OPTIONS", "verify_asan_link_order=0");
        }
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(dir_.path());
        process.start(QStringLiteral(TEMPER_PROGRAM), arguments);
        process.waitForFinished(60'000);
        ProgramResult result;
        result.out = process.readAllStandardOutput();
        result.err = process.readAllStandardError();
        if (process.exitStatus() == QProcess::NormalExit) result.exitStatus = process.exitCode();
        return result;
    }

    /// The old files, and the new ones as they are without a fault.
    void begin() {
        QFETCH(QStringList, arguments);
        for (const char* from : {"new", "old"}) {
            QDir(path("out")).removeRecursively();
            QDir().mkpath(path("out"));
            const ProgramResult made = runWithFault(filled(arguments, "out", from), {});
            QVERIFY2(made.exitStatus == 0, made.all().constData());
            (from[0] == 'n' ? after_ : before_) = filesOf(path("out"));
        }
        QVERIFY(before_.size() > 1 && before_ != after_);
    }

    void restore() const {
        QDir(path("out")).removeRecursively();
        QDir().mkpath(path("out"));
        for (const auto& [name, content] : before_) {
            QFile file(path("out/" + name));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
        }
    }

    /// The fault at the first, second, ... call, `count` times (0: from then on), until no such
    /// call is left.
    template <typename F>
    void eachFault(const char* call, int error, int count, F&& check) {
        begin();
        int faults = 0;
        for (;; ++faults) {
            restore();
            const QString fault = QString("%1:%2:%3:%4:%5")
                                      .arg(call)
                                      .arg(error)
                                      .arg(path("out"))
                                      .arg(faults)
                                      .arg(count);
            const ProgramResult result = run(fault);
            const Files files = filesOf(path("out"));
            if (result.exitStatus == 0 && files == after_) break;
            check(result, files);
            if (QTest::currentTestFailed()) {
                qWarning("failed at call %d", faults);
                return;
            }
        }
        QVERIFY(faults > 0);
    }

    static void compare(const Files& files, const Files& expected) {
        QStringList names, expectedNames;
        for (const auto& [name, content] : files) names << name;
        for (const auto& [name, content] : expected) expectedNames << name;
        QCOMPARE(names, expectedNames);
        for (const auto& [name, content] : expected)
            QVERIFY2(files.at(name) == content, qPrintable(name));
    }

    /// Without the leftovers that the next command removes.
    static Files filesOf(const QString& folder) {
        Files files;
        QDirIterator entries(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (entries.hasNext()) {
            const QString name = entries.next().mid(folder.size() + 1);
            QFile file(folder + "/" + name);
            if (!name.startsWith(".temper-new") && file.open(QIODevice::ReadOnly))
                files[name] = file.readAll();
        }
        return files;
    }

    QTemporaryDir dir_;
    Files before_;
    Files after_;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliOutputsTest)
#include "cli_outputs_test.moc"

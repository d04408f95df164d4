// SPDX-License-Identifier: Apache-2.0
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "engine/core/error.h"
#include "engine/runs/tensorboard.h"

namespace temper::test {

/// The files are read by our own reader in Python (read_tensorboard.py), which verifies every
/// checksum.
class TensorBoardTest : public QObject {
    Q_OBJECT

private slots:
    void anIndependentReaderFindsTheScalars() {
        RunRecord record;
        for (int64_t step = 1; step <= 300; step += 299) {
            StepEvent event;
            event.step = step;
            event.loss = 0.5 / static_cast<double>(step);
            event.learningRate = 0.25;
            event.gradientNorm = 2;
            record.steps.push_back(event);
        }
        record.evaluations.push_back({300, 1, 0.125, {{"accuracy", 0.75}}, 8, {}});
        QTemporaryDir folder;
        const auto path =
            writeTensorBoard(record, 1'700'000'000.5, folder.path().toStdString() + "/tb");
        QCOMPARE(path.filename().string(), std::string("events.out.tfevents.1700000000.temper"));
        QCOMPARE(printed(QString::fromStdString(path.string())),
                 QByteArray("version brain.Event:2\n"
                            "1 train/loss 0.5\n1 train/learning_rate 0.25\n1 train/grad_norm 2\n"
                            "300 train/loss 0.00166666671\n300 train/learning_rate 0.25\n"
                            "300 train/grad_norm 2\n"
                            "300 eval/loss 0.125\n300 eval/accuracy 0.75\n"));
    }

    void aFolderThatCanNotBeMadeIsNamed() {
        QVERIFY_EXCEPTION_THROWN(writeTensorBoard({}, 0, "/proc/nowhere"), Error);
    }

private:
    static QByteArray printed(const QString& path) {
        QProcess python;
        python.start("/usr/bin/python3",
                     {QFileInfo(__FILE__).absolutePath() + "/read_tensorboard.py", path});
        python.waitForFinished();
        return python.readAllStandardOutput() + python.readAllStandardError();
    }
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::TensorBoardTest)
#include "tensorboard_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <cmath>
#include <thread>

#include "engine/core/process_memory.h"
#include "engine/core/random.h"
#include "engine/ort/checkpoint_file.h"
#include "engine/training/evaluation/evaluation.h"
#include "tests/engine/training/lesson_run.h"

namespace temper::test {

constexpr int64_t kSteps = 10'000;
constexpr int64_t kWarmUpSteps = kSteps / 5;
constexpr double kMaxGrowth = 0.01;  // of the memory

/// A long run while somebody pauses, steps, evaluates, saves, loads, stops and starts it.
class SoakTest : public QObject {
    Q_OBJECT

private slots:
    void memoryAndFilesStayFlat();

private:
    struct Measure {
        double megabytes = 0;
        qsizetype descriptors = 0;
    };

    static Measure measure() {
        ::malloc_trim(0);
        const QDir open("/proc/self/fd");
        return {static_cast<double>(residentBytes()) / 1e6,
                open.entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot).size()};
    }

    std::filesystem::path checkpoint(uint64_t number) const {
        return folder_.filePath(QString("%1.ckpt").arg(number)).toStdString();
    }

    /// One request of a person or a program.
    void disturb(RunControl& control, Random& random);
    /// Runs until the end or until it is stopped.
    RunOutcome runDisturbed();
    /// Continues from what was saved.
    void startAgain(Random& random);

    QTemporaryDir folder_;
    LessonRun run_{"digits", 2};
    Random random_{11};
    std::atomic<int64_t> step_{0};
    std::atomic<int> evaluations_{0};
    int saved_ = 0, loaded_ = 0, paused_ = 0;
};

void SoakTest::disturb(RunControl& control, Random& random) {
    switch (random.below(8)) {
        case 0:
            control.pause();
            ++paused_;
            break;
        case 1: control.stepOnce(); break;
        case 2:
            control.saveCheckpoint(checkpoint(random.below(3)));
            ++saved_;
            break;
        case 3:
            control.atStepBorder([this](TrainingSession& session) {
                evaluateDataset(session, *run_.data.evaluation, run_.data.binding, 32, {});
                ++evaluations_;
            });
            break;
        case 4: control.setLearningRate(1e-4); break;
        case 5: control.followSchedule(); break;
        case 6:
            if (random.below(4) == 0) control.stop();
            break;
        default: break;
    }
}

RunOutcome SoakTest::runDisturbed() {
    RunControl control;
    std::jthread somebody([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(random_.below(30)));
            disturb(control, random_);
            std::this_thread::sleep_for(std::chrono::milliseconds(random_.below(5)));
            control.resume();
        }
    });
    Trainer trainer(*run_.session, run_.data, run_.spec, control, [this](const RunEvent& event) {
        if (const auto* step = std::get_if<StepEvent>(&event.fact)) step_ = step->step;
    });
    return trainer.run();
}

void SoakTest::startAgain(Random& random) {
    const std::filesystem::path path = checkpoint(random.below(3));
    if (!std::filesystem::exists(path)) return;
    run_.state->assign(readCheckpoint(path));
    ++loaded_;
}

void SoakTest::memoryAndFilesStayFlat() {
    run_.spec.saveFolder = folder_.path().toStdString();
    run_.spec.saveEvery = 0;  // with each epoch
    Measure first;
    // Loading goes back by some steps: the steps done count.
    for (int64_t done = 0; done < kSteps;) {
        const int64_t before = run_.state->optimizerState().step;
        run_.spec.steps = before + kSteps;
        const RunOutcome outcome = runDisturbed();
        QVERIFY2(outcome == RunOutcome::Stopped || outcome == RunOutcome::Finished, "a run failed");
        done += step_ - before;
        if (first.descriptors == 0 && done > kWarmUpSteps) first = measure();
        startAgain(random_);
    }
    const Measure last = measure();
    const double growth = last.megabytes / first.megabytes - 1;
    qInfo(
        "%lld steps; %d pauses, %d evaluations, %d checkpoints asked for, %d loaded; memory %.1f "
        "MB, "
        "then %.1f MB (%+.2f %%); open files %lld, then %lld",
        static_cast<long long>(kSteps), paused_, evaluations_.load(), saved_, loaded_,
        first.megabytes, last.megabytes, 100 * growth, static_cast<long long>(first.descriptors),
        static_cast<long long>(last.descriptors));
    QVERIFY(paused_ > 0 && evaluations_ > 0 && saved_ > 0 && loaded_ > 0);
    QCOMPARE(last.descriptors, first.descriptors);
    QVERIFY(growth < kMaxGrowth);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::SoakTest)
#include "soak_test.moc"

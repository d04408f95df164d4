// SPDX-License-Identifier: Apache-2.0
// Batch normalizations over all slices of a batch, on several ranks.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "engine/training/monitors/step_profiler.h"
#include "engine/training/parallel/sliced_gradients.h"
#include "engine/training/spec/choice.h"
#include "tests/engine/distributed/local_ranks.h"
#include "tests/engine/training/lesson_run.h"
#include "tests/support/reference_device.h"

using namespace temper;
using namespace temper::test;

namespace {

/// A batch normalization of `y`.
Value* normalized(Graph& model, Value* y, int64_t channels) {
    std::vector<Value*> inputs{y};
    for (const auto& [ending, number] : {std::pair("scale", 1.0F), std::pair("bias", 0.0F),
                                         std::pair("mean", 0.0F), std::pair("var", 1.0F)}) {
        const std::vector<float> numbers(static_cast<size_t>(channels), number);
        inputs.push_back(
            model.addInitializer(y->name() + "." + ending, Tensor::of<float>({channels}, numbers)));
    }
    return model.addNode({"BatchNormalization", inputs, {y->name() + ".normalized"}})->output(0);
}

/// What each convolution or, if there is none, each linear layer but the last computes becomes
/// change(it, number of its channels) for its readers.
template <typename F>
void changeLayers(Graph& model, F&& change) {
    const std::vector<Node*> nodes = model.nodes();
    const bool hasConvolutions =
        std::ranges::any_of(nodes, [](const Node* node) { return node->opType() == "Conv"; });
    for (const Node* node : nodes) {
        Value* y = node->output(0);
        if (node->opType() != (hasConvolutions ? "Conv" : "Gemm") || y->isGraphOutput()) continue;
        const std::vector<Value::Use> readers(y->uses());
        Value* changed = change(y, node->input(2)->constant().shape().front());
        for (const Value::Use& use : readers) model.setInput(use.node, use.input, changed);
    }
}

void addBatchNorms(Graph& model) {
    changeLayers(model, [&](Value* y, int64_t channels) { return normalized(model, y, channels); });
}

/// Batch normalizations that change nothing, whatever their statistics: y + (n - n); and dropout.
void addIdleBatchNorms(Graph& model) {
    changeLayers(model, [&](Value* y, int64_t channels) {
        const std::string name = y->name();
        Value* n = normalized(model, y, channels);
        Value* zero = model.addNode({"Sub", {n, n}, {name + ".zero"}})->output(0);
        Value* same = model.addNode({"Add", {y, zero}, {name + ".same"}})->output(0);
        Value* ratio = model.addInitializer(name + ".ratio", Tensor::scalar(0.25F));
        Value* mode = model.addInitializer(name + ".mode", Tensor::scalar(true));
        return model.addNode({"Dropout", {same, ratio, mode}, {name + ".dropped"}})->output(0);
    });
}

struct Outcome {
    std::vector<double> losses;
    std::vector<double> norms;
    std::vector<double> evaluations;
    std::vector<float> weights;
    std::vector<float> statistics;  ///< the running ones

    bool operator==(const Outcome&) const = default;
};

/// Names the results that are not the same bits.
QStringList differences(const Outcome& a, const Outcome& b) {
    QStringList names;
    if (a.losses != b.losses) names << "losses";
    if (a.norms != b.norms) names << "norms";
    if (a.evaluations != b.evaluations) names << "evaluations";
    if (a.weights != b.weights) names << "weights";
    if (a.statistics != b.statistics) names << "statistics";
    return names;
}

Outcome outcomeOf(const LessonRun& run) {
    Outcome outcome;
    for (const StepEvent& step : run.all<StepEvent>()) {
        outcome.losses.push_back(step.loss);
        outcome.norms.push_back(step.gradientNorm);
    }
    for (const EvalEvent& evaluation : run.all<EvalEvent>())
        outcome.evaluations.push_back(evaluation.loss);
    std::map<std::string, const Parameter*> parameters;  // states may have them in any order
    for (const Parameter& parameter : run.state->parameters())
        parameters[parameter.name] = &parameter;
    for (const auto& [name, parameter] : parameters) {
        if (parameter->data.dtype() != DType::Float32) continue;
        const Tensor data = parameter->data.onHost();
        const auto numbers = data.values<float>();
        std::vector<float>& all = parameter->requiresGrad ? outcome.weights : outcome.statistics;
        all.insert(all.end(), numbers.begin(), numbers.end());
    }
    return outcome;
}

struct Case {
    std::string lesson = "digits";
    TrainingSpec spec;
    std::function<void(Graph&)> edit = addBatchNorms;
};

Case caseOf(const std::string& lesson) {
    Case result{lesson, findLesson(lesson).spec};
    result.spec.run.steps = 6;
    result.spec.run.evaluateEvery = 3;
    result.spec.run.slices = 4;
    result.spec.run.synchronizeBatchNorms = true;
    return result;
}

/// Trains on so many ranks, all of which end with the same; returns that of rank 0. `begin`: a
/// checkpoint to continue from.
Outcome train(const Case& the, int ranks, std::vector<std::string>& errors,
              const std::string& begin = {}) {
    std::vector<Outcome> outcomes(static_cast<size_t>(ranks));
    errors = runRanks(ranks, [&](Group& group) {
        LessonRun run(the.spec, the.lesson, 1, the.edit);
        run.group = &group;
        if (!begin.empty()) run.restart(CheckpointState::load(begin));
        if (run.run() != RunOutcome::Finished)
            throw Error(ErrorCode::Internal, run.all<EndEvent>().back().message);
        outcomes[static_cast<size_t>(group.rank())] = outcomeOf(run);
    });
    for (const Outcome& outcome : outcomes) {
        if (outcome != outcomes.front()) errors.front() = "the ranks ended with different results";
    }
    return outcomes.front();
}

/// Without slices: its statistics are those of the batch anyway.
Outcome trainWhole(Case the) {
    the.spec.run.slices = 0;
    LessonRun run(the.spec, the.lesson, 1, the.edit);
    return run.run() == RunOutcome::Finished ? outcomeOf(run) : Outcome{};
}

/// The largest difference, as a share of the largest number.
template <typename T>
double difference(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size() || a.empty()) return INFINITY;
    double most = 0, largest = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
        largest = std::max(largest, std::abs(static_cast<double>(a[i])));
    }
    return most / largest;
}

/// Eight samples for the lesson "iris".
Batch flowers() {
    std::vector<float> numbers;
    for (int i = 0; i < 32; ++i) numbers.push_back(static_cast<float>(i * 7 % 11) / 2);
    return {.size = 8,
            .tensors = {Tensor::of<float>({8, 4}, numbers),
                        Tensor::of<int64_t>({8}, {0, 1, 2, 0, 1, 2, 0, 1})}};
}

}  // namespace

class SynchronizedSlicesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { addReferenceDevice(); }

    void theBitsAreTheSameOnAnyNumberOfRanks_data() {
        QTest::addColumn<QString>("lesson");
        QTest::addColumn<QString>("variant");
        QTest::newRow("images in blocks of channels") << "digits"
                                                      << "plain";
        QTest::newRow("signals") << "tones"
                                 << "plain";
        QTest::newRow("vectors") << "iris"
                                 << "plain";
        QTest::newRow("accumulation") << "digits"
                                      << "accumulate";
        QTest::newRow("slices of different sizes") << "iris"
                                                   << "odd";
        QTest::newRow("slices without samples") << "iris"
                                                << "few";
        QTest::newRow("ZeRO 2") << "digits"
                                << "zero";
        QTest::newRow("recomputation") << "digits"
                                       << "recompute";
        QTest::newRow("bfloat16") << "digits"
                                  << "bf16";
    }
    void theBitsAreTheSameOnAnyNumberOfRanks() {
        QFETCH(QString, lesson);
        QFETCH(QString, variant);
        Case the = caseOf(lesson.toStdString());
        RunSpec& run = the.spec.run;
        if (variant == "accumulate") run.accumulate = 3;
        if (variant == "odd") run.batchSize = 26;
        if (variant == "few") run.batchSize = 3;
        if (variant == "bf16") {
            run.session.precision = Precision::BFloat16;
            run.session.mayWidenBFloat16 = true;
        }
        std::vector<std::string> errors;
        const Outcome one = train(the, 1, errors);
        QCOMPARE(errors, noErrors(1));
        QCOMPARE(one.losses.size(), size_t{6});
        if (variant == "zero") run.session.zeroStage = 2;
        if (variant == "recompute") run.session.memoryShare = 0.5;
        for (const int ranks : {2, 3, 4}) {
            const Outcome many = train(the, ranks, errors);
            QCOMPARE(errors, noErrors(ranks));
            QCOMPARE(differences(many, one), QStringList());
        }
    }

    /// Those of their slices, whose running ones the ranks exchange.
    void normalizationsOnADeviceGiveTheSameBits() {
        Case the = caseOf("digits");
        the.spec.run.synchronizeBatchNorms = false;
        std::vector<std::string> errors;
        const Outcome one = train(the, 1, errors);
        QCOMPARE(errors, noErrors(1));
        QVERIFY(!one.statistics.empty());
        the.spec.run.session.device = "reference";
        for (const int ranks : {1, 2, 3}) {
            const Outcome many = train(the, ranks, errors);
            QCOMPARE(errors, noErrors(ranks));
            QCOMPARE(differences(many, one), QStringList());
        }
    }

    void aDeviceThatCanNotSynchronizeThemIsRefused() {
        Case the = caseOf("iris");
        the.spec.run.session.device = "reference";
        const auto errors = runRanks(2, [&](Group& group) {
            LessonRun run(the.spec, the.lesson, 1, the.edit);
            run.group = &group;
            run.run();
        });
        for (const std::string& error : errors)
            QVERIFY2(error.find("Batch normalizations over the whole batch can't be computed in "
                                "device memory.") != std::string::npos,
                     error.c_str());
    }

    /// Random numbers, sums over batches and slices: all but the statistics is as without
    /// synchronization.
    void whatStatisticsDoNotReachKeepsItsBits_data() {
        QTest::addColumn<QString>("lesson");
        QTest::addColumn<int>("batch");
        QTest::addColumn<int>("accumulate");
        QTest::addColumn<int>("slices");
        QTest::newRow("images") << "digits" << 32 << 1 << 4;
        QTest::newRow("accumulation") << "digits" << 32 << 3 << 4;
        QTest::newRow("slices of different sizes") << "iris" << 26 << 1 << 4;
        QTest::newRow("batches of different sizes") << "iris" << 26 << 3 << 4;
        QTest::newRow("slices without samples") << "iris" << 38 << 4 << 8;
    }
    void whatStatisticsDoNotReachKeepsItsBits() {
        QFETCH(QString, lesson);
        QFETCH(int, batch);
        QFETCH(int, accumulate);
        QFETCH(int, slices);
        Case the = caseOf(lesson.toStdString());
        the.edit = addIdleBatchNorms;
        the.spec.run.batchSize = batch;
        the.spec.run.accumulate = accumulate;
        the.spec.run.slices = slices;
        std::vector<std::string> errors;
        const Outcome together = train(the, 3, errors);
        QCOMPARE(errors, noErrors(3));
        the.spec.run.synchronizeBatchNorms = false;
        const Outcome apart = train(the, 3, errors);
        QCOMPARE(errors, noErrors(3));
        QCOMPARE(together.losses.size(), size_t{6});
        QCOMPARE(together.losses, apart.losses);
        QCOMPARE(together.norms, apart.norms);
        QCOMPARE(together.evaluations, apart.evaluations);
        QVERIFY(together.weights == apart.weights);
        QVERIFY(together.statistics != apart.statistics);
    }

    /// The same as without slices, but for roundings; with statistics of slices it is not.
    void aBatchInSlicesIsNormalizedAsAWhole_data() {
        QTest::addColumn<QString>("lesson");
        QTest::addColumn<int>("batch");
        QTest::addColumn<int>("accumulate");
        QTest::addColumn<int>("slices");
        QTest::newRow("images in blocks of channels") << "digits" << 32 << 1 << 4;
        QTest::newRow("signals") << "tones" << 16 << 1 << 4;
        QTest::newRow("vectors") << "iris" << 16 << 1 << 4;
        QTest::newRow("accumulation") << "digits" << 32 << 2 << 4;
        QTest::newRow("slices of different sizes") << "iris" << 26 << 1 << 4;
        QTest::newRow("batches of different sizes") << "iris" << 26 << 3 << 4;
        QTest::newRow("slices without samples") << "iris" << 38 << 4 << 8;
    }
    void aBatchInSlicesIsNormalizedAsAWhole() {
        QFETCH(QString, lesson);
        QFETCH(int, batch);
        QFETCH(int, accumulate);
        QFETCH(int, slices);
        std::vector<std::string> errors;
        Case the = caseOf(lesson.toStdString());
        the.spec.run.batchSize = batch;
        the.spec.run.accumulate = accumulate;
        the.spec.run.slices = slices;
        the.spec.artifacts.optimizer = {"sgd", {}};  // which does not enlarge roundings
        const Outcome whole = trainWhole(the);
        const Outcome together = train(the, 2, errors);
        QCOMPARE(errors, noErrors(2));
        the.spec.run.synchronizeBatchNorms = false;
        const Outcome apart = train(the, 2, errors);
        QCOMPARE(errors, noErrors(2));
        constexpr double kRounding = 1e-4;
        QVERIFY2(difference(together.losses, whole.losses) < kRounding,
                 qPrintable(QString::number(difference(together.losses, whole.losses))));
        QVERIFY2(difference(together.norms, whole.norms) < kRounding,
                 qPrintable(QString::number(difference(together.norms, whole.norms))));
        QVERIFY(difference(together.evaluations, whole.evaluations) < kRounding);
        QVERIFY2(difference(together.statistics, whole.statistics) < kRounding,
                 qPrintable(QString::number(difference(together.statistics, whole.statistics))));
        QVERIFY(difference(apart.losses, whole.losses) > 10 * kRounding);
        QVERIFY(difference(apart.norms, whole.norms) > 10 * kRounding);
    }

    void aCheckpointContinuesOnAnotherNumberOfRanks() {
        QTemporaryDir folder;
        Case the = caseOf("digits");
        std::vector<std::string> errors;
        const Outcome whole = train(the, 1, errors);
        QCOMPARE(errors, noErrors(1));
        the.spec.run.steps = 3;
        the.spec.run.saveFolder = folder.path().toStdString();
        train(the, 4, errors);
        QCOMPARE(errors, noErrors(4));
        the.spec.run.steps = 6;
        the.spec.run.saveFolder.clear();
        const Outcome rest = train(the, 2, errors, folder.filePath("last.ckpt").toStdString());
        QCOMPARE(errors, noErrors(2));
        QCOMPARE(rest.losses, std::vector<double>(whole.losses.begin() + 3, whole.losses.end()));
        QVERIFY(rest.weights == whole.weights);
        QVERIFY(rest.statistics == whole.statistics);
    }

    /// Also a frozen one, which gets another tensor, and running statistics.
    void parametersMayBeSetBetweenSteps() {
        Case the = caseOf("iris");
        the.spec.artifacts.frozen = {"0.weight"};
        LessonRun run(the.spec, the.lesson, 1, the.edit),
            expected(the.spec, the.lesson, 1, the.edit);
        std::map<std::string, Tensor> changed;
        for (const Parameter& parameter : expected.state->parameters()) {
            Tensor& data = changed[parameter.name] = parameter.data.clone();
            for (float& number : data.mutableValues<float>()) number = 1.25F * number + 0.125F;
        }
        const auto set = [&changed](CheckpointState& state) {
            for (const auto& [name, data] : changed) state.setParameter(name, data);
        };
        Group alone;
        SlicedGradients gradients(*run.session, alone, 4, 0, true);
        const Batch batch = flowers();
        const double before = gradients.compute(std::span(&batch, 1));
        set(*run.state);
        set(*expected.state);
        SlicedGradients others(*expected.session, alone, 4, 0, true);
        const double loss = others.compute(std::span(&batch, 1));
        QVERIFY(loss != before);
        QCOMPARE(gradients.compute(std::span(&batch, 1)), loss);
        QCOMPARE(gradients.norm(), others.norm());
        QVERIFY(outcomeOf(run).statistics == outcomeOf(expected).statistics);
    }

    /// Waiting for other slices is not computing.
    void aProfileHasTheTimeOfAllSlices() {
        const Case the = caseOf("digits");
        LessonRun run(the.spec, the.lesson, 1, the.edit);
        Trainer trainer(*run.session, run.data, run.spec, run.control, [](const RunEvent&) {});
        StepProfiler profiler;
        trainer.profileSteps(profiler);
        QCOMPARE(trainer.run(), RunOutcome::Finished);
        double seconds = 0;
        for (const Profile::Span& span : profiler.profile().spans())
            seconds += std::chrono::duration<double>(span.end - span.begin).count();
        double computing = 0;
        int64_t norms = 0;  // two of them, with one name
        for (const Profile::Step& step : profiler.profile().steps()) {
            computing += step.cost.seconds;
            if (step.op.find("BatchNormInternal") == std::string::npos) continue;
            norms += step.cost.count;
        }
        QCOMPARE(norms, int64_t{2 * 6 * 4});
        QVERIFY2(computing < seconds,
                 qPrintable(QString("%1 s in %2 s").arg(computing).arg(seconds)));
    }

    void stepsReportTheMemoryOfAllSlices() {
        Case the = caseOf("digits");
        const auto planned = [&the] {
            LessonRun run(the.spec, the.lesson, 1, the.edit);
            run.run();
            return run.all<StepEvent>().front().arenaBytes;
        };
        const size_t together = planned();
        the.spec.run.synchronizeBatchNorms = false;
        QVERIFY(together > 3 * planned());
    }

    void aModelWithoutBatchNormsIsNotConcerned() {
        Case the = caseOf("iris");
        const auto losses = [&] {
            LessonRun run(the.spec, the.lesson);
            return run.run() == RunOutcome::Finished ? run.losses() : std::vector<double>();
        };
        const std::vector<double> with = losses();
        the.spec.run.synchronizeBatchNorms = false;
        QCOMPARE(with, losses());
        QVERIFY(!with.empty());
    }

    void aLossThatIsNotFiniteEndsAll_data() { addRanks(); }
    void aLossThatIsNotFiniteEndsAll() {
        QFETCH(int, ranks);
        const Case the = caseOf("digits");
        const auto errors = runRanks(ranks, [&](Group& group) {
            LessonRun run(the.spec, the.lesson, 1, the.edit);
            for (float& number : run.state->parameter("head.weight").data.mutableValues<float>())
                number = std::nanf("");
            run.group = &group;
            run.run();
            throw Error(ErrorCode::Internal, run.all<EndEvent>().back().message);
        });
        for (const std::string& error : errors)
            QVERIFY2(error.find("The loss is NaN in step 1") != std::string::npos, error.c_str());
    }

    /// By way of the statistics, it reaches the losses of all slices.
    void theOriginOfANaNIsFoundInItsSlice_data() { addRanks(); }
    void theOriginOfANaNIsFoundInItsSlice() {
        QFETCH(int, ranks);
        const Case the = caseOf("iris");
        const auto errors = runRanks(ranks, [&](Group& group) {
            LessonRun run(the.spec, the.lesson, 1, the.edit);
            SlicedGradients gradients(*run.session, group, 4, 0, true);
            Batch batch = flowers();
            batch.tensors[0].mutableValues<float>().back() =
                std::numeric_limits<float>::quiet_NaN();
            gradients.compute(std::span(&batch, 1));
        });
        for (const std::string& error : errors) {
            QVERIFY2(error.find("The loss is NaN in step 1; the first such value comes from input "
                                "'input'.") != std::string::npos,
                     error.c_str());
        }
    }

    /// The others are in the middle of a step and wait for it.
    void aSliceThatFailsEndsAll_data() { addRanks(); }
    void aSliceThatFailsEndsAll() {
        QFETCH(int, ranks);
        const Case the = caseOf("digits");
        const auto errors = runRanks(ranks, [&](Group& group) {
            LessonRun run(the.spec, the.lesson, 1, the.edit);
            SlicedGradients gradients(*run.session, group, 4, 0, true);
            const std::vector<float> pixels(8 * 64, 0.5F);
            std::vector<int64_t> labels{0, 1, 2, 3, 4, 5, 6, 7};
            const auto compute = [&] {
                const Batch batch{.size = 8,
                                  .tensors = {Tensor::of<float>({8, 1, 8, 8}, pixels),
                                              Tensor::of<int64_t>({8}, labels)}};
                gradients.compute(std::span(&batch, 1));
            };
            compute();
            labels.back() = 99;
            compute();
        });
        for (const std::string& error : errors)
            QVERIFY2(error.find("99") != std::string::npos, error.c_str());
    }

private:
    static void addRanks() {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {1, 2, 4}) QTest::addRow("%d", ranks) << ranks;
    }
};

QTEST_APPLESS_MAIN(SynchronizedSlicesTest)
#include "synchronized_slices_test.moc"

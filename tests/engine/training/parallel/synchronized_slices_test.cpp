// SPDX-License-Identifier: Apache-2.0
// Batch normalizations over all slices of a batch, on several ranks.
#include <QTest>
#include <cmath>

#include "engine/training/parallel/sliced_gradients.h"
#include "engine/training/spec/choice.h"
#include "tests/engine/distributed/local_ranks.h"
#include "tests/engine/training/lesson_run.h"

using namespace temper;
using namespace temper::test;

namespace {

/// Normalizes what each convolution or, if there is none, each linear layer but the last computes.
void addBatchNorms(Graph& model) {
    const std::vector<Node*> nodes = model.nodes();
    const bool hasConvolutions =
        std::ranges::any_of(nodes, [](const Node* node) { return node->opType() == "Conv"; });
    for (const Node* node : nodes) {
        if (node->opType() != (hasConvolutions ? "Conv" : "Gemm")) continue;
        Value* y = node->output(0);
        if (y->isGraphOutput()) continue;
        const int64_t channels = node->input(2)->constant().shape().front();
        std::vector<Value*> operands;
        for (const auto& [ending, number] : {std::pair("scale", 1.0F), std::pair("bias", 0.0F),
                                             std::pair("mean", 0.0F), std::pair("var", 1.0F)}) {
            const std::vector<float> numbers(static_cast<size_t>(channels), number);
            operands.push_back(model.addInitializer(y->name() + "." + ending,
                                                    Tensor::of<float>({channels}, numbers)));
        }
        Value* normalized = model
                                .addNode({"BatchNormalization",
                                          {y, operands[0], operands[1], operands[2], operands[3]},
                                          {y->name() + ".normalized"}})
                                ->output(0);
        for (const Value::Use& use : std::vector<Value::Use>(y->uses())) {
            if (use.node->opType() != "BatchNormalization")
                model.setInput(use.node, use.input, normalized);
        }
    }
}

struct Outcome {
    std::vector<double> losses;
    std::vector<double> norms;
    std::vector<double> evaluations;
    std::vector<float> parameters;  ///< and running statistics

    bool operator==(const Outcome&) const = default;
};

Outcome outcomeOf(const LessonRun& run) {
    Outcome outcome;
    for (const StepEvent& step : run.all<StepEvent>()) {
        outcome.losses.push_back(step.loss);
        outcome.norms.push_back(step.gradientNorm);
    }
    for (const EvalEvent& evaluation : run.all<EvalEvent>())
        outcome.evaluations.push_back(evaluation.loss);
    outcome.parameters = run.parameters();
    return outcome;
}

struct Case {
    std::string lesson = "digits";
    TrainingSpec spec;
};

Case caseOf(const std::string& lesson, bool synchronizes = true) {
    Case result{lesson, findLesson(lesson).spec};
    result.spec.run.steps = 6;
    result.spec.run.evaluateEvery = 3;
    result.spec.run.slices = 4;
    result.spec.run.synchronizeBatchNorms = synchronizes;
    return result;
}

/// Trains on so many ranks, all of which end with the same; returns that of rank 0.
Outcome train(const Case& the, int ranks, std::vector<std::string>& errors) {
    std::vector<Outcome> outcomes(static_cast<size_t>(ranks));
    errors = runRanks(ranks, [&](Group& group) {
        LessonRun run(the.spec, the.lesson, 1, addBatchNorms);
        run.group = &group;
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
    LessonRun run(the.spec, the.lesson, 1, addBatchNorms);
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

std::vector<std::string> noErrors(int ranks) {
    return std::vector<std::string>(static_cast<size_t>(ranks));
}

}  // namespace

class SynchronizedSlicesTest : public QObject {
    Q_OBJECT

private slots:
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
    }
    void theBitsAreTheSameOnAnyNumberOfRanks() {
        QFETCH(QString, lesson);
        QFETCH(QString, variant);
        Case the = caseOf(lesson.toStdString());
        RunSpec& run = the.spec.run;
        if (variant == "accumulate") run.accumulate = 3;
        if (variant == "odd") run.batchSize = 26;
        if (variant == "few") run.batchSize = 3;
        std::vector<std::string> errors;
        const Outcome one = train(the, 1, errors);
        QCOMPARE(errors, noErrors(1));
        QCOMPARE(one.losses.size(), size_t{6});
        if (variant == "zero") run.session.zeroStage = 2;
        for (const int ranks : {2, 3, 4}) {
            const Outcome many = train(the, ranks, errors);
            QCOMPARE(errors, noErrors(ranks));
            QCOMPARE(many.losses, one.losses);
            QCOMPARE(many.norms, one.norms);
            QCOMPARE(many.evaluations, one.evaluations);
            QVERIFY(many.parameters == one.parameters);
        }
    }

    /// The same as without slices, but for roundings; with statistics of slices it is not.
    void aBatchInSlicesIsNormalizedAsAWhole_data() {
        QTest::addColumn<QString>("lesson");
        QTest::addColumn<int>("batch");
        QTest::newRow("images in blocks of channels") << "digits" << 32;
        QTest::newRow("signals") << "tones" << 16;
        QTest::newRow("vectors") << "iris" << 16;
        QTest::newRow("slices of different sizes") << "iris" << 26;
    }
    void aBatchInSlicesIsNormalizedAsAWhole() {
        QFETCH(QString, lesson);
        QFETCH(int, batch);
        std::vector<std::string> errors;
        Case the = caseOf(lesson.toStdString());
        the.spec.run.batchSize = batch;
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
        QVERIFY(difference(apart.losses, whole.losses) > 10 * kRounding);
        QVERIFY(difference(apart.norms, whole.norms) > 10 * kRounding);
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
            LessonRun run(the.spec, the.lesson, 1, addBatchNorms);
            for (float& number : run.state->parameter("head.weight").data.mutableValues<float>())
                number = std::nanf("");
            run.group = &group;
            run.run();
            throw Error(ErrorCode::Internal, run.all<EndEvent>().back().message);
        });
        for (const std::string& error : errors)
            QVERIFY2(error.find("The loss is NaN in step 1") != std::string::npos, error.c_str());
    }

    /// The others are in the middle of a step and wait for it.
    void aSliceThatFailsEndsAll_data() { addRanks(); }
    void aSliceThatFailsEndsAll() {
        QFETCH(int, ranks);
        const Case the = caseOf("digits");
        const auto errors = runRanks(ranks, [&](Group& group) {
            LessonRun run(the.spec, the.lesson, 1, addBatchNorms);
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

// SPDX-License-Identifier: Apache-2.0
// Runs on several ranks: threads of this process, each with a session of its own.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>

#include "engine/core/string_tensor.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/training/parallel/rank_facts.h"
#include "engine/training/parallel/sliced_gradients.h"
#include "engine/training/spec/choice.h"
#include "tests/engine/distributed/local_ranks.h"
#include "tests/engine/training/lesson_run.h"
#include "tests/support/reference_device.h"

using namespace temper;
using namespace temper::test;

namespace {

/// What must not depend on the number of ranks.
struct Outcome {
    std::vector<double> losses;
    std::vector<double> norms;
    std::vector<double> evaluations;
    std::vector<double> metrics;
    std::vector<float> parameters;

    bool operator==(const Outcome&) const = default;
};

/// Names the results that are not the same bits.
QStringList differences(const Outcome& a, const Outcome& b) {
    QStringList names;
    if (a.losses != b.losses) names << "losses";
    if (a.norms != b.norms) names << "norms";
    if (a.evaluations != b.evaluations) names << "evaluations";
    if (a.metrics != b.metrics) names << "metrics";
    if (a.parameters != b.parameters) names << "parameters";
    return names;
}

Outcome outcomeOf(const LessonRun& run) {
    Outcome outcome;
    for (const StepEvent& step : run.all<StepEvent>()) {
        outcome.losses.push_back(step.loss);
        outcome.norms.push_back(step.gradientNorm);
    }
    for (const EvalEvent& evaluation : run.all<EvalEvent>()) {
        outcome.evaluations.push_back(evaluation.loss);
        for (const auto& [name, value] : evaluation.metrics) outcome.metrics.push_back(value);
    }
    outcome.parameters = run.parameters();
    return outcome;
}

std::string contentOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

struct Case {
    std::string lesson = "digits";
    TrainingSpec spec;
    std::function<void(Graph&)> edit;
    int64_t steps = 12;
};

Case caseOf(const std::string& lesson) {
    Case result{lesson, findLesson(lesson).spec, {}};
    result.spec.run.steps = result.steps;
    result.spec.run.evaluateEvery = 5;
    result.spec.run.slices = 4;
    return result;
}

/// `kind`: what is special about it.
Case caseOf(const std::string& lesson, const QString& kind) {
    Case result = caseOf(lesson);
    RunSpec& run = result.spec.run;
    if (kind == "accumulate") run.accumulate = 3;
    if (kind == "clip") run.clipNorm = 0.05;
    if (kind == "sgd") result.spec.artifacts.optimizer = {"momentum", {}};
    if (kind == "slices") run.slices = 12;
    if (kind == "odd") run.batchSize = 7;
    if (kind == "few") run.batchSize = 2;
    if (kind == "average") run.averageDecay = 0.9, run.evaluateAverage = true;
    if (kind == "groups") result.spec.artifacts.parameterGroups = {{"*bias*", 0.5, 0.0, 2}};
    return result;
}

/// Trains on so many ranks, all of which end with the same; returns that of rank 0.
Outcome train(const Case& the, int ranks, std::vector<std::string>& errors) {
    std::vector<Outcome> outcomes(static_cast<size_t>(ranks));
    errors = runRanks(ranks, [&](Group& group) {
        LessonRun run(the.spec, the.lesson, 1, the.edit);
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

using MakeMoment = std::function<Tensor(const Shape&)>;

/// The run begins anew, with a moment of the first parameter that trains.
void restartWithMoment(LessonRun& run, const MakeMoment& make) {
    CheckpointState state(run.artifacts.checkpoint);
    const auto parameters = state.parameters();
    const auto first = std::ranges::find_if(parameters, &Parameter::requiresGrad);
    state.optimizerState().moments[first->name]["momentum0"] = make(first->data.shape());
    run.restart(std::move(state));
}

/// Continues from last.ckpt in the run's folder, which is not written to.
Outcome resume(Case the, int ranks, std::vector<std::string>& errors) {
    const std::string folder = std::exchange(the.spec.run.saveFolder, std::string());
    std::vector<Outcome> outcomes(static_cast<size_t>(ranks));
    errors = runRanks(ranks, [&](Group& group) {
        LessonRun run(the.spec, the.lesson, 1, the.edit);
        run.group = &group;
        run.restart(CheckpointState::load(folder + "/last.ckpt"));
        if (run.run() != RunOutcome::Finished)
            throw Error(ErrorCode::Internal, run.all<EndEvent>().back().message);
        outcomes[static_cast<size_t>(group.rank())] = outcomeOf(run);
    });
    return outcomes.front();
}

}  // namespace

class RanksTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { addReferenceDevice(); }

    void theBitsAreTheSameOnAnyNumberOfRanks_data() {
        QTest::addColumn<QString>("lesson");
        QTest::addColumn<QString>("variant");
        QTest::newRow("a plain network") << "iris"
                                         << "plain";
        QTest::newRow("convolutions") << "digits"
                                      << "plain";
        QTest::newRow("AdamW and accumulation") << "digits"
                                                << "accumulate";
        QTest::newRow("clipping") << "digits"
                                  << "clip";
        QTest::newRow("momentum and a schedule") << "spirals"
                                                 << "sgd";
        QTest::newRow("12 slices") << "digits"
                                   << "slices";
        QTest::newRow("batches that slices do not divide") << "iris"
                                                           << "odd";
        QTest::newRow("slices without samples") << "iris"
                                                << "few";
        QTest::newRow("an average of the weights") << "iris"
                                                   << "average";
        for (const char* stage : {"1", "2"}) {
            for (const char* variant : {"plain", "accumulate", "clip", "sgd", "groups", "average"})
                QTest::addRow("ZeRO %s, %s", stage, variant)
                    << "digits" << QString("%1, zero %2").arg(variant, stage);
        }
    }
    void theBitsAreTheSameOnAnyNumberOfRanks() {
        QFETCH(QString, lesson);
        QFETCH(QString, variant);
        Case the = caseOf(lesson.toStdString(), variant.section(", ", 0, 0));
        std::vector<std::string> errors;
        const Outcome one = train(the, 1, errors);  // without ZeRO
        the.spec.run.session.zeroStage = variant.section("zero ", 1).toInt();
        QCOMPARE(errors, noErrors(1));
        QCOMPARE(one.losses.size(), size_t(the.steps));
        QVERIFY(!one.evaluations.empty() && !one.metrics.empty());
        for (const int ranks : {2, 3, 4}) {
            const Outcome many = train(the, ranks, errors);
            QCOMPARE(errors, noErrors(ranks));
            QCOMPARE(differences(many, one), QStringList());
        }
    }

    void aDeviceWithItsOwnMemoryGivesTheSameBits_data() {
        QTest::addColumn<QString>("lesson");
        QTest::addColumn<QString>("variant");
        QTest::addColumn<int>("stage");
        for (const int stage : {0, 1, 2}) {
            for (const char* variant : {"plain", "accumulate", "clip", "average"})
                QTest::addRow("%s, ZeRO %d", variant, stage) << "digits" << variant << stage;
            QTest::addRow("slices without samples, ZeRO %d", stage) << "iris"
                                                                    << "few" << stage;
        }
    }
    void aDeviceWithItsOwnMemoryGivesTheSameBits() {
        QFETCH(QString, lesson);
        QFETCH(QString, variant);
        QFETCH(int, stage);
        QTemporaryDir folder, other;
        Case the = caseOf(lesson.toStdString(), variant);
        the.spec.run.saveFolder = folder.path().toStdString();
        std::vector<std::string> errors;
        const Outcome one = train(the, 1, errors);  // on the processor, without ZeRO
        QCOMPARE(errors, noErrors(1));
        the.spec.run.saveFolder = other.path().toStdString();
        the.spec.run.session.device = "reference";
        the.spec.run.session.zeroStage = stage;
        for (const int ranks : {1, 2, 3}) {
            const Outcome many = train(the, ranks, errors);
            QCOMPARE(errors, noErrors(ranks));
            QCOMPARE(differences(many, one), QStringList());
            const std::string saved = contentOf(other.filePath("last.ckpt").toStdString());
            QVERIFY(!saved.empty());
            QVERIFY(saved == contentOf(folder.filePath("last.ckpt").toStdString()));
        }
    }

    void aCheckpointOfShardsIsWholeAndContinuesOnAnotherNumberOfRanks_data() {
        QTest::addColumn<int>("stage");
        QTest::addColumn<int>("next");
        for (const int stage : {1, 2}) {
            for (const int next : {0, 1, 2})
                QTest::addRow("%d, then %d", stage, next) << stage << next;
        }
    }
    void aCheckpointOfShardsIsWholeAndContinuesOnAnotherNumberOfRanks() {
        QFETCH(int, stage);
        QFETCH(int, next);
        QTemporaryDir folder, other;
        Case the = caseOf("digits");
        the.spec.run.schedule = {"constant", {}};
        the.spec.run.saveFolder = folder.path().toStdString();
        the.spec.run.saveEvery = 3;
        std::vector<std::string> errors;
        the.spec.run.steps = 6;
        train(the, 1, errors);  // without ZeRO
        const Case whole = the;
        the.spec.run.saveFolder = other.path().toStdString();
        the.spec.run.session.zeroStage = stage;
        train(the, 4, errors);
        QCOMPARE(errors, noErrors(4));
        for (const char* name : {"/last.ckpt", "/best.ckpt", "/step-3.ckpt"})
            QCOMPARE(contentOf(the.spec.run.saveFolder + name),
                     contentOf(whole.spec.run.saveFolder + name));
        the.spec.run.steps = 9;
        the.spec.run.session.zeroStage = next;
        const Outcome rest = resume(the, 3, errors);
        QCOMPARE(errors, noErrors(3));
        Case one = whole;
        one.spec.run.steps = 9;
        const Outcome expected = resume(one, 1, errors);
        QCOMPARE(rest.losses, expected.losses);
        QVERIFY(rest.parameters == expected.parameters);
    }

    /// At most its share of them, and 2 % for the borders of shards.
    void eachRankHasItsShareOfTheMoments() {
        Graph model;
        const auto ops = std::make_shared<const OpSet>(standardOps());
        Value* value =
            model.addInput("x", {DType::Float32, SymbolicShape{Dim::named("N"), Dim::of(784)}});
        int64_t width = 784;
        for (const int64_t next : {512, 256, 10}) {
            const std::string name = "weight" + std::to_string(next);
            Value* weight = model.addInitializer(name, Tensor(DType::Float32, {width, next}));
            value = model.addNode({"MatMul", {value, weight}, {"y" + name}})->output(0);
            width = next;
        }
        model.addOutput(value);
        model.info().opsetImports[std::string(kOnnxDomain)] = 17;
        inferTypes(model, ops->catalog);
        for (const int ranks : {2, 3, 4}) {
            const Artifacts artifacts = generateArtifacts(model, *ops, {});
            const auto errors = runRanks(ranks, [&](Group& group) {
                TrainingSession session(artifacts,
                                        std::make_shared<CheckpointState>(artifacts.checkpoint),
                                        ops, {.threads = 1, .zeroStage = 1});
                const int64_t parameters = session.parametersSize(true) * 4;
                QVERIFY(session.memoryUse().parameterBytes < size_t(parameters) * 201 / 100);
                SlicedGradients gradients(session, group, 4, 1);
                const double share = static_cast<double>(gradients.optimizerBytes()) /
                                     static_cast<double>(2 * parameters);
                if (share > 1.0 / ranks + 0.02)
                    throw Error(ErrorCode::Internal, std::to_string(share));
            });
            QCOMPARE(errors, noErrors(ranks));
        }
    }

    void optimizersThatNeedWholeParametersAreRefused() {
        Case the = caseOf("iris");
        the.spec.artifacts.optimizer = {"lamb", {}};
        the.spec.run.session.zeroStage = 1;
        std::vector<std::string> errors;
        train(the, 2, errors);
        for (const std::string& error : errors)
            QVERIFY2(error.find("needs norms of whole parameters") != std::string::npos,
                     error.c_str());
    }

    void zeroNeedsRanks() {
        Case the = caseOf("iris");
        the.spec.run.session.zeroStage = 1;
        the.spec.run.slices = 0;
        LessonRun run(the.spec, the.lesson);
        QCOMPARE(run.run(), RunOutcome::Failed);
        QCOMPARE(run.all<EndEvent>().back().message,
                 std::string("The optimizer's state is shared out among ranks."));
    }

    /// The same sums in another order, and nothing else.
    void slicesOfABatchAreAsGoodAsTheWhole() {
        Case the = caseOf("digits");
        std::vector<std::string> errors;
        const Outcome sliced = train(the, 2, errors);
        QCOMPARE(errors, noErrors(2));
        the.spec.run.slices = 0;
        LessonRun whole(the.spec, the.lesson);
        QCOMPARE(whole.run(), RunOutcome::Finished);
        const std::vector<double> losses = whole.losses();
        for (size_t i = 0; i < losses.size(); ++i)
            QVERIFY2(
                std::abs(losses[i] - sliced.losses[i]) < 1e-4 * losses[i],
                qPrintable(QString("step %1: %2, %3").arg(i).arg(losses[i]).arg(sliced.losses[i])));
    }

    void aCheckpointContinuesOnAnotherNumberOfRanks() {
        QTemporaryDir folder;
        Case the = caseOf("digits");
        the.spec.run.schedule = {"constant", {}};
        std::vector<std::string> errors;
        const Outcome whole = train(the, 1, errors);
        the.spec.run.steps = 6;
        the.spec.run.saveFolder = folder.path().toStdString();
        train(the, 4, errors);
        QCOMPARE(errors, noErrors(4));
        the.spec.run.steps = the.steps;
        const Outcome rest = resume(the, 2, errors);
        QCOMPARE(errors, noErrors(2));
        QCOMPARE(rest.losses, std::vector<double>(whole.losses.begin() + 6, whole.losses.end()));
        QVERIFY(rest.parameters == whole.parameters);
    }

    void momentsThatDoNotFitAreRefused_data() {
        QTest::addColumn<int>("stage");
        QTest::addColumn<MakeMoment>("make");
        QTest::addColumn<QString>("message");
        const MakeMoment one = [](const Shape&) { return Tensor(DType::Float32, {1}); };
        const MakeMoment integers = [](const Shape& shape) { return Tensor(DType::Int64, shape); };
        const MakeMoment doubles = [](const Shape& shape) { return Tensor(DType::Float64, shape); };
        for (const int stage : {0, 1, 2}) {
            QTest::addRow("another shape, ZeRO %d", stage)
                << stage << one << " has the shape [1]; expected [";
            QTest::addRow("integers, ZeRO %d", stage)
                << stage << integers << " is int64; expected float32.";
        }
        for (const int stage : {1, 2})
            QTest::addRow("doubles, ZeRO %d", stage)
                << stage << doubles << " is float64; ranks share out float32 moments only.";
    }
    /// On all ranks, also on those that would have no part of this one.
    void momentsThatDoNotFitAreRefused() {
        QFETCH(int, stage);
        QFETCH(MakeMoment, make);
        QFETCH(QString, message);
        Case the = caseOf("iris");
        the.spec.run.session.zeroStage = stage;
        const auto errors = runRanks(3, [&](Group& group) {
            LessonRun run(the.spec, the.lesson);
            run.group = &group;
            restartWithMoment(run, make);
            run.run();
            throw Error(ErrorCode::Internal, "It was not refused.");
        });
        for (const std::string& error : errors) {
            const QString text = QString::fromStdString(error);
            QVERIFY2(text.contains("Optimizer state 'momentum0' of parameter '"), error.c_str());
            QVERIFY2(text.contains(message), error.c_str());
        }
    }

    void aRunThatDivergesNamesAParameterIfRanksHaveAllGradients_data() {
        QTest::addColumn<int>("stage");
        for (const int stage : {0, 1, 2}) QTest::addRow("ZeRO %d", stage) << stage;
    }
    void aRunThatDivergesNamesAParameterIfRanksHaveAllGradients() {
        QFETCH(int, stage);
        Case the = caseOf("sine");
        the.spec.artifacts.optimizer = {"sgd", {}};
        the.spec.run.steps = 600;
        the.spec.run.learningRate = 10;
        the.spec.run.clipNorm = 1;  // all numbers stay finite
        the.spec.run.session.zeroStage = stage;
        const auto errors = runRanks(2, [&](Group& group) {
            LessonRun run(the.spec, the.lesson);
            run.data.evaluation = nullptr;
            run.group = &group;
            run.run();
            throw Error(ErrorCode::Internal, run.all<EndEvent>().back().message);
        });
        for (const std::string& error : errors) {
            QVERIFY2(error.find("The loss rose") != std::string::npos, error.c_str());
            const bool names =
                error.find("the largest gradients are those of") != std::string::npos;
            QVERIFY2(names == (stage < 2), error.c_str());
        }
    }

    void ranksThatWouldTrainSomethingElseAreRefused_data() {
        QTest::addColumn<QString>("difference");
        QTest::addColumn<QString>("what");
        QTest::newRow("batch size") << "batch"
                                    << "settings of the run";
        QTest::newRow("parameters") << "state"
                                    << "state";
        QTest::newRow("data") << "data"
                              << "training data";
        QTest::newRow("model") << "model"
                               << "training model";
        for (const char* stage : {"0", "1", "2"})
            QTest::addRow("moments, ZeRO %s", stage)
                << QString("moments, %1").arg(stage) << "state";
    }
    void ranksThatWouldTrainSomethingElseAreRefused() {
        QFETCH(QString, difference);
        QFETCH(QString, what);
        const Case the = caseOf("iris");
        const auto errors = runRanks(3, [&](Group& group) {
            const bool differs = group.rank() == 2;
            TrainingSpec spec = the.spec;
            if (differs && difference == "batch") spec.run.batchSize = 5;
            if (differs && difference == "model") spec.artifacts.loss = {"focal", {}};
            spec.run.session.zeroStage = difference.section("moments, ", 1).toInt();
            LessonRun run(spec, the.lesson);
            if (differs && difference == "state")
                run.state->parameters().front().data.mutableValues<float>()[0] += 1;
            if (differs && difference == "data") run.data.training = run.data.evaluation;
            if (difference.startsWith("moments")) {
                restartWithMoment(run, [differs](const Shape& shape) {
                    Tensor moment(DType::Float32, shape);
                    if (differs) moment.mutableValues<float>()[0] = 1;
                    return moment;
                });
            }
            run.group = &group;
            run.run();
            throw Error(ErrorCode::Internal, run.all<EndEvent>().back().message);
        });
        const std::string expected =
            "Rank 2 differs from rank 0 in the " + what.toStdString() + ".";
        for (const std::string& error : errors)
            QVERIFY2(error.find(expected) != std::string::npos, error.c_str());
    }

    void digestsTellTextsAndClassesApart() {
        const auto digest = [](const std::vector<std::string>& texts,
                               const std::vector<std::string>& classes) {
            Column words, labels;
            words.name = "words";
            labels.name = "labels";
            labels.classes = classes;
            return digestOf(TensorDataset(
                {words, labels}, {stringTensor({2}, texts), Tensor::of<int64_t>({2}, {0, 1})}));
        };
        const std::string one = digest({"a", "bc"}, {"x", "y"});
        QCOMPARE(digest({"a", "bc"}, {"x", "y"}), one);
        QVERIFY(digest({"a", "bd"}, {"x", "y"}) != one);
        QVERIFY(digest({"ab", "c"}, {"x", "y"}) != one);
        QVERIFY(digest({"a", "bc"}, {"x", "z"}) != one);
    }

    void tooManyRanksAreRefused() {
        const Case the = caseOf("iris");
        const auto errors = runRanks(5, [&](Group& group) {
            LessonRun run(the.spec, the.lesson);
            run.group = &group;
            run.run();
        });
        for (const std::string& error : errors)
            QVERIFY2(error.find("5 ranks can't share 4 slices of a batch.") != std::string::npos,
                     error.c_str());
    }

    /// A stop, a rate by hand: of rank 0, for all.
    void requestsOfRankZeroReachAll() {
        Case the = caseOf("iris");
        the.spec.run.steps = 1000;
        std::vector<std::vector<double>> rates(3);
        const auto errors = runRanks(3, [&](Group& group) {
            LessonRun run(the.spec, the.lesson);
            run.group = &group;
            run.onEvent = [&](const RunEvent& event) {
                const auto* step = std::get_if<StepEvent>(&event.fact);
                if (step == nullptr || !group.isLeader()) return;
                if (step->step == 3) run.control.setLearningRate(0.125);
                if (step->step == 6) run.control.stop();
            };
            if (run.run() != RunOutcome::Stopped)
                throw Error(ErrorCode::Internal, "it was not stopped");
            for (const StepEvent& step : run.all<StepEvent>())
                rates[static_cast<size_t>(group.rank())].push_back(step.learningRate);
        });
        QCOMPARE(errors, noErrors(3));
        QCOMPARE(rates[0].size(), size_t{6});
        QCOMPARE(rates[0].back(), 0.125);
        QCOMPARE(rates[1], rates[0]);
        QCOMPARE(rates[2], rates[0]);
    }

    void aNonFiniteLossEndsAll() {
        const Case the = caseOf("iris");
        const auto errors = runRanks(2, [&](Group& group) {
            LessonRun run(the.spec, the.lesson);
            for (float& number : run.state->parameters().front().data.mutableValues<float>())
                number = std::nanf("");
            run.group = &group;
            run.run();
            throw Error(ErrorCode::Internal, run.all<EndEvent>().back().message);
        });
        for (const std::string& error : errors)
            QVERIFY2(error.find("The loss is NaN in step 1") != std::string::npos, error.c_str());
    }
};

QTEST_APPLESS_MAIN(RanksTest)
#include "ranks_test.moc"

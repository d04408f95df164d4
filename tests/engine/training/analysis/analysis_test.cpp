// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/onnx/graph_text.h"
#include "engine/training/analysis/class_report.h"
#include "engine/training/analysis/number_report.h"
#include "engine/training/analysis/occlusion.h"
#include "engine/training/analysis/prediction_set.h"
#include "engine/training/analysis/predictor.h"
#include "engine/training/analysis/report_csv.h"
#include "engine/training/evaluation/evaluation.h"
#include "engine/training/session/module.h"
#include "tests/engine/training/lesson_run.h"

using namespace temper;
using namespace temper::test;

namespace {

/// From analysis_golden.json, which make_analysis_golden.py computes with scikit-learn and PyTorch.
QJsonObject golden() {
    QFile file(TEMPER_SOURCE_DIR "/tests/engine/training/analysis/analysis_golden.json");
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QJsonDocument::fromJson(file.readAll()).object();
}

std::vector<double> numbers(const QJsonValue& values) {
    std::vector<double> result;
    for (const QJsonValue& value : values.toArray()) result.push_back(value.toDouble());
    return result;
}

std::vector<int64_t> integers(const QJsonValue& values) {
    std::vector<int64_t> result;
    for (const QJsonValue& value : values.toArray()) result.push_back(value.toInteger());
    return result;
}

Tensor floats(Shape shape, const QJsonValue& values) {
    const std::vector<double> wide = numbers(values);
    return Tensor::of<float>(std::move(shape), std::vector<float>(wide.begin(), wide.end()));
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return INFINITY;
    double most = 0;
    for (size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}

void addCases(const char* part) {
    QTest::addColumn<QJsonObject>("expected");
    for (const QJsonValue& value : golden()[QLatin1String(part)].toArray()) {
        QTest::newRow(qPrintable(value["name"].toString())) << value.toObject();
    }
}

PredictionSet classSet(const QJsonObject& expected) {
    PredictionSet set;
    set.kind = TaskKind::Classes;
    set.labels = integers(expected["labels"]);
    const int64_t classes = expected["classes"].toInteger();
    const auto entries = static_cast<int64_t>(set.labels.size());
    set.outputs = floats({entries, classes}, expected["probabilities"]);
    for (int64_t i = 0; i < entries; ++i) set.samples.push_back(i);
    for (int64_t i = 0; i < classes; ++i) set.classes.push_back(std::to_string(i));
    return set;
}

PredictionSet numberSet(const QJsonObject& expected) {
    PredictionSet set;
    const int64_t width = expected["width"].toInteger();
    const auto entries = expected["right"].toArray().size() / width;
    set.outputs = floats({entries, width}, expected["predicted"]);
    set.targets = floats({entries, width}, expected["right"]);
    set.samples.resize(size_t(entries));
    return set;
}

std::vector<float> row(const Tensor& tensor, int64_t index) {
    const auto values = tensor.values<float>();
    const auto size = size_t(tensor.numElements() / tensor.shape()[0]);
    return {values.begin() + std::ptrdiff_t(size_t(index) * size),
            values.begin() + std::ptrdiff_t(size_t(index + 1) * size)};
}

}  // namespace

class AnalysisTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { run_ = std::make_unique<LessonRun>("digits"); }

    void probabilitiesAreThoseOfPyTorch_data() { addCases("classes"); }
    void probabilitiesAreThoseOfPyTorch() {
        QFETCH(QJsonObject, expected);
        const PredictionSet set = classSet(expected);
        const Tensor found =
            toProbabilities(floats(set.outputs.shape(), expected["logits"]), TaskKind::Classes);
        QVERIFY(distance({found.values<float>().begin(), found.values<float>().end()},
                         numbers(expected["probabilities"])) < 1e-6);
        const Tensor binary =
            toProbabilities(Tensor::of<float>({2, 1}, {0, std::log(3.0F)}), TaskKind::Binary);
        QVERIFY(distance({binary.values<float>().begin(), binary.values<float>().end()},
                         {0.5, 0.5, 0.25, 0.75}) < 1e-6);
    }

    void classesAreJudgedAsByScikitLearn_data() { addCases("classes"); }
    void classesAreJudgedAsByScikitLearn() {
        QFETCH(QJsonObject, expected);
        const PredictionSet set = classSet(expected);
        const ConfusionMatrix matrix = confusionOf(set);
        QCOMPARE(matrix.counts, integers(expected["confusion"]));
        const ClassReport report = reportOf(matrix);
        std::vector<double> precision, recall, f1;
        std::vector<int64_t> support;
        for (const ClassFigures& figures : report.classes) {
            precision.push_back(figures.precision);
            recall.push_back(figures.recall);
            f1.push_back(figures.f1);
            support.push_back(figures.support);
        }
        QVERIFY(distance(precision, numbers(expected["precision"])) < 1e-8);
        QVERIFY(distance(recall, numbers(expected["recall"])) < 1e-8);
        QVERIFY(distance(f1, numbers(expected["f1"])) < 1e-8);
        QCOMPARE(support, integers(expected["support"]));
        QVERIFY(std::abs(report.accuracy - expected["accuracy"].toDouble()) < 1e-9);
        const auto means = [](const ClassFigures& figures) {
            return std::vector<double>{figures.precision, figures.recall, figures.f1};
        };
        QVERIFY(distance(means(report.macro), numbers(expected["macro"])) < 1e-8);
        QVERIFY(distance(means(report.weighted), numbers(expected["weighted"])) < 1e-8);
    }

    void rocCurvesAreThoseOfScikitLearn_data() { addCases("classes"); }
    void rocCurvesAreThoseOfScikitLearn() {
        QFETCH(QJsonObject, expected);
        const PredictionSet set = classSet(expected);
        const QJsonArray curves = expected["roc"].toArray();
        for (int c = 0; c < curves.size(); ++c) {
            const RocCurve curve = rocOf(set, c);
            if (curves[c].isNull()) {
                QVERIFY(std::isnan(curve.area));
                continue;
            }
            QVERIFY(distance(curve.falsePositives, numbers(curves[c]["fpr"])) < 1e-8);
            QVERIFY(distance(curve.truePositives, numbers(curves[c]["tpr"])) < 1e-8);
            QVERIFY(std::abs(curve.area - curves[c]["auc"].toDouble()) < 1e-9);
        }
    }

    void calibrationCountsInBins_data() { addCases("classes"); }
    void calibrationCountsInBins() {
        QFETCH(QJsonObject, expected);
        const Calibration calibration = calibrationOf(classSet(expected));
        std::vector<int64_t> counts;
        for (const Calibration::Bin& bin : calibration.bins) counts.push_back(bin.count);
        QCOMPARE(counts, integers(expected["calibration"]));
        QVERIFY(std::abs(calibration.expectedError - expected["ece"].toDouble()) < 1e-6);
    }

    void numbersAreJudgedAsByScikitLearn_data() { addCases("numbers"); }
    void numbersAreJudgedAsByScikitLearn() {
        QFETCH(QJsonObject, expected);
        const PredictionSet set = numberSet(expected);
        const NumberFigures figures = numbersOf(set);
        QVERIFY(std::abs(figures.meanAbsolute - expected["mae"].toDouble()) < 1e-6);
        QVERIFY(std::abs(figures.rootMeanSquare - expected["rmse"].toDouble()) < 1e-6);
        QVERIFY(std::abs(figures.r2 - expected["r2"].toDouble()) < 1e-6);
        QVERIFY(std::abs(numbersOf(set, 0).r2 - expected["r2_first"].toDouble()) < 1e-6);
        QCOMPARE(residualsOf(set, 0)[3],
                 double{set.output(3, 0)} -
                     double{set.targets.values<float>()[size_t(3 * set.width())]});
    }

    void inputGradientsAreThoseOfPyTorch() {
        const QJsonObject expected = golden()["gradient"].toObject();
        const OpSet ops = standardOps();
        const auto graph = parseText(R"(<ir_version: 8, opset_import: ["" : 15]>
            g (float[N, 1, 4, 4] x, float[2, 1, 3, 3] cw, float[2] cb, float[3, 8] w, float[3] b)
                => (float[N, 3] y)
            {
                c = Conv<pads = [1, 1, 1, 1]>(x, cw, cb)
                r = Relu(c)
                p = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(r)
                f = Flatten(p)
                y = Gemm<transB = 1>(f, w, b)
            })");
        const std::pair<const char*, const char*> weights[] = {
            {"cw", "conv_weight"}, {"cb", "conv_bias"}, {"w", "weight"}, {"b", "bias"}};
        for (const auto& [name, key] : weights) {
            Value* value = graph->at(name);
            const Shape shape = *concreteShape(*value->type().shape);
            graph->inputToInitializer(value, floats(shape, expected[QLatin1String(key)]));
        }
        inferTypes(*graph, ops.catalog);
        const Artifacts artifacts = generateArtifacts(*graph, ops, {});
        Predictor predictor(*artifacts.evalModel, CheckpointState(artifacts.checkpoint),
                            std::make_shared<const OpSet>(ops));
        const std::vector<Tensor> inputs = {floats({2, 1, 4, 4}, expected["x"])};
        const Tensor logits = predictor.predict(inputs);
        QVERIFY(distance({logits.values<float>().begin(), logits.values<float>().end()},
                         numbers(expected["logits"])) < 1e-5);
        for (int output = 0; output < 3; ++output) {
            const Tensor gradient = predictor.inputGradient(inputs, 0, output);
            QVERIFY(distance({gradient.values<float>().begin(), gradient.values<float>().end()},
                             numbers(expected["gradients"][output])) < 1e-5);
        }
    }

    /// Evaluation normalizes by running statistics: one sample's gradient does not depend on
    /// others.
    void inputGradientsOfBatchNormsAreThoseOfDifferences() {
        const OpSet ops = standardOps();
        const auto graph = parseText(R"(<ir_version: 8, opset_import: ["" : 15]>
            g (float[N, 2] x) => (float[N, 2] y) <float[2] scale = {2, -3}, float[2] bias = {1, 0},
                float[2] mean = {0.5, -1}, float[2] variance = {4, 0.25},
                float[2, 2] w = {1, 2, -1, 0.5}> {
                n = BatchNormalization(x, scale, bias, mean, variance)
                t = Tanh(n)
                y = MatMul(t, w)
            })");
        inferTypes(*graph, ops.catalog);
        const Artifacts artifacts = generateArtifacts(*graph, ops, {});
        Predictor predictor(*artifacts.evalModel, CheckpointState(artifacts.checkpoint),
                            std::make_shared<const OpSet>(ops));
        const std::vector<float> x = {0.3F, -0.9F};
        const auto logitAt = [&](size_t i, double shift) {
            std::vector<float> moved = x;
            moved[i] += static_cast<float>(shift);
            const std::vector<Tensor> inputs = {
                Tensor::of<float>({1, 2}, std::span<const float>(moved))};
            return double{predictor.predict(inputs).values<float>()[0]};
        };
        const std::vector<Tensor> inputs = {Tensor::of<float>({1, 2}, std::span<const float>(x))};
        const Tensor gradient = predictor.inputGradient(inputs, 0, 0);
        for (size_t i = 0; i < 2; ++i) {
            const double expected = (logitAt(i, 0.01) - logitAt(i, -0.01)) / 0.02;
            const double found = double{gradient.values<float>()[i]};
            QVERIFY2(std::abs(found - expected) < 0.01 * std::abs(expected),
                     qPrintable(QString("%1, not %2").arg(found).arg(expected)));
        }
    }

    void theEvaluationOfTheSessionIsReproduced() {
        Predictor predictor(*run_->session->artifacts().evalModel, *run_->state,
                            run_->session->context().ops, 2);
        const PredictionSet set = predictDataset(predictor, *run_->data.evaluation,
                                                 run_->data.binding, {.batchSize = 17});
        const Evaluation whole = evaluateDataset(*run_->session, *run_->data.evaluation,
                                                 run_->data.binding, 64, {"accuracy"});
        QCOMPARE(set.entries(), whole.samples);
        QCOMPARE(confusionOf(set).counts, whole.confusion->counts);
        QCOMPARE(confusionOf(set).classes, whole.confusion->classes);
        double loss = 0;
        for (const double each : set.losses) loss += each / double(set.losses.size());
        QVERIFY(std::abs(loss - whole.loss) < 1e-5);
        QCOMPARE(reportOf(confusionOf(set)).accuracy, whole.metrics.at("accuracy"));
    }

    void aPredictorKeepsTheWeightsOfItsTime() {
        const CheckpointState copy(run_->state->toFile(false));
        Predictor predictor(*run_->session->artifacts().evalModel, *run_->state,
                            run_->session->context().ops);
        const std::vector<Tensor> inputs = {
            run_->data.evaluation->batch(0, std::vector<int64_t>{3})};
        const std::vector<float> before = row(predictor.probabilities(inputs), 0);
        for (Parameter& parameter : run_->state->parameters()) {
            for (float& value : parameter.data.mutableValues<float>()) value *= 0.5F;
        }
        QCOMPARE(row(predictor.probabilities(inputs), 0), before);
        Predictor other(*run_->session->artifacts().evalModel, *run_->state,
                        run_->session->context().ops);
        QVERIFY(row(other.probabilities(inputs), 0) != before);
        run_->state->assign(copy.toFile(false));
    }

    void entriesAreChosenByLossAndCell() {
        const PredictionSet set = [] {
            PredictionSet made = classSet(golden()["classes"].toArray()[0].toObject());
            made.losses = numbers(golden()["classes"].toArray()[0].toObject()["losses"]);
            return made;
        }();
        const auto worst = chooseEntries(set, SampleOrder::Worst, 5);
        QCOMPARE(worst.size(), size_t{5});
        for (size_t i = 1; i < worst.size(); ++i) {
            QVERIFY(set.losses[size_t(worst[i - 1])] >= set.losses[size_t(worst[i])]);
        }
        QCOMPARE(set.losses[size_t(worst[0])],
                 *std::max_element(set.losses.begin(), set.losses.end()));
        QCOMPARE(set.losses[size_t(chooseEntries(set, SampleOrder::Best, 1)[0])],
                 *std::min_element(set.losses.begin(), set.losses.end()));
        const ConfusionMatrix matrix = confusionOf(set);
        for (int64_t t = 0; t < 4; ++t) {
            for (int64_t p = 0; p < 4; ++p) {
                QCOMPARE(int64_t(chooseEntries(set, SampleOrder::Random, 1000, t, p).size()),
                         matrix.at(size_t(t), size_t(p)));
            }
        }
        QVERIFY(chooseEntries(set, SampleOrder::Random, 60, -1, -1, 1) !=
                chooseEntries(set, SampleOrder::Random, 60, -1, -1, 2));
    }

    void samplesAreDrawnEvenlyAndTheWorkCanEnd() {
        Predictor predictor(*run_->session->artifacts().evalModel, *run_->state,
                            run_->session->context().ops);
        int64_t last = 0;
        const PredictionSet set = predictDataset(
            predictor, *run_->data.evaluation, run_->data.binding,
            {.batchSize = 4, .maxSamples = 10, .progress = [&](int64_t done, int64_t) {
                 last = done;
             }});
        QCOMPARE(set.entries(), int64_t{10});
        QCOMPARE(last, int64_t{10});
        QVERIFY(set.samples.back() >= run_->data.evaluation->size() * 9 / 10 - 1);
        const PredictionSet none =
            predictDataset(predictor, *run_->data.evaluation, run_->data.binding,
                           {.cancelled = [] { return true; }});
        QCOMPARE(none.entries(), int64_t{0});
    }

    void coveredPartsThatMatterLowerTheProbability() {
        // The mean of the right half of the picture decides.
        const auto graph = parseText(R"(<ir_version: 8, opset_import: ["" : 15]>
            g (float[N, 1, 8, 8] x, float[64, 2] w) => (float[N, 2] y)
            {
                f = Flatten(x)
                y = MatMul(f, w)
            })");
        Tensor weights(DType::Float32, {64, 2});
        for (size_t i = 0; i < 64; ++i) {
            weights.mutableValues<float>()[2 * i + 1] = i % 8 >= 4 ? 0.2F : 0.0F;
        }
        graph->inputToInitializer(graph->at("w"), weights);
        const OpSet ops = standardOps();
        inferTypes(*graph, ops.catalog);
        const Artifacts artifacts = generateArtifacts(*graph, ops, {});
        Predictor predictor(*artifacts.evalModel, CheckpointState(artifacts.checkpoint),
                            std::make_shared<const OpSet>(ops));
        Tensor picture(DType::Float32, {1, 1, 8, 8});
        for (size_t i = 0; i < 64; ++i)
            picture.mutableValues<float>()[i] = i % 8 >= 4 ? 1.0F : 0.0F;
        const std::vector<Tensor> inputs = {picture};
        const Tensor map = occlusionMap(predictor, inputs, 0, 1, {.patch = 2, .stride = 2});
        QCOMPARE(map.shape(), (Shape{8, 8}));
        for (size_t i = 0; i < 64; ++i) {
            const float drop = map.values<float>()[i];
            QVERIFY2(i % 8 >= 4 ? drop > 1e-4F : std::abs(drop) < 1e-6F,
                     qPrintable(QString::number(drop)));
        }
        // Squares of other sizes also cover every pixel, and channels may come last.
        const auto last = occlusionMap(predictor, inputs, 0, 1, {.patch = 3, .stride = 1});
        QVERIFY(last.values<float>()[7] > 0 && last.values<float>()[63] > 0);
    }

    void predictionsAreWrittenAsTables_data() {
        QTest::addColumn<bool>("isOfClasses");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("classes")
            << true
            << QByteArray(
                   "sample,right,predicted,correct,loss,\"p a, \"\"A\"\"\",p b\n"
                   "7,b,\"a, \"\"A\"\"\",0,2.5,0.75,0.25\n"
                   "9,b,b,1,0.125,0.1,0.9\n");
        QTest::newRow("numbers") << false
                                 << QByteArray(
                                        "sample,loss,right x,predicted x,right y,predicted y\n"
                                        "7,2.5,1,0.75,2,0.25\n"
                                        "9,0.125,3,0.1,4,0.9\n");
    }
    void predictionsAreWrittenAsTables() {
        QFETCH(bool, isOfClasses);
        PredictionSet set;
        set.samples = {7, 9};
        set.losses = {2.5, 0.125};
        set.outputs = Tensor::of<float>({2, 2}, {0.75F, 0.25F, 0.1F, 0.9F});
        set.kind = isOfClasses ? TaskKind::Classes : TaskKind::Numbers;
        set.classes = {isOfClasses ? "a, \"A\"" : "x", isOfClasses ? "b" : "y"};
        if (isOfClasses)
            set.labels = {1, 1};
        else
            set.targets = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
        QTemporaryDir folder;
        const QString path = folder.filePath("p.csv");
        QVERIFY(exportPredictions(path.toStdString(), set));
        QTEST(contentOf(path), "expected");
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!exportPredictions(folder.filePath("q.csv").toStdString(), set, stop.get_token()));
        QVERIFY(!QFile::exists(folder.filePath("q.csv")));
    }

    void classReportsAreWrittenAsTables_data() { addCases("classes"); }
    /// scikit-learn's figures, read back from the file.
    void classReportsAreWrittenAsTables() {
        QFETCH(QJsonObject, expected);
        const PredictionSet set = classSet(expected);
        const ClassReport report = reportOf(confusionOf(set));
        const RocCurve curve = rocOf(set, 0);
        QTemporaryDir folder;
        exportClassReport(folder.filePath("c.csv").toStdString(), report, {curve});
        const auto lines = contentOf(folder.filePath("c.csv")).trimmed().split('\n');
        QCOMPARE(lines.size(), qsizetype(report.classes.size()) + 4);
        QCOMPARE(lines[0], QByteArray("class,precision,recall,f1,auc,samples"));
        const auto fields = lines[1].split(',');
        QCOMPARE(fields[0], QByteArray("0"));
        QCOMPARE(fields[1].toDouble(), report.classes[0].precision);
        QCOMPARE(fields[3].toDouble(), report.classes[0].f1);
        QCOMPARE(fields[4].isEmpty(), std::isnan(curve.area));
        if (!fields[4].isEmpty()) QCOMPARE(fields[4].toDouble(), curve.area);
        const auto accuracy = lines[lines.size() - 3].split(',');
        QCOMPARE(accuracy[0], QByteArray("accuracy"));
        QCOMPARE(accuracy[3].toDouble(), report.accuracy);
        QCOMPARE(accuracy[5].toLongLong(), qlonglong(set.entries()));
        QVERIFY(lines.back().startsWith("weighted avg,"));
    }

private:
    static QByteArray contentOf(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    std::unique_ptr<LessonRun> run_;
};

QTEST_GUILESS_MAIN(AnalysisTest)
#include "analysis_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "engine/training/parameters/trainable_choice.h"
#include "tests/support/standard_catalog.h"
#include "tests/ui/ui_fixture.h"
#include "ui/checkpoints/checkpoint_diff_model.h"
#include "ui/checkpoints/checkpoint_parameter_model.h"
#include "ui/checkpoints/property_model.h"
#include "ui/docks/log/log_model.h"
#include "ui/docks/problems/problem_model.h"
#include "ui/panels/export/output_model.h"
#include "ui/panels/model/node_model.h"
#include "ui/panels/parameters/parameter_filter.h"
#include "ui/panels/parameters/parameter_model.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr auto kFatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

/// The cells of the given columns, "a | b" a row.
QStringList printed(const QAbstractItemModel& model, const QList<int>& columns) {
    QStringList rows;
    for (int row = 0; row < model.rowCount(); ++row) {
        QStringList cells;
        for (const int column : columns) cells << model.index(row, column).data().toString();
        rows << cells.join(QStringLiteral(" | "));
    }
    return rows;
}

}  // namespace

class ModelsTest : public QObject {
    Q_OBJECT

private slots:
    void parametersAreListedWithClassAndState() {
        ParameterModel model;
        QAbstractItemModelTester tester(&model, kFatal);
        const auto small = smallModel();
        model.setModel(small);
        model.setTrained(trainedParameters(small->parameters, {}));
        QCOMPARE(printed(model, {ParameterModel::Train, ParameterModel::Name, ParameterModel::Shape,
                                 ParameterModel::Count, ParameterModel::Class}),
                 QStringList({"Trains | fc1.weight | [4, 3] | 12 | trainable",
                              "Trains | fc1.bias | [3] | 3 | trainable",
                              "Trains | bn.weight | [3] | 3 | trainable",
                              "Trains | bn.bias | [3] | 3 | trainable",
                              " | bn.running_mean | [3] | 3 | batch-norm statistic",
                              " | bn.running_var | [3] | 3 | batch-norm statistic",
                              "Trains | fc2.weight | [3, 2] | 6 | trainable",
                              "Trains | fc2.bias | [2] | 2 | trainable"}));
    }

    void numbersOfComparedCheckpointsAreBelowTheirHeaders() {
        CheckpointFile file;
        file.trainable = {{"w", Tensor::of<float>({2}, {1, 2})}};
        CheckpointDiffModel model;
        model.setDiff(compareCheckpoints(file, file));
        for (int column = 0; column < model.columnCount(); ++column)
            QCOMPARE(model.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole),
                     model.index(0, column).data(Qt::TextAlignmentRole));
    }

    void tickingAParameterAsksAndDoesNotDecide() {
        ParameterModel model;
        QAbstractItemModelTester tester(&model, kFatal);
        model.setModel(smallModel());
        QSignalSpy asked(&model, &ParameterModel::trainRequested);
        const QModelIndex tick = model.index(0, ParameterModel::Train);
        QVERIFY(model.setData(tick, Qt::Checked, Qt::CheckStateRole));
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked.front().at(0).toString(), QString("fc1.weight"));
        QCOMPARE(asked.front().at(1).toBool(), true);
        QCOMPARE(tick.data(Qt::CheckStateRole).toInt(), int(Qt::Unchecked));
    }

    void statisticsCanNotBeTicked() {
        ParameterModel model;
        model.setModel(smallModel());
        const QModelIndex mean = model.index(4, ParameterModel::Train);
        QVERIFY(!mean.data(Qt::CheckStateRole).isValid());
        QVERIFY(!(model.flags(mean) & Qt::ItemIsUserCheckable));
        QVERIFY(!model.setData(mean, Qt::Checked, Qt::CheckStateRole));
    }

    void presetsChooseParameters_data() {
        QTest::addColumn<int>("preset");
        QTest::addColumn<QStringList>("expected");
        QTest::newRow("all") << int(TrainablePreset::All)
                             << QStringList{"bn.bias",    "bn.weight", "fc1.bias",
                                            "fc1.weight", "fc2.bias",  "fc2.weight"};
        QTest::newRow("last layer")
            << int(TrainablePreset::LastLayer) << QStringList{"fc2.bias", "fc2.weight"};
        QTest::newRow("biases") << int(TrainablePreset::Biases)
                                << QStringList{"bn.bias", "fc1.bias", "fc2.bias"};
        QTest::newRow("norms") << int(TrainablePreset::Norms)
                               << QStringList{"bn.bias", "bn.weight"};
        QTest::newRow("none") << int(TrainablePreset::None) << QStringList{};
    }
    void presetsChooseParameters() {
        QFETCH(int, preset);
        QFETCH(QStringList, expected);
        const auto model = smallModel();
        QStringList names;
        for (const std::string& name :
             presetParameters(*model->graph, test::standardCatalog(), model->parameters,
                              model->blocks, static_cast<TrainablePreset>(preset)))
            names << QString::fromStdString(name);
        QCOMPARE(names, expected);
    }

    void everyChoiceOfParametersSurvivesTheSpecification() {
        const auto model = smallModel();
        const std::set<std::string> all =
            presetParameters(*model->graph, test::standardCatalog(), model->parameters,
                             model->blocks, TrainablePreset::All);
        const std::vector<std::string> names(all.begin(), all.end());
        for (unsigned mask = 0; mask < (1U << names.size()); ++mask) {
            std::set<std::string> chosen;
            for (size_t i = 0; i < names.size(); ++i)
                if ((mask >> i & 1U) != 0) chosen.insert(names[i]);
            const ArtifactSpec spec = withTrainedParameters({}, model->parameters, chosen);
            QVERIFY2(trainedParameters(model->parameters, spec) == chosen,
                     qPrintable(QString::number(mask)));
        }
    }

    void patternsOfASpecificationChooseParameters() {
        ArtifactSpec spec;
        spec.trainable = {"fc*"};
        spec.frozen = {"*.bias"};
        QCOMPARE(trainedParameters(smallModel()->parameters, spec),
                 (std::set<std::string>{"fc1.weight", "fc2.weight"}));
    }

    void parametersAreFilteredByPatternAndExpression_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<bool>("isExpression");
        QTest::addColumn<int>("faultAt");
        QTest::addColumn<QStringList>("listed");
        const QStringList biases{"fc1.bias", "bn.bias", "fc2.bias"};
        QTest::newRow("pattern") << "FC?.bias" << false << -1
                                 << QStringList{"fc1.bias", "fc2.bias"};
        QTest::newRow("pattern, not an expression") << "(" << false << -1 << QStringList{};
        QTest::newRow("expression") << "^(fc[12]|bn)\\.bias$" << true << -1 << biases;
        QTest::newRow("expression, a part")
            << "2" << true << -1 << QStringList{"fc2.weight", "fc2.bias"};
        QTest::newRow("wrong: as it was") << "^(fc" << true << 1 << biases;
    }
    void parametersAreFilteredByPatternAndExpression() {
        QFETCH(QString, pattern);
        QFETCH(bool, isExpression);
        ParameterModel model;
        ParameterFilter filter;
        QAbstractItemModelTester tester(&filter, kFatal);
        filter.setSourceModel(&model);
        model.setModel(smallModel());
        QVERIFY(!filter.setPattern("bias", true));
        const auto fault = filter.setPattern(pattern, isExpression);
        QTEST(fault ? static_cast<int>(fault->position) : -1, "faultAt");
        QTEST(printed(filter, {ParameterModel::Name}), "listed");
    }

    void nodesAreListedInOrder() {
        NodeModel model;
        QAbstractItemModelTester tester(&model, kFatal);
        model.setGraph(smallModel()->graph);
        QCOMPARE(
            printed(model, {NodeModel::Operator, NodeModel::Name, NodeModel::Outputs}),
            QStringList({"Gemm | /fc1/Gemm | h", "BatchNormalization | /bn/BatchNormalization | n",
                         "Relu | /Relu | r", "Gemm | /fc2/Gemm | y"}));
        QCOMPARE(model.rowOf("/Relu"), 2);
        QCOMPARE(model.rowOf("nothing"), -1);
        model.setGraph(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void tensorsAreListedWithRoleAndType() {
        TensorModel model;
        QAbstractItemModelTester tester(&model, kFatal);
        model.setGraph(smallModel()->graph);
        const QStringList rows =
            printed(model, {TensorModel::Name, TensorModel::Role, TensorModel::Type});
        QCOMPARE(rows.front(), QString("x | input | float32[batch, 4]"));
        QVERIFY(rows.contains("fc1.weight | initializer | float32[4, 3]"));
        QVERIFY(rows.contains("h | intermediate | float32[batch, 3]"));
        QCOMPARE(rows.back(), QString("y | output | float32[batch, 2]"));
    }

    void problemsNameCodeNodeAndOperator() {
        ProblemModel model;
        QAbstractItemModelTester tester(&model, kFatal);
        Finding info, error;
        info.code = "I1";
        info.severity = Severity::Info;
        error.code = "E1";
        error.node = "/fc/Gemm";
        error.op = "Gemm";
        error.message = "First line.\nSecond line.";
        model.setProblems({{error, "model"}, {info, "data"}});
        QCOMPARE(printed(model, {ProblemModel::Code, ProblemModel::Node, ProblemModel::Op,
                                 ProblemModel::What}),
                 QStringList({"E1 | /fc/Gemm | Gemm | First line.", "I1 |  |  | "}));
        QCOMPARE(model.count(Severity::Error), 1);
        QCOMPARE(model.index(0, ProblemModel::Code).data(Qt::AccessibleTextRole).toString(),
                 QString("error E1"));
    }

    void theLogForgetsItsOldestLines() {
        LogModel model;
        QAbstractItemModelTester tester(&model, kFatal);
        for (int line = 0; line < LogModel::kMaxRows + 3; ++line)
            model.add(Severity::Info, QString("line %1").arg(line));
        QCOMPARE(model.rowCount(), LogModel::kMaxRows);
        QCOMPARE(model.index(0, LogModel::Text).data().toString(), QString("line 3"));
        model.clear();
        QCOMPARE(model.rowCount(), 0);
    }

    void outputsOfTheModelComeFirstAndTheLossIsLeftOut() {
        const auto small = smallModel();
        auto eval = small->graph->clone();
        Value* target = eval->addInput("target", eval->at("y")->type());
        eval->addNode({.opType = "Sub",
                       .inputs = {eval->at("y"), target},
                       .outputs = {"error"},
                       .name = "loss/Sub"});
        eval->addNode({.opType = "LogSoftmax",
                       .inputs = {eval->at("y")},
                       .outputs = {"logs"},
                       .name = "loss/LogSoftmax"});
        OutputModel model;
        QAbstractItemModelTester tester(&model, kFatal);
        model.setGraph(*eval, *small->graph, {"target"}, {"y"});
        QCOMPARE(printed(model, {OutputModel::Name}), QStringList({"y", "r", "n", "h"}));
        QCOMPARE(model.ticked(), std::vector<std::string>{"y"});
        model.tick("h", true);
        QCOMPARE(model.ticked(), (std::vector<std::string>{"y", "h"}));
        model.tick("y", false);
        QCOMPARE(model.ticked(), std::vector<std::string>{"h"});
    }

    void propertiesKeepTheirKinds() {
        PropertyModel model;
        QAbstractItemModelTester tester(&model, kFatal);
        model.setProperties({{"epoch", int64_t{3}}, {"lr", 0.5F}, {"note", std::string("ok")}});
        QCOMPARE(printed(model, {PropertyModel::Name, PropertyModel::Kind, PropertyModel::Value}),
                 QStringList({"epoch | integer | 3", "lr | number | 0.5", "note | text | ok"}));
        QSignalSpy refused(&model, &PropertyModel::refused);
        QVERIFY(!model.setData(model.index(0, PropertyModel::Value), "3.5", Qt::EditRole));
        QVERIFY(!model.setData(model.index(1, PropertyModel::Value), "fast", Qt::EditRole));
        QVERIFY(!model.setData(model.index(2, PropertyModel::Name), "lr", Qt::EditRole));
        QVERIFY(!model.setData(model.index(2, PropertyModel::Name), "  ", Qt::EditRole));
        QCOMPARE(refused.size(), 4);
        QVERIFY(model.setData(model.index(0, PropertyModel::Value), "4", Qt::EditRole));
        QVERIFY(model.setData(model.index(0, PropertyModel::Kind), "text", Qt::EditRole));
        QCOMPARE(model.properties().at("epoch"), PropertyValue(std::string("4")));
    }

    void propertiesAreAddedUnderFreeNamesAndRemoved() {
        PropertyModel model;
        QAbstractItemModelTester tester(&model, kFatal);
        model.add();
        model.add();
        QCOMPARE(printed(model, {PropertyModel::Name}), QStringList({"property", "property2"}));
        model.remove(0);
        model.remove(7);
        QCOMPARE(printed(model, {PropertyModel::Name}), QStringList{"property2"});
    }

    void parametersOfACheckpointAreMeasured() {
        CheckpointFile file;
        file.trainable.push_back({"w", Tensor::of<float>({2}, {3.0F, -4.0F})});
        file.frozen.push_back({"b", Tensor::of<float>({1}, {2.0F})});
        file.optimizerGroups.push_back({"group0", 5, 0.1F, {{"w", {}}}});
        CheckpointParameterModel model;
        QAbstractItemModelTester tester(&model, kFatal);
        model.setParameters(measureParameters(file));
        QCOMPARE(printed(model, {0, 1, 2, 3, 4, 5, 6}),
                 QStringList({"w | float32[2] | trains | 5 | -4 | 3 | with moments",
                              "b | float32[1] | frozen | 2 | 2 | 2 | "}));
    }

    void tensorsAreSummedUp() {
        const float inf = std::numeric_limits<float>::infinity();
        const TensorSummary summary =
            summarize("t", Tensor::of<float>({2, 3}, {0, 1, 2, 3, 4, inf}));
        QCOMPARE(summary.type, QString("float32[2, 3]"));
        QCOMPARE(summary.minimum, 0.0);
        QCOMPARE(summary.maximum, 4.0);
        QCOMPARE(summary.mean, 2.0);
        QCOMPARE(summary.zeros, 1);
        QCOMPARE(summary.notFinite, 1);
        QCOMPARE(std::accumulate(summary.histogram.begin(), summary.histogram.end(), int64_t{0}),
                 5);
    }

    void samplesThatAreLikeImagesBecomePictures_data() {
        QTest::addColumn<QList<qlonglong>>("shape");
        QTest::addColumn<bool>("isImage");
        QTest::newRow("grey") << QList<qlonglong>{2, 8, 8} << true;
        QTest::newRow("one channel") << QList<qlonglong>{2, 1, 8, 8} << true;
        QTest::newRow("colour") << QList<qlonglong>{2, 3, 8, 8} << true;
        QTest::newRow("five channels") << QList<qlonglong>{2, 5, 8, 8} << false;
        QTest::newRow("table") << QList<qlonglong>{2, 64} << false;
        QTest::newRow("too small") << QList<qlonglong>{2, 2, 2} << false;
    }
    void samplesThatAreLikeImagesBecomePictures() {
        QFETCH(QList<qlonglong>, shape);
        QFETCH(bool, isImage);
        const Tensor batch(DType::Float32, Shape(shape.begin(), shape.end()));
        QCOMPARE(!sampleImage(batch, 1).isNull(), isImage);
        QVERIFY(sampleImage(batch, 2).isNull());
    }
};

QTEST_MAIN(ModelsTest)
#include "models_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include "engine/training/binding/binding.h"

#include <QTest>

#include "engine/onnx/graph_text.h"
#include "tests/engine/training/lesson_run.h"

using namespace temper;
using namespace temper::test;

namespace {

struct TestColumn {
    const char* name;
    Tensor values;
    bool isTarget = false;
};

std::shared_ptr<const Dataset> dataOf(const std::vector<TestColumn>& columns) {
    std::vector<Column> infos;
    std::vector<Tensor> tensors;
    for (const TestColumn& column : columns) {
        Column info;
        info.name = column.name;
        info.isTarget = column.isTarget;
        infos.push_back(info);
        tensors.push_back(column.values);
    }
    return std::make_shared<TensorDataset>(infos, tensors);
}

Tensor floats(Shape shape) { return Tensor(DType::Float32, std::move(shape)); }
Tensor labels(std::initializer_list<int64_t> values) {
    return Tensor::of<int64_t>({int64_t(values.size())}, values);
}

QStringList codesOf(const BindingProposal& proposal) {
    QStringList codes;
    for (const Finding& finding : proposal.findings) codes += QString::fromStdString(finding.code);
    return codes;
}

}  // namespace

/// The digits lesson: "input" float32 [batch, 1, 8, 8], "labels" int64 [batch], ten classes.
class BindingTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { run_ = std::make_unique<LessonRun>("digits"); }

    void columnsAreFoundByRoleNameAndShape_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("input");
        QTest::addColumn<QString>("target");
        QTest::newRow("names") << 0 << "input"
                               << "labels";
        QTest::newRow("the only fitting ones") << 1 << "pixels"
                                               << "digit";
        QTest::newRow("flat images and narrow labels") << 2 << "flat"
                                                       << "y";
        QTest::newRow("the target among whole numbers") << 3 << "pixels"
                                                        << "digit";
    }

    void columnsAreFoundByRoleNameAndShape() {
        QFETCH(int, kind);
        QFETCH(QString, input);
        QFETCH(QString, target);
        const std::vector<std::shared_ptr<const Dataset>> cases = {
            dataOf({{"labels", labels({1, 2})},
                    {"input", floats({2, 1, 8, 8})},
                    {"other", floats({2, 1, 8, 8})}}),
            dataOf({{"digit", labels({1, 2})}, {"pixels", floats({2, 1, 8, 8})}}),
            dataOf({{"y", Tensor(DType::UInt8, {2, 1})}, {"flat", Tensor(DType::UInt8, {2, 64})}}),
            dataOf({{"row", labels({1, 2})},
                    {"digit", labels({1, 2}), true},
                    {"pixels", floats({2, 64})}}),
        };
        const BindingProposal proposal = proposeBinding(*run_->session, *cases[size_t(kind)], {});
        QCOMPARE(codesOf(proposal), QStringList());
        QCOMPARE(proposal.binding.at("input"), input.toStdString());
        QCOMPARE(proposal.binding.at("labels"), target.toStdString());
    }

    void whatIsGivenIsKept() {
        const auto data = dataOf({{"labels", labels({1, 2})},
                                  {"input", floats({2, 1, 8, 8})},
                                  {"other", floats({2, 64})}});
        const BindingProposal proposal =
            proposeBinding(*run_->session, *data, {{"input", "other"}});
        QCOMPARE(proposal.binding.at("input"), std::string("other"));
        QVERIFY(proposal.findings.empty());
    }

    void whatDoesNotFitIsReported_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QStringList>("codes");
        QTest::addColumn<QString>("message");
        QTest::newRow("two candidates") << 0 << QStringList{"D001"} << "'input', float32[";
        QTest::newRow("wrong shape") << 1 << QStringList{"D002"} << "float32 [63] each";
        QTest::newRow("floating labels") << 2 << QStringList{"D002"} << "'labels' (float32";
        QTest::newRow("label too high") << 3 << QStringList{"D003"} << "the label 10";
        QTest::newRow("negative label") << 4 << QStringList{"D003"} << "the label -1";
        QTest::newRow("unknown input") << 5 << QStringList{"D004"} << "no input 'image'";
        QTest::newRow("unknown column") << 6 << QStringList{"D004"} << "no column 'pics'";
    }

    void whatDoesNotFitIsReported() {
        QFETCH(int, kind);
        QFETCH(QStringList, codes);
        QFETCH(QString, message);
        const auto good = dataOf({{"labels", labels({1, 2})}, {"input", floats({2, 64})}});
        const std::vector<std::shared_ptr<const Dataset>> cases = {
            dataOf({{"labels", labels({1, 2})}, {"a", floats({2, 64})}, {"b", floats({2, 64})}}),
            dataOf({{"labels", labels({1, 2})}, {"input", floats({2, 63})}}),
            dataOf({{"labels", floats({2})}, {"input", floats({2, 64})}}),
            dataOf({{"labels", labels({1, 10})}, {"input", floats({2, 64})}}),
            dataOf({{"labels", labels({1, -1})}, {"input", floats({2, 64})}}),
            good,
            good,
        };
        std::map<std::string, std::string> given;
        if (kind == 5) given["image"] = "input";
        if (kind == 6) given["input"] = "pics";
        const BindingProposal proposal =
            proposeBinding(*run_->session, *cases[size_t(kind)], given);
        QCOMPARE(codesOf(proposal), codes);
        QVERIFY2(QString::fromStdString(proposal.findings[0].message).contains(message),
                 proposal.findings[0].message.c_str());
        QVERIFY(!proposal.findings[0].hint.empty());
    }

    void fieldsAreReadAsTheInputsWantThem() {
        const auto data =
            dataOf({{"y", Tensor(DType::UInt8, {2, 1})}, {"x", Tensor(DType::UInt8, {2, 64})}});
        const std::vector<BatchField> fields =
            batchFields(*run_->session, *data, {{"input", "x"}, {"labels", "y"}}, true);
        const std::vector<int64_t> samples = {0, 1};
        const std::vector<Tensor> batch = readFields(*data, fields, samples);
        QCOMPARE(int(batch[0].dtype()), int(DType::Float32));
        QCOMPARE(batch[0].shape(), (Shape{2, 1, 8, 8}));
        QCOMPARE(int(batch[1].dtype()), int(DType::Int64));
        QCOMPARE(batch[1].shape(), Shape{2});
        QVERIFY_EXCEPTION_THROWN(batchFields(*run_->session, *data, {{"input", "x"}}, true), Error);
    }

    void severalTargetsAreBound_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("second");
        QTest::newRow("by their names, whatever the data calls its target") << 0 << "t1"
                                                                            << "t2";
        QTest::newRow("one by its name, the data's target for the other") << 1 << "y"
                                                                          << "t2";
        QTest::newRow("by their shapes") << 2 << "b"
                                         << "a";
    }

    void severalTargetsAreBound() {
        QFETCH(int, kind);
        QFETCH(QString, first);
        QFETCH(QString, second);
        const auto ops = std::make_shared<const OpSet>(standardOps());
        const auto model = parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
            two (float[batch, 4] input) => (float[batch, 4] out1, float[batch, 4] out2, float z)
            <float[4] s = {1.0, 1.0, 1.0, 1.0}> {
                out1 = Mul(input, s)
                out2 = Add(input, s)
                z = ReduceSum<keepdims = 0>(s)
            })");
        const bool differs = kind == 2;
        ArtifactSpec spec;
        spec.loss = {
            differs ? "mse(out1, t1) + cross_entropy(out2, t2)" : "mse(out1, t1) + mse(out2, t2)",
            {}};
        Artifacts artifacts = generateArtifacts(*model, *ops, spec);
        const auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
        const TrainingSession session(std::move(artifacts), state, ops);
        const std::vector<std::shared_ptr<const Dataset>> cases = {
            dataOf(
                {{"input", floats({2, 4})}, {"t1", floats({2, 4})}, {"t2", floats({2, 4}), true}}),
            dataOf({{"input", floats({2, 4})},
                    {"y", floats({2, 4}), true},
                    {"t2", floats({2, 4}), true}}),
            dataOf({{"input", floats({2, 4})},
                    {"a", labels({1, 2}), true},
                    {"b", floats({2, 4}), true}}),
        };
        const BindingProposal proposal = proposeBinding(session, *cases[size_t(kind)], {});
        QCOMPARE(codesOf(proposal), QStringList());
        QCOMPARE(QString::fromStdString(proposal.binding.at("t1")), first);
        QCOMPARE(QString::fromStdString(proposal.binding.at("t2")), second);
        QCOMPARE(batchFields(session, *cases[size_t(kind)], proposal.binding, true).size(),
                 size_t{3});
    }

    void anInputWithItsBatchInsideTakesNoColumn_data() {
        QTest::addColumn<QString>("input");
        QTest::addColumn<QString>("column");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("message");
        QTest::addColumn<QString>("hint");
        const QString batch =
            "Input 'state', float32[2, N, 4], has the batch 'N' as axis 1; the samples of a column "
            "are along axis 0.";
        QTest::newRow("a column of its name") << "float[2, N, 4] state"
                                              << "state"
                                              << "D002" << batch << "--fix-input state=0";
        QTest::newRow("another one that would fit") << "float[2, N, 4] state"
                                                    << "other"
                                                    << "D001" << batch << "--fix-input state=0";
        QTest::newRow("one number") << "float state"
                                    << "state"
                                    << "D002"
                                    << "Input 'state', float32[], is one number for a whole batch"
                                    << "--fix-input state=VALUE";
        QTest::newRow("its batch first") << "float[N, 2, 4] state"
                                         << "state"
                                         << ""
                                         << ""
                                         << "";
        QTest::newRow("a name of its own inside") << "float[2, M, 4] state"
                                                  << "state"
                                                  << ""
                                                  << ""
                                                  << "";
    }

    void anInputWithItsBatchInsideTakesNoColumn() {
        QFETCH(QString, input);
        QFETCH(QString, column);
        QFETCH(QString, code);
        QFETCH(QString, message);
        QFETCH(QString, hint);
        const auto ops = std::make_shared<const OpSet>(standardOps());
        const auto model = parseText(QString(R"(<ir_version: 8, opset_import: ["" : 17]>
            m (float[N, 3] input, %1) => (float[N, 3] y) <float[3] s = {1.0, 1.0, 1.0}> {
                sum = ReduceSum<keepdims = 0>(state) z = Mul(input, s) y = Add(z, sum)
            })")
                                         .arg(input)
                                         .toStdString());
        ArtifactSpec spec;
        spec.loss = {"mse", {}};
        Artifacts artifacts = generateArtifacts(*model, *ops, spec);
        const auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
        const TrainingSession session(std::move(artifacts), state, ops);
        const std::string name = column.toStdString();
        const auto data = dataOf({{"input", floats({2, 3})},
                                  {"target", floats({2, 3}), true},
                                  {name.c_str(), floats({2, 2, 4})}});
        const BindingProposal proposal = proposeBinding(session, *data, {});
        QCOMPARE(codesOf(proposal), code.isEmpty() ? QStringList() : QStringList{code});
        if (code.isEmpty()) return;
        QVERIFY2(QString::fromStdString(proposal.findings[0].message).startsWith(message),
                 proposal.findings[0].message.c_str());
        QVERIFY2(QString::fromStdString(proposal.findings[0].hint).contains(hint),
                 proposal.findings[0].hint.c_str());
        QVERIFY_EXCEPTION_THROWN(
            batchFields(session, *data, {{"input", "input"}, {"target", "target"}, {"state", name}},
                        true),
            Error);
    }

    void ignoredLabelsAreNotAMistake() {
        const auto ops = std::make_shared<const OpSet>(standardOps());
        const auto model = parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
            one (float[batch, 3] input) => (float[batch, 3] out) <float[3] s = {1.0, 1.0, 1.0}> {
                out = Mul(input, s)
            })");
        const auto data = dataOf({{"input", floats({3, 3})}, {"labels", labels({1, -100, 2})}});
        for (const bool ignores : {false, true}) {
            ArtifactSpec spec;
            if (ignores) spec.loss.values["ignore_index"] = -100;
            Artifacts artifacts = generateArtifacts(*model, *ops, spec);
            const auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
            const TrainingSession session(std::move(artifacts), state, ops);
            QCOMPARE(codesOf(proposeBinding(session, *data, {})),
                     ignores ? QStringList() : QStringList{"D003"});
        }
    }

    void labelsOfEveryLossOverClassesAreChecked_data() {
        QTest::addColumn<QString>("loss");
        QTest::addColumn<QList<int>>("first");
        QTest::addColumn<QList<int>>("second");
        QTest::addColumn<QStringList>("messages");
        const QString four =
            "Column 't1' holds the label 4 in sample 1 (counted from 0), but "
            "'out1' has 4 classes, 0 to 3.";
        const QString three =
            "Column 't2' holds the label 3 in sample 0 (counted from 0), but "
            "'out2' has 3 classes, 0 to 2.";
        const QString both = "cross_entropy(out1, t1) + 0.5*focal(out2, t2)";
        const QList<int> good = {0, 2};
        QTest::newRow("all are classes") << both << QList<int>{3, 0} << good << QStringList();
        QTest::newRow("not in the first") << both << QList<int>{3, 4} << good << QStringList{four};
        QTest::newRow("not in the second")
            << both << good << QList<int>{3, 0} << QStringList{three};
        QTest::newRow("in neither")
            << both << QList<int>{3, 4} << QList<int>{3, 0} << QStringList{four, three};
        QTest::newRow("log-probabilities")
            << "cross_entropy(out1, t1) + nll(log_softmax(out2, axis=1), t2)" << good
            << QList<int>{0, -1}
            << QStringList{"Column 't2' holds the label -1 in sample 1 (counted from 0)"};
        QTest::newRow("one that does not count")
            << "cross_entropy(out1, t1) + cross_entropy(out2, t2, ignore_index=3)" << good
            << QList<int>{3, 0} << QStringList();
        QTest::newRow("computed ones") << "cross_entropy(out1, t1) + cross_entropy(out2, abs(t2))"
                                       << good << QList<int>{3, 0} << QStringList();
    }

    void labelsOfEveryLossOverClassesAreChecked() {
        QFETCH(QString, loss);
        QFETCH(QList<int>, first);
        QFETCH(QList<int>, second);
        QFETCH(QStringList, messages);
        const auto model = parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
            two (float[batch, 4] input) => (float[batch, 4] out1, float[batch, 3] out2)
            <float[4] s = {1.0, 1.0, 1.0, 1.0}, float[4, 3] w = {1,2,3,4,5,6,7,8,9,10,11,12}> {
                out1 = Mul(input, s)
                out2 = MatMul(input, w)
            })");
        const auto data = dataOf({{"input", floats({2, 4})},
                                  {"t1", labels({first[0], first[1]}), true},
                                  {"t2", labels({second[0], second[1]}), true}});
        compareLabelFindings(*model, loss, *data, messages);
    }

    void labelListsAreChecked_data() {
        QTest::addColumn<QList<int>>("values");
        QTest::addColumn<QString>("loss");
        QTest::addColumn<QStringList>("messages");
        const QString bad =
            "Column 'labels' holds the label 4 in sample 1 (counted from 0), but "
            "'y' has 4 classes, 0 to 3.";
        QTest::newRow("filled up with negative numbers and the blank")
            << QList<int>{1, 3, -1, 2, 0, 0} << "ctc" << QStringList();
        QTest::newRow("no class") << QList<int>{1, 3, -1, 2, 4, 0} << "ctc" << QStringList{bad};
        QTest::newRow("in a formula")
            << QList<int>{1, 3, -1, 2, 4, 0} << "2*ctc(y, labels, blank=3)" << QStringList{bad};
        QTest::newRow("computed ones")
            << QList<int>{1, 3, -1, 2, 4, 0} << "ctc(y, abs(labels))" << QStringList();
    }

    void labelListsAreChecked() {
        QFETCH(QList<int>, values);
        QFETCH(QString, loss);
        QFETCH(QStringList, messages);
        const auto model = parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
            reader (float[N, 5, 4] x) => (float[N, 5, 4] y) <float[4] s = {1.0, 1.0, 1.0, 1.0}> {
                y = Mul(x, s)
            })");
        const std::vector<int64_t> lists(values.begin(), values.end());
        const auto data = dataOf(
            {{"x", floats({2, 5, 4})},
             {"labels", Tensor::of<int64_t>({2, 3}, std::span<const int64_t>(lists)), true}});
        compareLabelFindings(*model, loss, *data, messages);
    }

    void namesOfClassesThatBecomeNumbersAreReported_data() {
        QTest::addColumn<QString>("loss");
        QTest::addColumn<QStringList>("classes");
        QTest::addColumn<QString>("message");
        const QString start =
            "The loss takes 'target' as numbers, but column 'kind' holds names of classes (";
        QTest::newRow("three") << "mse" << QStringList{"cat", "dog", "owl"}
                               << start + "'cat' as 0, 'dog' as 1, 'owl' as 2).";
        QTest::newRow("four") << "l1" << QStringList{"cat", "dog", "owl", "yak"}
                              << start + "'cat' as 0, 'dog' as 1, 'owl' as 2, ...).";
        QTest::newRow("two: 0 and 1 are as good as any") << "mse" << QStringList{"no", "yes"} << "";
        QTest::newRow("numbers") << "mse" << QStringList() << "";
    }

    void namesOfClassesThatBecomeNumbersAreReported() {
        QFETCH(const QString, loss);
        QFETCH(const QStringList, classes);
        QFETCH(const QString, message);
        const auto model = parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
            one (float[batch, 4] input) => (float[batch, 1] out) <float[4, 1] w = {1, 2, 3, 4}> {
                out = MatMul(input, w)
            })");
        Column input;
        input.name = "input";
        Column kind;
        kind.name = "kind";
        kind.isTarget = true;
        for (const QString& name : classes) kind.classes.push_back(name.toStdString());
        const TensorDataset data({input, kind}, {floats({2, 4}), labels({0, 1})});
        const std::vector<Finding> findings = findingsFor(*model, loss, data);
        QCOMPARE(findings.size(), size_t(message.isEmpty() ? 0 : 1));
        if (message.isEmpty()) return;
        QCOMPARE(findings[0].code, std::string("D126"));
        QCOMPARE(findings[0].severity, Severity::Warning);
        QCOMPARE(QString::fromStdString(findings[0].message), message);
    }

    void aFreeBatchDimensionPrescribesNoSize() {
        QVERIFY(!fixedBatchSize(*run_->session, true).has_value());
        QVERIFY(!fixedBatchSize(*run_->session, false).has_value());
    }

private:
    static std::vector<Finding> findingsFor(const Graph& model, const QString& loss,
                                            const Dataset& data) {
        const auto ops = std::make_shared<const OpSet>(standardOps());
        ArtifactSpec spec;
        spec.loss = {loss.toStdString(), {}};
        Artifacts artifacts = generateArtifacts(model, *ops, spec);
        const auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
        const TrainingSession session(std::move(artifacts), state, ops);
        return proposeBinding(session, data, {}).findings;
    }

    static void compareLabelFindings(const Graph& model, const QString& loss, const Dataset& data,
                                     const QStringList& messages) {
        const std::vector<Finding> findings = findingsFor(model, loss, data);
        QCOMPARE(std::ssize(findings), std::ptrdiff_t{messages.size()});
        for (size_t i = 0; i < findings.size(); ++i) {
            QCOMPARE(findings[i].code, std::string("D003"));
            const QString message = QString::fromStdString(findings[i].message);
            QVERIFY2(message.startsWith(messages[static_cast<int>(i)]), qPrintable(message));
            QCOMPARE(findings[i].hint,
                     std::string("Number the classes from 0, or give the model more outputs."));
        }
    }

    std::unique_ptr<LessonRun> run_;
};

QTEST_APPLESS_MAIN(BindingTest)
#include "binding_test.moc"

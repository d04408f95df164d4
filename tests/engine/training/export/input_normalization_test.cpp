// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cmath>

#include "engine/core/error.h"
#include "engine/core/random.h"
#include "engine/training/export/normalization_nodes.h"
#include "tests/support/op_check.h"

namespace temper::test {

/// The normalization of data, kept with what was trained on it.
class InputNormalizationTest : public QObject {
    Q_OBJECT

private slots:
    void modelsNormalizeAsDataSetsDo_data();
    void modelsNormalizeAsDataSetsDo();
    void statesKeepIt();
    void damagedTextIsNone_data();
    void damagedTextIsNone();
    void whatCanNotBeIncludedIsRefused_data();
    void whatCanNotBeIncludedIsRefused();
    void inputsThatAreNotThereAreLeftOut();
};

Tensor randomTensor(const Shape& shape) {
    Random random(3);
    Tensor tensor(DType::Float32, shape);
    for (float& value : tensor.mutableValues<float>()) value = 100 + 20 * random.normal();
    return tensor;
}

/// `x` is an input of this type.
std::unique_ptr<Graph> modelOf(const Tensor& x, const std::string& nodes = "y = Abs(x)") {
    return graphOf({nodes, {{"x", x}}});
}

void InputNormalizationTest::modelsNormalizeAsDataSetsDo_data() {
    QTest::addColumn<Shape>("shape");
    QTest::addColumn<int>("parts");
    QTest::addColumn<bool>("isLast");
    QTest::newRow("one for all") << Shape{4, 5} << 1 << false;
    QTest::newRow("columns of a table") << Shape{4, 5} << 5 << false;
    QTest::newRow("channels") << Shape{4, 3, 6, 5} << 3 << false;
    QTest::newRow("channels last") << Shape{4, 3, 6, 5} << 3 << true;
    QTest::newRow("grey pictures") << Shape{4, 6, 5} << 1 << false;
    QTest::newRow("grey pictures, channels last") << Shape{4, 1, 6, 5} << 1 << true;
}

void InputNormalizationTest::modelsNormalizeAsDataSetsDo() {
    QFETCH(Shape, shape);
    QFETCH(int, parts);
    QFETCH(bool, isLast);
    Column column;
    column.name = "picture";
    column.isImage = shape.size() > 2;
    std::shared_ptr<const Dataset> raw = std::make_shared<TensorDataset>(
        std::vector<Column>{column}, std::vector<Tensor>{randomTensor(shape)});
    QVERIFY(normalizationsOf(*raw, {{"x", "picture"}}).empty());
    std::shared_ptr<const Dataset> data = normalized(raw, 0, measureNormalization(*raw, 0, parts));
    if (isLast) {
        raw = channelsLast(raw, 0);
        data = channelsLast(data, 0);
    }
    const std::vector<int64_t> samples = {0, 1, 2, 3};
    const Tensor before = raw->batch(0, samples), after = data->batch(0, samples);
    const InputNormalizations found = normalizationsOf(*data, {{"x", "picture"}});
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found.at("x").by.mean.size(), static_cast<size_t>(parts));
    const Tolerance tolerance{1e-5, 1e-5};
    QCOMPARE(difference(normalized(before, found.at("x")), after, tolerance), std::string());
    QCOMPARE(difference(denormalized(after, found.at("x")), before, tolerance), std::string());

    const auto model = modelOf(before);
    const Tensor expected = runGraph(*model, {{"x", after}}).at("y");
    QVERIFY(addNormalizationNodes(*model, found) == found);
    QCOMPARE(model->nodeCount(), size_t{3});
    QCOMPARE(difference(runGraph(*model, {{"x", before}}).at("y"), expected, tolerance),
             std::string());
}

void InputNormalizationTest::statesKeepIt() {
    CheckpointState state;
    const InputNormalizations inputs{{"image", {{{1.5, 2, 1e-3}, {0.1, 1.0 / 3, 7}}, 1}},
                                     {"größe", {{{0}, {255}}, 0}}};
    keepNormalizations(state, inputs);
    QVERIFY(keptNormalizations(state) == inputs);
    keepNormalizations(state, {});
    QVERIFY(state.properties().empty());
    QVERIFY(keptNormalizations(state).empty());
}

void InputNormalizationTest::damagedTextIsNone_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"", "{", "[]", "7", R"({"x": 1})", R"({"x": {}})",
                             R"({"x": {"mean": [1]}})", R"({"x": {"mean": [1], "deviation": [0]}})",
                             R"({"x": {"mean": [1], "deviation": [1, 2]}})",
                             R"({"x": {"mean": ["a"], "deviation": [1]}})",
                             R"({"x": {"mean": [1, 2], "deviation": [1, 2]}})",
                             R"({"x": {"mean": [1], "deviation": [1], "axis": -1}})"})
        QTest::newRow(text) << QString(text);
}

void InputNormalizationTest::damagedTextIsNone() {
    QFETCH(QString, text);
    CheckpointState state;
    state.properties()["temper.normalization"] = text.toStdString();
    QVERIFY(keptNormalizations(state).empty());
}

void InputNormalizationTest::whatCanNotBeIncludedIsRefused_data() {
    QTest::addColumn<int>("type");
    QTest::addColumn<Shape>("shape");
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("message");
    const QString abs = "y = Abs(x)";
    QTest::newRow("another type") << int(DType::Float16) << Shape{2, 3} << abs << "float16";
    QTest::newRow("another number of channels")
        << int(DType::Float32) << Shape{2, 4} << abs << "has 3 numbers along axis 1";
    QTest::newRow("no such axis") << int(DType::Float32) << Shape{3} << abs << "along axis 1";
    QTest::newRow("read by a branch")
        << int(DType::Float32) << Shape{2, 3}
        << "c = Constant<value = bool {1}>() y = If(c) <then_branch = a () => (float[2, 3] t) { t "
           "= Abs(x) }, else_branch = b () => (float[2, 3] e) { e = Neg(x) }>"
        << "branches or loops";
}

void InputNormalizationTest::whatCanNotBeIncludedIsRefused() {
    QFETCH(int, type);
    QFETCH(Shape, shape);
    QFETCH(QString, nodes);
    QFETCH(QString, message);
    const Tensor x = randomTensor(shape).cast(static_cast<DType>(type));
    const auto model = modelOf(x, nodes.toStdString());
    try {
        addNormalizationNodes(*model, {{"x", {{{1, 2, 3}, {1, 2, 3}}, 1}}});
        QFAIL("included");
    } catch (const Error& error) {
        QVERIFY2(QString::fromStdString(error.message()).contains(message),
                 error.message().c_str());
        QVERIFY(!error.hint().empty());
    }
}

void InputNormalizationTest::inputsThatAreNotThereAreLeftOut() {
    const auto model = modelOf(randomTensor({2, 3}));
    QVERIFY(addNormalizationNodes(*model, {{"z", {{{1}, {2}}, 0}}}).empty());
    QVERIFY(addNormalizationNodes(*model, {{"y", {{{1}, {2}}, 0}}}).empty());
    QCOMPARE(model->nodeCount(), size_t{1});
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::InputNormalizationTest)
#include "input_normalization_test.moc"

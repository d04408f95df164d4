// SPDX-License-Identifier: Apache-2.0
#include "engine/core/shape.h"

#include <QTest>
#include <limits>

#include "engine/core/error.h"

namespace temper::test {

class ShapeTest : public QObject {
    Q_OBJECT

private slots:
    void shapesAreBroadcastAsInNumPy_data();
    void shapesAreBroadcastAsInNumPy();
    void elementsAreCounted_data();
    void elementsAreCounted();
    void impossibleShapeIsRefused_data();
    void impossibleShapeIsRefused();
    void stridesAreRowMajor();
    void axisIsCountedFromEitherEnd_data();
    void axisIsCountedFromEitherEnd();
    void axisOutsideIsNamed();
    void scalarHasNoAxes();
    void shapeIsWrittenInBrackets();
};

void ShapeTest::shapesAreBroadcastAsInNumPy_data() {
    QTest::addColumn<Shape>("a");
    QTest::addColumn<Shape>("b");
    QTest::addColumn<std::optional<Shape>>("expected");
    const auto row = [](const char* name, Shape a, Shape b, std::optional<Shape> expected) {
        QTest::newRow(name) << a << b << expected;
    };
    row("equal", {2, 3}, {2, 3}, Shape{2, 3});
    row("scalar", {2, 3}, {}, Shape{2, 3});
    row("two scalars", {}, {}, Shape{});
    row("shorter", {2, 3, 4}, {3, 1}, Shape{2, 3, 4});
    row("both stretch", {3, 1}, {1, 4}, Shape{3, 4});
    row("empty against one", {0, 3}, {1, 3}, Shape{0, 3});
    row("empty against two", {0}, {2}, std::nullopt);
    row("different", {2, 3}, {2, 4}, std::nullopt);
    row("different in front", {2, 3}, {3, 3}, std::nullopt);
}

void ShapeTest::shapesAreBroadcastAsInNumPy() {
    QFETCH(Shape, a);
    QFETCH(Shape, b);
    QFETCH(std::optional<Shape>, expected);
    QVERIFY(broadcastShapes(a, b) == expected);
    QVERIFY(broadcastShapes(b, a) == expected);
}

void ShapeTest::elementsAreCounted_data() {
    QTest::addColumn<Shape>("shape");
    QTest::addColumn<int64_t>("count");
    constexpr int64_t kHuge = int64_t{1} << 62;
    QTest::newRow("scalar") << Shape{} << int64_t{1};
    QTest::newRow("matrix") << Shape{3, 4} << int64_t{12};
    QTest::newRow("empty") << Shape{3, 0} << int64_t{0};
    QTest::newRow("empty and huge") << Shape{kHuge, kHuge, 0} << int64_t{0};
    QTest::newRow("largest") << Shape{std::numeric_limits<int64_t>::max(), 1}
                             << std::numeric_limits<int64_t>::max();
}

void ShapeTest::elementsAreCounted() {
    QFETCH(Shape, shape);
    QFETCH(int64_t, count);
    QCOMPARE(numElements(shape), count);
}

void ShapeTest::impossibleShapeIsRefused_data() {
    QTest::addColumn<Shape>("shape");
    QTest::addColumn<QString>("message");
    QTest::newRow("negative") << Shape{2, -1} << "Shape [2, -1] has the negative dimension -1.";
    QTest::newRow("negative after 0") << Shape{0, -1} << "the negative dimension -1.";
    QTest::newRow("overflow") << Shape{int64_t{1} << 32, int64_t{1} << 31}
                              << "more elements than 64 bits can count";
}

void ShapeTest::impossibleShapeIsRefused() {
    QFETCH(Shape, shape);
    QFETCH(QString, message);
    try {
        numElements(shape);
        QFAIL("the shape was accepted");
    } catch (const Error& error) {
        QVERIFY(error.code() == ErrorCode::InvalidInput);
        QVERIFY2(QString(error.what()).contains(message), error.what());
    }
}

void ShapeTest::stridesAreRowMajor() {
    QCOMPARE(stridesOf(Shape{2, 3, 4}), (Shape{12, 4, 1}));
    QCOMPARE(stridesOf(Shape{}), Shape{});
    QCOMPARE(stridesOf(Shape{0, int64_t{1} << 40, int64_t{1} << 40}).back(), int64_t{1});
}

void ShapeTest::axisIsCountedFromEitherEnd_data() {
    QTest::addColumn<int64_t>("axis");
    QTest::addColumn<int64_t>("rank");
    QTest::addColumn<int64_t>("expected");
    QTest::newRow("first") << int64_t{0} << int64_t{3} << int64_t{0};
    QTest::newRow("last") << int64_t{2} << int64_t{3} << int64_t{2};
    QTest::newRow("last from the end") << int64_t{-1} << int64_t{3} << int64_t{2};
    QTest::newRow("first from the end") << int64_t{-3} << int64_t{3} << int64_t{0};
}

void ShapeTest::axisIsCountedFromEitherEnd() {
    QFETCH(int64_t, axis);
    QFETCH(int64_t, rank);
    QFETCH(int64_t, expected);
    QCOMPARE(normalizeAxis(axis, rank, "axis"), expected);
}

void ShapeTest::axisOutsideIsNamed() {
    for (const int64_t axis : {int64_t{3}, int64_t{-4}}) {
        try {
            normalizeAxis(axis, 3, "Axis of Softmax");
            QFAIL("the axis was accepted");
        } catch (const Error& error) {
            QCOMPARE(error.what(), "Axis of Softmax is " + std::to_string(axis) +
                                       "; expected an axis in [-3, 3).");
            QVERIFY(error.hint().starts_with("Check the axes of the operator"));
        }
    }
}

void ShapeTest::scalarHasNoAxes() {
    for (const int64_t axis : {int64_t{0}, int64_t{-1}}) {
        try {
            normalizeAxis(axis, 0, "An axis of Slice");
            QFAIL("the axis was accepted");
        } catch (const Error& error) {
            QCOMPARE(error.what(),
                     "An axis of Slice is " + std::to_string(axis) + "; a scalar has no axes.");
            QVERIFY(error.hint().starts_with("Check the shape of the operator's input"));
        }
    }
}

void ShapeTest::shapeIsWrittenInBrackets() {
    QCOMPARE(formatShape(Shape{2, 3}), std::string("[2, 3]"));
    QCOMPARE(formatShape(Shape{}), std::string("[]"));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ShapeTest)
#include "shape_test.moc"

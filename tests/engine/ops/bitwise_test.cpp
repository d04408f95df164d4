// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "tests/engine/ops/gradient_cases.h"
#include "tests/engine/ops/onnx_rows.h"

using namespace temper;
using namespace temper::test;

class BitwiseTest : public QObject {
    Q_OBJECT
private slots:
    void onnxTestsPass_data() { addOnnxRows({"bitshift", "bitwise"}); }
    void onnxTestsPass() {
        QFETCH(QString, folder);
        if (folder.isEmpty()) QSKIP("libonnx-testdata is absent");
        const QString problem = onnxProblem(folder, {});
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void bitsAreCombined_data() {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<Tensor>("a");
        QTest::addColumn<Tensor>("b");
        QTest::addColumn<Tensor>("expected");
        const Tensor a = Tensor::of<int32_t>({2, 2}, {12, -1, 5, 0});
        const Tensor b = Tensor::of<int32_t>({2}, {10, 3});
        QTest::newRow("and") << "y = BitwiseAnd(a, b)" << a << b
                             << Tensor::of<int32_t>({2, 2}, {8, 3, 0, 0});
        QTest::newRow("or") << "y = BitwiseOr(a, b)" << a << b
                            << Tensor::of<int32_t>({2, 2}, {14, -1, 15, 3});
        QTest::newRow("xor") << "y = BitwiseXor(a, b)" << a << b
                             << Tensor::of<int32_t>({2, 2}, {6, -4, 15, 3});
        QTest::newRow("not, of bytes")
            << "c = BitwiseNot(a) y = BitwiseOr(c, b)" << Tensor::of<uint8_t>({2}, {0, 0xF0})
            << Tensor::of<uint8_t>({}, {0}) << Tensor::of<uint8_t>({2}, {0xFF, 0x0F});
        const Tensor bytes = Tensor::of<uint8_t>({3}, {1, 200, 255});
        const Tensor shifts = Tensor::of<uint8_t>({3}, {7, 1, 8});
        QTest::newRow("left, out of the byte")
            << "y = BitShift<direction = \"LEFT\">(a, b)" << bytes << shifts
            << Tensor::of<uint8_t>({3}, {128, 144, 0});
        QTest::newRow("right") << "y = BitShift<direction = \"RIGHT\">(a, b)" << bytes << shifts
                               << Tensor::of<uint8_t>({3}, {0, 100, 0});
        QTest::newRow("nothing") << "y = BitwiseAnd(a, b)" << Tensor(DType::Int32, {0, 2}) << b
                                 << Tensor(DType::Int32, {0, 2});
    }
    void bitsAreCombined() {
        QFETCH(QString, nodes);
        QFETCH(Tensor, a);
        QFETCH(Tensor, b);
        QFETCH(Tensor, expected);
        const std::string problem =
            checkOutput({nodes.toStdString(), {{"a", a}, {"b", b}}, 18}, "y", expected);
        QVERIFY2(problem.empty(), problem.c_str());
    }

    void numbersWithPointsAreRefused() {
        const std::string problem =
            checkOutput({"y = BitwiseNot(a)", {{"a", randomTensor({2})}}, 18}, "y", Tensor());
        QVERIFY2(problem.find("expected an integer") != std::string::npos, problem.c_str());
    }
};

QTEST_APPLESS_MAIN(BitwiseTest)
#include "bitwise_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cmath>
#include <complex>
#include <numbers>

#include "tests/engine/ops/gradient_cases.h"
#include "tests/engine/ops/onnx_rows.h"

using namespace temper;
using namespace temper::test;

namespace {

using Complex = std::complex<double>;

Tensor number(int64_t value) { return Tensor::scalar(value); }

/// y[k] = sum over n of x[n] exp(-2 pi i k n / length), term by term.
std::vector<Complex> definition(const std::vector<Complex>& x, int64_t length, bool inverse) {
    std::vector<Complex> y;
    for (int64_t k = 0; k < length; ++k) {
        Complex sum;
        for (size_t n = 0; n < x.size() && static_cast<int64_t>(n) < length; ++n) {
            const auto turns = static_cast<double>(k * static_cast<int64_t>(n) % length) /
                               static_cast<double>(length);
            sum += x[n] * std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * turns);
        }
        y.push_back(inverse ? sum / static_cast<double>(length) : sum);
    }
    return y;
}

/// Row 0 of [1, n, 1 or 2].
std::vector<Complex> signalOf(const Tensor& x) {
    const Tensor wide = x.cast(DType::Float64);
    const int64_t parts = x.shape().back();
    std::vector<Complex> result;
    for (int64_t i = 0; i < x.shape()[1]; ++i) {
        const auto values = wide.values<double>();
        const auto at = static_cast<size_t>(i * parts);
        result.emplace_back(values[at], parts == 2 ? values[at + 1] : 0.0);
    }
    return result;
}

std::string checkSpectrum(const Tensor& y, std::vector<Complex> expected) {
    Tensor tensor(DType::Float64, y.shape());
    for (int64_t k = 0; k < y.shape()[1]; ++k) {
        tensor.mutableValues<double>()[2 * k] = expected.at(static_cast<size_t>(k)).real();
        tensor.mutableValues<double>()[2 * k + 1] = expected.at(static_cast<size_t>(k)).imag();
    }
    return difference(y, tensor.cast(y.dtype()), {1e-5, 1e-4});
}

const std::vector<GradientCase> kGradients = {
    {"DFT of real numbers", {"y = DFT(x)", {{"x", randomTensor({2, 5, 1})}}, 17}},
    {"DFT of complex numbers", {"y = DFT(x)", {{"x", randomTensor({2, 4, 2})}}, 17}},
    {"DFT of one number", {"y = DFT(x)", {{"x", randomTensor({2, 1, 2})}}, 17}},
    {"DFT, inverse", {"y = DFT<inverse = 1>(x)", {{"x", randomTensor({2, 6, 2})}}, 17}},
    {"DFT, inverse of real numbers",
     {"y = DFT<inverse = 1>(x)", {{"x", randomTensor({1, 3, 1})}}, 17}},
    {"DFT, half of the spectrum, even",
     {"y = DFT<onesided = 1>(x)", {{"x", randomTensor({2, 6, 1})}}, 17}},
    {"DFT, half of the spectrum, odd",
     {"y = DFT<onesided = 1>(x)", {{"x", randomTensor({2, 5, 1})}}, 17}},
    {"DFT, inner axis", {"y = DFT<axis = 2>(x)", {{"x", randomTensor({2, 3, 4, 1})}}, 17}},
    {"DFT, negative axis", {"y = DFT<axis = -2>(x)", {{"x", randomTensor({2, 3, 4, 2})}}, 17}},
    {"DFT, filled with zeros",
     {"y = DFT(x, n)", {{"x", randomTensor({2, 3, 1})}, {"n", number(5)}}, 17, {"n"}},
     {.alsoSymbolic = false}},
    {"DFT, cut",
     {"y = DFT<onesided = 1>(x, n)", {{"x", randomTensor({2, 7, 1})}, {"n", number(4)}}, 17, {"n"}},
     {.alsoSymbolic = false}},
    {"DFT, inverse, cut",
     {"y = DFT<inverse = 1>(x, n)", {{"x", randomTensor({2, 7, 2})}, {"n", number(4)}}, 17, {"n"}},
     {.alsoSymbolic = false}},
    {"DFT, real numbers of half a spectrum",
     {"y = DFT<inverse = 1, onesided = 1>(x)", {{"x", randomTensor({2, 4, 2})}}, 17},
     {.alsoSymbolic = false}},
    {"DFT, an odd count of them",
     {"y = DFT<inverse = 1, onesided = 1>(x, n)",
      {{"x", randomTensor({2, 3, 2})}, {"n", number(5)}},
      17,
      {"n"}},
     {.alsoSymbolic = false}},
    {"DFT, real numbers of half a spectrum, cut",
     {"y = DFT<inverse = 1, onesided = 1>(x, n)",
      {{"x", randomTensor({2, 5, 2})}, {"n", number(4)}},
      17,
      {"n"}},
     {.alsoSymbolic = false}},
    {"DFT of opset 20", {"y = DFT(x)", {{"x", randomTensor({2, 4, 3, 2})}}, 20}},
    {"DFT of opset 20, axis",
     {"y = DFT<onesided = 1>(x, \"\", a)",
      {{"x", randomTensor({2, 4, 3, 1})}, {"a", number(1)}},
      20,
      {"a"}}},
    {"STFT with a window",
     {"y = STFT(x, s, w)",
      {{"x", randomTensor({2, 11, 1})}, {"s", number(2)}, {"w", randomTensor({4}, 3)}},
      17,
      {"s"}},
     {.alsoSymbolic = false}},
    {"STFT, all of the spectrum",
     {"y = STFT<onesided = 0>(x, s, w)",
      {{"x", randomTensor({1, 9, 1})}, {"s", number(3)}, {"w", randomTensor({3}, 3)}},
      17,
      {"s"}},
     {.alsoSymbolic = false}},
    {"STFT of complex numbers",
     {"y = STFT<onesided = 0>(x, s, w)",
      {{"x", randomTensor({1, 9, 2})}, {"s", number(2)}, {"w", randomTensor({5}, 3)}},
      17,
      {"s"}},
     {.alsoSymbolic = false}},
    {"STFT without a window",
     {"y = STFT(x, s, \"\", n)",
      {{"x", randomTensor({2, 8, 1})}, {"s", number(2)}, {"n", number(4)}},
      17,
      {"s", "n"}},
     {.alsoSymbolic = false}},
    {"STFT, frames that do not overlap",
     {"y = STFT(x, s, w, n)",
      {{"x", randomTensor({1, 10, 1})},
       {"s", number(4)},
       {"w", randomTensor({2}, 3)},
       {"n", number(2)}},
      17,
      {"s", "n"}},
     {.alsoSymbolic = false}},
};

}  // namespace

class SignalTest : public QObject {
    Q_OBJECT
private slots:
    void onnxTestsPass_data() {
        addOnnxRows(
            {"dft", "stft", "hannwindow", "hammingwindow", "blackmanwindow", "melweightmatrix"});
    }
    void onnxTestsPass() {
        QFETCH(QString, folder);
        if (folder.isEmpty()) QSKIP("libonnx-testdata is absent");
        const std::string path = folder.toStdString();
        const Outcome outcome = runOnnxTest(path, onnxTolerance(path));
        QVERIFY2(outcome.kind == Outcome::Kind::Passed, outcome.message.c_str());
    }

    void dftFollowsItsDefinition_data() {
        QTest::addColumn<int>("size");
        QTest::addColumn<int>("length");
        QTest::addColumn<int>("parts");
        QTest::addColumn<bool>("inverse");
        for (const int size : {1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 60, 64, 100, 127, 128}) {
            QTest::addRow("%d real numbers", size) << size << size << 1 << false;
            QTest::addRow("%d complex numbers", size) << size << size << 2 << false;
            QTest::addRow("%d complex numbers, inverse", size) << size << size << 2 << true;
        }
        QTest::newRow("10 of 16") << 10 << 16 << 2 << false;
        QTest::newRow("16 cut to 11, inverse") << 16 << 11 << 2 << true;
    }
    void dftFollowsItsDefinition() {
        QFETCH(int, size);
        QFETCH(int, length);
        QFETCH(int, parts);
        QFETCH(bool, inverse);
        const Tensor x = randomTensor({1, size, parts}, 5);
        for (const bool isOnesided : {false, true}) {
            if (isOnesided && inverse) continue;
            const OpCase opCase{"y = DFT<inverse = " + std::to_string(int{inverse}) +
                                    ", onesided = " + std::to_string(int{isOnesided}) + ">(x, n)",
                                {{"x", x}, {"n", number(length)}},
                                17,
                                {"n"}};
            const Tensor y = runOp(opCase).at("y");
            const int64_t kept = isOnesided ? length / 2 + 1 : length;
            QCOMPARE(y.shape(), (Shape{1, kept, 2}));
            QCOMPARE(checkSpectrum(y, definition(signalOf(x), length, inverse)), std::string());
            QCOMPARE(differenceOfPrecisions(opCase, {1e-5, 1e-5}), std::string());
        }
    }

    void stftIsTheDftOfItsFrames() {
        const Tensor x = randomTensor({1, 50, 1}, 3), window = randomTensor({9}, 4);
        const Tensor y =
            runOp({"y = STFT(x, s, w)", {{"x", x}, {"s", number(4)}, {"w", window}}, 17, {"s"}})
                .at("y");
        QCOMPARE(y.shape(), (Shape{1, 11, 5, 2}));
        for (int64_t frame = 0; frame < 11; ++frame) {
            std::vector<Complex> part;
            for (int64_t i = 0; i < 9; ++i) {
                part.emplace_back(static_cast<double>(x.values<float>()[frame * 4 + i] *
                                                      window.values<float>()[i]),
                                  0.0);
            }
            Tensor row(DType::Float32, {1, 5, 2});
            std::copy_n(y.values<float>().begin() + frame * 10, 10,
                        row.mutableValues<float>().begin());
            QCOMPARE(checkSpectrum(row, definition(part, 9, false)), std::string());
        }
    }

    void gradientsMatchFiniteDifferences_data() { addRows(kGradients); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        const QString problem = check(kGradients, row);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void signalsOfNothingAreTransformed() {
        for (const Shape& shape : {Shape{0, 4, 1}, Shape{2, 0, 2}}) {
            const Tensor x(DType::Float32, shape);
            QCOMPARE(runOp({"y = DFT(x)", {{"x", x}}, 17}).at("y").shape(),
                     (Shape{shape[0], shape[1], 2}));
        }
    }

    void threadsDoNotMatter() {
        QVERIFY(isIndependentOfThreads({"y = DFT(x)", {{"x", randomTensor({7, 50, 3, 2})}}, 17}));
    }

    void symmetricWindowsAreSymmetric_data() {
        QTest::addColumn<QString>("op");
        for (const char* op : {"HannWindow", "HammingWindow", "BlackmanWindow"}) {
            QTest::newRow(op) << QString(op);
        }
    }
    /// A periodic window is the symmetric one with one more point.
    void symmetricWindowsAreSymmetric() {
        QFETCH(QString, op);
        const auto window = [&](int64_t size, bool isPeriodic) {
            return runOp({"y = " + op.toStdString() + "<output_datatype = 11, periodic = " +
                              std::to_string(int{isPeriodic}) + ">(n)",
                          {{"n", number(size)}},
                          17,
                          {"n"}})
                .at("y");
        };
        const Tensor symmetric = window(11, false), periodic = window(10, true);
        for (size_t i = 0; i < 11; ++i) {
            const double w = symmetric.values<double>()[i];
            QVERIFY(std::abs(w - symmetric.values<double>()[10 - i]) < 1e-15);
            if (i < 10) QVERIFY(std::abs(w - periodic.values<double>()[i]) < 1e-15);
        }
        QVERIFY(std::abs(symmetric.values<double>()[5] - 1) < 1e-15);
        QCOMPARE(window(1, false).values<double>()[0], 1.0);
        QCOMPARE(window(0, true).numElements(), int64_t{0});
    }

    void wrongSignalsAreNamed() {
        const auto problem = [](const char* nodes, const Shape& shape) {
            return checkOutput({nodes, {{"x", randomTensor(shape)}}, 17}, "y", Tensor());
        };
        QVERIFY(problem("y = DFT(x)", {2, 3, 3}).find("expected 1 for real or 2") !=
                std::string::npos);
        QVERIFY(problem("y = DFT<axis = 2>(x)", {2, 3, 2}).find("expected another one") !=
                std::string::npos);
    }
};

QTEST_APPLESS_MAIN(SignalTest)
#include "signal_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "tests/engine/ops/gradient_cases.h"
#include "tests/engine/ops/onnx_rows.h"

using namespace temper;
using namespace temper::test;

namespace {

const Tensor kSigned = distinctTensor({4, 6}, 3);  // -1.15 ... 1.15, nothing near 0

OpCase activation(const std::string& call, Tensor x = kSigned) {
    return {"y = " + call + "(x)", {{"x", std::move(x)}}, 20};
}

OpCase biased(const std::string& call) {
    return {"y = " + call + "(x, b)",
            {{"x", randomTensor({2, 3, 4}, 1, -3, 3)}, {"b", randomTensor({4}, 2)}}};
}

std::vector<GradientCase> gradientCases() {
    const Tensor wide = randomTensor({3, 8}, 5, -5, 5);
    return {
        {"Relu", activation("Relu")},
        {"LeakyRelu", activation("LeakyRelu")},
        {"LeakyRelu with negative slope", activation("LeakyRelu<alpha = -0.3>")},
        {"PRelu", {"y = PRelu(x, s)", {{"x", kSigned}, {"s", randomTensor({4, 6})}}}},
        {"PRelu per channel",
         {"y = PRelu(x, s)", {{"x", distinctTensor({2, 3, 4})}, {"s", randomTensor({3, 1})}}}},
        {"Elu", activation("Elu<alpha = 0.7>")},
        {"Selu", activation("Selu")},
        {"Celu", activation("Celu<alpha = 2.0>")},
        {"Sigmoid", activation("Sigmoid", wide)},
        {"HardSigmoid", activation("HardSigmoid", wide)},
        {"HardSwish", activation("HardSwish", wide)},
        {"Tanh", activation("Tanh", wide)},
        {"Softplus", activation("Softplus", wide)},
        {"Softsign", activation("Softsign", kSigned)},
        {"ThresholdedRelu", activation("ThresholdedRelu<alpha = 0.6>")},
        {"Shrink", activation("Shrink<lambd = 0.4, bias = 0.2>")},
        {"Mish", activation("Mish", wide)},
        {"Gelu", activation("Gelu", wide)},
        {"Gelu by tanh", activation("Gelu<approximate = \"tanh\">", wide)},
        {"Gelu of ORT", activation("com.microsoft.Gelu", wide)},
        {"FastGelu", activation("com.microsoft.FastGelu", wide)},
        {"QuickGelu", activation("com.microsoft.QuickGelu", wide)},
        {"QuickGelu as SiLU", activation("com.microsoft.QuickGelu<alpha = 1.0>", wide)},
        {"Swish", {"y = Swish(x)", {{"x", wide}}, 24}},
        {"SwiGLU",
         {"y = SwiGLU<alpha = 0.7>(a, b)", {{"a", wide}, {"b", randomTensor({3, 8}, 4)}}, 28}},
        {"Swish with alpha", {"y = Swish<alpha = 0.5>(x)", {{"x", wide}}, 24}},
        {"QuickGelu, mirrored", activation("com.microsoft.QuickGelu<alpha = -1.702>", wide)},
        {"BiasGelu", biased("com.microsoft.BiasGelu")},
        {"FastGelu with bias", biased("com.microsoft.FastGelu")},
    };
}

}  // namespace

class ActivationTest : public QObject {
    Q_OBJECT
private slots:
    void onnxTestsPass_data() {
        addOnnxRows({"celu", "elu", "hardsigmoid", "hardswish", "leakyrelu", "mish", "prelu",
                     "relu", "selu", "shrink", "sigmoid", "softplus", "softsign", "tanh",
                     "thresholdedrelu"});
    }
    void onnxTestsPass() {
        QFETCH(QString, folder);
        if (folder.isEmpty()) QSKIP("libonnx-testdata is absent");
        const QString problem = onnxProblem(folder, {});
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void ortsResultsAreReproduced_data() {
        addOrtRows({"relu_grad", "sigmoid_grad", "tanh_grad", "leaky_relu_grad", "gelu_grad",
                    "fast_gelu_grad", "quick_gelu_grad", "bias_gelu_grad", "bias_fast_gelu_grad"});
    }
    void ortsResultsAreReproduced() {
        QFETCH(QString, name);
        const Outcome outcome = runOrtCase(ortCase(name), {1e-6, 1e-6});
        QVERIFY2(outcome.kind == Outcome::Kind::Passed, outcome.message.c_str());
    }

    void gradientsMatchFiniteDifferences_data() { addRows(gradientCases()); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        const QString problem = check(gradientCases(), row);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void floatMatchesDouble_data() {
        QTest::addColumn<QString>("call");
        for (const char* call :
             {"LeakyRelu", "Elu", "Selu", "Celu", "HardSigmoid", "HardSwish", "Softplus",
              "Softsign", "Mish", "Gelu", "com.microsoft.FastGelu", "com.microsoft.QuickGelu"}) {
            QTest::newRow(call) << QString(call);
        }
    }
    void floatMatchesDouble() {
        QFETCH(QString, call);
        const OpCase opCase = activation(call.toStdString(), randomTensor({20011}, 9, -8, 8));
        // Near the lower end 1 + tanh cancels: the error is relative to 1, not to the result.
        const std::string problem = differenceOfPrecisions(opCase, {1e-6, 1e-6});
        QVERIFY2(problem.empty(), problem.c_str());
    }

    void backwardLoopsMatchDouble_data() {
        QTest::addColumn<QString>("call");
        for (const char* call : {"SigmoidGrad", "TanhGrad", "GeluGrad", "FastGeluGrad",
                                 "QuickGeluGrad", "LeakyReluGrad", "ReluGrad"}) {
            QTest::newRow(call) << "com.microsoft." + QString(call);
        }
    }
    void backwardLoopsMatchDouble() {
        QFETCH(QString, call);
        const OpCase opCase{
            "dx = " + call.toStdString() + "(dy, x)",
            {{"dy", randomTensor({20011}, 1)}, {"x", randomTensor({20011}, 2, -8, 8)}}};
        const std::string problem = differenceOfPrecisions(opCase, {2e-6, 2e-6});
        QVERIFY2(problem.empty(), problem.c_str());
    }

    void extremeInputsGiveFiniteSlopes_data() {
        QTest::addColumn<QString>("call");
        for (const char* call : {"GeluGrad", "FastGeluGrad", "QuickGeluGrad"}) {
            QTest::newRow(call) << "com.microsoft." + QString(call);
        }
    }
    void extremeInputsGiveFiniteSlopes() {
        QFETCH(QString, call);
        const float infinity = std::numeric_limits<float>::infinity();
        const Tensor x = Tensor::of<float>({6}, {1000, -1000, 1e30F, -1e30F, infinity, -infinity});
        const Tensor ones = Tensor::of<float>({6}, {1, 1, 1, 1, 1, 1});
        const Results found =
            runOp({"dx = " + call.toStdString() + "(dy, x)", {{"dy", ones}, {"x", x}}});
        QCOMPARE(
            difference(found.at("dx"), Tensor::of<float>({6}, {1, 0, 1, 0, 1, 0}), {1e-6, 1e-6}),
            std::string());
    }

    void aWrongApproximationIsNamed() {
        QVERIFY_EXCEPTION_THROWN(runOp(activation("Gelu<approximate = \"cubic\">")), Error);
    }

    void resultsDoNotDependOnThreads() {
        OpCase opCase = biased("com.microsoft.BiasGelu");
        opCase.feeds.at("x") = randomTensor({700, 129});
        opCase.feeds.at("b") = randomTensor({129});
        QVERIFY(isIndependentOfThreads(opCase));
        QVERIFY(isIndependentOfThreads(activation("Mish", randomTensor({50001}))));
    }
};

QTEST_GUILESS_MAIN(ActivationTest)
#include "activation_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/ir/type_inference.h"
#include "tests/engine/ops/gradient_cases.h"
#include "tests/engine/ops/onnx_rows.h"

using namespace temper;
using namespace temper::test;

namespace {

struct Axes {
    std::vector<int64_t> axes;
    int keepDims;
};

/// The combinations of ORT's own tests.
const std::vector<Axes> kAxes = {{{}, 1},  {{0, 1, 2}, 0}, {{0, 2}, 1}, {{0, 1}, 0},
                                 {{1}, 1}, {{2}, 0},       {{-2}, 1},   {{-2, -1}, 0}};

std::string listOf(const std::vector<int64_t>& numbers) {
    std::string text;
    for (const int64_t number : numbers)
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    return "[" + text + "]";
}

bool axesAreInput(const std::string& op, int64_t opset) {
    return opset >= (op == "ReduceSum" ? 13 : 18);
}

OpCase reduction(const std::string& op, const Axes& axes, int64_t opset, Tensor x) {
    OpCase opCase{"", {{"x", std::move(x)}}, opset};
    std::string attributes = "keepdims = " + std::to_string(axes.keepDims);
    std::string inputs = "x";
    if (!axes.axes.empty() && axesAreInput(op, opset)) {
        opCase.feeds.emplace("axes", Tensor::of<int64_t>({static_cast<int64_t>(axes.axes.size())},
                                                         std::span<const int64_t>(axes.axes)));
        opCase.constants = {"axes"};
        inputs += ", axes";
    } else if (!axes.axes.empty()) {
        attributes += ", axes = " + listOf(axes.axes);
    }
    opCase.nodes = "y = " + op + "<" + attributes + ">(" + inputs + ")";
    return opCase;
}

/// Positive for the logarithm of the sum, all different for extremes.
Tensor dataFor(const std::string& op) {
    if (op == "ReduceLogSum") return randomTensor({4, 3, 2}, 5, 0.2F, 2);
    return distinctTensor({4, 3, 2}, 5);
}

std::vector<OpCase> gradientOpCases() {
    std::vector<OpCase> cases;
    for (const std::string op :
         {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
          "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"}) {
        for (const int64_t opset : {11, 13, 18}) {
            for (const Axes& axes : kAxes) {
                cases.push_back(reduction(op, axes, opset, dataFor(op)));
            }
        }
    }
    for (const std::string options : {"", "<reverse = 1>", "<exclusive = 1>"}) {
        for (const int64_t axis : {0, 1, -1}) {
            cases.push_back({"y = CumSum" + options + "(x, axis)",
                             {{"x", distinctTensor({3, 2, 4})}, {"axis", Tensor::scalar(axis)}},
                             14,
                             {"axis"}});
        }
    }
    Tensor holes = distinctTensor({3, 2, 4});
    for (const size_t zero : {1, 2, 9, 16, 20}) holes.mutableValues<float>()[zero] = 0;
    for (const std::string options : {"", "<reverse = 1>", "<exclusive = 1>"}) {
        for (const int64_t axis : {0, -1}) {
            for (const Tensor& x : {distinctTensor({3, 2, 4}), holes}) {
                cases.push_back({"y = CumProd" + options + "(x, axis)",
                                 {{"x", x}, {"axis", Tensor::scalar(axis)}},
                                 26,
                                 {"axis"}});
            }
        }
    }
    cases.push_back({"y = ReduceSum<noop_with_empty_axes = 1>(x)", {{"x", distinctTensor({3})}}});
    return cases;
}

}  // namespace

class ReductionTest : public QObject {
    Q_OBJECT
private slots:
    /// Since opset 20.
    void truthValuesHaveExtremes_data() {
        QTest::addColumn<QString>("op");
        QTest::addColumn<Tensor>("x");
        QTest::addColumn<Tensor>("expected");
        const Tensor x = Tensor::of<bool>({2, 3}, {false, true, true, false, false, true});
        QTest::newRow("ReduceMax")
            << "ReduceMax" << x << Tensor::of<bool>({3}, {false, true, true});
        QTest::newRow("ReduceMin")
            << "ReduceMin" << x << Tensor::of<bool>({3}, {false, false, true});
        const Tensor none(DType::Bool, {0, 2});
        QTest::newRow("ReduceMax of nothing")
            << "ReduceMax" << none << Tensor::of<bool>({2}, {false, false});
        QTest::newRow("ReduceMin of nothing")
            << "ReduceMin" << none << Tensor::of<bool>({2}, {true, true});
    }
    void truthValuesHaveExtremes() {
        QFETCH(QString, op);
        QFETCH(Tensor, x);
        QFETCH(Tensor, expected);
        const std::string nodes = "y = " + op.toStdString() + "<keepdims = 0>(x, a)";
        const Feeds feeds = {{"x", x}, {"a", integerTensor({0})}};
        QCOMPARE(checkOutput({nodes, feeds, 20, {"a"}}, "y", expected), std::string());
        const std::string older = checkOutput({nodes, feeds, 18, {"a"}}, "y", expected);
        QVERIFY2(older.find("expected a number") != std::string::npos, older.c_str());
    }

    void onnxTestsPass_data() { addOnnxRows({"reduce", "argmax", "argmin", "cumsum"}); }
    void onnxTestsPass() {
        QFETCH(QString, folder);
        if (folder.isEmpty()) QSKIP("libonnx-testdata is absent");
        const QString problem = onnxProblem(folder, {});
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void ortsResultsAreReproduced_data() { addOrtRows({"reduce_all_l2", "reduce_sum_training"}); }
    void ortsResultsAreReproduced() {
        QFETCH(QString, name);
        const Outcome outcome = runOrtCase(ortCase(name), {1e-6, 1e-6});
        QVERIFY2(outcome.kind == Outcome::Kind::Passed, outcome.message.c_str());
    }

    void gradientsMatchFiniteDifferences_data() {
        QTest::addColumn<int>("row");
        const std::vector<OpCase> cases = gradientOpCases();
        for (size_t i = 0; i < cases.size(); ++i) {
            const std::string name = cases[i].nodes + " of opset " +
                                     std::to_string(cases[i].opset) + " #" + std::to_string(i);
            QTest::newRow(name.c_str()) << static_cast<int>(i);
        }
    }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        const OpCase opCase = gradientOpCases().at(static_cast<size_t>(row));
        const std::string problem = checkGradient(opCase);
        QVERIFY2(problem.empty(), problem.c_str());
    }

    void productsWithZerosHaveExactGradients() {
        OpCase opCase = reduction("ReduceProd", {{1}, 1}, 13,
                                  Tensor::of<float>({3, 3}, {0, 2, 3, 0, 0, 3, 1, 2, 3}));
        const std::string problem = checkGradient(opCase);
        QVERIFY2(problem.empty(), problem.c_str());
    }

    void normsOfZeroRowsHaveNoGradient() {
        OpCase opCase =
            reduction("ReduceL2", {{-1}, 1}, 11, Tensor::of<float>({2, 2}, {3, 4, 0, 0}));
        opCase.nodes += " z = Mul(y, y)";  // smooth at 0, as differences need it
        const std::string problem = checkGradient(opCase, {.tolerance = {1e-4, 1e-4}});
        QVERIFY2(problem.empty(), problem.c_str());
    }

    void floatMatchesDouble_data() {
        QTest::addColumn<QString>("op");
        for (const char* op : {"ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare",
                               "ReduceLogSumExp", "ReduceMax"}) {
            QTest::newRow(op) << QString(op);
        }
    }
    void floatMatchesDouble() {
        QFETCH(QString, op);
        for (const Axes& axes : std::vector<Axes>{{{}, 0}, {{0}, 0}, {{1}, 0}, {{0, 2}, 0}}) {
            const OpCase opCase =
                reduction(op.toStdString(), axes, 13, randomTensor({30, 41, 130}, 6, -1, 2));
            const std::string problem = differenceOfPrecisions(opCase, {1e-6, 1e-6});
            QVERIFY2(problem.empty(), problem.c_str());
            QVERIFY(isIndependentOfThreads(opCase));
        }
    }

    void emptyAxesAreAllOrNone() {
        const Tensor x = Tensor::of<float>({1, 2, 2}, {1, 2, 3, 4});
        const std::string op = "y = com.microsoft.ReduceSumTraining<noop_with_empty_axes = ";
        const auto run = [&](const std::string& noop) {
            return runOp({op + noop + ">(x, a)", {{"x", x}, {"a", integerTensor({})}}, 12, {"a"}})
                .at("y");
        };
        QCOMPARE(difference(run("0"), Tensor::of<float>({1, 1, 1}, {10}), {}), std::string());
        QCOMPARE(difference(run("1"), x, {}), std::string());
    }

    void emptyTensorsReduceToTheNeutralElement() {
        const Tensor none(DType::Float32, {2, 0});
        const auto run = [&](const std::string& op) {
            return runOp(reduction(op, {{1}, 0}, 13, none)).at("y");
        };
        QCOMPARE(difference(run("ReduceSum"), Tensor::of<float>({2}, {0, 0}), {}), std::string());
        QCOMPARE(difference(run("ReduceProd"), Tensor::of<float>({2}, {1, 1}), {}), std::string());
    }

    void productsOfShapesStayKnown() {
        const OpCase opCase{"s = Shape(x) n = ReduceProd(s) y = Reshape(x, n)",
                            {{"x", randomTensor({2, 3})}}};
        const auto graph = graphOf(opCase);
        QVERIFY(inferTypes(*graph, ops().catalog).empty());
        QCOMPARE(graph->at("y")->type().shape, symbolicShape({6}));
    }

    void anAxisOutsideIsNamed() {
        QVERIFY_EXCEPTION_THROWN(
            runOp(reduction("ReduceSum", {{3}, 0}, 13, distinctTensor({2, 3}))), Error);
    }
};

QTEST_GUILESS_MAIN(ReductionTest)
#include "reduction_test.moc"

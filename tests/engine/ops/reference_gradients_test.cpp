// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>

#include "tests/engine/ops/reference_rows.h"

using namespace temper;
using namespace temper::test;

namespace {

ReferenceRows allRows() {
    ReferenceRows rows;
    for (const auto& part : {elementwiseRows(), productRows(), reductionRows(), normalizationRows(),
                             lossRows(), movementRows(), indexingRows()}) {
        rows.insert(rows.end(), part.begin(), part.end());
    }
    return rows;
}

std::vector<std::string> differentiated(const OpCase& opCase) {
    std::vector<std::string> names;
    for (const auto& [name, feed] : opCase.feeds) {
        const bool isConstant = std::find(opCase.constants.begin(), opCase.constants.end(), name) !=
                                opCase.constants.end();
        if (!isConstant && isFloating(feed.tensors.front().dtype())) names.push_back(name);
    }
    return names;
}

}  // namespace

/// Every gradient that ONNX Runtime tests, compared with finite differences in double precision,
/// with known and unknown shapes, for all inputs and with each input left out.
class ReferenceGradientsTest : public QObject {
    Q_OBJECT
private slots:
    void gradientsMatchFiniteDifferences_data() {
        QTest::addColumn<int>("row");
        for (size_t i = 0; i < rows_.size(); ++i) {
            QTest::newRow(rows_[i].name.c_str()) << static_cast<int>(i);
        }
    }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        const OpCase& opCase = rows_.at(static_cast<size_t>(row)).opCase;
        const std::vector<std::string> all = differentiated(opCase);
        QVERIFY(!all.empty());
        checkBy(opCase, all);
        for (size_t left = 0; left < all.size() && all.size() > 1; ++left) {
            std::vector<std::string> others = all;
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(left));
            checkBy(opCase, others);
        }
    }

    /// A row of zeros has the norm 0; its gradient is 0.
    void rowsWithoutANormHaveNoGradient() {
        const OpCase opCase{"y = ReduceL2<axes = [-1]>(x)",
                            {{"x", Tensor::of<float>({4, 2}, {1, 1, 0, 0, 3, 0, 0, 0})}},
                            11};
        const std::string problem = checkGradient(opCase, {.tolerance = {1e-5, 1e-5}});
        // The difference quotient of |x| at 0 is 0 as well: it is symmetric.
        QVERIFY2(problem.empty(), problem.c_str());
    }

private:
    static void checkBy(const OpCase& opCase, const std::vector<std::string>& inputs) {
        const std::string problem = checkGradient(opCase, {.inputs = inputs});
        QVERIFY2(problem.empty(), problem.c_str());
    }

    const ReferenceRows rows_ = allRows();
};

QTEST_APPLESS_MAIN(ReferenceGradientsTest)
#include "reference_gradients_test.moc"

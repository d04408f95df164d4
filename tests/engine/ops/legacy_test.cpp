// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "tests/engine/ops/ort_record.h"

using namespace temper;
using namespace temper::test;

namespace {

const std::filesystem::path kRecord =
    std::filesystem::path(TEMPER_SOURCE_DIR) / "tests/engine/ops/data/legacy_ort.npz";

OpCase image(const std::string& call, int64_t opset = 9) {
    return {"y = " + call, {{"x", randomTensor({2, 3, 5, 6}, 1, -2, 2)}}, opset};
}

std::vector<GradientCase> recordedCases() {
    return {
        {"affine", image("Affine<alpha = 0.5, beta = 2.0>(x)")},
        {"affine with defaults", image("Affine(x)")},
        {"crop by borders", image("Crop<border = [1, 2, 3, 1]>(x)")},
        {"crop to a size", image("Crop<border = [1, 2, 0, 0], scale = [2, 3]>(x)")},
        {"crop one side", image("Crop<border = [0, 0, 2, 0]>(x)")},
        {"image scaler", image("ImageScaler<scale = 0.25, bias = [1.0, -2.0, 0.5]>(x)")},
        {"parametric softplus", image("ParametricSoftplus<alpha = 2.0, beta = 0.5>(x)")},
        {"scaled tanh", image("ScaledTanh<alpha = 1.5, beta = 0.7>(x)")},
    };
}

/// ONNX Runtime has these operators up to opset 9, and no longer has Scale in ONNX's domain.
std::vector<GradientCase> allCases() {
    std::vector<GradientCase> cases = recordedCases();
    cases.push_back({"crop in a newer model", image("Crop<border = [1, 2, 3, 1]>(x)", 17)});
    cases.push_back({"scale", image("Scale<scale = 3.0>(x)")});
    return cases;
}

}  // namespace

class LegacyTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (qEnvironmentVariableIsSet("TEMPER_RECORD_ORT")) recordOrt(recordedCases(), kRecord);
    }

    void resultsAreThoseOfOnnxRuntime_data() { addRows(recordedCases()); }
    void resultsAreThoseOfOnnxRuntime() {
        QFETCH(int, row);
        QCOMPARE(differenceFromOrt(recordedCases().at(static_cast<size_t>(row)), kRecord),
                 QString());
    }

    void gradientsMatchFiniteDifferences_data() { addRows(allCases()); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        QCOMPARE(check(allCases(), row), QString());
    }

    void aWindowBeyondTheImageIsRefused() {
        for (const char* call :
             {"Crop<border = [0, 3, 0, 3]>(x)", "Crop<border = [0, 3]>(x)",
              "Crop<border = [0, 0, 0, 0], scale = [9, 9]>(x)", "ImageScaler<bias = [1.0]>(x)"}) {
            QVERIFY_THROWS_EXCEPTION(Error, runOp(image(call)));
        }
    }
};

QTEST_GUILESS_MAIN(LegacyTest)
#include "legacy_test.moc"

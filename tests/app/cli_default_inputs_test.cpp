// SPDX-License-Identifier: Apache-2.0
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

using Arrays = std::map<std::string, Tensor>;

/// Inputs of language models that --feeds omits get the values that training derives from data.
class CliDefaultInputsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void stepsEqualThoseWithExplicitInputs_data();
    void stepsEqualThoseWithExplicitInputs();
    void aNoteSaysWhatIsFed();
    void gradientsAreChecked();
    void stepsAreTimed();
    void inputsWithoutADefaultAreMissing();

private:
    QString path(const QString& name) const { return dir_.filePath(name); }
    QString write(const QString& name, const Arrays& arrays) const {
        writeNpz(path(name).toStdString(), arrays);
        return path(name);
    }
    static Tensor whole(const Shape& shape, int64_t first, int64_t step, int64_t period) {
        Tensor tensor(DType::Int64, shape);
        int64_t i = 0;
        for (int64_t& number : tensor.mutableValues<int64_t>())
            number = first + step * (i++ % period);
        return tensor;
    }
    /// Tokens and targets of one batch or of several steps.
    static Arrays needed(const Shape& tokens) {
        Shape target = tokens;
        target.push_back(5);
        Tensor wanted(DType::Float32, target);
        float i = 0;
        for (float& number : wanted.mutableValues<float>()) number = 0.01F * i++;
        return {{"input_ids", whole(tokens, 0, 2, 3)}, {"target", wanted}};
    }
    QTemporaryDir dir_;
};

void CliDefaultInputsTest::initTestCase() {
    saveModel(*parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        m (int64[N, T] input_ids, int64[N, A] attention_mask, int64[N, T] position_ids,
           int64[N, T] token_type_ids, float[N, 1, P, 2] "past_key_values.0.key")
          => (float[N, T, 5] logits)
            <float[5, 2] tokens = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
             float[8, 2] places = {1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8, -8},
             float[2, 2] segments = {0.5, 0.25, 4, 5},
             float[2, 5] w = {0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7, -0.8, 0.9, -1.0}> {
            e = Gather(tokens, input_ids)
            p = Gather(places, position_ids)
            s = Gather(segments, token_type_ids)
            sum = Sum(e, p, s)
            last = Constant<value = int64[1] {2}>()
            mask = Unsqueeze(attention_mask, last)
            counted = Cast<to = 1>(mask)
            cached = ReduceSum<keepdims = 0>("past_key_values.0.key")
            masked = Mul(sum, counted)
            h = Add(masked, cached)
            logits = MatMul(h, w)
        })"),
              path("model.onnx").toStdString());
    const ProgramResult made = runTemper({"artifacts", path("model.onnx"), "--loss", "mse",
                                          "--loss-input", "logits", "--out", path("made")});
    QVERIFY2(made.exitStatus == 0, made.all());
}

void CliDefaultInputsTest::stepsEqualThoseWithExplicitInputs_data() {
    QTest::addColumn<QList<int>>("tokens");
    QTest::newRow("one batch") << QList<int>{2, 3};
    QTest::newRow("a batch for each step") << QList<int>{4, 2, 3};
}

void CliDefaultInputsTest::stepsEqualThoseWithExplicitInputs() {
    QFETCH(QList<int>, tokens);
    const Arrays few = needed(Shape(tokens.begin(), tokens.end()));
    Arrays all = few;
    all["attention_mask"] = whole({2, 3}, 1, 0, 1);
    all["position_ids"] = whole({2, 3}, 0, 1, 3);
    all["token_type_ids"] = whole({2, 3}, 0, 0, 1);
    all["past_key_values.0.key"] = Tensor(DType::Float32, {2, 1, 0, 2});
    const auto stepsOver = [&](const Arrays& arrays) {
        return runTemper({"step", path("made"), "--feeds", write("feeds.npz", arrays), "--steps",
                          "4", "--lr", "0.01", "--json"});
    };
    const ProgramResult expected = stepsOver(all), found = stepsOver(few);
    QVERIFY2(expected.exitStatus == 0 && expected.err.isEmpty(), expected.all());
    QVERIFY2(found.exitStatus == 0, found.all());
    QCOMPARE(found.json()["steps"].toArray().size(), 4);
    QCOMPARE(found.json(), expected.json());
}

void CliDefaultInputsTest::aNoteSaysWhatIsFed() {
    Arrays arrays = needed({2, 3});
    arrays["token_type_ids"] = whole({2, 3}, 0, 1, 2);
    const ProgramResult result =
        runTemper({"step", path("made"), "--feeds", write("feeds.npz", arrays)});
    QVERIFY2(result.exitStatus == 0, result.all());
    for (const char* note :
         {"note: Input 'attention_mask' has no array and is fed with ones.\n",
          "note: Input 'position_ids' has no array and is fed with the numbers 0 to 2.\n",
          "note: Input 'past_key_values.0.key' has no array and is fed with an empty cache.\n"})
        QVERIFY2(result.err.contains(note), result.all());
    QVERIFY2(!result.err.contains("token_type_ids"), result.all());
}

void CliDefaultInputsTest::gradientsAreChecked() {
    const ProgramResult result =
        runTemper({"gradcheck", path("model.onnx"), "--loss", "mse", "--loss-input", "logits",
                   "--feeds", write("feeds.npz", needed({2, 3})), "--json"});
    QVERIFY2(result.exitStatus == 0, result.all());
    QCOMPARE(result.json()["parameters"].toArray().size(), 4);
}

void CliDefaultInputsTest::stepsAreTimed() {
    const ProgramResult result = runTemper({"bench", path("made"), "--steps", "2", "--feeds",
                                            write("feeds.npz", needed({2, 3})), "--json"});
    QVERIFY2(result.exitStatus == 0, result.all());
    QCOMPARE(result.json()["batch"].toInt(), 2);
}

void CliDefaultInputsTest::inputsWithoutADefaultAreMissing() {
    Arrays arrays = needed({2, 3});
    arrays.erase("input_ids");
    const ProgramResult result =
        runTemper({"step", path("made"), "--feeds", write("feeds.npz", arrays)});
    QVERIFY2(result.exitStatus == 2 && isFriendlyError(result), result.all());
    QVERIFY2(result.err.contains("No array for input 'input_ids'"), result.all());
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliDefaultInputsTest)
#include "cli_default_inputs_test.moc"

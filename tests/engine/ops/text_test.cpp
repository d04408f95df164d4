// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "tests/engine/ops/gradient_cases.h"
#include "tests/engine/ops/onnx_rows.h"

using namespace temper;
using namespace temper::test;

namespace {

/// Words 2, 3; pairs 5 4, 5 6. Columns are not in the order of the pool.
std::string vectorizer(const std::string& attributes) {
    return "y = TfIdfVectorizer<min_gram_length = 1, max_gram_length = 2, ngram_counts = [0, 2], "
           "ngram_indexes = [3, 0, 2, 1], pool_int64s = [2, 3, 5, 4, 5, 6], " +
           attributes + ">(x)";
}

}  // namespace

class TextTest : public QObject {
    Q_OBJECT
private slots:
    void onnxTestsPass_data() { addOnnxRows({"tfidfvectorizer"}); }
    void onnxTestsPass() {
        QFETCH(QString, folder);
        if (folder.isEmpty()) QSKIP("libonnx-testdata is absent");
        const QString problem = onnxProblem(folder, {});
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void ngramsAreCounted_data() {
        QTest::addColumn<QString>("attributes");
        QTest::addColumn<Tensor>("words");
        QTest::addColumn<Tensor>("expected");
        const Tensor words = Tensor::of<int64_t>({7}, {2, 5, 6, 5, 4, 2, 6});
        const QString weights = ", weights = [0.5, 2.0, 3.0, 5.0]";
        QTest::newRow("counts") << "mode = \"TF\", max_skip_count = 0" << words
                                << Tensor::of<float>({4}, {0, 1, 1, 2});
        QTest::newRow("weights are those of n-grams, not of columns")
            << "mode = \"TFIDF\", max_skip_count = 0" + weights << words
            << Tensor::of<float>({4}, {0, 5, 3, 1});
        QTest::newRow("presence") << "mode = \"IDF\", max_skip_count = 0" + weights << words
                                  << Tensor::of<float>({4}, {0, 5, 3, 0.5});
        QTest::newRow("presence without weights") << "mode = \"IDF\", max_skip_count = 0" << words
                                                  << Tensor::of<float>({4}, {0, 1, 1, 1});
        // With skipped words, 5 . . 4 and 5 . . 6 are pairs, too.
        QTest::newRow("skips") << "mode = \"TF\", max_skip_count = 2" << words
                               << Tensor::of<float>({4}, {0, 2, 2, 2});
        // 5 . . . . 6 is one more.
        QTest::newRow("skips without bounds")
            << "mode = \"TF\", max_skip_count = 9223372036854775807" << words
            << Tensor::of<float>({4}, {0, 3, 2, 2});
        QTest::newRow("rows of int32")
            << "mode = \"TF\", max_skip_count = 0" << Tensor::of<int32_t>({2, 2}, {3, 3, 5, 4})
            << Tensor::of<float>({2, 4}, {2, 0, 0, 0, 0, 0, 1, 0});
        QTest::newRow("no words") << "mode = \"TF\", max_skip_count = 0"
                                  << Tensor(DType::Int64, {0}) << Tensor(DType::Float32, {4});
    }
    void ngramsAreCounted() {
        QFETCH(QString, attributes);
        QFETCH(Tensor, words);
        QFETCH(Tensor, expected);
        const std::string problem =
            checkOutput({vectorizer(attributes.toStdString()), {{"x", words}}, 17}, "y", expected);
        QVERIFY2(problem.empty(), problem.c_str());
    }

    void wrongAttributesAreNamed_data() {
        QTest::addColumn<QString>("node");
        QTest::addColumn<QString>("said");
        const QString begin =
            "y = TfIdfVectorizer<min_gram_length = 1, max_gram_length = 2, "
            "max_skip_count = 0, mode = ";
        QTest::newRow("mode") << begin +
                                     "\"FT\", ngram_counts = [0], ngram_indexes = [0], "
                                     "pool_int64s = [2]>(x)"
                              << "mode";
        QTest::newRow("columns") << begin +
                                        "\"TF\", ngram_counts = [0], ngram_indexes = [0, 1], "
                                        "pool_int64s = [2]>(x)"
                                 << "ngram_indexes";
        QTest::newRow("cut") << begin +
                                    "\"TF\", ngram_counts = [0, 1], ngram_indexes = [0, 1], "
                                    "pool_int64s = [2, 3, 4, 5]>(x)"
                             << "is incomplete";
        QTest::newRow("twice") << begin +
                                      "\"TF\", ngram_counts = [0], ngram_indexes = [0, 1], "
                                      "pool_int64s = [2, 2]>(x)"
                               << "twice";
        QTest::newRow("strings") << begin +
                                        "\"TF\", ngram_counts = [0], ngram_indexes = [0], "
                                        "pool_strings = [\"a\"]>(x)"
                                 << "strings";
    }
    void wrongAttributesAreNamed() {
        QFETCH(QString, node);
        QFETCH(QString, said);
        const std::string problem = checkOutput(
            {node.toStdString(), {{"x", Tensor::of<int64_t>({1}, {2})}}, 17}, "y", Tensor());
        QVERIFY2(QString::fromStdString(problem).contains(said), problem.c_str());
    }
};

QTEST_GUILESS_MAIN(TextTest)
#include "text_test.moc"

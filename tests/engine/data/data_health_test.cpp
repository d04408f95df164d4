// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/data/data_health.h"
#include "engine/data/npz_file.h"
#include "tests/engine/data/open_data_support.h"

using namespace temper;
using namespace temper::test;

/// What samples show that training would suffer from, and what can be left out.
class DataHealthTest : public QObject {
    Q_OBJECT

private slots:
    void samplesCanBeLeftOut() {
        const QByteArray content = "a,y\n1,0\n2,1\n1,0\n3,1\n2,0\n4,1\n5,0\n1,1\n";
        const OpenedData all = open("mem.csv?split=0.5", content);
        QCOMPARE(all.training->size() + all.evaluation->size(), int64_t{8});
        const OpenedData data = open("mem.csv?split=0.5&duplicates=drop", content);
        std::vector<float> values = floatsOf(*data.training, 0);
        const std::vector<float> rest = floatsOf(*data.evaluation, 0);
        values.insert(values.end(), rest.begin(), rest.end());
        std::sort(values.begin(), values.end());
        QCOMPARE(values, (std::vector<float>{1, 2, 3, 4, 5}));
        QVERIFY(std::any_of(data.findings.begin(), data.findings.end(),
                            [](const Finding& finding) { return finding.code == "D113"; }));
        QTemporaryDir folder;
        const std::string path = pathIn(folder, "x.npz");
        const float nan = std::nanf("");
        writeNpz(path, {{"x", Tensor::of<float>({4, 1}, {1, nan, 3, INFINITY})},
                        {"y", Tensor::of<int64_t>({4}, {0, 1, 2, 0})}});
        QCOMPARE(floatsOf(*openData(path + "?invalid=drop").training, 0),
                 (std::vector<float>{1, 3}));
        QCOMPARE(floatsOf(*openData(path + "?invalid=drop&classes=a,b").training, 0),
                 std::vector<float>{1});
    }

    void repeatedSamplesAndUnevenClassesAreFound() {
        QByteArray content = "a,y\n";
        for (int i = 0; i < 40; ++i) {
            content += QByteArray::number(i) + (i % 8 == 0 ? ",1\n" : ",0\n");
        }
        content += "3,0\n3,0\n";
        const FileResolver files = resolverOf({{"a.csv", content}, {"b.csv", "a,y\n7,0\n99,1\n"}});
        const OpenedData data = openData("a.csv?test=b.csv", {}, files);
        std::map<std::string, Finding> found;
        for (const Finding& finding : checkOpenedData(data)) found[finding.code] = finding;
        QCOMPARE(found.size(), size_t{3});
        QCOMPARE(found.at("D106").message, std::string("2 samples are copies of others."));
        QVERIFY(found.at("D107").message.starts_with("1 of 2 evaluation samples"));
        QVERIFY(found.at("D108").message.find("'0' (37)") != std::string::npos);
        const std::optional<DataFix> fix = fixFor(found.at("D106"), data.spec);
        QVERIFY(fix.has_value());
        const OpenedData mended =
            openData(withOption(data.spec, fix->option, fix->value), {}, files);
        QCOMPARE(mended.training->size(), int64_t{40});
        QCOMPARE(mended.evaluation->size(), int64_t{1});
        const std::vector<Finding> rest = checkOpenedData(mended);
        QCOMPARE(rest.size(), size_t{1});
        QVERIFY(!fixFor(found.at("D106"), mended.spec).has_value());
        QVERIFY(checkOpenedData(data, [] { return true; }).size() < 3);
    }

    void featuresFarFromOneAreFound_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("named");
        QTest::newRow("as they should be") << QByteArray("a,b,y\n1,-2,0\n-1,3,1\n") << "";
        QTest::newRow("one of two") << QByteArray("a,b,y\n1,-2000,0\n-1,3000,1\n") << "'b'";
        QTest::newRow("labels do not count") << QByteArray("a,b,y\n1,1,900\n-1,2,1000\n") << "";
    }

    void featuresFarFromOneAreFound() {
        QFETCH(QByteArray, content);
        QFETCH(QString, named);
        const FileResolver files = resolverOf({{"a.csv", content}});
        const OpenedData data = openData("a.csv?target=y", {}, files);
        const std::vector<Finding> findings = checkOpenedData(data);
        const auto found = std::ranges::find(findings, std::string("D109"), &Finding::code);
        QCOMPARE(found != findings.end(), !named.isEmpty());
        if (named.isEmpty()) return;
        QVERIFY2(found->message.find(named.toStdString() + " most of all") != std::string::npos,
                 found->message.c_str());
        QVERIFY(found->message.find("2550") != std::string::npos);  // root of (2000² + 3000²) / 2
        const std::optional<DataFix> fix = fixFor(*found, data.spec);
        QVERIFY(fix.has_value());
        const OpenedData mended =
            openData(withOption(data.spec, fix->option, fix->value), {}, files);
        for (const Finding& finding : checkOpenedData(mended)) QVERIFY(finding.code != "D109");
    }

    void balancedWeightsAreThoseOfScikitLearn() {
        // compute_class_weight("balanced", classes=[0, 1, 2], y=[0]*6 + [1]*3 + [2]*1)
        const std::vector<double> weights = balancedClassWeights({6, 3, 1});
        const double expected[] = {0.5555555555555556, 1.1111111111111112, 3.3333333333333335};
        for (size_t i = 0; i < 3; ++i) QVERIFY(std::abs(weights[i] - expected[i]) < 1e-12);
    }
};

QTEST_APPLESS_MAIN(DataHealthTest)
#include "data_health_test.moc"

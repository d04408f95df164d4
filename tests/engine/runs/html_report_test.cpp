// SPDX-License-Identifier: Apache-2.0
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <cmath>
#include <filesystem>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/runs/html_report.h"
#include "engine/runs/svg_chart.h"

namespace temper::test {

RunRecord sampleRecord(int steps) {
    RunRecord record;
    record.settings = {
        "Digits & <letters>", "temper train 'a' --data \"b\"", {{"loss", "mse"}}, {}};
    record.add({0, StartedEvent{.trainSamples = 1000, .stepsPerEpoch = 10, .parameters = 42}});
    for (int i = 1; i <= steps; ++i) {
        record.add(
            {0.1 * i,
             StepEvent{.step = i, .loss = 1.0 / i, .learningRate = 0.01, .arenaBytes = 3 << 20}});
    }
    auto confusion = std::make_shared<ConfusionMatrix>();
    confusion->classes = {"<one>", "two"};
    confusion->counts = {900, 12, 34, 870};
    record.add({1, EvalEvent{steps, 1, 0.25, {{"accuracy", 0.96875}}, 1816, confusion}});
    record.add({2, EndEvent{.outcome = RunOutcome::Finished, .step = steps, .seconds = 3725}});
    return record;
}

QStringList svgElements(const QString& html) {
    QStringList result;
    const QRegularExpression svg("<svg.*?</svg>", QRegularExpression::DotMatchesEverythingOption);
    for (auto match = svg.globalMatch(html); match.hasNext();) result << match.next().captured();
    return result;
}

class HtmlReportTest : public QObject {
    Q_OBJECT

private slots:
    void saysWhatTheRunWas();
    void textIsEscaped();
    void needsNothingElse();
    void chartsAreWellFormedXml();
    void longSeriesAreThinnedAndKeepTheirPeak();
    void pointsThatAreNotFiniteBreakTheLine();
    void anEmptyRunGivesAPage();
    void aFailedRunSaysWhy();
    void ticksAreRoundNumbers_data();
    void ticksAreRoundNumbers();
    void isWrittenToAFile();
    void allOfItIsInTheLanguage();
    void englishIsUnchanged();
};

/// The texts between the tags, without style sheet and script.
static QStringList shownTexts(QString html) {
    for (const char* part : {"<style>.*?</style>", "<pre>.*?</pre>", "<head>"})
        html.remove(QRegularExpression(part, QRegularExpression::DotMatchesEverythingOption));
    QStringList texts;
    for (const QString& text : html.split(QRegularExpression("<[^>]*>")))
        if (!text.trimmed().isEmpty()) texts << text.trimmed();
    return texts;
}

/// A language that puts each of its texts in brackets and uses decimal commas.
void HtmlReportTest::allOfItIsInTheLanguage() {
    RunRecord record = sampleRecord(30);
    record.add({1.5, WarningEvent{.step = 3, .message = "GIVEN.", .hint = "GIVEN."}});
    record.add({1.6, CheckpointEvent{4, "best", "GIVEN"}});
    record.settings.title.clear();
    record.settings.choices = {{"batch size", "GIVEN"}, {"GIVEN", "0.125 GIVEN"}};
    record.settings.environment = {{"threads", "GIVEN"}};
    const ReportLanguage language{
        "xx", ',', [](std::string_view english) { return "[" + std::string(english) + "]"; }};
    const QString html = QString::fromStdString(htmlReport(record, language));
    QVERIFY(html.contains("<html lang=\"xx\">"));
    static const QRegularExpression letters("[A-Za-z]{2,}"), point("\\d\\.\\d"),
        inside("\\[[^\\[\\]]*\\]");
    const QStringList given{"accuracy", "one", "two", "GIVEN", "lt", "gt", "MiB"};
    int translated = 0;
    for (const QString& text : shownTexts(html)) {
        if (!text.contains("GIVEN")) QVERIFY2(!text.contains(point), qPrintable(text));
        translated += text.contains('[');
        QString rest = text;
        while (rest.contains(inside)) rest.remove(inside);
        for (auto word = letters.globalMatch(rest); word.hasNext();) {
            const QString found = word.next().captured();
            // Sentences are split at bold numbers: their brackets are then in two pieces.
            const bool isPiece = text.count('[') != text.count(']');
            QVERIFY2(isPiece || given.contains(found), qPrintable(text));
        }
    }
    QVERIFY2(translated > 30, qPrintable(QString::number(translated)));
    QVERIFY(html.contains("rgba(var(--heat), 0."));  // style sheets have decimal points
    QVERIFY(html.contains("0,96875"));
}

void HtmlReportTest::englishIsUnchanged() {
    const ReportLanguage same{"en", '.',
                              [](std::string_view english) { return std::string(english); }};
    QVERIFY(htmlReport(sampleRecord(30), same) == htmlReport(sampleRecord(30)));
}

void HtmlReportTest::saysWhatTheRunWas() {
    const QString html = QString::fromStdString(htmlReport(sampleRecord(30)));
    QVERIFY(html.contains("3 MiB"));
    QVERIFY(html.contains("Run finished after 30 steps, 1 h 02 min 05 s."));
    QVERIFY(html.contains("Best accuracy: <b>0.96875</b> at step 30."));
    QVERIFY(html.contains(">870</td>"));
    QVERIFY(html.contains("<th>loss</th><td>mse</td>"));
    for (const char* title : {"Loss", "Metrics", "Learning rate", "Confusion matrix"}) {
        QVERIFY2(html.contains(QString("<h2>%1</h2>").arg(title)), title);
    }
}

void HtmlReportTest::textIsEscaped() {
    const QString html = QString::fromStdString(htmlReport(sampleRecord(3)));
    QVERIFY(html.contains("<h1>Digits &amp; &lt;letters&gt;</h1>"));
    QVERIFY(html.contains("&lt;one&gt;"));
    QVERIFY(!html.contains("<one>"));
    QVERIFY(html.contains("<pre>temper train &#39;a&#39; --data &quot;b&quot;</pre>"));
}

void HtmlReportTest::needsNothingElse() {
    const QString html = QString::fromStdString(htmlReport(sampleRecord(3)));
    QVERIFY(!html.contains("http"));
    QVERIFY(!html.contains("<script"));
    QVERIFY(!html.contains("src="));
    QVERIFY(html.contains("prefers-color-scheme: dark"));
}

void HtmlReportTest::chartsAreWellFormedXml() {
    const QStringList charts = svgElements(QString::fromStdString(htmlReport(sampleRecord(100))));
    QCOMPARE(charts.size(), 4);
    for (const QString& chart : charts) {
        QXmlStreamReader reader(chart);
        int lines = 0;
        while (!reader.atEnd()) {
            reader.readNext();
            if (reader.isStartElement() && reader.name() == QLatin1String("path")) ++lines;
        }
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
        QVERIFY(lines >= 1);
    }
}

void HtmlReportTest::longSeriesAreThinnedAndKeepTheirPeak() {
    ChartSeries series{"loss", {}};
    for (int i = 0; i < 100'000; ++i) series.points.push_back({double(i), 0.0});
    series.points[77'777].y = 1.0;
    const QString svg = QString::fromStdString(svgLineChart("t", "x", {series}));
    QVERIFY(svg.size() < 60'000);
    // The greatest value is at the top of the plot.
    QVERIFY(QRegularExpression("L[0-9.]+ 12\\.0").match(svg).hasMatch());
}

void HtmlReportTest::pointsThatAreNotFiniteBreakTheLine() {
    const ChartSeries series{"loss", {{1, 1}, {2, 2}, {3, std::nan("")}, {4, INFINITY}, {5, 1}}};
    const QString svg = QString::fromStdString(svgLineChart("t", "x", {series}));
    const QString path = QRegularExpression("d=\"([^\"]*)\"").match(svg).captured(1);
    QCOMPARE(path.count('M'), 2);
    QCOMPARE(path.count('L'), 1);
    QVERIFY(!svg.contains("nan") && !svg.contains("inf"));
}

void HtmlReportTest::anEmptyRunGivesAPage() {
    const QString html = QString::fromStdString(htmlReport({}));
    QVERIFY(html.contains("The run has not ended."));
    QVERIFY(svgElements(html).isEmpty());
}

void HtmlReportTest::aFailedRunSaysWhy() {
    RunRecord record;
    record.add({1, EndEvent{RunOutcome::Failed, 7, 1, "Loss is NaN.", "Lower the rate.", "n"}});
    const QString html = QString::fromStdString(htmlReport(record));
    QVERIFY(html.contains("Run failed after 7 steps, 1.0 s. Loss is NaN. Lower the rate."));
}

void HtmlReportTest::ticksAreRoundNumbers_data() {
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::addColumn<QList<double>>("expected");
    QTest::newRow("unit") << 0.0 << 1.0 << QList<double>{0, 0.2, 0.4, 0.6, 0.8, 1};
    QTest::newRow("steps") << 3.0 << 100.0 << QList<double>{20, 40, 60, 80, 100};
    QTest::newRow("negative") << -7.0 << 2.0 << QList<double>{-6, -4, -2, 0, 2};
    QTest::newRow("empty") << 1.0 << 1.0 << QList<double>{};
}

void HtmlReportTest::ticksAreRoundNumbers() {
    QFETCH(double, low);
    QFETCH(double, high);
    QFETCH(QList<double>, expected);
    const std::vector<double> ticks = niceTicks(low, high, 5);
    QCOMPARE(qsizetype(ticks.size()), expected.size());
    for (size_t i = 0; i < ticks.size(); ++i) {
        QVERIFY(std::abs(ticks[i] - expected[qsizetype(i)]) < 1e-9);
    }
}

void HtmlReportTest::isWrittenToAFile() {
    const QTemporaryDir dir;
    const std::filesystem::path path = dir.filePath("report.html").toStdString();
    writeHtmlReport(sampleRecord(3), path);
    QVERIFY(readFile(path) == htmlReport(sampleRecord(3)));
    QVERIFY_EXCEPTION_THROWN(writeHtmlReport({}, path / "below"), Error);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::HtmlReportTest)
#include "html_report_test.moc"

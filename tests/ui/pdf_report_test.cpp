// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <thread>

#include "engine/core/error.h"
#include "engine/core/lower_case.h"
#include "engine/training/spec/artifact_choices.h"
#include "engine/training/spec/run_settings.h"
#include "tests/ui/window_driver.h"
#include "ui/run/pdf_report.h"
#include "ui/translation/engine_texts.h"
#include "ui/translation/languages.h"

using namespace temper;
using namespace temper::ui;

namespace {

RunRecord recordOf(int steps) {
    RunRecord record;
    record.settings = {
        "Digits & <letters>", "temper train 'a' --data \"b\"", {{"loss", "mse"}}, {}};
    record.add({0, StartedEvent{.trainSamples = 1000, .stepsPerEpoch = 10, .parameters = 42}});
    for (int i = 1; i <= steps; ++i)
        record.add({0.1 * i, StepEvent{.step = i, .loss = 1.0 / i, .learningRate = 0.01}});
    auto confusion = std::make_shared<ConfusionMatrix>();
    confusion->classes = {"<one>", "two"};
    confusion->counts = {900, 12, 34, 870};
    record.add({1, EvalEvent{steps, 1, 0.25, {{"accuracy", 0.96875}}, 1816, confusion}});
    record.add({2, EndEvent{.outcome = RunOutcome::Finished, .step = steps, .seconds = 3725}});
    return record;
}

/// The output of a program of Poppler for the file; independent PDF readers.
QByteArray askPoppler(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.start(program, arguments);
    return process.waitForFinished(60'000) ? process.readAllStandardOutput() : QByteArray();
}

bool hasColor(const QImage& page, QColor wanted) {
    for (int y = 0; y < page.height(); ++y)
        for (int x = 0; x < page.width(); ++x) {
            const QColor found = page.pixelColor(x, y);
            if (std::abs(found.red() - wanted.red()) < 8 &&
                std::abs(found.green() - wanted.green()) < 8 &&
                std::abs(found.blue() - wanted.blue()) < 8)
                return true;
        }
    return false;
}

}  // namespace

/// Reports on paper, as PDF readers see them.
class PdfReportTest : public QObject {
    Q_OBJECT

private slots:
    void theTextIsThatOfThePage() {
        if (QStandardPaths::findExecutable("pdftotext").isEmpty()) QSKIP("no poppler-utils here");
        // Fonts may use a ligature for f and i.
        const QString text =
            QString::fromUtf8(
                askPoppler("pdftotext", {"-layout", written(recordOf(300), "run.pdf"), "-"}))
                .normalized(QString::NormalizationForm_KC);
        for (const char* part :
             {"Digits & <letters>", "Run finished after 300 steps, 1 h 02 min 05 s.",
              "Best accuracy: 0.96875 at step 300.", "■ training, smoothed", "Learning rate",
              "Confusion matrix", "870", "To reproduce it", "temper train 'a' --data \"b\"",
              "\fLearning rate"})  // would be at the end of the page without its curve
            QVERIFY2(text.contains(part), qPrintable(QString(part) + " is not in\n" + text));
        QVERIFY(!text.contains(QChar(0xE000)));
        QVERIFY(!text.contains("var(--"));
        const QByteArray about = askPoppler("pdfinfo", {folder_.filePath("run.pdf")});
        QVERIFY2(about.contains("Title:           Digits & <letters>"), about.constData());
        QVERIFY2(about.contains("(A4)"), about.constData());
    }

    void dataIsShownInWords() {
        RunRecord record = recordOf(3);
        record.settings.choices.emplace_back("data", "npz:/home/a/wake.npz?seed=5&split=0.8");
        const QString path = folder_.filePath("words.html");
        writeReport(record, path.toStdString());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString page = QString::fromUtf8(file.readAll());
        QVERIFY2(page.contains("wake.npz, 80 % to train"), qPrintable(page));
        QVERIFY(!page.contains("split=0.8"));
    }

    /// Each save of a run replaces the last one.
    void aCheckpointIsListedOnce() {
        if (QStandardPaths::findExecutable("pdftoppm").isEmpty()) QSKIP("no poppler-utils here");
        RunRecord record = recordOf(300);
        for (const int64_t step : {100, 200, 300})
            record.add({3, CheckpointEvent{step, "last", "runs/0001/last.ckpt"}});
        const QString pdf = written(record, "checkpoints.pdf");
        QCOMPARE(askPoppler("pdftotext", {pdf, "-"}).count("last.ckpt"), 1);
        // Which page it is on depends on the fonts of the machine.
        const auto hasIt = [&pdf](int page) {
            const QString number = QString::number(page);
            return askPoppler("pdftotext", {"-f", number, "-l", number, pdf, "-"})
                .contains("last.ckpt");
        };
        int page = 1;
        while (page < 10 && !hasIt(page)) ++page;
        const QString file = folder_.filePath("checkpoints");
        askPoppler("pdftoppm",
                   {"-r", "100", "-png", "-f", QString::number(page), "-singlefile", pdf, file});
        QVERIFY(QImage(file + ".png").save(pictureFile("fault-16-report")));
    }

    void curvesAndShadesAreDrawn() {
        if (QStandardPaths::findExecutable("pdftoppm").isEmpty()) QSKIP("no poppler-utils here");
        const QString pdf = written(recordOf(300), "run.pdf");
        const QString page = folder_.filePath("page");
        askPoppler("pdftoppm", {"-r", "100", "-png", "-f", "1", "-l", "1", pdf, page});
        const QImage first(page + "-1.png");
        QVERIFY(!first.isNull());
        // Nothing is wider than the space between the margins.
        for (int y = 0; y < first.height(); ++y) {
            QCOMPARE(first.pixelColor(40, y), QColor(Qt::white));
            QCOMPARE(first.pixelColor(first.width() - 40, y), QColor(Qt::white));
        }
        for (const char* color : {"#2070c0", "#2a8a4a", "#dde2e6"})  // lines of curves, grid
            QVERIFY2(hasColor(first, QColor(color)), color);
        QCOMPARE(first.pixelColor(3, 3), QColor(Qt::white));
    }

    void anEmptyAndALongRunArePages_data() {
        QTest::addColumn<int>("steps");
        QTest::newRow("empty") << 0;
        QTest::newRow("100,000 steps") << 100'000;
    }
    void anEmptyAndALongRunArePages() {
        QFETCH(int, steps);
        const QByteArray pdf = pdfReport(steps == 0 ? RunRecord() : recordOf(steps));
        QVERIFY(pdf.startsWith("%PDF-"));
        QVERIFY(pdf.trimmed().endsWith("%%EOF"));
        QVERIFY2(pdf.size() < 500'000, qPrintable(QString::number(pdf.size())));
    }

    void anyThreadWritesIt() {
        QByteArray pdf;
        std::thread([&pdf] { pdf = pdfReport(recordOf(30)); }).join();
        QVERIFY(pdf.startsWith("%PDF-"));
    }

    void itIsInTheLanguageOfTheWindow() {
        installLanguage(*qApp, "de");
        QFile page(written(recordOf(30), "lauf.html"));
        installLanguage(*qApp, QString());
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QString html = QString::fromUtf8(page.readAll());
        for (const char* part : {"<html lang=\"de\">", "Lauf nach 30 Schritten beendet",
                                 "<b>0,96875</b>", "Lernrate", "Konfusionsmatrix"})
            QVERIFY2(html.contains(part), part);
        for (const char* part : {"Learning", "step", "Best ", "Sizes"})
            QVERIFY2(!html.contains(part), part);
    }

    void choicesHaveTheLabelsOfTheirForms_data() {
        QTest::addColumn<QString>("label");
        const auto row = [](const std::string& label) {
            QTest::newRow(label.c_str()) << QString::fromStdString(label);
        };
        for (const ArtifactChoice& choice : artifactChoices()) row(choice.label);
        for (const Setting<RunSpec>& setting : runSettings()) row(setting.label);
    }
    void choicesHaveTheLabelsOfTheirForms() {
        QFETCH(QString, label);
        const std::string small = withSmallFirst(label.toStdString());
        RunRecord record;
        record.settings.choices = {{small, "GIVEN"}};
        const auto labelIn = [&](const char* language) {
            installLanguage(*qApp, language);
            QFile page(written(record, "labels.html"));
            installLanguage(*qApp, QString());
            if (!page.open(QIODevice::ReadOnly)) return QString();
            const QString html = QString::fromUtf8(page.readAll());
            static const QRegularExpression cell("<th>([^<]*)</th><td>");
            return cell.match(html).captured(1);
        };
        QCOMPARE(labelIn("en"), QString::fromStdString(small));
        installLanguage(*qApp, "de");
        const QString german = engineText(label.toStdString());
        installLanguage(*qApp, QString());
        QVERIFY2(german != label || label == "Threads", "it has no translation");
        // The report itself may have it, with a small letter.
        QCOMPARE(labelIn("de").toLower(), german.toLower());
    }

    void theEndingChoosesTheFormat() {
        QFile page(written(recordOf(3), "run.html"));
        QVERIFY(page.open(QIODevice::ReadOnly));
        QVERIFY(page.readAll().startsWith("<!DOCTYPE html>"));
        QFile pdf(written(recordOf(3), "run.pdf"));
        QVERIFY(pdf.open(QIODevice::ReadOnly));
        QVERIFY(pdf.readAll().startsWith("%PDF-"));
        QVERIFY_EXCEPTION_THROWN(writeReport(recordOf(3), "/nowhere/at/all/run.pdf"), Error);
    }

private:
    QString written(const RunRecord& record, const QString& name) {
        const QString path = folder_.filePath(name);
        writeReport(record, path.toStdString());
        return path;
    }

    QTemporaryDir folder_;
};

QTEST_MAIN(PdfReportTest)
#include "pdf_report_test.moc"

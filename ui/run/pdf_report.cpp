// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/pdf_report.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QColor>
#include <QHash>
#include <QLocale>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSvgRenderer>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextObjectInterface>

#include "engine/core/file.h"
#include "engine/runs/html_report.h"
#include "ui/document/data_text.h"
#include "ui/messages/problem.h"
#include "ui/translation/engine_texts.h"

namespace temper::ui {
namespace {

constexpr int kDotsPerInch = 300;
constexpr double kFooterInches = 0.4;  ///< for the page number
constexpr int kChartObject = QTextFormat::UserObject + 1;
constexpr int kChartIndex = QTextFormat::UserProperty + 1;
/// Placeholder for a chart; from the private use area, so that no text contains it.
constexpr QChar kChartMark(0xE000);

/// Qt's rich text supports less of style sheets than browsers do.
constexpr auto kStyle = R"(
body { font-size: 9pt; } h1 { font-size: 17pt; } h2 { font-size: 12pt; margin-top: 14px; }
.faint { color: #667079; } .failed { color: #b03050; }
th, td { padding: 2px 8px; text-align: left; vertical-align: middle; }
pre { font-size: 8pt; white-space: pre-wrap; background-color: #f5f7f8; }
)";

/// Draws the charts of a document, each as wide as the page's text.
class ChartPainter : public QObject, public QTextObjectInterface {
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)

public:
    explicit ChartPainter(const QList<QByteArray>& charts) {
        for (const QByteArray& chart : charts) {
            auto* renderer = new QSvgRenderer(chart, this);
            renderers_ << renderer;
        }
    }

    QSizeF intrinsicSize(QTextDocument* document, int, const QTextFormat& format) override {
        const double width = document->pageSize().width();
        const QSizeF drawn = chartOf(format)->viewBoxF().size();
        return {width, width * drawn.height() / drawn.width()};
    }

    void drawObject(QPainter* painter, const QRectF& place, QTextDocument*, int,
                    const QTextFormat& format) override {
        chartOf(format)->render(painter, place);
    }

private:
    QSvgRenderer* chartOf(const QTextFormat& format) const {
        return renderers_[format.property(kChartIndex).toInt()];
    }

    QList<QSvgRenderer*> renderers_;
};

/// The light colours in the page's style sheet, by name: {"s0", "#2070c0"}.
QHash<QString, QString> namedColors(const QString& html) {
    static const QRegularExpression light(QStringLiteral(":root \\{(.*?)\\}"),
                                          QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression name(QStringLiteral("--(\\w+): ([^;]+);"));
    QHash<QString, QString> colors;
    auto found = name.globalMatch(light.match(html).captured(1));
    while (found.hasNext()) {
        const QRegularExpressionMatch each = found.next();
        colors[each.captured(1)] = each.captured(2);
    }
    return colors;
}

/// `over` with opacity `alpha` on white paper.
QString onPaper(const QColor& over, double alpha) {
    const auto mix = [alpha](int channel) {
        return qRound(255 + (channel - 255) * std::clamp(alpha, 0.0, 1.0));
    };
    return QColor(mix(over.red()), mix(over.green()), mix(over.blue())).name();
}

/// Replaces each match by the result of `make`.
template <typename Make>
void replaceEach(QString& text, const QString& pattern, Make make) {
    const QRegularExpression wanted(pattern, QRegularExpression::DotMatchesEverythingOption);
    QString result;
    qsizetype last = 0;
    auto found = wanted.globalMatch(text);
    while (found.hasNext()) {
        const QRegularExpressionMatch each = found.next();
        result += QStringView(text).mid(last, each.capturedStart() - last);
        result += make(each);
        last = each.capturedEnd();
    }
    result += QStringView(text).mid(last);
    text = result;
}

/// The page as supported by Qt's rich text, with a mark instead of each chart.
struct PaperPage {
    QString html;
    QList<QByteArray> charts;
};

PaperPage paperPage(QString html) {
    html.remove(kChartMark);
    const QHash<QString, QString> colors = namedColors(html);
    replaceEach(html, QStringLiteral("var\\(--(\\w+)\\)"),
                [&](const auto& match) { return colors.value(match.captured(1)); });
    QString sheet;
    replaceEach(html, QStringLiteral("<style>(.*?)</style>"), [&](const auto& match) {
        sheet = match.captured(1);
        return QStringLiteral("<style>%1</style>").arg(QLatin1String(kStyle));
    });
    replaceEach(sheet, QStringLiteral("(:root|@media)[^\\n]*\\n(  [^\\n]*\\n)*"),
                [](const auto&) { return QString(); });
    PaperPage page;
    replaceEach(html, QStringLiteral("<svg(.*?>)(.*?</svg>)"), [&](const auto& match) {
        page.charts << QStringLiteral(
                           "<svg xmlns=\"http://www.w3.org/2000/svg\"%1<style>%2"
                           "</style>%3")
                           .arg(match.captured(1), sheet, match.captured(2))
                           .toUtf8();
        return QStringLiteral("<p>%1%2%1</p>").arg(kChartMark).arg(page.charts.size() - 1);
    });
    replaceEach(html, QStringLiteral("<i class=\"series-(\\d)\"></i>"), [&](const auto& match) {
        return QStringLiteral("<span style=\"color:%1\">■</span>&nbsp;")
            .arg(colors.value(QLatin1Char('s') + match.captured(1)));
    });
    html.replace(QLatin1String("</span><span>"), QLatin1String("</span>&nbsp;&nbsp; <span>"));
    replaceEach(
        html, QStringLiteral("rgba\\((\\d+), (\\d+), (\\d+), ([^)]*)\\)"), [](const auto& match) {
            return onPaper(
                {match.captured(1).toInt(), match.captured(2).toInt(), match.captured(3).toInt()},
                match.captured(4).toDouble());
        });
    html.replace(QLatin1String("style=\"background: #"),
                 QLatin1String("align=\"right\" bgcolor=\"#"));
    html.replace(QLatin1String(" class=\"number\""), QLatin1String(" align=\"right\""));
    html.replace(QLatin1String("<table"), QLatin1String("<table cellspacing=\"0\""));
    page.html = html;
    return page;
}

void insertCharts(QTextDocument& document, qsizetype count) {
    for (qsizetype i = 0; i < count; ++i) {
        QTextCursor place =
            document.find(QStringLiteral("%1%2%1").arg(kChartMark).arg(i), QTextCursor());
        QTextCharFormat format;
        format.setObjectType(kChartObject);
        format.setProperty(kChartIndex, static_cast<int>(i));
        place.insertText(QString(QChar::ObjectReplacementCharacter), format);
    }
}

/// Keeps a heading on the same page as its content: a legend and a chart, or the first row of a
/// table.
void keepHeadingsWithContent(QTextDocument& document) {
    const double height = document.pageSize().height();
    const auto pageOf = [&](double y) { return static_cast<int>(y / height); };
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() != 2) continue;
        QTextBlock content = block.next();
        if (content.next().text().contains(QChar::ObjectReplacementCharacter))
            content = content.next();
        const auto* layout = document.documentLayout();
        const double top = layout->blockBoundingRect(block).top();
        if (pageOf(layout->blockBoundingRect(content).bottom() - 1) == pageOf(top)) continue;
        QTextBlockFormat format = block.blockFormat();
        format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
        QTextCursor(block).setBlockFormat(format);
    }
}

void paint(QTextDocument& document, QPdfWriter& writer) {
    const QSizeF size = document.pageSize();
    QPainter painter(&writer);
    for (int page = 0; page < document.pageCount(); ++page) {
        if (page > 0) writer.newPage();
        painter.save();
        painter.translate(0, -page * size.height());
        document.drawContents(&painter, QRectF(QPointF(0, page * size.height()), size));
        painter.restore();
        painter.drawText(QRectF(0, size.height(), size.width(), writer.height() - size.height()),
                         Qt::AlignRight | Qt::AlignBottom, QString::number(page + 1));
    }
}

}  // namespace

ReportLanguage reportLanguage() {
    const QLocale locale;
    const QString point = locale.decimalPoint();
    return {locale.bcp47Name().toStdString(), point.isEmpty() ? '.' : point[0].toLatin1(),
            [](std::string_view english) { return engineText(english).toStdString(); }};
}

/// Data by its name; the command to reproduce the run has the specification.
static RunRecord withDataInWords(RunRecord record) {
    for (auto& [label, value] : record.settings.choices)
        if (label == "data" || label == "evaluation data") value = dataText(value).toStdString();
    return record;
}

QByteArray pdfReport(const RunRecord& record) {
    const PaperPage page = paperPage(text(htmlReport(withDataInWords(record), reportLanguage())));
    ChartPainter painter(page.charts);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setResolution(kDotsPerInch);
    writer.setPageMargins(QMarginsF(20, 18, 20, 12), QPageLayout::Millimeter);
    writer.setCreator(QStringLiteral("Temper"));
    QTextDocument document;
    document.documentLayout()->setPaintDevice(&writer);
    document.documentLayout()->registerHandler(kChartObject, &painter);
    document.setDocumentMargin(0);
    document.setHtml(page.html);
    insertCharts(document, page.charts.size());
    const double footer = kFooterInches * kDotsPerInch;
    document.setPageSize(QSizeF(writer.width(), writer.height() - footer));
    keepHeadingsWithContent(document);
    writer.setTitle(document.metaInformation(QTextDocument::DocumentTitle));
    paint(document, writer);
    return bytes;
}

void writeReport(const RunRecord& record, const std::filesystem::path& path) {
    if (path.extension() != ".pdf")
        return writeHtmlReport(withDataInWords(record), path, reportLanguage());
    writeFileAtomically(path, pdfReport(record).toStdString());
}

}  // namespace temper::ui

#include "pdf_report.moc"

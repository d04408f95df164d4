// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/name_elision.h"

#include <QHeaderView>
#include <QPaintEngine>
#include <QStandardItemModel>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <cmath>

#include "ui/docks/runs/parallel_view.h"
#include "ui/docks/runs/run_table_model.h"
#include "ui/graph_view/breadcrumb.h"
#include "ui/widgets/narrow_combo.h"
#include "ui/widgets/page.h"

using namespace temper;
using namespace temper::ui;

namespace {

/// Takes the texts that are painted on it, and nothing else.
class TextRecorder : public QPaintEngine {
public:
    TextRecorder() : QPaintEngine(AllFeatures) {}

    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    void updateState(const QPaintEngineState&) override {}
    void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
    void drawPath(const QPainterPath&) override {}
    void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
    Type type() const override { return User; }
    /// A line of text may arrive in parts.
    void drawTextItem(const QPointF& at, const QTextItem& item) override {
        const bool isSameLine = !lines.isEmpty() && std::abs(y_ - at.y()) < 1;
        y_ = at.y();
        if (isSameLine)
            lines.last() += item.text();
        else
            lines << item.text();
    }

    QStringList lines;

private:
    double y_ = 0;
};

class TextDevice : public QPaintDevice {
public:
    explicit TextDevice(QSize size) : size_(size) {}

    QPaintEngine* paintEngine() const override { return &engine_; }
    QStringList texts() const { return engine_.lines; }

protected:
    int metric(PaintDeviceMetric metric) const override {
        switch (metric) {
            case PdmWidth: return size_.width();
            case PdmHeight: return size_.height();
            case PdmDpiX:
            case PdmDpiY:
            case PdmPhysicalDpiX:
            case PdmPhysicalDpiY: return 96;
            case PdmDepth: return 32;
            default: return QPaintDevice::metric(metric);
        }
    }

private:
    QSize size_;
    mutable TextRecorder engine_;
};

QStringList paintedTexts(QWidget& widget) {
    TextDevice device(widget.size());
    widget.render(&device);
    return device.texts();
}

const QStringList kNames{"/model/encoder/layers.0/self_attn/q_proj/MatMul_output_0",
                         "/model/encoder/layers.0/self_attn/k_proj/MatMul_output_0"};

/// In a width for about 30 letters, both last parts are seen.
void requireLastParts(const QStringList& painted) {
    const auto shown = [&](const char* end) {
        return std::ranges::count_if(painted, [&](const QString& text) {
            return text.startsWith(QChar(0x2026)) && text.endsWith(end);
        });
    };
    QVERIFY2(shown("q_proj/MatMul_output_0") == 1, qPrintable(painted.join('\n')));
    QVERIFY2(shown("k_proj/MatMul_output_0") == 1, qPrintable(painted.join('\n')));
}

}  // namespace

/// Where names that are too long are cut.
class NameElisionTest : public QObject {
    Q_OBJECT

private slots:
    void namesInAListAreCutWhereTheyAreAlike_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("other");
        QTest::addColumn<Qt::TextElideMode>("mode");
        QTest::newRow("layers") << kNames[0] << kNames[1] << Qt::ElideLeft;
        QTest::newRow("modules") << "encoder.layer.0.weight"
                                 << "encoder.layer.0.bias" << Qt::ElideLeft;
        QTest::newRow("files") << "pictures/cats/1.png"
                               << "pictures/cats/2.png" << Qt::ElideLeft;
        QTest::newRow("short scopes") << "conv1.weight"
                                      << "conv1.bias" << Qt::ElideMiddle;
        QTest::newRow("different scopes") << "encoder.layer.0.weight"
                                          << "decoder.layer.0.weight" << Qt::ElideMiddle;
        QTest::newRow("the same name") << kNames[0] << kNames[0] << Qt::ElideMiddle;
        QTest::newRow("numbers") << "0.123456789"
                                 << "0.123456780" << Qt::ElideMiddle;
        QTest::newRow("sentences") << "The node /model/encoder/a"
                                   << "The node /model/encoder/b" << Qt::ElideMiddle;
        QTest::newRow("nothing above") << kNames[0] << "" << Qt::ElideMiddle;
    }
    void namesInAListAreCutWhereTheyAreAlike() {
        QFETCH(QString, name);
        QFETCH(QString, other);
        QFETCH(Qt::TextElideMode, mode);
        QCOMPARE(elideModeOf(name, {QString(), other}), mode);
        QCOMPARE(elideModeOf(other, {name}), mode);
    }

    void aNameOnItsOwnIsCutBeforeItsLastPart() {
        QCOMPARE(elideModeOf(kNames[0]), Qt::ElideLeft);
        QCOMPARE(elideModeOf("conv1.weight"), Qt::ElideMiddle);
        QCOMPARE(elideModeOf("0.000012345"), Qt::ElideMiddle);
        QCOMPARE(elideModeOf("Reads /model/encoder/a"), Qt::ElideMiddle);
        QCOMPARE(elideModeOf(QString()), Qt::ElideMiddle);
    }

    void cellsShowWhereNamesDiffer() {
        QStandardItemModel model(0, 1);
        for (const QString& name : kNames) model.appendRow(new QStandardItem(name));
        QTableView* table = makeTable(&model, nullptr);
        const std::unique_ptr<QTableView> owner(table);
        table->horizontalHeader()->hide();
        const int letter = table->fontMetrics().averageCharWidth();
        table->resize(40 * letter, 200);
        table->setColumnWidth(0, 34 * letter);
        requireLastParts(paintedTexts(*table));
        if (QTest::currentTestFailed()) return;
        QTreeView tree;
        tree.setModel(&model);
        tree.setItemDelegate(new ElidingDelegate(&tree));
        tree.setHeaderHidden(true);
        tree.resize(40 * letter, 200);
        requireLastParts(paintedTexts(tree));
    }

    void boxesAndCrumbsDoTheSame() {
        NarrowCombo box;
        box.addItems(kNames);
        const int letter = box.fontMetrics().averageCharWidth();
        box.resize(40 * letter, box.sizeHint().height());
        QStringList painted = paintedTexts(box);
        box.setCurrentIndex(1);
        painted << paintedTexts(box);
        requireLastParts(painted);
        if (QTest::currentTestFailed()) return;
        Breadcrumb crumbs;
        crumbs.setPath({{kNames[0], 0}, {kNames[1], 1}});
        const auto buttons = crumbs.findChildren<QToolButton*>();
        QCOMPARE(buttons.size(), 2);
        QVERIFY(buttons[0]->text() != buttons[1]->text() || buttons[0]->text().size() < 24);
        for (const QToolButton* button : buttons)
            QVERIFY2(button->text().startsWith(QChar(0x2026)) &&
                         button->text().endsWith("MatMul_output_0"),
                     qPrintable(button->text()));
    }

    void parallelAxesDoTheSame_data() {
        QTest::addColumn<QStringList>("runs");
        QTest::addColumn<QStringList>("metrics");
        const QStringList shortNames{"a", "b"};
        const QStringList longNames{"encoder/layers/attention/projection-a",
                                    "encoder/layers/attention/projection-b"};
        QTest::newRow("runs") << longNames << shortNames;
        QTest::newRow("axes") << shortNames << longNames;
    }
    void parallelAxesDoTheSame() {
        QFETCH(QStringList, runs);
        QFETCH(QStringList, metrics);
        RunTableModel model;
        model.setTable(makeRunTable(runsOf(runs, metrics), {}));
        QCOMPARE(model.rowCount(), 2);
        ParallelView view(model);
        view.resize(900, 300);
        view.refresh();
        QCOMPARE(view.axes().size(), size_t{2});
        view.setSelected({0, 1});
        const QStringList painted = paintedTexts(view);
        for (const char* end : {"-a", "-b"})
            QVERIFY2(std::ranges::count_if(painted,
                                           [&](const QString& text) {
                                               return text.startsWith(QChar(0x2026)) &&
                                                      text.endsWith(end);
                                           }) == 1,
                     qPrintable(painted.join('\n')));
    }

private:
    /// Two runs with these names; the second one is higher on each axis.
    static std::shared_ptr<const std::vector<StoredRun>> runsOf(const QStringList& names,
                                                                const QStringList& metrics) {
        auto runs = std::make_shared<std::vector<StoredRun>>();
        for (const QString& name : names) {
            StoredRun run;
            run.id = static_cast<int64_t>(runs->size()) + 1;
            run.name = name.toStdString();
            for (const QString& metric : metrics) {
                MetricSummary summary;
                summary.name = metric.toStdString();
                summary.last = summary.minimum = summary.maximum = static_cast<double>(run.id);
                summary.count = 1;
                run.metrics.push_back(summary);
            }
            runs->push_back(run);
        }
        return runs;
    }
};

QTEST_MAIN(NameElisionTest)
#include "name_elision_test.moc"

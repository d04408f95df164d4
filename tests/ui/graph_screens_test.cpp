// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QTest>

#include "tests/ui/window_driver.h"
#include "ui/graph_view/graph_pane.h"
#include "ui/graph_view/search_bar.h"
#include "ui/panels/model/model_panel.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

QString screensFolder() {
    const QString folder =
        qEnvironmentVariable("TEMPER_SCREENS", QStringLiteral(TEMPER_BINARY_DIR "/screens"));
    QDir().mkpath(folder);
    return folder;
}

}  // namespace

/// Pictures of the graph view in its states, for people to look at.
class GraphScreensTest : public QObject {
    Q_OBJECT

private slots:
    void theGraphIsPainted_data() {
        QTest::addColumn<QString>("model");
        for (const char* model : {"transformer", "resnet", "mobilenet", "gru", "unet"})
            QTest::newRow(model) << QString(model);
    }
    void theGraphIsPainted() {
        QFETCH(QString, model);
        const QString path =
            QStringLiteral(TEMPER_SHARED_DIR "/conformance/torch/%1/model.onnx").arg(model);
        if (!QFile::exists(path)) QSKIP("the shared test data is absent");
        WindowDriver driver;
        auto& panel = *qobject_cast<ModelPanel*>(driver.window().page(QStringLiteral("model")));
        GraphPane& pane = *panel.graph();
        driver.window().openPath(path);
        QTRY_VERIFY_WITH_TIMEOUT(pane.view()->drawing() != nullptr, kPatienceMs);
        save(driver, model);
        GraphFold fold = pane.fold();
        fold.attributes = fold.weights = fold.names = true;
        pane.setFold(fold);
        save(driver, model + "-details");
        fold.attributes = fold.weights = fold.names = false;
        fold.horizontal = true;
        for (size_t g = 0; g < pane.document()->outline().groups().size(); ++g)
            fold.open.insert(static_cast<int>(g));
        pane.setFold(fold);
        save(driver, model + "-horizontal");
        fold.horizontal = false;
        pane.setFold(fold);
        pane.setOverlay(OverlayKind::WeightNorm);
        driver.window().setTheme(ThemeMode::Dark);
        settle(driver);
        pane.view()->fit();
        save(driver, model + "-dark");
        driver.window().setTheme(ThemeMode::Light);
    }

private:
    void settle(WindowDriver& driver) {
        QVERIFY(QTest::qWaitFor([&] { return !driver.project().tasks()->isBusy(); }, kPatienceMs));
        for (int i = 0; i < 3; ++i) QCoreApplication::processEvents();
    }
    void save(WindowDriver& driver, const QString& name) {
        settle(driver);
        QVERIFY(driver.window().grab().save(screensFolder() + "/graph-" + name + ".png"));
    }
};

QTEST_MAIN(GraphScreensTest)
#include "graph_screens_test.moc"

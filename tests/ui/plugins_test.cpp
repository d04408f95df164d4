// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QDockWidget>
#include <QLabel>
#include <QTest>

#include "tests/ui/window_driver.h"
#include "ui/docks/log/log_model.h"
#include "ui/window/plugin_docks.h"
#include "ui/window/plugin_notice.h"

using namespace temper;
using namespace temper::ui;

/// How the window uses plugins.
class PluginsTest : public QObject {
    Q_OBJECT

private slots:
    void theyAreInTheLogAndRefusedOnesInTheBanner() {
        WindowDriver driver;
        PluginReport loaded;
        loaded.name = "swish";
        loaded.version = "1.0";
        loaded.provides = {"operator com.example.Swish"};
        PluginReport refused;
        refused.file = "/somewhere/broken.so";
        refused.problem = "It crashed.";
        refused.hint = "Tell its author.";
        announcePlugins(driver.window().messages(), driver.window().work().log, {loaded});
        QCOMPARE(driver.message(), QString());
        announcePlugins(driver.window().messages(), driver.window().work().log, {loaded, refused});
        QVERIFY2(driver.message().contains("/somewhere/broken.so is not loaded") &&
                     driver.message().contains("Tell its author."),
                 qPrintable(driver.message()));
        announcePlugins(driver.window().messages(), driver.window().work().log,
                        {refused, loaded, refused});
        QVERIFY2(driver.message().contains("2 plugins are not loaded"),
                 qPrintable(driver.message()));
        const QString log = driver.window().work().log.plainText();
        QCOMPARE(log.count("Plugin swish 1.0 is loaded: operator com.example.Swish"), 3);
        QVERIFY2(log.contains("The plugin /somewhere/broken.so is not loaded: It crashed."),
                 qPrintable(log));
    }

    void onlyTheStudioLooksForPanels() {
        qputenv("TEMPER_PLUGIN_PATH", "/somewhere");
        const auto all = pluginFolders();
        const auto studio = studioPluginFolders();
        qunsetenv("TEMPER_PLUGIN_PATH");
        QCOMPARE(studio.size(), 2 * all.size());
        QCOMPARE(studio[1].string(), std::string("/somewhere/studio"));
    }

    void aPanelIsADockThatFollowsTheRun() {
        const auto plugins = loadPlugins({TEMPER_STUDIO_PLUGINS});
        QCOMPARE(plugins.size(), size_t{1});
        QVERIFY2(plugins[0].isLoaded(), plugins[0].problem.c_str());
        QCOMPARE(plugins[0].provides, std::vector<std::string>{"panel big-loss"});

        const QTemporaryDir folder;
        QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
        MainWindow window(settings, QApplication::palette(), nullptr, pluginDocks(plugins));
        window.show();
        const QString id = QStringLiteral("plugin-big_loss-big-loss");
        const auto* dock = window.findChild<QDockWidget*>("dock-" + id);
        QVERIFY(dock != nullptr && dock->isHidden());
        QVERIFY(window.work().commands.action("dock." + id) != nullptr);
        window.docks().show(id);
        QVERIFY(dock->isVisible());
        QCOMPARE(dock->windowTitle(), QString("Loss, large"));
        const auto* label = dock->findChild<QLabel*>("bigLoss");
        QVERIFY(label != nullptr && label->isVisible());
        const RunEvent step{0, StepEvent{.step = 1, .loss = 0.125}};
        window.work().run.apply({&step, 1});
        QCOMPARE(label->text(), QLocale().toString(0.125, 'f', 3));
        QVERIFY(window.grab().save(pictureFile(QStringLiteral("plugin-panel"))));
    }
};

QTEST_MAIN(PluginsTest)
#include "plugins_test.moc"

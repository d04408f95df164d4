// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QCommandLineParser>
#include <QSettings>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string_view>

#include "app/studio/start_benchmark.h"
#include "engine/plugins/plugin_loader.h"
#include "ui/main_window.h"
#include "ui/translation/languages.h"
#include "ui/widgets/guarded.h"
#include "ui/window/actions/appearance_actions.h"
#include "ui/window/actions/open_actions.h"
#include "ui/window/actions/quit_actions.h"
#include "ui/window/color_scheme.h"
#include "ui/window/desktop_link.h"
#include "ui/window/file_manager_link.h"
#include "ui/window/plugin_docks.h"
#include "ui/window/plugin_notice.h"

namespace {

constexpr int kBadUsage = 2;

/// Ends the process for --help, --version and unknown options.
void parseArguments(QCommandLineParser& parser) {
    parser.setApplicationDescription(
        QApplication::translate("main", "Trains ONNX models in a window."));
    const QCommandLineOption help = parser.addHelpOption();
    const QCommandLineOption version = parser.addVersionOption();
    parser.addOption({QStringLiteral("lesson"),
                      QApplication::translate("main", "Open a lesson, e.g. digits."),
                      QStringLiteral("name")});
    parser.addOption(
        {QStringLiteral("train"),
         QApplication::translate("main", "Start training as soon as the model is ready.")});
    parser.addOption({QStringLiteral("benchmark"),
                      QApplication::translate("main", "Print the startup time and exit.")});
    parser.addPositionalArgument(
        QStringLiteral("file"),
        QApplication::translate("main", "A project, a model, a checkpoint or data."),
        QStringLiteral("[file...]"));
    if (!parser.parse(QCoreApplication::arguments())) {
        std::fprintf(stderr, "error: %s\n  hint: See 'temper-studio --help'.\n",
                     qPrintable(parser.errorText()));
        std::exit(kBadUsage);
    }
    if (parser.isSet(help)) parser.showHelp();
    if (parser.isSet(version)) parser.showVersion();
}

/// Whether the environment names a display. Without one, Qt ends the process with a signal.
bool hasDisplay(int argc, char** argv) {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        if (!qEnvironmentVariableIsEmpty(name)) return true;
    const auto choosesPlatform = [](std::string_view argument) {
        return argument == "-platform" || argument == "--platform";
    };
    return std::any_of(argv, argv + argc, choosesPlatform);
}

/// Help and the version need no window.
int runWithoutDisplay(int& argc, char** argv) {
    const QCoreApplication application(argc, argv);
    QCommandLineParser parser;
    parseArguments(parser);
    std::fprintf(
        stderr,
        "error: There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set.\n"
        "  hint: Start it in a desktop session, or use the command line: 'temper --help'.\n");
    return 1;
}

/// Qt does not allow exceptions through its event loop: those that a slot throws become a message
/// here.
class StudioApplication : public QApplication {
    Q_DECLARE_TR_FUNCTIONS(StudioApplication)

public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override {
        try {
            return QApplication::notify(receiver, event);
        } catch (...) {
            temper::ui::showProblem(
                activeWindow(),
                temper::ui::problemFrom(std::current_exception(), tr("Something went wrong")));
            return true;
        }
    }
};

void openWhatIsAsked(temper::ui::MainWindow& window, const QCommandLineParser& parser) {
    if (parser.isSet(QStringLiteral("lesson")))
        window.files().openLesson(parser.value(QStringLiteral("lesson")));
    window.files().openAll(parser.positionalArguments());
    if (parser.isSet(QStringLiteral("train"))) window.work().training.startWhenReady();
}

/// The result of a window.
struct Ending {
    int status = 0;
    std::optional<QString> again;  ///< what a subsequent window has to show
};

Ending runWindow(QSettings& settings, const QPalette& system, const QCommandLineParser& parser,
                 const std::vector<temper::PluginReport>& plugins,
                 const std::optional<QString>& reopened) {
    temper::ui::MainWindow window(settings, system, nullptr, temper::ui::pluginDocks(plugins));
    if (parser.isSet(QStringLiteral("benchmark"))) temper::printColdStart(window);
    window.show();
    const temper::ui::DesktopLink desktop(window, window.work().project, window.work().run,
                                          temper::ui::desktopBus());
    const temper::ui::FileManagerLink files(window.work().navigator, temper::ui::desktopBus());
    const temper::ui::ColorScheme scheme(temper::ui::desktopBus());
    QObject::connect(&scheme, &temper::ui::ColorScheme::changed, &window.appearance(),
                     &temper::ui::AppearanceActions::setDesktopMode);
    temper::ui::announcePlugins(window.messages(), window.work().log, plugins);
    reopened ? window.files().reopen(*reopened) : openWhatIsAsked(window, parser);
    const int status = QApplication::exec();
    return {status, window.quitting().wantsRestart() ? std::optional(window.files().openedPath())
                                                     : std::nullopt};
}

int runStudio(QApplication& application, const std::vector<temper::PluginReport>& plugins) {
    QSettings settings;
    temper::ui::installLanguage(application, temper::ui::chosenLanguage(settings));
    QCommandLineParser parser;
    parseArguments(parser);
    const QPalette system = QApplication::palette();
    Ending ending;
    do {
        temper::ui::applyTheme(
            application, temper::ui::themeFromKey(settings.value("theme").toString()), system);
        ending = runWindow(settings, system, parser, plugins, ending.again);
        if (ending.again)
            temper::ui::installLanguage(application, temper::ui::chosenLanguage(settings));
    } while (ending.again);
    return ending.status;
}

}  // namespace

int main(int argc, char** argv) {
    QCoreApplication::setOrganizationName(QStringLiteral("temper"));
    QCoreApplication::setApplicationName(QStringLiteral("temper-studio"));
    QCoreApplication::setApplicationVersion(QStringLiteral(TEMPER_VERSION));
    if (!hasDisplay(argc, argv)) return runWithoutDisplay(argc, argv);
    // Before there are threads.
    const std::vector<temper::PluginReport> plugins =
        temper::loadPlugins(temper::studioPluginFolders());
    StudioApplication application(argc, argv);
    QApplication::setApplicationDisplayName(QStringLiteral("Temper Studio"));
    QApplication::setDesktopFileName(QStringLiteral("temper-studio"));
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/temper-studio.svg")));
    try {
        return runStudio(application, plugins);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/window_driver.h"

#include <QtTest/qtestspontaneevent.h>
#include <QAbstractButton>
#include <QApplication>
#include <QDir>
#include <QWheelEvent>

#include "ui/translation/languages.h"
#include "ui/widgets/banner.h"
#include "ui/window/actions/quit_actions.h"

namespace temper::ui {
namespace {

constexpr int kPatienceMs = 60'000;
constexpr int kNotch = 120;  // as mice report it

}  // namespace

void turnWheel(QWidget& widget, int notches, Qt::KeyboardModifiers keys) {
    const QPoint at = widget.rect().center();
    QWheelEvent wheel(at, widget.mapToGlobal(at), {}, {0, notches * kNotch}, Qt::NoButton, keys,
                      Qt::NoScrollPhase, false);
    QSpontaneKeyEvent::setSpontaneous(&wheel);  // only those propagate to the widgets around
    QCoreApplication::instance()->notify(&widget, &wheel);
}

WindowDriver::WindowDriver()
    : settings_(folder_.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat) {
    settings_.setValue(QStringLiteral("scratchFolder"),
                       folder_.filePath(QStringLiteral("unsaved")));
    settings_.setValue(QStringLiteral("keepsUntitledDocuments"), true);
    system_ = QApplication::palette();
    open();
}

void WindowDriver::reopen() {
    window_.reset();
    open();
}

void WindowDriver::open() {
    applyTheme(*qApp, ThemeMode::Light, system_);
    window_ = std::make_unique<MainWindow>(settings_, system_);
    window_->resize(1400, 900);
    window_->show();
}

bool WindowDriver::restart() {
    if (!window_->quitting().wantsRestart() || window_->isVisible()) return false;
    const QString opened = window_->files().openedPath();
    window_.reset();
    installLanguage(*qApp, chosenLanguage(settings_));
    open();
    window_->files().reopen(opened);
    return true;
}

WindowDriver::~WindowDriver() = default;

TrainPanel& WindowDriver::trainPanel() {
    return *qobject_cast<TrainPanel*>(window_->pages().page(QStringLiteral("train")));
}

ExportPanel& WindowDriver::exportPanel() {
    return *qobject_cast<ExportPanel*>(window_->pages().page(QStringLiteral("export")));
}

bool WindowDriver::click(const QString& name) {
    for (QAbstractButton* button : window_->findChildren<QAbstractButton*>(name)) {
        if (!button->isVisible() || !button->isEnabled()) continue;
        QTest::mouseClick(button, Qt::LeftButton);
        return true;
    }
    return false;
}

bool WindowDriver::goTo(const QString& page) {
    return click(QStringLiteral("stage-") + page) && window_->pages().current() == page;
}

bool WindowDriver::openLesson(const QString& name) {
    if (!goTo(QStringLiteral("start")) || !click(QStringLiteral("open-") + name)) return false;
    // The previous project may be ready, too.
    const auto isOpen = [this, &name] {
        const auto& lesson = project().lesson();
        return lesson && text(lesson->name) == name && project().isReadyToTrain();
    };
    return QTest::qWaitFor(isOpen, kPatienceMs);
}

QString WindowDriver::message() const {
    QStringList texts;
    for (const Banner* banner : window_->findChildren<Banner*>())
        if (banner->isVisible()) texts << banner->text();
    return texts.join(QLatin1Char('\n'));
}

bool WindowDriver::savePicture(const QString& name, QWidget* part) {
    const auto isIdle = [this] { return !project().tasks()->isBusy() && !project().isPreparing(); };
    // Replots and layouts wait for the event loop, which may begin other tasks.
    for (int i = 0; i < 5; ++i) {
        if (!QTest::qWaitFor(isIdle, kPatienceMs)) return false;
        QCoreApplication::processEvents();
    }
    if (!QTest::qWaitFor(isIdle, kPatienceMs)) return false;
    return (part != nullptr ? part : window_.get())->grab().save(pictureFile(name));
}

QString screensFolder() {
    const QString folder =
        qEnvironmentVariable("TEMPER_SCREENS", QStringLiteral(TEMPER_BINARY_DIR "/screens"));
    QDir().mkpath(folder);
    return folder;
}

QString pictureFile(const QString& name) {
    const int percent = qRound(100 * qEnvironmentVariable("QT_SCALE_FACTOR", "1").toDouble());
    const QString scale = percent == 100 ? QString() : QStringLiteral("-%1").arg(percent);
    return screensFolder() + '/' + name + scale + QStringLiteral(".png");
}

}  // namespace temper::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/desktop_link.h"

#include <QApplication>
#include <QDBusMessage>
#include <QWidget>
#include <utility>

#include "ui/document/studio_project.h"
#include "ui/translation/number_text.h"

namespace temper::ui {
namespace {

const QString kDesktopFile = QStringLiteral("temper-studio");

}  // namespace

QDBusConnection desktopBus() {
    // A bus may be on another machine, and this program never uses the network.
    const QString address = qEnvironmentVariable("DBUS_SESSION_BUS_ADDRESS");
    return address.startsWith(QLatin1String("unix:"))
               ? QDBusConnection::sessionBus()
               : QDBusConnection(QStringLiteral("no session bus"));
}

DesktopLink::DesktopLink(QWidget& window, const StudioProject& project, const RunModel& run,
                         const QDBusConnection& bus)
    : window_(window), project_(project), run_(run), bus_(bus) {
    connect(&run_, &RunModel::updated, this, &DesktopLink::follow);
    connect(&run_, &RunModel::stateChanged, this, &DesktopLink::stateChanged);
}

DesktopLink::~DesktopLink() { showProgress(std::nullopt); }

void DesktopLink::follow() {
    if (!run_.isActive() || run_.totalSteps() <= 0) return;
    showProgress(static_cast<int>(100 * run_.step() / run_.totalSteps()));
}

void DesktopLink::stateChanged(RunState state) {
    follow();
    if (run_.isActive()) {
        wasActive_ = true;
        return;
    }
    showProgress(std::nullopt);
    if (!std::exchange(wasActive_, false) || window_.isActiveWindow()) return;
    if (state == RunState::Finished) notify(tr("%1 is trained").arg(project_.name()), result());
    if (state == RunState::Failed) {
        notify(tr("The training of %1 failed").arg(project_.name()), run_.problem().message);
    }
}

/// The last step, and the loss there.
QString DesktopLink::result() const {
    const QString steps = tr("%Ln steps", nullptr, static_cast<int>(run_.step()));
    const auto best = run_.bestValidationLoss();
    return best ? tr("%1, lowest validation loss %2").arg(steps, decimalText(*best, 'g', 4))
                : tr("%1, loss %2").arg(steps, decimalText(run_.currentSmoothedLoss(), 'g', 4));
}

void DesktopLink::showProgress(std::optional<int> percent) {
    if (percent == percent_) return;
    percent_ = percent;
    if (!bus_.isConnected()) return;
    QDBusMessage update = QDBusMessage::createSignal(
        QStringLiteral("/com/canonical/unity/launcherentry/temper"),
        QStringLiteral("com.canonical.Unity.LauncherEntry"), QStringLiteral("Update"));
    const QVariantMap state = {{QStringLiteral("progress"), percent.value_or(0) / 100.0},
                               {QStringLiteral("progress-visible"), percent.has_value()}};
    update << QStringLiteral("application://%1.desktop").arg(kDesktopFile) << state;
    bus_.send(update);
}

void DesktopLink::notify(const QString& title, const QString& text) {
    QApplication::alert(&window_);
    if (!bus_.isConnected()) return;
    const QString service = QStringLiteral("org.freedesktop.Notifications");
    QDBusMessage call =
        QDBusMessage::createMethodCall(service, QStringLiteral("/org/freedesktop/Notifications"),
                                       service, QStringLiteral("Notify"));
    const uint32_t replaced = 0;
    const int32_t timeout = -1;  // the desktop's default
    call << QApplication::applicationDisplayName() << replaced << kDesktopFile << title
         << text.toHtmlEscaped() << QStringList()
         << QVariantMap{{QStringLiteral("desktop-entry"), kDesktopFile}} << timeout;
    bus_.send(call);  // no reply is awaited
}

}  // namespace temper::ui

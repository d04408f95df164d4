// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/color_scheme.h"

#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>

namespace temper::ui {
namespace {

const QString kPortal = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPortalPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kSettings = QStringLiteral("org.freedesktop.portal.Settings");
const QString kAppearance = QStringLiteral("org.freedesktop.appearance");
const QString kColorScheme = QStringLiteral("color-scheme");

}  // namespace

ColorScheme::ColorScheme(const QDBusConnection& bus, QObject* parent) : QObject(parent) {
    if (!bus.isConnected()) return;
    QDBusConnection(bus).connect({}, kPortalPath, kSettings, QStringLiteral("SettingChanged"), this,
                                 SLOT(settingChanged(QString, QString, QDBusVariant)));
    read(bus);
}

/// The answer may take as long as the portal takes to start; the window doesn't wait for it.
void ColorScheme::read(const QDBusConnection& bus) {
    QDBusMessage call =
        QDBusMessage::createMethodCall(kPortal, kPortalPath, kSettings, QStringLiteral("Read"));
    call << kAppearance << kColorScheme;
    auto* answer = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
    connect(answer, &QDBusPendingCallWatcher::finished, this, [this, answer] {
        const QDBusPendingReply<QDBusVariant> reply = *answer;
        answer->deleteLater();
        if (reply.isValid()) say(reply.value().variant());
    });
}

void ColorScheme::settingChanged(const QString& group, const QString& key,
                                 const QDBusVariant& value) {
    if (group == kAppearance && key == kColorScheme) say(value.variant());
}

/// Read() wraps the number once more than the signal does.
void ColorScheme::say(const QVariant& value) {
    const QVariant inner =
        value.canConvert<QDBusVariant>() ? value.value<QDBusVariant>().variant() : value;
    const uint scheme = inner.toUInt();
    emit changed(scheme == 1   ? ThemeMode::Dark
                 : scheme == 2 ? ThemeMode::Light
                               : ThemeMode::System);
}

}  // namespace temper::ui

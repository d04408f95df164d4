// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/actions/appearance_actions.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QMainWindow>

#include "ui/theme/calm_style.h"
#include "ui/theme/colors.h"
#include "ui/window/presenter_mode.h"
#include "ui/window/window_docks.h"
#include "ui/window/workspace.h"

namespace temper::ui {
namespace {

constexpr auto kThemeKey = "theme";
constexpr auto kCalmKey = "reducedMotion";

}  // namespace

AppearanceActions::AppearanceActions(const WindowContext& context, const QPalette& system,
                                     WindowDocks& docks, PresenterMode& presenter)
    : ActionGroup(context), system_(system), docks_(docks), presenter_(presenter) {
    addThemes();
    addCalm();
    connect(&presenter_, &PresenterMode::typeScaleChanged, this, [this](double scale) {
        // The style stays: only its sheet has font sizes.
        qApp->setStyleSheet(themeStyleSheet(colorsOf(context_.window.palette()), scale));
    });
}

void AppearanceActions::addThemes() {
    auto* group = new QActionGroup(this);
    const std::tuple<const char*, QString, ThemeMode> themes[] = {
        {"theme.system", tr("Colours as the desktop"), ThemeMode::System},
        {"theme.light", tr("Light colours"), ThemeMode::Light},
        {"theme.dark", tr("Dark colours"), ThemeMode::Dark},
    };
    const ThemeMode current = chosenMode();
    for (const auto& [id, title, mode] : themes) {
        QAction* action = addCheckable(QLatin1String(id), MenuId::View, title, {}, {});
        connect(action, &QAction::triggered, this, [this, chosen = mode] { setTheme(chosen); });
        action->setChecked(mode == current);
        group->addAction(action);
    }
}

/// Follows the desktop until the user chooses.
void AppearanceActions::addCalm() {
    QAction* calm =
        addCheckable(QStringLiteral("theme.calm"), MenuId::View, tr("Reduced motion"), {}, {});
    QSettings& settings = context_.work.settings;
    calm->setChecked(settings.value(kCalmKey, desktopIsCalm()).toBool());
    if (calm->isChecked()) setCalm(true);
    connect(calm, &QAction::toggled, this, [this, &settings](bool isCalm) {
        settings.setValue(kCalmKey, isCalm);
        setCalm(isCalm);
    });
}

ThemeMode AppearanceActions::chosenMode() const {
    return themeFromKey(context_.work.settings.value(kThemeKey).toString());
}

ThemeMode AppearanceActions::shownMode() const {
    const ThemeMode mode = chosenMode();
    return mode == ThemeMode::System ? desktopMode_ : mode;
}

void AppearanceActions::setTheme(ThemeMode mode) {
    context_.work.settings.setValue(kThemeKey, themeKey(mode));
    applyTheme(*qApp, shownMode(), system_, presenter_.typeScale());
}

void AppearanceActions::setDesktopMode(ThemeMode mode) {
    const bool wasDark = isDarkTheme(shownMode(), system_);
    desktopMode_ = mode;
    if (isDarkTheme(shownMode(), system_) != wasDark) setTheme(chosenMode());
}

void AppearanceActions::setSystemPalette(const QPalette& system) {
    system_ = system;
    setTheme(chosenMode());
}

void AppearanceActions::setCalm(bool isCalm) {
    temper::ui::setCalm(*qApp, isCalm);
    docks_.setAnimated(!isCalm);
    setTheme(chosenMode());
}

}  // namespace temper::ui

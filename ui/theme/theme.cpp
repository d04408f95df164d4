// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"

#include <QApplication>
#include <QStyle>
#include <QStyleFactory>
#include <QWidget>
#include <cmath>

#include "ui/theme/calm_style.h"
#include "ui/theme/colors.h"

namespace temper::ui {

QString themeKey(ThemeMode mode) {
    switch (mode) {
        case ThemeMode::Light: return QStringLiteral("light");
        case ThemeMode::Dark: return QStringLiteral("dark");
        case ThemeMode::System: break;
    }
    return QStringLiteral("system");
}

ThemeMode themeFromKey(const QString& key) {
    if (key == QLatin1String("light")) return ThemeMode::Light;
    if (key == QLatin1String("dark")) return ThemeMode::Dark;
    return ThemeMode::System;
}

QPalette themePalette(const Colors& colors) {
    QPalette palette(colors.text, colors.raised, blend(colors.raised, Qt::white, 0.1),
                     blend(colors.raised, Qt::black, 0.25), blend(colors.raised, Qt::black, 0.12),
                     colors.text, colors.text, colors.surface, colors.window);
    palette.setColor(QPalette::AlternateBase, blend(colors.surface, colors.raised, 0.35));
    palette.setColor(QPalette::Highlight, colors.accent);
    palette.setColor(QPalette::HighlightedText, colors.onAccent);
    palette.setColor(QPalette::Link, colors.accent);
    palette.setColor(QPalette::ToolTipBase, colors.raised);
    palette.setColor(QPalette::ToolTipText, colors.text);
    palette.setColor(QPalette::PlaceholderText, colors.muted);
    const QColor faint = blend(colors.window, colors.text, 0.4);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, faint);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, colors.border);
    return palette;
}

namespace {

constexpr auto kCalmProperty = "temperCalm";

constexpr auto kStyleSheet = R"(
QFrame[card="true"] { background: @surface; border: 1px solid @border; border-radius: 8px; }
QFrame[card="true"]:focus { border-color: @accent; }
QFrame[card="true"][current="true"] { border-color: @accent; background: @selected; }
QLabel[role="title"] { font-size: @titleSize; font-weight: 600; }
QLabel[role="heading"] { font-weight: 600; }
QLabel[role="muted"] { color: @muted; }
QLabel[role="figure"] { font-size: @figureSize; font-weight: 600; }
QLabel[role="smallFigure"] { font-size: @smallFigureSize; font-weight: 600; }
QLabel[role="tinyFigure"] { font-size: @tinyFigureSize; font-weight: 600; }
QLabel[role="good"] { color: @good; font-weight: 600; }
QLabel[role="bad"] { color: @bad; font-weight: 600; }
QPushButton { padding: 5px 14px; border: 1px solid @border; border-radius: 6px;
              background: @surface; }
QMessageBox QPushButton { padding: 5px 8px; }
QPushButton:hover { background: @raised; }
QPushButton:pressed, QPushButton:checked { background: @pressed; }
QPushButton:disabled { color: @faint; background: @window; }
QPushButton:focus { border-color: @accent; }
QPushButton[primary="true"] { background: @accent; color: @onAccent; border-color: @accent;
                              font-weight: 600; }
QPushButton[primary="true"]:hover { background: @accentHover; }
QPushButton[primary="true"]:disabled { background: @raised; color: @faint;
                                       border-color: @border; }
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox { padding: 3px 6px; border: 1px solid @border;
    border-radius: 5px; background: @surface; min-height: 1.3em; }
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus { border-color: @accent; }
QLineEdit[invalid="true"] { color: @bad; border-color: @bad; }
QLineEdit:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled, QComboBox:disabled {
    color: @faint; background: @window; }
QComboBox::item { background: @surface; color: @text; }
QComboBox::item:selected { background: @selected; color: @text; }
QComboBox::drop-down { border: none; width: 1.6em; }
QComboBox::down-arrow { image: url(:/icons/chevron-down-@tone.svg); width: 0.8em; height: 0.8em; }
QTableView, QTreeView, QListView { border: 1px solid @border; border-radius: 6px;
    background: @surface; alternate-background-color: @alternate; gridline-color: @border; }
QHeaderView::section { background: @surface; color: @muted; border: none;
    border-bottom: 1px solid @border; padding: 5px 6px; }
QTableView::item { padding: 0 6px 0 4px; border: none; }
QTableView::item:selected, QTreeView::item:selected, QListView::item:selected {
    background: @selected; color: @text; }
QTreeView::item { padding: 2px 0; }
QListView[completion="true"]::item { padding: 3px 4px; }
QTableView::indicator, QTreeView::indicator, QCheckBox::indicator { width: 0.95em; height: 0.95em;
    border: 1px solid @muted; border-radius: 3px; background: @surface; }
QTableView::indicator:checked, QTreeView::indicator:checked,
QCheckBox::indicator:checked { background: @accent;
    border-color: @accent; image: url(:/icons/tick-@tone.svg); }
QCheckBox::indicator:disabled { border-color: @border; background: @window; }
QCheckBox:focus { color: @accent; }
QHeaderView:vertical { background: @surface; }
QTableCornerButton::section { background: @surface; border: none; }
QTabBar::tab { padding: 6px 11px; color: @muted; border: none;
               border-bottom: 2px solid transparent; background: transparent; }
QTabBar::tab:selected { color: @text; border-bottom-color: @accent; font-weight: 600; }
QMainWindow > QTabBar::tab:selected { font-weight: normal; }
QTabBar::tab:hover { color: @text; }
QTabWidget::pane { border: none; }
QTabWidget[tight="true"] QTabBar::tab { padding: 6px 7px; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QProgressBar { border: none; border-radius: 3px; background: @raised; max-height: 6px;
               min-height: 6px; }
QProgressBar::chunk { border-radius: 3px; background: @accent; }
QToolTip { color: @text; background: @raised; border: 1px solid @border; padding: 3px; }
QSplitter::handle { background: transparent; }
QStatusBar { color: @muted; }
QStatusBar QToolButton { padding: 2px 8px; color: @muted; }
QStatusBar QToolButton:disabled { background: transparent; color: @faint; }
QToolBar { background: @surface; border: none; border-bottom: 1px solid @border; padding: 3px 6px;
           spacing: 2px; }
QToolBar::separator { background: @border; width: 1px; margin: 4px 6px; }
QToolButton { border: 1px solid transparent; border-radius: 5px; padding: 4px 8px; }
QToolButton[compact="true"] { padding: 4px; }
QToolButton:hover { background: @raised; }
QToolButton:checked { background: @selected; color: @text; }
QToolButton:focus { border-color: @accent; }
QToolButton[arrow="true"]::menu-indicator { image: none; }
QDockWidget { font-weight: 600; }
QDockWidget::title { background: @window; padding: 5px 8px; border-top: 1px solid @border; }
QStatusBar::item { border: none; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: @pressed; border-radius: 4px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 24px; }
QScrollBar::handle:horizontal { min-width: 24px; }
QScrollBar::handle:hover { background: @faint; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QStatusBar { padding: 0 8px; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollArea { border: none; background: transparent; }
QScrollArea > QWidget > QWidget[scrolled="true"] { background: transparent; }
)";

}  // namespace

QString themeStyleSheet(const Colors& colors, double typeScale) {
    QString sheet = QString::fromLatin1(kStyleSheet);
    // Longer names first: @accent is a prefix of @accentHover.
    const std::pair<const char*, QColor> replacements[] = {
        {"@accentHover", blend(colors.accent, colors.text, 0.12)},
        {"@onAccent", colors.onAccent},
        {"@alternate", blend(colors.surface, colors.raised, 0.35)},
        {"@accent", colors.accent},
        {"@selected", blend(colors.surface, colors.accent, 0.2)},
        {"@surface", colors.surface},
        {"@window", colors.window},
        {"@pressed", blend(colors.raised, colors.text, 0.1)},
        {"@raised", colors.raised},
        {"@border", colors.border},
        {"@faint", blend(colors.window, colors.text, 0.4)},
        {"@muted", colors.muted},
        {"@text", colors.text},
        {"@good", colors.good},
        {"@bad", colors.bad},
    };
    const std::pair<const char*, double> sizes[] = {
        {"@titleSize", 17}, {"@figureSize", 15}, {"@smallFigureSize", 11}, {"@tinyFigureSize", 9}};
    for (const auto& [name, size] : sizes)
        sheet.replace(QLatin1String(name), QString::number(size * typeScale) + "pt");
    for (const auto& [name, color] : replacements) sheet.replace(QLatin1String(name), color.name());
    return sheet.replace(QLatin1String("@tone"), QLatin1String(colors.isDark ? "dark" : "light"));
}

namespace {

/// Whether the style is already set: a new one would be sent to every widget.
bool hasStyle(const QApplication& application) {
    const QStyle* style = application.style();
    if (isCalm(application)) return dynamic_cast<const CalmStyle*>(style) != nullptr;
    return dynamic_cast<const CalmStyle*>(style) == nullptr &&
           style->name().compare(QLatin1String("fusion"), Qt::CaseInsensitive) == 0;
}

QStyle* makeStyle(const QApplication& application) {
    if (isCalm(application)) return new CalmStyle;
    return QStyleFactory::create(QStringLiteral("Fusion"));
}

}  // namespace

bool isDarkTheme(ThemeMode mode, const QPalette& system) {
    return mode == ThemeMode::Dark ||
           (mode == ThemeMode::System && &colorsOf(system) == &darkColors());
}

void applyTheme(QApplication& application, ThemeMode mode, const QPalette& system,
                double typeScale) {
    const Colors& colors = isDarkTheme(mode, system) ? darkColors() : lightColors();
    // Replacing a sheet takes Qt several times as long as clearing it and then setting one.
    application.setStyleSheet({});
    if (!hasStyle(application)) application.setStyle(makeStyle(application));
    application.setPalette(themePalette(colors));
    application.setStyleSheet(themeStyleSheet(colors, typeScale));
}

void setCalm(QApplication& application, bool isCalm) {
    application.setProperty(kCalmProperty, isCalm);
}

bool isCalm(const QApplication& application) {
    return application.property(kCalmProperty).toBool();
}

QPalette desktopPalette() {
    QApplication::setPalette(QPalette());
    return QApplication::palette();
}

int em(const QWidget* widget, double factor) {
    return static_cast<int>(std::lround(widget->fontMetrics().height() * factor));
}

}  // namespace temper::ui

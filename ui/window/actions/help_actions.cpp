// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/actions/help_actions.h"

#include <QApplication>
#include <QMainWindow>
#include <QMessageBox>

#include "ui/commands/command_palette.h"
#include "ui/commands/shortcut_dialog.h"
#include "ui/docks/explain/explain_dock.h"
#include "ui/explain/explain.h"
#include "ui/window/defect_report.h"
#include "ui/window/messages.h"
#include "ui/window/workspace.h"

namespace temper::ui {

HelpActions::HelpActions(const WindowContext& context) : ActionGroup(context) {
    add(QStringLiteral("tools.palette"), MenuId::Tools, tr("Find a command…"),
        QStringLiteral("search"), {QKeySequence("Ctrl+Shift+P")}, [this] { showPalette(); });
    add(QStringLiteral("help.explain"), MenuId::Help, tr("Explain this"), QStringLiteral("help"),
        {QKeySequence("F1"), QKeySequence("Ctrl+Shift+W")}, [this] { explainThis(); });
    add(QStringLiteral("help.shortcuts"), MenuId::Help, tr("Keyboard shortcuts"),
        QStringLiteral("settings"), {QKeySequence("Ctrl+/")}, [this] { showShortcuts(); });
    add(QStringLiteral("help.report"), MenuId::Help, tr("Copy a report for developers"), {}, {},
        [this] { copyReport(); });
    add(QStringLiteral("help.about"), MenuId::Help, tr("About Temper"), QStringLiteral("info"), {},
        [this] { showAbout(); });
    connect(&context_.work.navigator, &Navigator::termRequested, this, &HelpActions::explainTerm);
}

void HelpActions::showPalette() {
    const QMainWindow& window = context_.window;
    auto* palette = new CommandPalette(context_.work.commands, &context_.window);
    palette->setAttribute(Qt::WA_DeleteOnClose);
    palette->move(
        window.mapToGlobal(QPoint((window.width() - palette->width()) / 2, window.height() / 8)));
    palette->show();
}

void HelpActions::showShortcuts() {
    auto* dialog = new ShortcutDialog(context_.work.commands, &context_.window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->show();
}

void HelpActions::copyReport() {
    copyText(defectReport(context_.window, context_.work.project, context_.work.log),
             tr("The report is on the clipboard."), context_.messages);
}

void HelpActions::setPage(const QWidget* page) {
    page_ = page;
    if (auto* dock = context_.window.findChild<ExplainDock*>()) dock->followTo(page);
}

void HelpActions::explainThis() {
    const QWidget* focus = QApplication::focusWidget();
    const auto* dock = context_.window.findChild<ExplainDock*>();
    const bool isReading = focus != nullptr && dock->isAncestorOf(focus);
    const QString term = isReading ? dock->term() : explainedTerm(focus);
    explainTerm(term.isEmpty() ? explainedTerm(page_) : term);
}

void HelpActions::explainTerm(const QString& id) {
    emit context_.work.navigator.dockRequested(QStringLiteral("explain"));
    context_.window.findChild<ExplainDock*>()->showTerm(id);
}

void HelpActions::showAbout() {
    QMessageBox::about(
        &context_.window, tr("About Temper"),
        tr("<h3>Temper Studio %1</h3><p>Trains ONNX models on its own engine.</p>"
           "<p>The window is free software under the GNU General Public License, version 3 or"
           " later; the engine is under the Apache License 2.0.</p>"
           "<p>It uses Qt %2, QCustomPlot, oneDNN, ONNX, Protocol Buffers, FlatBuffers and"
           " SQLite.</p>")
            .arg(QApplication::applicationVersion(), QLatin1String(qVersion())));
}

}  // namespace temper::ui

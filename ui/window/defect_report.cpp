// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/defect_report.h"

#include <QDir>
#include <QFontInfo>
#include <QGuiApplication>
#include <QLocale>
#include <QSysInfo>
#include <QWidget>
#include <map>
#include <thread>

#include "ui/checks/problem_list.h"
#include "ui/docks/log/log_model.h"
#include "ui/document/studio_project.h"
#include "ui/messages/problem.h"
#include "ui/theme/colors.h"

namespace temper::ui {
namespace {

constexpr int kLogLines = 40;

QString section(const QString& title, const QString& body) {
    return QStringLiteral("## %1\n\n%2\n\n").arg(title, body.trimmed());
}

QString code(const QString& text) { return QStringLiteral("```\n%1\n```").arg(text.trimmed()); }

QString system(const QWidget& window) {
    const QStringList lines = {
        QStringLiteral("Temper Studio ") + QGuiApplication::applicationVersion(),
        QStringLiteral("Qt %1, %2").arg(QLatin1String(qVersion()), QGuiApplication::platformName()),
        QStringLiteral("%1, kernel %2, %3")
            .arg(QSysInfo::prettyProductName(), QSysInfo::kernelVersion(),
                 QSysInfo::currentCpuArchitecture()),
        QStringLiteral("%1 processor threads").arg(std::thread::hardware_concurrency()),
        QStringLiteral("window %1 × %2 at a scale of %3, %4 pt, %5")
            .arg(window.width())
            .arg(window.height())
            .arg(window.devicePixelRatioF())
            .arg(QFontInfo(window.font()).pointSizeF())
            .arg(colorsOf(window.palette()).isDark ? QStringLiteral("dark")
                                                   : QStringLiteral("light")),
        QStringLiteral("language ") + QLocale().name()};
    return QStringLiteral("- ") + lines.join(QLatin1String("\n- "));
}

QString model(const StudioProject& project) {
    if (!project.model()) return QStringLiteral("No model is open.");
    const LoadedModel& model = *project.model();
    std::map<std::string, int> operators;
    for (const Node* node : model.graph->topologicalOrder()) ++operators[node->qualifiedOp()];
    QStringList counts;
    for (const auto& [op, count] : operators)
        counts << QStringLiteral("%1 %2").arg(text(op)).arg(count);
    return QStringLiteral("%1 nodes, %2 initializers\n\n%3")
        .arg(model.graph->topologicalOrder().size())
        .arg(model.parameters.size())
        .arg(counts.join(QLatin1String(", ")));
}

QString problems(const StudioProject& project) {
    QStringList lines;
    for (const ListedProblem& problem : problemsOf(project)) {
        const Finding& finding = problem.finding;
        lines << QStringLiteral("%1 %2: %3")
                     .arg(text(severityName(finding.severity)), text(finding.code),
                          text(finding.message));
    }
    return lines.isEmpty() ? QStringLiteral("None.") : code(lines.join(QLatin1Char('\n')));
}

QString lastLines(const LogModel& log) {
    const QStringList lines = log.plainText().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    return code(
        lines.mid(std::max<qsizetype>(0, lines.size() - kLogLines)).join(QLatin1Char('\n')));
}

}  // namespace

QString defectReport(const QWidget& window, const StudioProject& project, const LogModel& log) {
    QString report =
        section(QStringLiteral("What happened"),
                QStringLiteral("(What you did, what you expected, what happened instead.)")) +
        section(QStringLiteral("System"), system(window)) +
        section(QStringLiteral("Model"), model(project)) +
        section(QStringLiteral("Problems"), problems(project));
    if (project.model())
        report += section(QStringLiteral("Choices"), code(text(toJson(project.spec()))));
    report += section(QStringLiteral("Log"), lastLines(log));
    const QString home = QDir::homePath();
    if (home.size() > 1) report.replace(home, QStringLiteral("~"));
    return report.trimmed() + QLatin1Char('\n');
}

}  // namespace temper::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/messages/hint_text.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include "ui/messages/problem.h"

namespace temper::ui {
namespace {

/// How a part of a hint that names flags is said in the window.
struct WindowWords {
    const char* pattern;  ///< a regular expression; `\1` in `words` is its first group
    const char* words;    ///< %1: the label
    const char* context = "";
    const char* label = "";  ///< of a button, a field or a page, in the language of the window
};

constexpr const char* kFunctions = "temper::ui";
constexpr const char* kEngine = "engine";

/// The engine's sentences are English; only the labels are translated.
constexpr WindowWords kWords[] = {
    // W008, W007, S005
    {R"(free the batch dimension with --free-batch)", "choose “%1”", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Allow any batch size")},
    {R"(export with --as-it-came)", "tick “%1” on export", "temper::ui::ExportPanel",
     QT_TRANSLATE_NOOP("temper::ui::ExportPanel", "Half precision, as in the original file")},
    {R"(Export it without --as-it-came)", "Untick “%1”", "temper::ui::ExportPanel",
     QT_TRANSLATE_NOOP("temper::ui::ExportPanel", "Half precision, as in the original file")},
    {R"(Without --restore-norm, only)", "If they stay merged, only"},
    // A021, A022, D002, D003 and labels
    {R"(specify it: --loss-input NAME)", "choose it under “%1”", "temper::ui::ObjectivePanel",
     QT_TRANSLATE_NOOP("temper::ui::ObjectivePanel", "Reads tensor")},
    {R"(specify it: --pad-id NUMBER)", "enter it as “%1” of the loss", kEngine, "Padding token"},
    {R"(generate the artifacts with --pad-id (-?\d+))", R"(enter \1 as “%1” of the loss)", kEngine,
     "Padding token"},
    {R"(generate the artifacts with --axis -1, or with axis=-1 in a formula)",
     "enter -1 as “%1” of the loss, or axis=-1 in a formula", kEngine, "Class axis"},
    {R"(choose cross-entropy with --axis -1)", "choose cross-entropy with -1 as “%1”", kEngine,
     "Class axis"},
    {R"(need the CTC loss:\n[^\n]*--loss ctc[^\n]*\n)", "need the CTC loss. "},
    {R"(, or with -100:\n[^\n]*--axis -1[^\n]*)", ", or with -100, and enter -1 as “%1”.", kEngine,
     "Class axis"},
    {R"(To (train on classes|predict its numbers), read it with --data .*)",
     "To train on classes, choose a loss for classes; to predict numbers, one for numbers."},
    {R"(as in --loss-input (\S+) (\S+)\.)", R"(for example in the formula next_token(\1, \2).)"},
    // numbers that are not finite, S006
    {R"(\bfreeze it with --freeze .*)", "freeze it on the page “%1”.", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Parameters")},
    {R"(\bFreeze it with --freeze .*)", "Freeze it on the page “%1”.", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Parameters")},
    {R"(To keep a tensor as it is: --freeze .*)",
     "To keep a tensor as it is, freeze it on the page “%1”.", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Parameters")},
    // S001 to S004
    {R"(samples: --restore-norm .*(?=To keep them, export))", "samples, choose “%1”. ", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Put back batch normalization")},
    {R"(To keep them merged: --keep-merged .*)", "To keep them merged, choose “%1”.", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Keep them as one tensor")},
    {R"(To train copies separately(: --untie|, omit --tie) .*)",
     "To train copies separately, choose “%1”.", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Train the copies separately")},
    {R"(To train them as one(: --tie|, omit --untie) .*)", "To train them as one, choose “%1”.",
     kFunctions, QT_TRANSLATE_NOOP("temper::ui", "Train them as one")},
    {R"(To train the table: --tie .*)", "To train the table, choose “%1”.", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Train them as one")},
    {R"(For one tensor per parameter, omit --keep-merged .*)",
     "For one tensor per parameter, choose “%1”.", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Give each parameter its tensor")},
    {R"(To give each node its own tensor: --part .*)",
     "To give each node its own tensor, choose “%1”.", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Give each node its own tensor")},
    // settings, logs
    {R"(, or on the command line --[a-z-]+)", ""},
    {R"(written by `temper train --log`)", "written by Temper"},
    // After a sentence that says the same, as in "treat it as constant (--stop-gradient NAME)".
    {R"( \(--[a-z][a-z-]*( ('[^']*'|[^()' ])+)*\))", ""},
};

const QRegularExpression& flag() {
    static const QRegularExpression pattern(QStringLiteral("(^|[\\s(`'])--[a-z]"));
    return pattern;
}

QString withWords(QString hint, const WindowWords& each) {
    const QRegularExpression pattern(QString::fromUtf8(each.pattern));
    const QRegularExpressionMatch match = pattern.match(hint);
    if (!match.hasMatch()) return hint;
    QString words = QString::fromUtf8(each.words);
    for (int group = 1; group <= match.lastCapturedIndex(); ++group)
        words.replace(QStringLiteral("\\%1").arg(group), match.captured(group));
    if (words.contains(QStringLiteral("%1")))
        words = words.arg(QCoreApplication::translate(each.context, each.label));
    return hint.replace(match.capturedStart(), match.capturedLength(), words);
}

/// Of a hint for which there are no words, such as a plugin's: the sentences without flags.
QString withoutFlags(const QString& hint) {
    static const QRegularExpression end(QStringLiteral("(?<=[.!?])\\s+"));
    QStringList sentences = hint.split(end, Qt::SkipEmptyParts);
    sentences.removeIf([](const QString& sentence) { return sentence.contains(flag()); });
    return sentences.join(QLatin1Char(' '));
}

}  // namespace

QString hintText(std::string_view hint) {
    QString words = text(hint);
    if (!words.contains(flag())) return words;
    for (const WindowWords& each : kWords) words = withWords(words, each);
    return words.contains(flag()) ? withoutFlags(words) : words;
}

}  // namespace temper::ui

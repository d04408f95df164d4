// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/messages/hint_text.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>
#include <iterator>
#include <vector>

#include "engine/training/spec/run_settings.h"
#include "ui/messages/problem.h"
#include "ui/translation/engine_texts.h"

namespace temper::ui {
namespace {

/// How a part of a hint that names flags or options of data is said in the window.
struct WindowWords {
    const char* pattern;  ///< a regular expression; `\1` in `words` is its first group
    const char* words;    ///< %1: the label
    const char* context = "";
    const char* label = "";  ///< of a button, a field or a page, in the language of the window
};

constexpr const char* kFunctions = "temper::ui";
constexpr const char* kEngine = kEngineContext;

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
    {R"(need the CTC loss:\n[^\n]*--loss ctc[^\n]*\n *)", "need the CTC loss. "},
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
     QT_TRANSLATE_NOOP("temper::ui", "Leave as exported")},
    {R"(To train the tensor(s?) instead: --keep-merged .*)",
     R"(To train the tensor\1 instead, choose “%1”.)", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Leave as exported")},
    {R"(To train without them: --keep-merged .*)", "To train without them, choose “%1”.",
     kFunctions, QT_TRANSLATE_NOOP("temper::ui", "Leave as exported")},
    {R"(To train copies separately(: --untie|, omit --tie) .*)",
     "To train copies separately, choose “%1”.", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Train the copies separately")},
    {R"(To train them as one(: --tie|, omit --untie) .*)", "To train them as one, choose “%1”.",
     kFunctions, QT_TRANSLATE_NOOP("temper::ui", "Train them as one")},
    {R"(To train the table: --tie .*)", "To train the table, choose “%1”.", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Train them as one")},
    {R"(To restore the parameters, omit --keep-merged .*)",
     "To restore the parameters, choose “%1”.", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Restore the parameters")},
    {R"(To give each node its own tensor: --part .*)",
     "To give each node its own tensor, choose “%1”.", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Give each node its own tensor")},
    // D101, D104, D114, data that can't be opened
    {R"(, or the names given with classes=)", ""},
    {R"(invalid=drop skips these samples)", "“%1” skips them", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Leave out these samples")},
    {R"(add invalid=drop to the data to skip [^.]+)", "choose “%1”", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Leave out these samples")},
    {R"(skip such samples with the data option invalid=drop)",
     "leave such samples out on the page “%1”", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Data")},
    {R"(Add missing=drop to skip these rows)", "Choose “%1”", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Leave out these rows")},
    {R"(missing=mean to fill in the mean of the column)", "“%1”", kFunctions,
     QT_TRANSLATE_NOOP("temper::ui", "Fill in the mean")},
    {R"(Specify them with features= and target=, and check sep=)",
     "Check what separates its columns"},
    {R"(omit the column with features=)", "leave the column out of the file"},
    {R"(Choose one of [^:]+: write it before the path, as in .*)", "What can be read: %1.",
     "temper::ui::DataPanel",
     QT_TRANSLATE_NOOP("temper::ui::DataPanel",
                       "Folder of pictures, CSV, JSONL, NPZ, NPY or IDX file")},
    {R"(Write kind:path\?key=value.*)", "Enter the path of a file or of a folder."},
    {R"(e\.g\. jsonl:FILE with lines)", "e.g. a JSONL file with lines"},
    // labels outside the model's classes
    {R"((give the model as many outputs):\n[^\n]*temper [^\n]*)", R"(\1.)"},
    {R"(\n *If it is a number to predict: temper [^\n]*)",
     " If it is a number to predict, choose a loss for numbers."},
    // settings, logs, lists that other commands print
    {R"(set time_axis to it)", "enter it as “%1” of the loss", kEngine, "Time axis"},
    {R"('Target is logarithmic' \(log_target\))", "“%1”", kEngine, "Target is logarithmic"},
    {R"( ?'temper inspect' lists [a-z ]+\.)", ""},
    {R"(; 'temper plugins' lists those installed)", ""},
    {R"(, or on the command line --[a-z-]+)", ""},
    {R"(written by `temper train --log`)", "written by Temper"},
    // After a sentence that says the same, as in "treat it as constant (--stop-gradient NAME)".
    {R"( \(--[a-z][a-z-]*( ('[^']*'|[^()' ])+)*\))", ""},
};

/// What only the command line takes: flags, and options of data.
const QRegularExpression& commandOption() {
    static const QRegularExpression pattern(
        QStringLiteral("(^|[\\s(`'])--[a-z]|\\b(classes|features|invalid|missing|sep|target)="));
    return pattern;
}

/// The patterns of kWords, in this order.
const std::vector<QRegularExpression>& wordPatterns() {
    static const std::vector<QRegularExpression> all = [] {
        std::vector<QRegularExpression> made;
        for (const WindowWords& each : kWords) made.emplace_back(QString::fromUtf8(each.pattern));
        return made;
    }();
    return all;
}

QString withWords(QString hint, const WindowWords& each, const QRegularExpression& pattern) {
    const QRegularExpressionMatch match = pattern.match(hint);
    if (!match.hasMatch()) return hint;
    QString words = QString::fromUtf8(each.words);
    for (int group = 1; group <= match.lastCapturedIndex(); ++group)
        words.replace(QStringLiteral("\\%1").arg(group), match.captured(group));
    if (words.contains(QStringLiteral("%1")))
        words = words.arg(QCoreApplication::translate(each.context, each.label));
    return hint.replace(match.capturedStart(), match.capturedLength(), words);
}

/// The labels of settings for their keys, as in "Change 'threads'" and "clipping (clip_norm)".
QString withLabels(QString hint) {
    for (const SettingInfo& setting : runSettings()) {
        const QString key = text(setting.key);
        const QString label = QStringLiteral("“%1”").arg(engineText(setting.label));
        hint.replace(QStringLiteral("Change '%1'").arg(key), QStringLiteral("Change ") + label);
        if (key.contains(QLatin1Char('_')))
            hint.replace(QStringLiteral("(%1)").arg(key), QStringLiteral("(%1)").arg(label));
    }
    return hint;
}

/// Of a hint for which there are no words, such as a plugin's: the sentences without options.
QString withoutOptions(const QString& hint) {
    static const QRegularExpression end(QStringLiteral("(?<=[.!?])\\s+"));
    QStringList sentences = hint.split(end, Qt::SkipEmptyParts);
    sentences.removeIf([](const QString& sentence) { return sentence.contains(commandOption()); });
    return sentences.join(QLatin1Char(' '));
}

}  // namespace

QString hintText(std::string_view hint) {
    QString words = text(hint);
    for (size_t i = 0; i < std::size(kWords); ++i)
        words = withWords(words, kWords[i], wordPatterns()[i]);
    words = withLabels(words);
    return words.contains(commandOption()) ? withoutOptions(words) : words;
}

}  // namespace temper::ui

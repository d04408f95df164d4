// SPDX-License-Identifier: Apache-2.0
#include "tests/support/bad_files.h"

#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QTest>
#include <algorithm>

namespace temper::test {
namespace {

constexpr const char* kPath = TEMPER_SOURCE_DIR "/docs/bad_files.md";
const QString kHeading = QStringLiteral("## ");
const QString kColumns =
    QStringLiteral("| What is wrong | Message | What to do |\n|---|---|---|\n");
const QString kIntroduction = QStringLiteral(
    "# Bad files\n\nThe message for each kind of invalid file or text, and in most cases what to "
    "do.\n"
    "`tools/make_bad_files.sh` makes this page from the tests that open such files; the tests "
    "compare\n"
    "their messages with it. These files are made by hand; for files made at random, see\n"
    "[fuzzing.md](fuzzing.md).\n");

/// The rows by format and by what is wrong.
using Table = QMap<QString, QMap<QString, QString>>;

QString whatOf(const QString& row) { return row.section(QStringLiteral(" | "), 0, 0).mid(2); }

Table readTable() {
    Table table;
    QFile file(kPath);
    if (!file.open(QIODevice::ReadOnly)) return table;
    QString format;
    for (const QString& line : QString::fromUtf8(file.readAll()).split('\n')) {
        if (line.startsWith(kHeading)) format = line.mid(kHeading.size());
        if (line.startsWith("| ") && !kColumns.startsWith(line)) table[format][whatOf(line)] = line;
    }
    return table;
}

void writeTable(const Table& table) {
    QString text = kIntroduction;
    for (auto format = table.begin(); format != table.end(); ++format)
        text +=
            "\n" + kHeading + format.key() + "\n\n" + kColumns + format->values().join('\n') + "\n";
    QFile file(kPath);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text.toUtf8());
}

/// Of a long list of names only the first three: another loss or setting changes no row.
QString withShortLists(QString text) {
    static const QRegularExpression kLongList("((?:\\w+, ){3})(?:\\w+, ){6,}\\w+\\.?");
    return text.replace(kLongList, "\\1…");
}

QString cell(const QString& text) {
    return withShortLists(text).trimmed().replace('|', "\\|").replace('\n', "<br>");
}

}  // namespace

void compareWithBadFiles(const QString& format, QString error, const QString& folder) {
    if (!folder.isEmpty()) error.replace(folder + "/", "");
    const bool isPrintable = std::ranges::all_of(
        error, [](QChar letter) { return letter.isPrint() || letter == u'\n'; });
    QVERIFY2(isPrintable && !error.contains(QChar::ReplacementCharacter), qPrintable(error));
    const QString what = cell(QString::fromUtf8(QTest::currentDataTag()));
    const qsizetype bar = error.lastIndexOf(QStringLiteral(" | "));
    const QString row = QString("| %1 | %2 | %3 |")
                            .arg(what, cell(bar < 0 ? error : error.left(bar)),
                                 cell(bar < 0 ? QString() : error.mid(bar + 3)));
    Table table = readTable();
    if (qEnvironmentVariableIsSet("TEMPER_WRITE_BAD_FILES")) {
        table[format][what] = row;
        writeTable(table);
    }
    QCOMPARE(row, table.value(format).value(what));
}

}  // namespace temper::test

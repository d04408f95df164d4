// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFile>
#include <QList>
#include <QString>
#include <QStringList>
#include <QTest>

namespace temper::test {

// Tables of the documentation that repeat what the program has. Tests compare them;
// TEMPER_WRITE_CHOICE_DOCS=1 makes these tests write them.

inline QString tableRow(const QStringList& cells) {
    QString text = "|";
    for (QString cell : cells)
        text += (cell.isEmpty() ? "" : " ") + cell.replace('|', "\\|") + " |";
    return text + "\n";
}

inline QString documentedTable(const QStringList& columns, const QList<QStringList>& rows) {
    QString table = tableRow(columns) + "|" + QString("---|").repeated(columns.size()) + "\n";
    for (const QStringList& cells : rows) table += tableRow(cells);
    return table;
}

/// Compares the table of the page that has the same first line, and ends at the first empty line.
inline void compareWithPage(const QString& table, const QString& page) {
    QFile file(TEMPER_SOURCE_DIR "/" + page);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QString text = QString::fromUtf8(file.readAll());
    file.close();
    const qsizetype begin = text.indexOf(table.section('\n', 0, 0) + '\n');
    QVERIFY2(begin >= 0, qPrintable(page + " lacks the table with the first line of:\n" + table));
    const qsizetype size = text.indexOf("\n\n", begin) + 1 - begin;
    if (qEnvironmentVariableIsSet("TEMPER_WRITE_CHOICE_DOCS")) {
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text.replace(begin, size, table).toUtf8());
        return;
    }
    if (text.mid(begin, size) != table)
        QFAIL(qPrintable("TEMPER_WRITE_CHOICE_DOCS=1 updates " + page + ", which should have:\n" +
                         table));
}

}  // namespace temper::test

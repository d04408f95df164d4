// SPDX-License-Identifier: Apache-2.0
#include <QDirIterator>
#include <QFile>
#include <QHash>
#include <QRegularExpression>
#include <QTest>

/// docs/ort-parity.md against the tests that it names.
class ParityTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void theTableIsRead();
    void everyRowNamesWhatItIsAndATest();
    void everyNamedTestExists_data();
    void everyNamedTestExists();

private:
    static QString read(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    /// The cells of each row, without headings and separators.
    static QList<QStringList> rows(const QString& text);
    static QStringList namesIn(const QString& cell);

    QList<QStringList> rows_;
    QHash<QString, QString> sources_;  ///< source text by name of the test program
};

QList<QStringList> ParityTest::rows(const QString& text) {
    QList<QStringList> result;
    for (const QString& line : text.split('\n')) {
        if (!line.startsWith("| ") || line.startsWith("| ONNX Runtime |")) continue;
        QStringList cells = line.mid(1, line.lastIndexOf('|') - 1).split('|');
        for (QString& cell : cells) cell = cell.trimmed();
        result.append(cells);
    }
    return result;
}

/// "program::function(row)" of the cell's code spans.
QStringList ParityTest::namesIn(const QString& cell) {
    static const QRegularExpression kSpan("`([a-z_0-9]+::[^`]+)`");
    QStringList names;
    for (auto match = kSpan.globalMatch(cell); match.hasNext();) names << match.next().captured(1);
    return names;
}

void ParityTest::initTestCase() {
    const QString root = QStringLiteral(TEMPER_SOURCE_DIR);
    rows_ = rows(read(root + "/docs/ort-parity.md"));
    for (QDirIterator it(root + "/tests", {"*_test.cpp"}, QDir::Files,
                         QDirIterator::Subdirectories);
         it.hasNext();) {
        const QString path = it.next();
        sources_.insert(it.fileInfo().completeBaseName(), read(path));
    }
}

void ParityTest::theTableIsRead() {
    QVERIFY2(rows_.size() > 100, qPrintable(QString::number(rows_.size())));
    QVERIFY2(sources_.size() > 80, qPrintable(QString::number(sources_.size())));
    const QList<QStringList> parsed = rows(
        "| ONNX Runtime | ours | test |\n|---|---|---|\n"
        "| `f` | `g` | `a_test::h`, `b_test::i(a row)` |\n");
    QCOMPARE(parsed.size(), 1);
    QCOMPARE(namesIn(parsed[0][2]), (QStringList{"a_test::h", "b_test::i(a row)"}));
}

void ParityTest::everyRowNamesWhatItIsAndATest() {
    for (const QStringList& row : rows_) {
        const QByteArray text = row.join(" | ").toUtf8();
        QVERIFY2(row.size() == 3, text.constData());
        QVERIFY2(!row[0].isEmpty() && !row[1].isEmpty(), text.constData());
        QVERIFY2(!namesIn(row[2]).isEmpty(), text.constData());
    }
}

void ParityTest::everyNamedTestExists_data() {
    QTest::addColumn<QString>("name");
    QStringList names;
    for (const QStringList& row : rows_) {
        if (row.size() == 3) names << namesIn(row[2]);
    }
    names.removeDuplicates();
    for (const QString& name : names) QTest::newRow(qPrintable(name)) << name;
}

void ParityTest::everyNamedTestExists() {
    QFETCH(QString, name);
    static const QRegularExpression kParts("^([a-z_0-9]+)::([A-Za-z_0-9]+)(?:\\((.+)\\))?$");
    const QRegularExpressionMatch parts = kParts.match(name);
    QVERIFY2(parts.hasMatch(), "expected program::function or program::function(row)");
    const QString source = sources_.value(parts.captured(1));
    QVERIFY2(!source.isEmpty(), "there is no such test program");
    QVERIFY2(source.contains(
                 QRegularExpression("\\bvoid ([A-Za-z]+::)?" + parts.captured(2) + "\\(\\) \\{")),
             "it has no such function");
    if (parts.captured(3).isEmpty()) return;
    QVERIFY2(source.contains("\"" + parts.captured(3) + "\""), "it has no such row");
}

QTEST_GUILESS_MAIN(ParityTest)
#include "parity_test.moc"

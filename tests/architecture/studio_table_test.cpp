// SPDX-License-Identifier: Apache-2.0
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

/// The features in docs/studio.md against the tests that they name: `program`,
/// `program::function`, and `function` of the most recently named program.
class StudioTableTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void everyRowNamesATest();
    void everyNamedTestExists_data();
    void everyNamedTestExists();

private:
    static QString read(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    /// The last cell of each row of a table of features, without headings and separators.
    static QStringList lastCells(const QString& text);
    /// "program" or "program::function", each once.
    static QStringList namesIn(const QStringList& cells);

    QStringList cells_;
    QHash<QString, QString> sources_;  ///< source text by file name
    QString lists_;                    ///< all CMakeLists.txt of the tests
};

QStringList StudioTableTest::lastCells(const QString& text) {
    QStringList cells;
    bool isFeature = false;
    for (const QString& line : text.split('\n')) {
        if (isFeature && line.startsWith("| ")) cells << line.section('|', -2, -2).trimmed();
        if (line.startsWith("| Feature |")) isFeature = true;
        if (line.isEmpty()) isFeature = false;
    }
    return cells;
}

QStringList StudioTableTest::namesIn(const QStringList& cells) {
    static const QRegularExpression kSpan("`([^`]+)`");
    QStringList names;
    for (const QString& cell : cells) {
        QString program;
        for (auto match = kSpan.globalMatch(cell); match.hasNext();) {
            const QString span = match.next().captured(1);
            if (span.endsWith(".png")) continue;
            const bool isFunction = !span.contains("::") && !span.endsWith("_test");
            names << (isFunction ? program + "::" + span : span);
            if (!isFunction) program = span.section("::", 0, 0);
        }
    }
    names.removeDuplicates();
    return names;
}

void StudioTableTest::initTestCase() {
    const QString root = QStringLiteral(TEMPER_SOURCE_DIR);
    cells_ = lastCells(read(root + "/docs/studio.md"));
    for (QDirIterator it(root + "/tests", {"*_test.cpp", "CMakeLists.txt"}, QDir::Files,
                         QDirIterator::Subdirectories);
         it.hasNext();) {
        const QString path = it.next();
        if (path.endsWith(".txt")) {
            lists_ += read(path);
        } else {
            const QString prefix = path.contains("/tests/ui/") ? "ui_" : "";
            sources_.insert(prefix + it.fileInfo().completeBaseName(), read(path));
        }
    }
    QVERIFY(cells_.size() > 40);
    QVERIFY(sources_.size() > 80);
}

void StudioTableTest::everyRowNamesATest() {
    for (const QString& cell : cells_) {
        QVERIFY2(!namesIn({cell}).isEmpty(), qPrintable(cell));
    }
}

void StudioTableTest::everyNamedTestExists_data() {
    QTest::addColumn<QString>("name");
    for (const QString& name : namesIn(cells_)) QTest::newRow(qPrintable(name)) << name;
}

/// A program of tests/ui has the name of its source with the prefix "ui_".
void StudioTableTest::everyNamedTestExists() {
    QFETCH(QString, name);
    const QString program = name.section("::", 0, 0);
    const QString function = name.section("::", 1, 1);
    const QString source = sources_.value(program);
    if (function.isEmpty()) {
        QVERIFY2(!source.isEmpty() || lists_.contains(program), "there is no such test program");
        return;
    }
    QVERIFY2(!source.isEmpty(), "there is no such test program");
    QVERIFY2(source.contains(QRegularExpression("\\bvoid ([A-Za-z]+::)?" + function + "\\(\\)")),
             "it has no such function");
}

QTEST_GUILESS_MAIN(StudioTableTest)
#include "studio_table_test.moc"

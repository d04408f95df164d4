// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <utility>

/// The files and folders that the documentation names in backticks.
class DocumentedPathsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void pathsExist_data();
    void pathsExist();
    void namesOfFilesToEditExist_data();
    void namesOfFilesToEditExist();

private:
    /// `*` and `<name>` stand for any part of a name.
    static bool isIn(const QStringList& names, const QString& pattern);
    static QStringList spansOf(const QString& text);
    static QString read(const QString& path);

    QStringList paths_;  ///< of files and folders, from the root
    QStringList names_;  ///< of files
};

static QString root() { return QStringLiteral(TEMPER_SOURCE_DIR "/"); }

/// What the repository has there, other than hidden files and what builds leave.
static QStringList foldersOfRoot() {
    QStringList folders = QDir(root()).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    folders.removeAll("build");
    return folders;
}

QString DocumentedPathsTest::read(const QString& path) {
    QFile file(root() + path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// Without blocks of code.
QStringList DocumentedPathsTest::spansOf(const QString& text) {
    static const QRegularExpression kBlock(
        "^```.*?^```",
        QRegularExpression::MultilineOption | QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression kSpan("`([^`\\n]+)`");
    QStringList spans;
    const QString prose = QString(text).remove(kBlock);
    for (auto match = kSpan.globalMatch(prose); match.hasNext();) spans << match.next().captured(1);
    spans.removeDuplicates();
    return spans;
}

bool DocumentedPathsTest::isIn(const QStringList& names, const QString& pattern) {
    if (!pattern.contains('*') && !pattern.contains('<')) return names.contains(pattern);
    static const QRegularExpression kOpen(R"(\\\*|\\<.*?\\>)");
    const QRegularExpression expression(QRegularExpression::anchoredPattern(
        QRegularExpression::escape(pattern).replace(kOpen, "[^/]*")));
    return std::ranges::any_of(
        names, [&](const QString& name) { return expression.match(name).hasMatch(); });
}

void DocumentedPathsTest::initTestCase() {
    for (const QString& folder : foldersOfRoot()) {
        paths_ << folder;
        for (QDirIterator it(root() + folder, QDir::AllEntries | QDir::NoDotAndDotDot,
                             QDirIterator::Subdirectories);
             it.hasNext();) {
            paths_ << it.next().sliced(root().size());
            if (it.fileInfo().isFile()) names_ << it.fileName();
        }
    }
    for (const QString& file : QDir(root()).entryList(QDir::Files)) names_ << file;
    paths_ << names_;
}

/// Those that start with a folder of the repository; docs/spec is about ONNX Runtime's.
void DocumentedPathsTest::pathsExist_data() {
    QTest::addColumn<QString>("path");
    static const QRegularExpression kPath("^[A-Za-z0-9_.<>*+-]+(/[A-Za-z0-9_.<>*+-]+)+/?$");
    QStringList documents;
    for (const auto& [folder, prefix] : {std::pair(".", ""), std::pair("docs", "docs/"),
                                         std::pair("docs/decisions", "docs/decisions/")})
        for (const QString& name : QDir(root() + folder).entryList({"*.md"}, QDir::Files))
            documents << prefix + name;
    for (const QString& document : documents) {
        for (const QString& span : spansOf(read(document))) {
            if (!kPath.match(span).hasMatch() || !foldersOfRoot().contains(span.section('/', 0, 0)))
                continue;
            QTest::addRow("%s: %s", qPrintable(document), qPrintable(span)) << span;
        }
    }
}

void DocumentedPathsTest::pathsExist() {
    QFETCH(QString, path);
    if (path.endsWith('/')) path.chop(1);
    QVERIFY2(isIn(paths_, path), qPrintable(path));
}

/// Names without a folder, in the table "Where to edit": they are in a folder that the row names.
void DocumentedPathsTest::namesOfFilesToEditExist_data() {
    QTest::addColumn<QString>("name");
    const QString text =
        read("docs/architecture.md").section("## Where to edit", 1).section("\n## ", 0, 0);
    static const QRegularExpression kFile(
        "^[A-Za-z0-9_<>*-]+(\\.(cpp|h|py|sh|inc|md|in|txt|map|cmake|ts)|_test)$");
    for (const QString& span : spansOf(text))
        if (kFile.match(span).hasMatch()) QTest::newRow(qPrintable(span)) << span;
}

/// A program of tests/ui has the name of its source with the prefix "ui_".
void DocumentedPathsTest::namesOfFilesToEditExist() {
    QFETCH(QString, name);
    if (name.endsWith("_test")) name += ".cpp";
    const bool isUi = name.startsWith("ui_") && isIn(names_, name.sliced(3));
    QVERIFY2(isUi || isIn(names_, name), qPrintable(name));
}

QTEST_GUILESS_MAIN(DocumentedPathsTest)
#include "documented_paths_test.moc"

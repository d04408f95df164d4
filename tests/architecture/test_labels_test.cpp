// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTest>

namespace {

QString readText(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// A temper_test(...) call of a CMakeLists.txt.
struct TestEntry {
    QString name;
    QStringList sources;
    QStringList labels;
};

QStringList wordsAfter(const QString& keyword, const QString& arguments) {
    static const QRegularExpression kNextKeyword(
        "\\s(LIBRARIES|LABELS|DEFINITIONS|PROGRAMS|ALONE)\\b");
    const qsizetype begin = arguments.indexOf(keyword);
    if (begin < 0) return {};
    const QString rest = arguments.mid(begin + keyword.size());
    return rest.left(rest.indexOf(kNextKeyword)).simplified().split(' ', Qt::SkipEmptyParts);
}

/// Those of a folder; loops over names are expanded.
QList<TestEntry> testsOf(const QString& cmake) {
    static const QRegularExpression kTest("temper_test\\(([^)]*)\\)"),
        kLoop("foreach\\((\\w+) ([^)]*)\\)(.*?)endforeach\\(\\)",
              QRegularExpression::DotMatchesEverythingOption);
    QString text = cmake;
    for (auto loops = kLoop.globalMatch(cmake); loops.hasNext();) {
        const auto loop = loops.next();
        QString bodies;
        for (const QString& name : loop.captured(2).simplified().split(' '))
            bodies += loop.captured(3).replace("${" + loop.captured(1) + "}", name);
        text.replace(loop.captured(0), bodies);
    }
    QList<TestEntry> tests;
    for (auto matches = kTest.globalMatch(text); matches.hasNext();) {
        const QString arguments = matches.next().captured(1);
        tests << TestEntry{arguments.simplified().section(' ', 0, 0),
                           wordsAfter(" SOURCES", QString(arguments).replace('\n', ' ')),
                           wordsAfter("LABELS", arguments)};
    }
    return tests;
}

}  // namespace

/// Labels that select tests or exclude them.
class TestLabelsTest : public QObject {
    Q_OBJECT

private slots:
    void testsThatRunOnnxRuntimeHaveTheLabelOracle();
};

void TestLabelsTest::testsThatRunOnnxRuntimeHaveTheLabelOracle() {
    static const QRegularExpression kQuestion("\\boracleIsThere\\(\\)");
    int found = 0;
    QDirIterator folders(QStringLiteral(TEMPER_SOURCE_DIR "/tests"), {"CMakeLists.txt"},
                         QDir::Files, QDirIterator::Subdirectories);
    while (folders.hasNext()) {
        const QString path = folders.next();
        for (const TestEntry& test : testsOf(readText(path))) {
            const QDir folder = QFileInfo(path).dir();
            const bool asks =
                std::any_of(test.sources.begin(), test.sources.end(), [&](const QString& source) {
                    return readText(folder.filePath(source)).contains(kQuestion);
                });
            found += asks ? 1 : 0;
            QVERIFY2(asks == test.labels.contains("oracle"), qPrintable(test.name));
        }
    }
    QVERIFY2(found >= 17, qPrintable(QString::number(found)));
}

QTEST_GUILESS_MAIN(TestLabelsTest)
#include "test_labels_test.moc"

// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include "tests/architecture/source_tree.h"

namespace temper::test {
namespace {

const QString kRoot = QStringLiteral(TEMPER_SOURCE_DIR "/");

/// Phrases that read as if translated word for word, and words with two spellings.
const QString kPhrases =
    QStringList{
        R"(\b(learnt|whilst|amongst)\b)",
        R"((?<!')\b(normal|memor|recogn|penal|minim|maxim|optim|vector|regular|initial|serial|organ|summar|quant)is(e|es|ed|er|ers|ing|ation)\b)",
        R"(\bthe (meta)?data (are|were|have|do|say|tell)\b)",
        R"(\b(go|goes|going) on\b)",
        R"(\b(can be had|in vain|(?<!least )as good as)\b)",
        R"(\b(is|are) no (value|data|model|path|number|array|name|file|folder|picture|class)\b)",
        R"(\ban? (far )?too (high|low|large|small|long|short)\b)",
        R"(\bbehind the (end|head|header|last)\b)",
        R"(\b(one|steps?|objects?) an? (line|second)\b)",
    }
        .join('|');

QRegularExpression anyOf(const QString& phrases) {
    return QRegularExpression(phrases, QRegularExpression::CaseInsensitiveOption);
}

/// The phrases of a text, each with some words around it.
QStringList phrasesIn(const QString& text, const QRegularExpression& phrase) {
    QStringList found;
    for (auto matches = phrase.globalMatch(text); matches.hasNext();)
        found << text.mid(qMax<qsizetype>(0, matches.next().capturedStart() - 30), 80).simplified();
    return found;
}

/// A page without its code, its words separated by single spaces.
QString proseOf(QString page) {
    static const QRegularExpression kCode("```.*?```|`[^`\n]*`",
                                          QRegularExpression::DotMatchesEverythingOption);
    return page.replace(kCode, "`").simplified();
}

/// The string literals of a C++ text; adjacent ones are one.
QStringList literalsOf(QString source) {
    static const QRegularExpression kSeam("\"\\s*\n\\s*\"");
    static const QRegularExpression kToken(
        R"re(/{2}[^\n]*|/[*][\s\S]*?[*]/|\x22((?:[^\x22\\\n]++|\\.)*+)\x22|\x27(?:[^\x27\\\n]|\\.)\x27)re");
    QStringList literals;
    for (auto tokens = kToken.globalMatch(source.replace(kSeam, "")); tokens.hasNext();)
        literals << tokens.next().captured(1);
    return literals;
}

QString contentOf(const QString& path) {
    QFile file(kRoot + path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

}  // namespace

/// What people read is plain English: pages, docstrings of Python, and messages.
class EnglishTest : public QObject {
    Q_OBJECT

private slots:
    void pagesArePlainEnglish() {
        QStringList paths{"README.md", "CONTRIBUTING.md", "SECURITY.md", "plugins/README.md"};
        for (const char* folder : {"docs", "docs/decisions"})
            for (const QString& name : QDir(kRoot + folder).entryList({"*.md"}, QDir::Files))
                paths << QString("%1/%2").arg(folder, name);
        QVERIFY(paths.size() > 40);
        QStringList problems;
        for (const QString& path : paths)
            for (const QString& phrase : phrasesIn(proseOf(contentOf(path)), anyOf(kPhrases)))
                problems << path + ": " + phrase;
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join('\n')));
    }

    void docstringsArePlainEnglish() {
        QStringList problems;
        QDirIterator files(kRoot + "python/temper", {"*.py"}, QDir::Files,
                           QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = files.next().mid(kRoot.size());
            for (const QString& phrase : phrasesIn(contentOf(path).simplified(), anyOf(kPhrases)))
                problems << path + ": " + phrase;
        }
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join('\n')));
    }

    void messagesArePlainEnglish() {
        const auto phrase = anyOf(kPhrases + R"(|(?-i:^There (is|are)\b))");
        QStringList problems;
        qsizetype literals = 0;
        for (const char* folder : {"engine", "app", "ui", "plugins", "python/src", "capi"})
            for (const SourceFile& file : sourceFilesBelow(TEMPER_SOURCE_DIR, folder)) {
                const QString path = QString::fromStdString(file.path);
                for (const QString& literal : literalsOf(contentOf(path))) {
                    ++literals;
                    for (const QString& found : phrasesIn(literal, phrase))
                        problems << path + ": " + found;
                }
            }
        QVERIFY(literals > 10'000);
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join('\n')));
    }

    void phrasesAreFound_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("count");
        QTest::newRow("a plural") << "The data have 3 columns." << 1;
        QTest::newRow("a spelling") << "Normalise them." << 1;
        QTest::newRow("a word that was given") << "'optimiser' is not a known key." << 0;
        QTest::newRow("two phrases") << "A run goes on; it is no model." << 2;
        QTest::newRow("an adjective first") << "caused by a far too large rate" << 1;
        QTest::newRow("in order") << "too large a rate; the data has 3 columns" << 0;
    }
    void phrasesAreFound() {
        QFETCH(QString, text);
        QTEST(static_cast<int>(phrasesIn(text, anyOf(kPhrases)).size()), "count");
    }

    void codeIsNotProse() {
        QCOMPARE(proseOf("Call `go on`:\n```\ngoes on\n```\nand\nwait."), "Call `: ` and wait.");
    }
    void literalsAreJoined() {
        QCOMPARE(literalsOf("f(\"a \"\n  \"b\", '\"', \"c\");  // \"d\"\n")
                     .filter(QRegularExpression(".")),
                 QStringList({"a b", "c"}));
    }
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::EnglishTest)
#include "english_test.moc"

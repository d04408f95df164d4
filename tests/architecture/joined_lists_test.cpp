// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <string>

#include "tests/architecture/source_tree.h"

namespace temper::test {

/// Only engine/core/joined.h puts separators between the items of a list; the window has
/// QStringList::join().
class JoinedListsTest : public QObject {
    Q_OBJECT

private slots:
    void noListIsJoinedByHand();
    void joinsAreFoundInSourceText_data();
    void joinsAreFoundInSourceText();
};

/// Places where a text gets a separator unless it has no item yet.
static QList<QRegularExpression> joinsByHand() {
    const QString appends = R"( (?:\+=|<<)\s*)";
    const QString isEmpty = R"(\.(?:empty|isEmpty)\(\))";
    const QString isFirst = R"((?:!?\w*[fF]irst\w*|!?\w+ (?:>|==|!=) 0|&\w+ [!=]= [^\s?]+))";
    // ", ", "; ", ", '", ",\n": no words.
    const QString separator = R"(["'](?:[^\w"'\\]|\\n)(?:[^\w"\\]|\\n)*["'])";
    const QString maybe = R"((?:""|separator|)" + separator + ")";
    QList<QRegularExpression> joins;
    for (const QString& join :
         {R"(\b(\w+))" + appends + R"(\(?!?\1)" + isEmpty + R"(\s*\?)",
          R"(\b\w+)" + appends + R"(\(?)" + isFirst + R"(\s*\?\s*)" + maybe + R"(\s*:\s*)" + maybe,
          R"(if \(!(\w+))" + isEmpty + R"(\)\s*\{?\s*\1)" + appends + separator + ";",
          R"(if \()" + isFirst + R"(\)\s*\{?\s*\w+)" + appends + separator + ";",
          R"(\b\w+)" + appends + R"(separator\b)"}) {
        joins << QRegularExpression(join);
    }
    return joins;
}

/// The numbers of their lines, from 1.
static QList<qsizetype> joinsIn(const QString& text) {
    static const QList<QRegularExpression> kJoins = joinsByHand();
    QList<qsizetype> lines;
    for (const QRegularExpression& join : kJoins) {
        for (auto found = join.globalMatch(text); found.hasNext();)
            lines << text.left(found.next().capturedStart()).count('\n') + 1;
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

void JoinedListsTest::noListIsJoinedByHand() {
    QStringList problems;
    size_t files = 0;
    for (const char* folder :
         {"engine", "ui", "app", "plugins", "python/src", "capi", "resources"}) {
        for (const SourceFile& source : sourceFilesBelow(TEMPER_SOURCE_DIR, folder)) {
            ++files;
            const QString path = QString::fromStdString(source.path);
            if (path == "engine/core/joined.h") continue;
            QFile file(QStringLiteral(TEMPER_SOURCE_DIR "/") + path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            for (const qsizetype line : joinsIn(QString::fromUtf8(file.readAll())))
                problems << QString("%1:%2").arg(path).arg(line);
        }
    }
    QVERIFY2(files > 500, "the sources were not found");
    QVERIFY2(problems.isEmpty(),
             qPrintable("Use engine/core/joined.h:\n    " + problems.join("\n    ")));
}

void JoinedListsTest::joinsAreFoundInSourceText_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("line");  // 0: none
    const auto row = [](const char* text, int line) {
        QTest::newRow(text) << QString(text) << line;
    };
    row(R"(text += (text.empty() ? "" : ", ") + name;)", 1);
    row(R"(text += (text.empty() ? "'" : ", '") + name + "'";)", 1);
    row("{\nplaces +=\n    (places.empty() ? \"\" : \"; \") + place;", 2);
    row(R"(names += (names.empty() ? std::string() : between) + name;)", 1);
    row(R"(list += (list.isEmpty() ? "" : " · ") + name;)", 1);
    row(R"(line += (i > 0 ? "  " : "") + cell;)", 1);
    row(R"(fused.op += (m == 0 ? "" : "+") + op;)", 1);
    row(R"(text += (isFirst ? "" : ", ") + name;)", 1);
    row(R"(out << (i != 0 ? ", " : "") << name;)", 1);
    row(R"(text += (&part == parts.data() ? "" : separator) + part;)", 1);
    row("\n{\n    if (!text.empty()) text += ',';", 3);
    row("if (!events_.empty()) {\n    events_ += \",\\n\";\n}", 1);
    row(R"(if (i > 0) text += ", ";)", 1);
    row(R"(if (!isFirst_) text_ += ',';)", 1);
    row(R"(stream << separator << name; separator = ", ";)", 1);
    row(R"(text += joinedBy("|", names);)", 0);
    row(R"(text += (path.empty() ? "" : ", ") + path;)", 0);
    row(R"(message += (hint.empty() ? "" : " ") + hint;)", 0);
    row(R"(const std::string suffix = i == 0 ? "" : ":" + std::to_string(i);)", 0);
    row(R"(if (!end.message.empty()) html += " " + end.message;)", 0);
    row(R"(if (count > 0) text += "s";)", 0);
}

void JoinedListsTest::joinsAreFoundInSourceText() {
    QFETCH(QString, text);
    QFETCH(int, line);
    const QList<qsizetype> found = joinsIn(text);
    QCOMPARE(found.isEmpty() ? 0 : static_cast<int>(found.first()), line);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::JoinedListsTest)
#include "joined_lists_test.moc"

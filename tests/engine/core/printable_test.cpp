// SPDX-License-Identifier: Apache-2.0
#include "engine/core/printable.h"

#include <QProcess>
#include <QString>
#include <QTest>

#include "engine/core/shell_command.h"

namespace temper::test {

class PrintableTest : public QObject {
    Q_OBJECT

private slots:
    void whatControlsATerminalIsShown_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("shown");
        const auto row = [](const char* name, const QByteArray& text, const QByteArray& shown) {
            QTest::newRow(name) << text << shown;
        };
        row("nothing", "", "");
        row("letters of all lengths", "aé€😀", "aé€😀");
        row("red", "\x1b[31mred", R"(\u001b[31mred)");
        row("title of the window", "\x1b]0;x\x07", R"(\u001b]0;x\u0007)");
        row("back to the beginning", "good\rbad", R"(good\u000dbad)");
        row("a zero", QByteArray("a\0b", 3), R"(a\u0000b)");
        row("delete", "\x7f", R"(\u007f)");
        row("control in one character", "\xc2\x9b", R"(\u009b)");
        row("from right to left", "\xe2\x80\xae", R"(\u202e)");
        row("isolated", "\xe2\x81\xa6", R"(\u2066)");
        row("end of a line", "\xe2\x80\xa8", R"(\u2028)");
        row("Latin-1", "caf\xe9", "caf\xef\xbf\xbd");
        row("control of Latin-1", "\x9b", "\xef\xbf\xbd");
        row("cut off", "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd");
        row("longer than needed", "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd");
        row("half of a pair", "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
        row("JSON", R"({"a": "\u001b\n"})", R"({"a": "\u001b\n"})");
    }
    void whatControlsATerminalIsShown() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, shown);
        QCOMPARE(QByteArray::fromStdString(printable(text.toStdString())), shown);
        QCOMPARE(QByteArray::fromStdString(printableLine(text.toStdString())), shown);
        QCOMPARE(QByteArray::fromStdString(printableMessage(text.toStdString())), shown);
        QVERIFY(QString::fromUtf8(shown).toUtf8() == shown);
    }

    void linesStayWhereTheyMay() {
        const std::string text = "a\n    b\nerror: c\td";
        QCOMPARE(printable(text), text);
        QCOMPARE(printableLine(text), std::string(R"(a\n    b\nerror: c\td)"));
        QCOMPARE(printableMessage(text), std::string("a\n    b\\nerror: c\\td"));
    }

    void aCommandIsOneLineThatShellsReadBack_data() {
        QTest::addColumn<QByteArray>("argument");
        QTest::addColumn<QByteArray>("shown");
        QTest::newRow("plain") << QByteArray("a/b.onnx") << QByteArray("a/b.onnx");
        QTest::newRow("nothing") << QByteArray() << QByteArray("''");
        QTest::newRow("words") << QByteArray("a b é") << QByteArray("'a b é'");
        QTest::newRow("a quote") << QByteArray("it's") << QByteArray(R"('it'\''s')");
        QTest::newRow("lines") << QByteArray("a\n\tb\\'") << QByteArray(R"($'a\n\tb\\\'')");
        QTest::newRow("colours") << QByteArray("\x1b[31m1") << QByteArray(R"($'\033[31m1')");
        QTest::newRow("from right to left, and a letter")
            << QByteArray("\xe2\x80\xaeé") << QByteArray(R"($'\342\200\256\303\251')");
        QTest::newRow("Latin-1") << QByteArray("caf\xe9") << QByteArray(R"($'caf\351')");
    }
    void aCommandIsOneLineThatShellsReadBack() {
        QFETCH(QByteArray, argument);
        QFETCH(QByteArray, shown);
        const std::string line = shellCommand({"printf", "%s", argument.toStdString()});
        QCOMPARE(QByteArray::fromStdString(line), "printf %s " + shown);
        QCOMPARE(printableMessage(line), line);
        QProcess bash;
        bash.start("bash", {"--norc"});
        if (!bash.waitForStarted()) QSKIP("There is no bash.");
        bash.write(QByteArray::fromStdString(line));
        bash.closeWriteChannel();
        QVERIFY(bash.waitForFinished());
        QCOMPARE(bash.readAllStandardOutput(), argument);
    }

    void aCharacterThatIsNotCompleteYetIsCounted_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("bytes");
        QTest::newRow("none") << QByteArray() << 0;
        QTest::newRow("a letter") << QByteArray("a") << 0;
        QTest::newRow("whole") << QByteArray("€") << 0;
        QTest::newRow("one of three") << QByteArray("a\xe2") << 1;
        QTest::newRow("two of three") << QByteArray("a\xe2\x82") << 2;
        QTest::newRow("three of four") << QByteArray("\xf0\x9f\x98") << 3;
        QTest::newRow("of nothing") << QByteArray("\x80\x80\x80\x80") << 0;
    }
    void aCharacterThatIsNotCompleteYetIsCounted() {
        QFETCH(QByteArray, text);
        QFETCH(int, bytes);
        QCOMPARE(unfinishedBytes(text.toStdString()), static_cast<size_t>(bytes));
    }
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::PrintableTest)
#include "printable_test.moc"

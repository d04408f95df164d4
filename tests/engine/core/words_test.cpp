// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/core/closest_word.h"
#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/core/lower_case.h"

namespace temper::test {

/// Words in messages: nouns after numbers, lists, and suggestions for misspelt words.
class WordsTest : public QObject {
    Q_OBJECT

private slots:
    void nounsAgreeWithTheirNumber_data();
    void nounsAgreeWithTheirNumber();
    void labelsContinueASentence_data();
    void labelsContinueASentence();
    void listsHaveASeparatorBetweenTheirItems();
    void wordsThatAreMeantAreFound_data();
    void wordsThatAreMeantAreFound();
    void oneChangeIsAlmostTheWord_data();
    void oneChangeIsAlmostTheWord();
};

void WordsTest::labelsContinueASentence_data() {
    QTest::addColumn<QString>("label");
    QTest::addColumn<QString>("text");
    QTest::newRow("words") << "Batch size"
                           << "batch size";
    QTest::newRow("one word") << "Epochs"
                              << "epochs";
    QTest::newRow("an abbreviation") << "EMA decay"
                                     << "EMA decay";
    QTest::newRow("a name") << "ZeRO stage"
                            << "ZeRO stage";
    QTest::newRow("an abbreviation inside") << "Stop at NaN"
                                            << "stop at NaN";
    QTest::newRow("a letter") << "A"
                              << "a";
    QTest::newRow("nothing") << ""
                             << "";
}

void WordsTest::labelsContinueASentence() {
    QFETCH(QString, label);
    QTEST(QString::fromStdString(withSmallFirst(label.toStdString())), "text");
}

void WordsTest::nounsAgreeWithTheirNumber_data() {
    QTest::addColumn<qint64>("count");
    QTest::addColumn<QString>("text");
    QTest::newRow("none") << qint64(0) << "0 classes, 0 steps";
    QTest::newRow("one") << qint64(1) << "1 class, 1 step";
    QTest::newRow("two") << qint64(2) << "2 classes, 2 steps";
    QTest::newRow("minus one") << qint64(-1) << "-1 classes, -1 steps";
}

void WordsTest::nounsAgreeWithTheirNumber() {
    QFETCH(qint64, count);
    QFETCH(QString, text);
    QCOMPARE(
        QString::fromStdString(counted(count, "class", "classes") + ", " + counted(count, "step")),
        text);
}

void WordsTest::listsHaveASeparatorBetweenTheirItems() {
    const std::vector<std::string> none, one = {"a"}, three = {"a", "", "c"};
    QCOMPARE(joined(none), std::string());
    QCOMPARE(joined(one), std::string("a"));
    QCOMPARE(joined(three), std::string("a, , c"));
    QCOMPARE(joined(three, std::identity(), 2), std::string("a, , ..."));
    QCOMPARE(joined(three, std::identity(), 3), std::string("a, , c"));
    QCOMPARE(joinedBy(" | ", three), std::string("a |  | c"));
    QCOMPARE(joinedBy("|", three, std::identity(), 1), std::string("a|..."));
    QCOMPARE(joinedQuoted(three), std::string("'a', '', 'c'"));
}

void WordsTest::wordsThatAreMeantAreFound_data() {
    QTest::addColumn<QString>("word");
    QTest::addColumn<QString>("hint");
    QTest::newRow("swapped") << "trian"
                             << "Did you mean 'train'? ";
    QTest::newRow("the closest of several") << "tain"
                                            << "Did you mean 'train'? ";
    QTest::newRow("swapped, beside a longer word") << "adma"
                                                   << "Did you mean 'adam'? ";
    QTest::newRow("an abbreviation") << "ckpt"
                                     << "Did you mean 'checkpoint'? ";
    QTest::newRow("initials") << "learning-rate"
                              << "Did you mean 'lr'? ";
    QTest::newRow("another word") << "deploy"
                                  << "";
    QTest::newRow("nothing") << ""
                             << "";
}

void WordsTest::wordsThatAreMeantAreFound() {
    QFETCH(QString, word);
    QFETCH(QString, hint);
    const std::vector<std::string> known = {"train", "trace", "export",    "adamw",
                                            "adam",  "lr",    "checkpoint"};
    QCOMPARE(QString::fromStdString(didYouMean(word.toStdString(), known)), hint);
}

void WordsTest::oneChangeIsAlmostTheWord_data() {
    QTest::addColumn<QString>("word");
    QTest::addColumn<bool>("isClose");
    QTest::newRow("the word itself") << "out1" << false;
    QTest::newRow("a letter less") << "ou1" << true;
    QTest::newRow("a letter more") << "outt1" << true;
    QTest::newRow("another letter") << "out2" << true;
    QTest::newRow("two swapped") << "uot1" << true;
    QTest::newRow("the last two swapped") << "ou1t" << true;
    QTest::newRow("the ends swapped") << "1uto" << false;
    QTest::newRow("two others") << "oxy1" << false;
    QTest::newRow("the last two others") << "ouxy" << false;
    QTest::newRow("nothing") << "" << false;
}

void WordsTest::oneChangeIsAlmostTheWord() {
    QFETCH(QString, word);
    QFETCH(bool, isClose);
    QCOMPARE(isAlmost(word.toStdString(), "out1"), isClose);
}

}  // namespace temper::test

QTEST_APPLESS_MAIN(temper::test::WordsTest)
#include "words_test.moc"

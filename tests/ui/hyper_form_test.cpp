// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/hyper_form.h"

#include <QCheckBox>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QTest>

#include "engine/training/loss/loss_function.h"
#include "engine/training/optimizers/optimizers.h"
#include "ui/widgets/list_edit.h"
#include "ui/widgets/number_edit.h"

namespace temper::ui {

/// Forms for all existing choices.
class HyperFormTest : public QObject {
    Q_OBJECT

private slots:
    void everyHyperparameterHasAField_data();
    void everyHyperparameterHasAField();
    void listsAreTypedWithCommas();
    void aListThatWasNotTypedStays();
    void numbersAreWrittenAsTheLanguageDoes_data();
    void numbersAreWrittenAsTheLanguageDoes();
    void leavingAFieldChangesNothing();
    void aValueMayHaveAName();
    void switchesAreNumbers();
};

void HyperFormTest::everyHyperparameterHasAField_data() {
    QTest::addColumn<Choice>("choice");
    for (const auto* choices : {&lossChoices(), &optimizerChoices(), &scheduleChoices()}) {
        for (const Choice& choice : *choices) {
            QTest::newRow(choice.label.c_str()) << choice;
        }
    }
}

void HyperFormTest::everyHyperparameterHasAField() {
    QFETCH(Choice, choice);
    HyperForm form;
    form.show(choice, {choice.key, {}});
    for (const HyperParameter& parameter : choice.hyperParameters) {
        auto* field = form.findChild<QWidget*>(QString::fromStdString(parameter.key));
        QVERIFY2(field != nullptr, parameter.key.c_str());
        QCOMPARE(field->accessibleName(), QString::fromStdString(parameter.label));
        switch (parameter.kind) {
            case HyperParameter::Kind::Number:
                QCOMPARE(qobject_cast<NumberEdit*>(field)->value(), parameter.defaultValue);
                // A zero that the help explains is a word, as in the settings of a run.
                if (parameter.help.ends_with("0 is off.")) QCOMPARE(parameter.zero, "off");
                if (parameter.defaultValue == 0 && !parameter.zero.empty())
                    QCOMPARE(field->property("text").toString(),
                             QString::fromStdString(parameter.zero));
                break;
            case HyperParameter::Kind::Switch:
                QCOMPARE(qobject_cast<QCheckBox*>(field)->isChecked(), parameter.defaultValue != 0);
                break;
            case HyperParameter::Kind::List:
                QVERIFY(qobject_cast<ListEdit*>(field)->values().empty());
                break;
        }
    }
}

void HyperFormTest::listsAreTypedWithCommas() {
    HyperForm form;
    const Choice* choice = findChoice(scheduleChoices(), "multi-step");
    form.show(*choice, {"multi-step", {}, {{"milestones", {30, 80.5}}}});
    auto* field = form.findChild<ListEdit*>("milestones");
    QCOMPARE(field->text(), QString("30, 80.5"));
    std::vector<std::vector<double>> edits;
    connect(&form, &HyperForm::listEdited, &form,
            [&](const QString& key, const QString&, const std::vector<double>& list) {
                QCOMPARE(key, QString("milestones"));
                edits.push_back(list);
            });
    field->setText(QString());
    QTest::keyClicks(field, "10, 20,25");
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(edits, (std::vector<std::vector<double>>{{10, 20, 25}}));
    field->setText(QString());
    QTest::keyClicks(field, "10, -3");
    QVERIFY(field->property("invalid").toBool());
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(field->text(), QString("10, 20, 25"));
    QCOMPARE(edits.size(), size_t{1});
}

/// A list has more digits than are shown; nobody typed those away.
void HyperFormTest::aListThatWasNotTypedStays() {
    ListEdit field(0, 1);
    field.setValues({1.0 / 3, 0.5});
    QCOMPARE(field.text(), QString("0.3333333333, 0.5"));
    QSignalSpy edits(&field, &ListEdit::valuesEdited);
    field.show();
    QVERIFY(QTest::qWaitForWindowActive(&field));
    field.setFocus();
    QTest::keyClick(&field, Qt::Key_Return);
    QCOMPARE(edits.size(), 0);
    // What is being typed stays if the same values are shown again.
    QTest::keyClick(&field, Qt::Key_End);
    QTest::keyClicks(&field, ", 0.2");
    field.setValues({1.0 / 3, 0.5});
    QCOMPARE(field.text(), QString("0.3333333333, 0.5, 0.2"));
    QTest::keyClick(&field, Qt::Key_Return);
    QCOMPARE(edits.size(), 1);
    QCOMPARE(field.values().size(), size_t{3});
    field.setValues({0.5});
    QCOMPARE(field.text(), QString("0.5"));
}

void HyperFormTest::numbersAreWrittenAsTheLanguageDoes_data() {
    QTest::addColumn<QLocale>("locale");
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("shown");
    const QLocale english(QLocale::English), german(QLocale::German);
    QTest::newRow("English") << english << 0.0015 << "0.0015";
    QTest::newRow("German") << german << 0.0015 << "0,0015";
    QTest::newRow("Persian") << QLocale(QLocale::Persian) << 0.0015 << "0.0015";
    QTest::newRow("Swedish") << QLocale(QLocale::Swedish) << 1e-5 << "1e-05";
    QTest::newRow("thousands") << german << 12345.5 << "12345,5";
}

/// Numbers are also accepted with either decimal separator.
void HyperFormTest::numbersAreWrittenAsTheLanguageDoes() {
    QFETCH(QLocale, locale);
    QFETCH(double, value);
    QFETCH(QString, shown);
    const QLocale before;
    const auto back = qScopeGuard([&before] { QLocale::setDefault(before); });
    QLocale::setDefault(locale);
    NumberEdit field(NumberEdit::Kind::Real, 0, 1e6);
    field.setValue(value);
    QCOMPARE(field.text(), shown);
    QVERIFY(!field.property("invalid").toBool());
    const QSignalSpy edits(&field, &NumberEdit::valueEdited);
    for (const char* typed : {"2.5", "3,5", " 1e-3 "}) {
        field.selectAll();
        QTest::keyClicks(&field, typed);
        QVERIFY(!field.property("invalid").toBool());
        QTest::keyClick(&field, Qt::Key_Return);
    }
    QCOMPARE(edits.size(), 3);
    QCOMPARE(edits[0][0].toDouble(), 2.5);
    QCOMPARE(edits[1][0].toDouble(), 3.5);
    QCOMPARE(edits[2][0].toDouble(), 1e-3);
    // "1,000" may mean a thousand or one.
    field.selectAll();
    QTest::keyClicks(&field, locale.decimalPoint() == "," ? "1.000" : "1,000");
    QVERIFY(field.property("invalid").toBool());
    field.setValue(1e-6);  // it accepts its own text
    QVERIFY2(!field.property("invalid").toBool(), qPrintable(field.text()));
}

void HyperFormTest::leavingAFieldChangesNothing() {
    NumberEdit field(NumberEdit::Kind::Real, 0, 1);
    field.setValue(1.0 / 3);
    const QSignalSpy edits(&field, &NumberEdit::valueEdited);
    QTest::keyClick(&field, Qt::Key_Return);
    QCOMPARE(edits.size(), 0);
    QCOMPARE(field.value(), 1.0 / 3);
}

void HyperFormTest::aValueMayHaveAName() {
    NumberEdit field(NumberEdit::Kind::Real, 0, 10);
    field.setWord(0, "off");
    QCOMPARE(field.text(), QString("off"));
    const QSignalSpy edits(&field, &NumberEdit::valueEdited);
    const auto type = [&](const char* text) {
        field.selectAll();
        QTest::keyClicks(&field, text);
        QTest::keyClick(&field, Qt::Key_Return);
    };
    type("1.5");
    QCOMPARE(field.text(), QString("1.5"));
    type("Off");
    QCOMPARE(edits.size(), 2);
    QCOMPARE(edits[1][0].toDouble(), 0.0);
    type("0");
    QCOMPARE(edits.size(), 2);
    field.setValue(0);
    QCOMPARE(field.text(), QString("off"));
    const QSignalSpy refusals(&field, &NumberEdit::refused);
    type("on");
    QCOMPARE(refusals.size(), 1);
    QVERIFY2(refusals[0][0].toString().contains("0: off"), qPrintable(refusals[0][0].toString()));
    QCOMPARE(field.value(), 0.0);
}

void HyperFormTest::switchesAreNumbers() {
    HyperForm form;
    const Choice* choice = findChoice(scheduleChoices(), "one-cycle");
    form.show(*choice, {"one-cycle", {{"straight", 1}}});
    QVERIFY(form.findChild<QCheckBox*>("straight")->isChecked());
    auto* field = form.findChild<QCheckBox*>("three_phases");
    QSignalSpy edited(&form, &HyperForm::valueEdited);
    field->click();
    QCOMPARE(edited.size(), 1);
    QCOMPARE(edited[0][0].toString(), QString("three_phases"));
    QCOMPARE(edited[0][2].toDouble(), 1.0);
}

}  // namespace temper::ui

QTEST_MAIN(temper::ui::HyperFormTest)
#include "hyper_form_test.moc"

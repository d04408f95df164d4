// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/hyper_form.h"

#include <QCheckBox>
#include <QSignalSpy>
#include <QTest>

#include "ui/widgets/list_edit.h"
#include "ui/widgets/number_edit.h"

namespace temper::ui {

/// Forms for all choices there are.
class HyperFormTest : public QObject {
    Q_OBJECT

private slots:
    void everyHyperparameterHasAField_data();
    void everyHyperparameterHasAField();
    void listsAreTypedWithCommas();
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

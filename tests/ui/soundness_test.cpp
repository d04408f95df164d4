// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLabel>
#include <QPushButton>
#include <QTest>
#include <algorithm>

#include "tests/ui/window_driver.h"
#include "ui/panels/objective/soundness_card.h"
#include "ui/plots/plot_view.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

}  // namespace

/// The checks before the start, on the page of the objective.
class SoundnessTest : public QObject {
    Q_OBJECT

private slots:
    void oneBatchIsLearnedAndForgottenWithOtherChoices() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("objective"));
        auto* card = driver.window().findChild<SoundnessCard*>();
        auto* said = driver.window().findChild<QLabel*>("oneBatch");
        auto* plot = card->findChild<PlotView*>();
        QVERIFY(!said->isVisible());
        QVERIFY(!plot->isVisible());
        setRate(driver, 0.02);
        QVERIFY(driver.click("learnBatch"));
        QTRY_VERIFY_WITH_TIMEOUT(!card->batch().losses.empty(), kPatienceMs);
        const OneBatch learned = card->batch();
        QVERIFY(learned.isLearned);
        QVERIFY2(said->text().contains("learned by heart"), qPrintable(said->text()));
        QVERIFY(plot->isVisible());
        QCOMPARE(plot->pointCount(0), static_cast<int>(learned.losses.size()));
        // Other choices give another answer: at such a rate nothing changes.
        setRate(driver, 1e-9);
        QTRY_VERIFY(card->batch().losses.empty());
        QVERIFY(!said->isVisible());
        QVERIFY(driver.click("learnBatch"));
        QTRY_VERIFY_WITH_TIMEOUT(!card->batch().losses.empty(), kPatienceMs);
        QVERIFY(!card->batch().isLearned);
        QVERIFY2(said->text().contains("hardly learns"), qPrintable(said->text()));
    }

    void aCheckCanBeCancelled() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("objective"));
        auto* card = driver.window().findChild<SoundnessCard*>();
        auto* cancel = card->findChild<QPushButton*>("cancelChecks");
        QVERIFY(!cancel->isVisible());
        for (const char* name : {"learnBatch", "checkGradients"}) {
            auto* button = card->findChild<QPushButton*>(name);
            QVERIFY(driver.click(name));
            QVERIFY(cancel->isVisible());
            QVERIFY(!button->isEnabled());
            QVERIFY(driver.click("cancelChecks"));
            QVERIFY(!cancel->isVisible());
            QVERIFY(button->isEnabled());
        }
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        QVERIFY(card->batch().losses.empty());
        QVERIFY(card->gradients().empty());
    }

    void theFocusComesBackToWhatStartedACheck() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("objective"));
        auto* card = driver.window().findChild<SoundnessCard*>();
        auto* check = card->findChild<QPushButton*>("checkGradients");
        driver.window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&driver.window()));
        check->setFocus();
        QTest::keyClick(check, Qt::Key_Space);
        QVERIFY(card->findChild<QPushButton*>("cancelChecks")->hasFocus());
        QTRY_VERIFY_WITH_TIMEOUT(!card->gradients().empty(), kPatienceMs);
        QVERIFY(check->hasFocus());
    }

    void gradientsAgreeWithDifferences() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("objective"));
        auto* card = driver.window().findChild<SoundnessCard*>();
        QVERIFY(driver.click("checkGradients"));
        QTRY_VERIFY_WITH_TIMEOUT(!card->gradients().empty(), kPatienceMs);
        const auto trained = std::ranges::count_if(
            driver.project().model()->parameters, [](const ParameterInfo& parameter) {
                return parameter.parameterClass == ParameterClass::Trainable;
            });
        QCOMPARE(static_cast<int64_t>(card->gradients().size()), static_cast<int64_t>(trained));
        const QString said = driver.window().findChild<QLabel*>("gradientCheck")->text();
        QVERIFY2(said.contains(QString("gradients of %1 parameters agree").arg(trained)),
                 qPrintable(said));
    }

private:
    static void setRate(WindowDriver& driver, double rate) {
        TrainingSpec spec = driver.project().spec();
        spec.run.learningRate = rate;
        spec.run.schedule = {"constant", {}};
        driver.project().edit("Learning rate", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
    }
};

QTEST_MAIN(SoundnessTest)
#include "soundness_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <set>

#include "engine/training/projects/lesson.h"
#include "engine/training/projects/lesson_condition.h"
#include "tests/ui/window_driver.h"
#include "ui/docks/lesson/lesson_dock.h"
#include "ui/docks/lesson/lesson_step_card.h"
#include "ui/docks/problems/problem_model.h"
#include "ui/panels/evaluate/evaluate_panel.h"
#include "ui/panels/evaluate/prediction_bars.h"
#include "ui/panels/evaluate/row_model.h"
#include "ui/panels/evaluate/try_canvas.h"
#include "ui/panels/evaluate/try_view.h"
#include "ui/widgets/confusion_view.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

LessonDock& lessonDock(WindowDriver& driver) { return *driver.window().findChild<LessonDock*>(); }

EvaluatePanel& evaluatePanel(WindowDriver& driver) {
    return *qobject_cast<EvaluatePanel*>(driver.window().pages().page("evaluate"));
}

QString doneSteps(WindowDriver& driver) {
    QString done;
    for (const LessonStepCard* card : lessonDock(driver).steps())
        done += card->isDone() ? 'x' : card->isCurrent() ? '>' : '.';
    return done;
}

bool isIdle(WindowDriver& driver) {
    return QTest::qWaitFor([&] { return !driver.project().tasks()->isBusy(); }, kPatienceMs);
}

bool reaches(WindowDriver& driver, RunState state) {
    return QTest::qWaitFor([&] { return driver.run().state() == state; }, kPatienceMs);
}

bool train(WindowDriver& driver, RunState end = RunState::Finished) {
    if (!driver.goTo("train")) return false;
    if (!QTest::qWaitFor([&] { return driver.project().isReadyToTrain(); }, kPatienceMs))
        return false;
    // A short run may be over before anybody looks.
    QSignalSpy states(&driver.run(), &RunModel::stateChanged);
    if (!driver.click("startButton")) return false;
    return QTest::qWaitFor([&] { return !states.isEmpty() && driver.run().state() == end; },
                           kPatienceMs);
}

/// A change of the choices by the user; a short run is enough.
bool choose(WindowDriver& driver, const std::function<void(TrainingSpec&)>& change) {
    TrainingSpec spec = driver.project().spec();
    spec.run.epochs = 2;
    change(spec);
    driver.project().edit("choice", spec);
    return QTest::qWaitFor([&] { return driver.project().isReadyToTrain(); }, kPatienceMs);
}

bool openTab(WindowDriver& driver, const QString& page, const QString& tabs, int index) {
    auto* widget = driver.window().findChild<QTabWidget*>(tabs);
    if (!driver.goTo(page) || widget == nullptr) return false;
    widget->setCurrentIndex(index);
    return isIdle(driver);
}

bool evaluates(WindowDriver& driver, int part) {
    if (!driver.goTo("evaluate")) return false;
    driver.window().findChild<QComboBox*>("evaluatedPart")->setCurrentIndex(part);
    const auto before = evaluatePanel(driver).result();
    return driver.click("evaluateButton") &&
           QTest::qWaitFor([&] { return evaluatePanel(driver).result() != before; }, kPatienceMs) &&
           isIdle(driver);
}

bool choosesCell(WindowDriver& driver) {
    if (!evaluates(driver, 0) || !openTab(driver, "evaluate", "evaluateTabs", 0)) return false;
    auto* confusion = driver.window().findChild<ConfusionView*>("evaluateConfusion");
    QTest::mouseClick(confusion, Qt::LeftButton, {}, confusion->cell(0, 0).center().toPoint());
    return isIdle(driver);
}

bool typesValues(WindowDriver& driver) {
    if (!openTab(driver, "evaluate", "evaluateTabs", 3)) return false;
    RowModel* row = evaluatePanel(driver).tryView()->row();
    return row->rowCount() > 0 && row->setData(row->index(0, RowModel::Value), "0.5", Qt::EditRole);
}

bool draws(WindowDriver& driver) {
    if (!openTab(driver, "evaluate", "evaluateTabs", 3) || !driver.click("newDrawing"))
        return false;
    TryView* view = evaluatePanel(driver).tryView();
    QTest::mouseClick(view->canvas(), Qt::LeftButton, {}, view->canvas()->rect().center());
    return QTest::qWaitFor([&] { return !view->bars()->bars().empty(); }, kPatienceMs);
}

bool comparesRuns(WindowDriver& driver) {
    if (!train(driver)) return false;
    driver.window().docks().show("runs");
    auto* table = driver.window().findChild<QTableView*>("runTable");
    const auto rows = [table] { return table->model()->rowCount(); };
    if (!QTest::qWaitFor([&] { return rows() == 2; }, kPatienceMs) || !isIdle(driver)) return false;
    table->selectAll();
    return true;
}

QString newestCheckpoint(WindowDriver& driver) {
    return driver.run().checkpoints().empty() ? QString() : driver.run().checkpoints().back().path;
}

bool loadsCheckpoint(WindowDriver& driver) {
    QSignalSpy loaded(driver.trainPanel().checkpoints(), &CheckpointPane::loaded);
    driver.trainPanel().checkpoints()->load(newestCheckpoint(driver));
    return QTest::qWaitFor([&] { return !loaded.isEmpty(); }, kPatienceMs);
}

bool viewsCheckpoint(WindowDriver& driver) {
    driver.trainPanel().checkpoints()->view(newestCheckpoint(driver));
    return isIdle(driver);
}

bool exports(WindowDriver& driver) {
    if (!driver.goTo("export")) return false;
    QSignalSpy exported(&driver.exportPanel(), &ExportPanel::exported);
    driver.exportPanel().exportTo(driver.filePath("trained.onnx"));
    return QTest::qWaitFor([&] { return !exported.isEmpty(); }, kPatienceMs);
}

bool selects(WindowDriver& driver) {
    if (!driver.goTo("model") || !isIdle(driver)) return false;
    emit driver.window().work().navigator.nodeRequested(
        text(driver.project().model()->graph->nodes().front()->name()));
    return isIdle(driver);
}

bool reads(WindowDriver& driver, const std::string& code) {
    driver.window().docks().show("problems");
    auto* table = driver.window().findChild<QTableView*>("problemTable");
    const auto* model = qobject_cast<const ProblemModel*>(table->model());
    for (int row = 0; row < model->rowCount(); ++row) {
        if (model->problem(row).finding.code != code) continue;
        emit table->clicked(model->index(row, 0));
        return true;
    }
    return false;
}

using Act = std::function<bool(WindowDriver&)>;

/// A step of each act, and the act as a person does it.
struct ActRow {
    std::string act;
    std::string lesson;
    bool needsRun;
    Act doIt;
};

const std::vector<ActRow>& actRows() {
    static const std::vector<ActRow> kRows = {
        {"select", "spirals", false, selects},
        {"choose cell", "spirals", true, choosesCell},
        {"compare runs", "spirals", true, comparesRuns},
        {"step", "xor", false,
         [](WindowDriver& driver) {
             return driver.goTo("train") && driver.click("stepButton") &&
                    reaches(driver, RunState::Paused);
         }},
        {"type values", "sine", true, typesValues},
        {"show curves", "sine", true,
         [](WindowDriver& driver) { return openTab(driver, "evaluate", "evaluateTabs", 1); }},
        {"show health", "iris", false,
         [](WindowDriver& driver) { return openTab(driver, "data", "dataTabs", 1); }},
        {"evaluate training samples", "iris", true,
         [](WindowDriver& driver) { return evaluates(driver, 1); }},
        {"export", "iris", true, exports},
        {"draw", "digits", true, draws},
        {"view checkpoint", "digits-transfer", true, viewsCheckpoint},
        {"load checkpoint", "overfitting", true, loadsCheckpoint},
        {"read W004", "broken", false, [](WindowDriver& driver) { return reads(driver, "W004"); }},
        {"evaluate", "tones", true, [](WindowDriver& driver) { return evaluates(driver, 0); }},
        {"lower rate", "exploding", true,
         [](WindowDriver& driver) { return driver.click("lowerRateButton"); }},
    };
    return kRows;
}

int stepOf(const ActRow& row) {
    const std::vector<LessonCondition> conditions = stepConditions(findLesson(row.lesson));
    for (size_t i = 0; i < conditions.size(); ++i)
        if (conditions[i].act == row.act) return static_cast<int>(i);
    return -1;
}

}  // namespace

class LessonStepsTest : public QObject {
    Q_OBJECT

private slots:
    void everyActTicksItsStep_data() {
        QTest::addColumn<int>("row");
        for (size_t i = 0; i < actRows().size(); ++i)
            QTest::newRow(actRows()[i].act.c_str()) << static_cast<int>(i);
    }
    void everyActTicksItsStep() {
        QFETCH(int, row);
        const ActRow& act = actRows()[static_cast<size_t>(row)];
        const int step = stepOf(act);
        QVERIFY(step >= 0);
        WindowDriver driver;
        if (act.lesson == "broken") {
            QVERIFY(driver.click("open-broken"));
            QTRY_VERIFY_WITH_TIMEOUT(driver.project().preparation(), kPatienceMs);
        } else {
            QVERIFY(driver.openLesson(text(act.lesson)));
        }
        if (act.lesson == "exploding") {
            QVERIFY(train(driver, RunState::Failed));
        } else if (act.needsRun) {
            QVERIFY(choose(driver, [](TrainingSpec&) {}));
            QVERIFY(train(driver));
        }
        LessonDock& dock = lessonDock(driver);
        const LessonStepCard* card = dock.steps()[static_cast<size_t>(step)];
        QVERIFY(isIdle(driver));
        QVERIFY(!card->isDone());
        QVERIFY(act.doIt(driver));
        QTRY_VERIFY_WITH_TIMEOUT(card->isDone(), kPatienceMs);
    }

    void everyActOfTheLessonsIsTested() {
        std::set<std::string> used, tested;
        for (const Lesson& lesson : bundledLessons())
            for (const LessonCondition& done : stepConditions(lesson))
                if (!done.act.empty()) used.insert(done.act);
        for (const ActRow& row : actRows()) tested.insert(row.act);
        QVERIFY(used == tested);
    }

    void aWholeLessonTicksItself() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QCOMPARE(doneSteps(driver), QString(">....."));
        QVERIFY(driver.goTo("data"));
        QCOMPARE(doneSteps(driver), QString("x>...."));
        QVERIFY(openTab(driver, "data", "dataTabs", 1));
        QCOMPARE(doneSteps(driver), QString("xx>..."));
        QVERIFY(train(driver));
        QCOMPARE(doneSteps(driver), QString("xxx>.."));
        QVERIFY(evaluates(driver, 0));
        QCOMPARE(doneSteps(driver), QString("xxx>.."));
        QVERIFY(evaluates(driver, 1));
        QCOMPARE(doneSteps(driver), QString("xxxx>."));
        QVERIFY(choose(driver, [](TrainingSpec& spec) { spec.artifacts.optimizer.key = "sgd"; }));
        QCOMPARE(doneSteps(driver), QString("xxxx>."));
        QVERIFY(train(driver));
        QCOMPARE(doneSteps(driver), QString("xxxxx>"));
        QVERIFY(exports(driver));
        QCOMPARE(doneSteps(driver), QString("xxxxxx"));
        QCOMPARE(lessonDock(driver).findChild<QLabel*>("lessonCount")->text(),
                 QString("All steps are done."));
        QVERIFY(driver.click("clearTicks"));
        QCOMPARE(doneSteps(driver), QString(">....."));
        QVERIFY(!driver.window().findChild<QWidget*>("clearTicks")->isVisible());
    }

    void aLessonThatFailsFirstTicksItself() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("exploding"));
        QVERIFY(train(driver, RunState::Failed));
        QCOMPARE(doneSteps(driver), QString("x>...."));
        driver.window().docks().show("layers");
        QTRY_COMPARE_WITH_TIMEOUT(doneSteps(driver), QString("xx>..."), kPatienceMs);
        TrainingSpec spec = driver.project().spec();
        spec.run.learningRate = 0.002;
        driver.project().edit("rate", spec);
        QCOMPARE(doneSteps(driver), QString("xxx>.."));
        spec.run.clipNorm = 1;
        driver.project().edit("clip", spec);
        QCOMPARE(doneSteps(driver), QString("xxxx>."));
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QCOMPARE(doneSteps(driver), QString("xxxxx>"));
    }

    void singleStepsAreCounted() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("xor"));
        QVERIFY(driver.goTo("data") && driver.goTo("parameters") && driver.goTo("train"));
        QCOMPARE(doneSteps(driver), QString("xx>..."));
        driver.window().docks().show("layers");
        for (int step = 1; step <= 3; ++step) {
            QCOMPARE(doneSteps(driver)[3], step < 2 ? QChar('.') : QChar('>'));
            QVERIFY(driver.click("stepButton"));
            QTRY_VERIFY_WITH_TIMEOUT(
                driver.run().state() == RunState::Paused && driver.run().step() == step,
                kPatienceMs);
        }
        QTRY_COMPARE_WITH_TIMEOUT(doneSteps(driver), QString("xxxx>."), kPatienceMs);
    }

    /// What is visible already counts if the learner asks for it.
    void theButtonOfAStepTicksWhatIsShownAlready() {
        WindowDriver driver;
        driver.window().docks().show("problems");
        QVERIFY(driver.click("open-broken"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().preparation(), kPatienceMs);
        QVERIFY(isIdle(driver));
        QCOMPARE(doneSteps(driver), QString(">......"));
        QVERIFY(driver.click("stepOpen-1"));
        QCOMPARE(doneSteps(driver), QString("x>....."));
    }

    void aTickRemovedByHandStaysRemoved() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(choose(driver, [](TrainingSpec&) {}));
        QVERIFY(train(driver));
        QCOMPARE(doneSteps(driver), QString(">.x..."));
        QVERIFY(driver.click("stepDone-3"));
        QVERIFY(evaluates(driver, 0));
        QVERIFY(driver.goTo("model"));
        QCOMPARE(doneSteps(driver), QString(">....."));
        // It is done again by another run.
        QVERIFY(train(driver));
        QCOMPARE(doneSteps(driver), QString(">.x..."));
    }

    void ticksAreSavedWithTheProject() {
        const QString folder = "lesson-project";
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("data"));
        QSignalSpy saved(&driver.project(), &StudioProject::saved);
        driver.project().saveAs(driver.filePath(folder));
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, kPatienceMs);
        // Somebody else's settings.
        QVERIFY(driver.openLesson("xor"));
        driver.settings().remove("lessons/iris");
        QVERIFY(driver.openLesson("iris"));
        QCOMPARE(doneSteps(driver), QString(">....."));
        driver.window().files().open(driver.filePath(folder));
        QTRY_COMPARE_WITH_TIMEOUT(doneSteps(driver), QString("x>...."), kPatienceMs);
    }
};

QTEST_MAIN(LessonStepsTest)
#include "lesson_steps_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <map>
#include <utility>

#include "engine/core/file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/runtime/device.h"
#include "engine/training/parameters/trainable_choice.h"
#include "tests/ui/typing.h"
#include "tests/ui/window_driver.h"
#include "ui/panels/objective/group_model.h"
#include "ui/panels/objective/loss_terms_model.h"
#include "ui/panels/objective/more_settings.h"
#include "ui/panels/objective/rehearsal_card.h"
#include "ui/panels/objective/run_form.h"
#include "ui/panels/objective/schedule_preview.h"
#include "ui/plots/xy_plot.h"
#include "ui/translation/languages.h"
#include "ui/widgets/character_mark.h"
#include "ui/widgets/fold.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

/// The accessible names of the fields that are seen on the page, but not those of its buttons.
QStringList shownFields(const QWidget& page) {
    QStringList names;
    const auto add = [&names](const auto& fields) {
        for (const auto* field : fields)
            if (field->isVisible() && !field->accessibleName().isEmpty())
                names << field->accessibleName();
    };
    add(page.findChildren<QLineEdit*>());
    add(page.findChildren<QComboBox*>());
    add(page.findChildren<QCheckBox*>());
    names.sort();
    return names;
}

MoreSettings* moreOf(const QWidget& page, const char* kind) {
    for (auto* fold : page.findChildren<MoreSettings*>())
        if (fold->button()->objectName() == QString("more-") + kind) return fold;
    return nullptr;
}

/// The line that names a choice, and the fields that it opens.
Fold* choiceOf(const QWidget& page, const char* kind) {
    auto* button = page.findChild<QToolButton*>(QString("choice-") + kind);
    return button == nullptr ? nullptr : qobject_cast<Fold*>(button->parentWidget());
}

/// The changed numeric settings below the fold: "steps 12, eval 7".
QString differences(const RunSpec& before, const RunSpec& after) {
    QStringList parts;
    const auto compare = [&parts](const char* name, int64_t a, int64_t b) {
        if (a != b) parts << QString("%1 %2").arg(name).arg(b);
    };
    compare("steps", before.steps, after.steps);
    compare("clip", qRound64(before.clipNorm), qRound64(after.clipNorm));
    compare("eval", before.evaluateEvery, after.evaluateEvery);
    compare("save", before.saveEvery, after.saveEvery);
    compare("best", before.keepBest, after.keepBest);
    compare("threads", before.session.threads, after.session.threads);
    return parts.join(", ");
}

/// Turns the wheel over a part of a page. Returns whether the page moved.
bool wheelScrolls(QScrollArea& page, QWidget& part, Qt::KeyboardModifiers keys = {}) {
    page.ensureWidgetVisible(&part);
    part.setFocus();
    const QScrollBar& bar = *page.verticalScrollBar();
    const int seen = bar.value();
    turnWheel(part, seen < bar.maximum() ? -1 : 1, keys);
    return bar.value() != seen;
}

}  // namespace

/// What training minimizes, how, and for how long: the document holds what people choose.
class ObjectiveTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { installLanguage(*qApp, "en"); }

    void groupsAreEditedAsRequests() {
        GroupModel model;
        const QAbstractItemModelTester tester(&model);
        model.setGroups({{"fc1.*", 0.1, std::nullopt}, {"*", 1, 0.5}},
                        {{"fc1.weight"}, {"fc1.bias"}, {"fc2.weight"}});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, GroupModel::Count).data().toInt(), 2);
        QCOMPARE(model.index(1, GroupModel::Count).data().toInt(), 1);
        std::vector<ParameterGroup> asked;
        connect(&model, &GroupModel::groupsEdited, this,
                [&](const auto& groups) { asked = groups; });
        QVERIFY(model.setData(model.index(0, GroupModel::Decay), "0.01", Qt::EditRole));
        QCOMPARE(asked[0].weightDecay.value_or(-1), 0.01);
        QVERIFY(!model.groups()[0].weightDecay);  // the document decides
        QVERIFY(model.setData(model.index(1, GroupModel::Decay), "", Qt::EditRole));
        QVERIFY(!asked[1].weightDecay);
        for (const char* wrong : {"-1", "much", "nan", "inf", "1,0,1"}) {
            QVERIFY(!model.setData(model.index(0, GroupModel::Rate), wrong, Qt::EditRole));
        }
        QCOMPARE(model.index(0, GroupModel::Start).data().toString(), QString("immediately"));
        QVERIFY(model.setData(model.index(0, GroupModel::Start), "200", Qt::EditRole));
        QCOMPARE(asked[0].startStep, int64_t{200});
        for (const char* wrong : {"-1", "2.5", "soon", "1e12"})
            QVERIFY(!model.setData(model.index(0, GroupModel::Start), wrong, Qt::EditRole));
        model.setGroups(asked, {{"fc1.weight"}});
        QCOMPARE(model.index(0, GroupModel::Start).data().toString(), QString("200"));
        QVERIFY(model.index(0, 0)
                    .data(Qt::AccessibleDescriptionRole)
                    .toString()
                    .contains("for the first 200 steps"));
        model.setGroups({{"fc1.*", 1, {}, 12000}}, {{"fc1.weight"}});
        const QString typed = model.index(0, GroupModel::Start).data(Qt::EditRole).toString();
        QCOMPARE(typed, QString("12000"));
        QVERIFY(model.setData(model.index(0, GroupModel::Start), typed + '0', Qt::EditRole));
        QCOMPARE(asked[0].startStep, int64_t{120000});
        QVERIFY(model.setData(model.index(0, GroupModel::Start), "", Qt::EditRole));
        QCOMPARE(asked[0].startStep, int64_t{0});
        QVERIFY(!model.setData(model.index(0, GroupModel::Pattern), "  ", Qt::EditRole));
        model.setGroups({}, {});
        QCOMPARE(model.rowCount(), 0);
    }

    void termsAreEditedAsRequests() {
        LossTermsModel model;
        const QAbstractItemModelTester tester(&model);
        model.setTerms({{0.4, "mse", "a", "t"}, {1, "l1", "b", ""}});
        std::vector<WeightedLoss> asked;
        connect(&model, &LossTermsModel::termsEdited, this,
                [&](const auto& terms) { asked = terms; });
        QVERIFY(model.setData(model.index(1, LossTermsModel::Weight), "2.5", Qt::EditRole));
        QCOMPARE(formulaOf(asked), std::string("0.4*mse(a, t) + 2.5*l1(b)"));
        QVERIFY(model.setData(model.index(0, LossTermsModel::Loss), "huber", Qt::EditRole));
        QCOMPARE(asked[0].loss, std::string("huber"));
        QVERIFY(!model.setData(model.index(0, LossTermsModel::Loss), "no such", Qt::EditRole));
        QVERIFY(!model.setData(model.index(0, LossTermsModel::Weight), "inf", Qt::EditRole));
        QVERIFY(!model.setData(model.index(0, LossTermsModel::Output), "", Qt::EditRole));
    }

    /// A choice that scrolls under the mouse stays as it is.
    void theWheelScrollsThePageAndChangesNothing() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("objective"));
        for (const char* choice : {"choice-optimizer", "choice-schedule", "choice-tensor"})
            QVERIFY(driver.click(choice));
        driver.window().resize(1024, 700);
        auto* scroll = driver.window().pages().page("objective")->findChild<QScrollArea*>();
        QTRY_VERIFY(scroll->verticalScrollBar()->maximum() > 0);
        const TrainingSpec before = driver.project().spec();
        const auto boxes = scroll->findChildren<QComboBox*>();
        QVERIFY(boxes.size() > 3);
        for (QComboBox* box : boxes)
            if (box->isVisible()) QVERIFY(wheelScrolls(*scroll, *box));
        QVERIFY(driver.project().spec() == before);
        // The plot of the schedule is on the page, too; Ctrl with the wheel zooms it.
        auto* preview = driver.window().findChild<SchedulePreview*>();
        auto* canvas = preview->plot()->findChild<QWidget*>("canvas");
        const auto range = [&] {
            return std::pair(preview->plot()->xRange().lower, preview->plot()->xRange().upper);
        };
        const auto all = range();
        QVERIFY(wheelScrolls(*scroll, *canvas));
        QCOMPARE(range(), all);
        QVERIFY(!wheelScrolls(*scroll, *canvas, Qt::ControlModifier));
        QVERIFY(range() != all);
    }

    /// Whatever the cards contain, such as long names.
    void columnsFollowOnlyTheWidth() {
        WindowDriver driver;
        auto& page = *driver.window().pages().page("objective");
        const auto columns = [&](int width) {
            driver.window().resize(width, 900);
            for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
            const QWidget* run = page.findChild<RunForm*>();
            const QWidget* loss = page.findChild<QComboBox*>("prediction");
            return run->mapTo(&page, QPoint()).x() > loss->mapTo(&page, QPoint()).x() + 200 ? 2 : 1;
        };
        std::map<int, int> found;
        for (const int length : {1, 150}) {
            const QString path = driver.filePath(QString("model%1.onnx").arg(length));
            const std::string name(static_cast<size_t>(length), 'y');
            saveModel(
                *parseText("<ir_version: 8, opset_import: [\"\" : 17]> agraph (float[N, 2] x) "
                           "=> (float[N, 2] " +
                           name + ") <float[2, 2] w = {1, 2, 3, 4}> { " + name +
                           " = MatMul(x, w) }"),
                path.toStdString());
            driver.window().files().open(path);
            QTRY_VERIFY_WITH_TIMEOUT(
                driver.project().model() && text(driver.project().model()->path) == path,
                kPatienceMs);
            QTRY_VERIFY_WITH_TIMEOUT(!driver.project().isPreparing(), kPatienceMs);
            QVERIFY(driver.goTo("objective"));
            for (const int width : {700, 1150, 1400, 1700}) {
                const int now = columns(width);
                const auto [before, isNew] = found.try_emplace(width, now);
                QVERIFY2(before->second == now, qPrintable(QString::number(width)));
            }
        }
        QCOMPARE(found.at(700), 1);
        QCOMPARE(found.at(1700), 2);
        QVERIFY(driver.savePicture("fault-12-columns"));
    }

    void aGroupIsAddedAndUndone() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("objective"));
        const QWidget* page = driver.window().pages().page("objective");
        page->findChild<QPushButton*>("addGroup")->click();
        const auto& spec = [&]() -> const ArtifactSpec& {
            return driver.project().spec().artifacts;
        };
        QCOMPARE(spec().parameterGroups.size(), size_t{1});
        auto* table = page->findChild<QTableView*>("groupTable");
        QVERIFY(table->isVisible());
        QVERIFY(table->model()->index(0, GroupModel::Count).data().toInt() > 0);
        auto* decays = page->findChild<QCheckBox*>("decayBiasesAndNorms");
        const bool before = spec().decayBiasesAndNorms;
        QTest::keyClick(decays, Qt::Key_Space);
        QCOMPARE(spec().decayBiasesAndNorms, !before);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        driver.project().undoStack()->undo();
        driver.project().undoStack()->undo();
        QVERIFY(spec().parameterGroups.empty());
        QCOMPARE(spec().decayBiasesAndNorms, before);
        QVERIFY(!table->isVisible());
    }

    void aFormulaAndItsTableSayTheSame() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("objective"));
        auto* table = driver.window().findChild<QTableView*>("lossTerms");
        QVERIFY(!table->isVisible());
        TrainingSpec spec = driver.project().spec();
        spec.artifacts.loss = {"cross_entropy(logits, labels)", {}};
        driver.project().edit("formula", spec);
        QTRY_VERIFY(table->isVisible());
        QCOMPARE(table->model()->rowCount(), 1);
        QVERIFY(table->model()->setData(table->model()->index(0, LossTermsModel::Weight), "0.5"));
        QCOMPARE(driver.project().spec().artifacts.loss.key,
                 std::string("0.5*cross_entropy(logits, labels)"));
        auto* formula = driver.window().findChild<QLineEdit*>("formula");
        QCOMPARE(formula->text(), QString("0.5*cross_entropy(logits, labels)"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.click("addLossTerm"));
        QCOMPARE(table->model()->rowCount(), 2);
    }

    void aLearningRateIsFoundAndUsed() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("objective"));
        auto* use = driver.window().findChild<QPushButton*>("useRate");
        QVERIFY(!use->isVisible());
        QVERIFY(driver.click("findRate"));
        auto* card = driver.window().findChild<RehearsalCard*>();
        QTRY_VERIFY_WITH_TIMEOUT(card->suggestedRate() > 0, kPatienceMs);
        const double found = card->suggestedRate();
        // Losses are drawn over the rates, which grow geometrically.
        const auto* plot = card->findChild<XyPlot*>("rateRange");
        QVERIFY(plot != nullptr && plot->isVisible() && plot->isLogarithmicX());
        QCOMPARE(plot->seriesCount(), 3);
        QVERIFY2(plot->description().contains("Learning rate"), qPrintable(plot->description()));
        auto* scroll = driver.window().pages().page("objective")->findChild<QScrollArea*>();
        scroll->ensureWidgetVisible(use, 0, 2000);
        QVERIFY(driver.savePicture("fault-08-rates"));
        QVERIFY(driver.click("useRate"));
        QCOMPARE(driver.project().spec().run.learningRate, found);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.click("estimateRun"));
        auto* facts = driver.window().findChild<QLabel*>("runEstimate");
        QTRY_VERIFY_WITH_TIMEOUT(facts->text().contains("ms each"), kPatienceMs);
        driver.project().undoStack()->undo();
        QVERIFY(driver.project().spec().run.learningRate != found);
    }

    /// Like scikit-learn's class_weight="balanced": n / (k · nᵢ).
    void classesAreWeighedByTheData() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("objective"));
        auto* weigh = driver.window().findChild<QPushButton*>("weighClasses");
        auto* said = driver.window().findChild<QLabel*>("classWeights");
        QVERIFY(weigh->isVisible());
        QByteArray table = "a,b,c,d,species\n";
        for (int i = 0; i < 12; ++i)
            table += QByteArray::number(i) + ",1,2,3," +
                     (i < 6   ? "ant"
                      : i < 8 ? "bee"
                              : "cat") +
                     "\n";
        const QString path = driver.filePath("uneven.csv");
        writeFileAtomically(path.toStdString(), table.toStdString());
        TrainingSpec spec = driver.project().spec();
        spec.run.data = "csv:" + path.toStdString() + "?target=species";
        spec.run.evalData.clear();
        driver.project().edit("Uneven classes", spec);
        QTRY_VERIFY_WITH_TIMEOUT(weigh->isEnabled() && !driver.project().tasks()->isBusy(),
                                 kPatienceMs);
        QVERIFY(!driver.click("removeClassWeights"));  // there are none
        QVERIFY(driver.click("weighClasses"));
        const std::vector<double> expected = {0.6667, 2, 1};
        QVERIFY(driver.project().spec().artifacts.loss.lists.at("weight") == expected);
        QCOMPARE(said->text(), QString("ant 0.667 · bee 2 · cat 1"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.click("removeClassWeights"));
        QVERIFY(driver.project().spec().artifacts.loss.lists.empty());
        driver.project().undoStack()->undo();
        QVERIFY(driver.project().spec().artifacts.loss.lists.at("weight") == expected);
        driver.project().undoStack()->undo();
        QVERIFY(driver.project().spec().artifacts.loss.lists.empty());

        spec = driver.project().spec();
        spec.run.data.clear();
        driver.project().edit("No data", spec);
        QTRY_VERIFY_WITH_TIMEOUT(!weigh->isEnabled(), kPatienceMs);
        QVERIFY2(said->text().startsWith("Choose data first"), qPrintable(said->text()));
        spec.artifacts.loss = {"mse", {}};
        driver.project().edit("A loss of numbers", spec);
        QVERIFY(!weigh->isVisible());
    }

    void theLargestBatchIsFoundAndUsed() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("objective"));
        auto* card = driver.window().findChild<RehearsalCard*>();
        auto* limit = driver.window().findChild<QLineEdit*>("memoryLimit");
        auto* said = driver.window().findChild<QLabel*>("largestBatch");
        QVERIFY(limit->text().toDouble() > 0);  // the free memory
        QVERIFY(driver.click("choice-memory"));
        QVERIFY(limit->isVisible());
        const auto search = [&](const char* gigabytes) {
            limit->setText(gigabytes);
            QTest::keyClick(limit, Qt::Key_Return);
            if (!driver.click("findBatch")) return false;
            return QTest::qWaitFor([&] { return !driver.project().tasks()->isBusy(); },
                                   kPatienceMs);
        };
        const auto samples = driver.project().data()->training()->size();
        QVERIFY(search("1000"));
        QCOMPARE(card->largestBatch(), samples);
        QVERIFY2(said->text().startsWith("All"), qPrintable(said->text()));
        const QWidget& page = *driver.window().pages().page("objective");
        QCOMPARE(choiceOf(page, "memory")->button()->text(), QString("that fits into 1000 GB"));
        QVERIFY(search("0.01"));
        const int64_t found = card->largestBatch();
        QVERIFY2(found > 1 && found < samples, qPrintable(said->text()));
        const int64_t before = driver.project().spec().run.batchSize;
        QVERIFY(driver.click("useBatch"));
        QCOMPARE(driver.project().spec().run.batchSize, found);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        driver.project().undoStack()->undo();
        QCOMPARE(driver.project().spec().run.batchSize, before);
    }

    /// Each of the other choices is a line that says what is chosen.
    void theStartIsFourFields() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("objective"));
        const QWidget& page = *driver.window().pages().page("objective");
        const QStringList start{"Batch size", "Epochs", "Learning rate", "Loss"};
        QCOMPARE(shownFields(page), start);
        const std::map<const char*, std::pair<QString, QString>> choices{
            {"optimizer", {"Optimizer: AdamW", "Optimizer"}},
            {"schedule", {"Schedule: Constant", "Schedule"}},
            {"tensor", {"Reads tensor: logits", "Tensor that the loss reads"}},
            {"memory", {"that fits into ", "Memory limit for training, in GB"}}};
        for (const auto& [kind, texts] : choices) {
            const Fold* choice = choiceOf(page, kind);
            QVERIFY2(choice != nullptr && choice->button()->isVisible(), kind);
            QVERIFY2(choice->button()->text().startsWith(texts.first),
                     qPrintable(choice->button()->text()));
            QTest::mouseClick(choice->button(), Qt::LeftButton);
            QVERIFY2(shownFields(page).contains(texts.second), kind);
            QTest::mouseClick(choice->button(), Qt::LeftButton);
            QCOMPARE(shownFields(page), start);
        }
        for (const char* kind : {"loss", "optimizer", "schedule"}) {
            QVERIFY2(moreOf(page, kind) != nullptr && !moreOf(page, kind)->isOpen(), kind);
            QCOMPARE(moreOf(page, kind)->button()->text(), QString("More settings"));
        }
    }

    /// What differs from the choices of the lesson, or from the defaults, is not hidden.
    void whatIsChangedIsShown() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("spirals"));  // with a seed of its own
        QVERIFY(driver.goTo("objective"));
        const QWidget& page = *driver.window().pages().page("objective");
        const MoreSettings* run = page.findChild<RunForm*>()->more();
        QVERIFY(!run->isOpen());
        TrainingSpec spec = driver.project().spec();
        spec.run.clipNorm = 1;
        spec.run.session.seed = 1;
        spec.artifacts.optimizer.values["weight_decay"] = 0.5;
        spec.artifacts.parameterGroups = {{"*bias", 1, 0.0}};
        driver.project().edit("Others", spec);
        QVERIFY(run->isOpen() && page.findChild<QLineEdit*>("clip_norm")->isVisible());
        QCOMPARE(run->button()->text(), QString("More settings (2 changed)"));
        QCOMPARE(run->button()->accessibleName(), QString("Run: More settings (2 changed)"));
        QVERIFY(moreOf(page, "optimizer")->isOpen() && !moreOf(page, "schedule")->isOpen());
        QVERIFY(moreOf(page, "optimizer")->isVisible());
        QVERIFY(choiceOf(page, "optimizer")->isOpen() && !choiceOf(page, "schedule")->isOpen());
        QCOMPARE(moreOf(page, "optimizer")->button()->text(), QString("More settings (2 changed)"));
        // A person may close it, and it stays closed while more is changed.
        QVERIFY(driver.click("moreRunSettings"));
        spec.run.averageDecay = 0.9;
        driver.project().edit("More", spec);
        QVERIFY(!run->isOpen());
        QCOMPARE(run->button()->text(), QString("More settings (3 changed)"));
        // In another document nothing is changed.
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(!run->isOpen() && !moreOf(page, "optimizer")->isOpen());
        QVERIFY(!choiceOf(page, "optimizer")->isOpen());
        QCOMPARE(run->button()->text(), QString("More settings"));
    }

    void theTensorIsShownIfThereIsAChoice_data() {
        QTest::addColumn<QString>("outputs");
        QTest::addColumn<bool>("isShown");
        QTest::newRow("one output") << "float[N, 2] left" << false;
        QTest::newRow("two outputs") << "float[N, 2] left, float[N, 2] right" << true;
    }
    void theTensorIsShownIfThereIsAChoice() {
        QFETCH(QString, outputs);
        QFETCH(bool, isShown);
        WindowDriver driver;
        const QString path = driver.filePath("outputs.onnx");
        saveModel(*parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
            agraph (float[N, 2] x) => ()" +
                             outputs.toStdString() + R"()
                <float[2, 2] w = {0.1, -0.2, 0.3, 0.4}> {
                    right = MatMul(x, w)
                    left = Relu(right)
                })"),
                  path.toStdString());
        driver.window().files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != nullptr, kPatienceMs);
        QVERIFY(driver.goTo("objective"));
        const QWidget& page = *driver.window().pages().page("objective");
        const auto* field = page.findChild<QComboBox*>("prediction");
        QCOMPARE(field->isVisible(), isShown);
        TrainingSpec spec = driver.project().spec();
        spec.artifacts.lossInputs = {"right"};
        driver.project().edit("Another tensor", spec);
        QVERIFY(field->isVisible());
        QCOMPARE(choiceOf(page, "tensor")->button()->text(), QString("Reads tensor: right"));
        // A formula names what it reads.
        spec.artifacts.loss = {"mse(left, target)", {}};
        driver.project().edit("A formula", spec);
        QVERIFY(!field->isVisible() && !choiceOf(page, "tensor")->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().isPreparing(), kPatienceMs);
    }

    /// They belong to the choice, such as the periods of a schedule.
    void anotherChoiceShowsItsSettings() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("objective"));
        const QWidget& page = *driver.window().pages().page("objective");
        QVERIFY(driver.click("choice-schedule"));
        for (auto* box : page.findChildren<QComboBox*>()) {
            if (box->accessibleName() != "Schedule") continue;
            QVERIFY(box->isVisible());
            box->setCurrentIndex(box->findData("step"));
            emit box->activated(box->currentIndex());
        }
        QCOMPARE(driver.project().spec().run.schedule.key, std::string("step"));
        QVERIFY(moreOf(page, "schedule")->isOpen());
        QVERIFY(!moreOf(page, "schedule")->findChildren<QLineEdit*>().isEmpty());
        QCOMPARE(choiceOf(page, "schedule")->button()->text().section(':', 0, 0),
                 QString("Schedule"));
        QVERIFY(!choiceOf(page, "schedule")->button()->text().contains("Constant"));
        QCOMPARE(moreOf(page, "schedule")->button()->text(), QString("More settings"));
    }

    /// Each field of the fold writes its own setting, and undo reverts it.
    void settingsOfTheFoldAreEditedAndUndone_data() {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("changed");
        QTest::newRow("steps") << "Steps"
                               << "12"
                               << "steps 12";
        QTest::newRow("clipping") << "Clip gradient norm"
                                  << "2"
                                  << "clip 2";
        QTest::newRow("evaluations") << "Steps between evaluations"
                                     << "7"
                                     << "eval 7";
        QTest::newRow("checkpoints") << "Steps between checkpoints"
                                     << "5"
                                     << "save 5";
        QTest::newRow("best") << "Best checkpoints kept"
                              << "3"
                              << "best 3";
        QTest::newRow("threads") << "Threads"
                                 << "2"
                                 << "threads 2";
    }
    void settingsOfTheFoldAreEditedAndUndone() {
        QFETCH(QString, field);
        QFETCH(QString, value);
        QFETCH(QString, changed);
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("objective"));
        const RunSpec before = driver.project().spec().run;
        auto* form = driver.window().findChild<RunForm*>();
        QVERIFY(!form->more()->isOpen());
        QVERIFY(driver.click("moreRunSettings"));
        QVERIFY(form->more()->isOpen());
        QLineEdit* edit = nullptr;
        for (auto* each : form->findChildren<QLineEdit*>())
            if (each->accessibleName() == field) edit = each;
        QVERIFY(edit != nullptr && edit->isVisible());
        QVERIFY(!edit->accessibleDescription().isEmpty());
        const QString unset = edit->text();
        QVERIFY2(unset != "0" || field.startsWith("Minimum"), "what 0 means is said");
        type(edit, value);
        QVERIFY2(differences(before, driver.project().spec().run) == changed,
                 qPrintable(differences(before, driver.project().spec().run)));
        QVERIFY(form->more()->button()->text().contains("1 changed"));
        driver.project().undoStack()->undo();
        QVERIFY(driver.project().spec().run == before);
        QCOMPARE(edit->text(), unset);
        QCOMPARE(form->more()->button()->text(), QString("More settings"));
    }

    void switchesOfTheFoldAreEditedAndUndone_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("before");
        QTest::newRow("a checkpoint at each pause") << "save_on_pause" << false;
        QTest::newRow("guard against losses that run away") << "divergence_guard" << true;
    }
    void switchesOfTheFoldAreEditedAndUndone() {
        QFETCH(QString, name);
        QFETCH(bool, before);
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("objective"));
        QVERIFY(driver.click("moreRunSettings"));
        const auto chosen = [&] {
            const RunSpec& run = driver.project().spec().run;
            return name == "save_on_pause" ? run.saveOnPause : run.divergenceGuard;
        };
        auto* box = driver.window().findChild<QCheckBox*>(name);
        QVERIFY(box->isVisible() && !box->accessibleName().isEmpty());
        QCOMPARE(box->isChecked(), before);
        QTest::keyClick(box, Qt::Key_Space);
        QCOMPARE(chosen(), !before);
        auto* form = driver.window().findChild<RunForm*>();
        QVERIFY(form->more()->button()->text().contains("1 changed"));
        driver.project().undoStack()->undo();
        QCOMPARE(chosen(), before);
        QCOMPARE(box->isChecked(), before);
    }

    /// A project may name a device that this machine lacks.
    void theDeviceIsShownIfThereIsAChoice() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("objective"));
        QVERIFY(driver.click("moreRunSettings"));
        auto* box = driver.window().findChild<RunForm*>()->findChild<QComboBox*>("device");
        const bool isThereAChoice = deviceNames().size() > 1;
        QVERIFY(box != nullptr && box->isVisible() == isThereAChoice);
        TrainingSpec spec = driver.project().spec();
        spec.run.session.device = "other";
        driver.project().edit("another device", spec);
        QVERIFY(box->isVisible());
        QCOMPARE(box->currentData().toString(), QString("other"));
        box->setCurrentIndex(box->findData("cpu"));
        emit box->activated(box->currentIndex());
        QCOMPARE(driver.project().spec().run.session.device, std::string("cpu"));
        QCOMPARE(box->isVisible(), isThereAChoice);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().isPreparing(), kPatienceMs);
    }

    /// bfloat16 can be chosen where the processor multiplies in it; elsewhere it says why not.
    void thePrecisionThatTheDeviceLacksIsDisabled() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("objective"));
        const auto* box = driver.window().findChild<RunForm*>()->findChild<QComboBox*>("precision");
        QVERIFY(box != nullptr);
        const auto isEnabled = [&](const char* name) {
            const int item = box->findData(name);
            return item >= 0 &&
                   box->model()->flags(box->model()->index(item, 0)) & Qt::ItemIsEnabled;
        };
        QVERIFY(isEnabled("fp32"));
        const QVariant why = box->itemData(box->findData("bf16"), Qt::ToolTipRole);
        try {
            requirePrecision({.precision = Precision::BFloat16});
            QVERIFY(isEnabled("bf16") && why.isNull());
        } catch (const Error& error) {
            QVERIFY(!isEnabled("bf16"));
            QCOMPARE(why.toString(), QString(error.what()));
        }
    }

    void metricsAreTickedAndTheLastOneIsTheUsualOnes() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("objective"));
        QVERIFY(driver.click("moreRunSettings"));
        const auto box = [&](const char* key) {
            return driver.window().findChild<QCheckBox*>(QString("metric-") + key);
        };
        const auto chosen = [&] { return driver.project().spec().run.metrics; };
        QVERIFY(box("accuracy")->isChecked() && !box("top-5-accuracy")->isChecked());
        QTest::keyClick(box("top-5-accuracy"), Qt::Key_Space);
        QCOMPARE(chosen(), (std::vector<std::string>{"accuracy", "top-5-accuracy"}));
        QTest::keyClick(box("accuracy"), Qt::Key_Space);
        QCOMPARE(chosen(), std::vector<std::string>{"top-5-accuracy"});
        QTest::keyClick(box("top-5-accuracy"), Qt::Key_Space);
        QVERIFY(chosen().empty() && box("accuracy")->isChecked());
        QTest::keyClick(box("accuracy"), Qt::Key_Space);
        QVERIFY(chosen().empty() && box("accuracy")->isChecked());  // at least one is measured
        driver.project().undoStack()->undo();
        QCOMPARE(chosen(), std::vector<std::string>{"top-5-accuracy"});
        TrainingSpec spec = driver.project().spec();
        spec.run.metrics = {"mae"};
        driver.project().edit("one that does not fit", spec);
        QVERIFY(box("mae")->isChecked() && box("mae")->text().contains("does not fit"));
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().isPreparing(), kPatienceMs);
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));  // shows what is wrong and leads there
        QCOMPARE(driver.window().pages().current(), QString("objective"));
        QTest::keyClick(box("mae"), Qt::Key_Space);
        QVERIFY(chosen().empty() && box("mae") == nullptr);
    }

    void theAverageIsEvaluatedIfThereIsOne() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("objective"));
        QVERIFY(driver.click("moreRunSettings"));
        auto* box = driver.window().findChild<QCheckBox*>("evaluate_average");
        QVERIFY(!box->isEnabled());
        TrainingSpec spec = driver.project().spec();
        spec.run.averageDecay = 0.99;
        driver.project().edit("average", spec);
        QVERIFY(box->isEnabled());
        QTest::keyClick(box, Qt::Key_Space);
        QVERIFY(driver.project().spec().run.evaluateAverage);
        driver.project().undoStack()->undo();
        QVERIFY(!box->isChecked());
    }

    void presetsAndExpressionsChooseParameters() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("parameters"));
        const auto trained = [&] {
            QStringList names;
            for (const std::string& name : trainedParameters(driver.project().model()->parameters,
                                                             driver.project().spec().artifacts))
                names << QString::fromStdString(name);
            return names;
        };
        auto* counts = driver.window().findChild<QLabel*>("parameterCounts");
        const QStringList before = trained();
        QVERIFY(driver.click(QString("preset%1").arg(int(TrainablePreset::Biases))));
        QVERIFY(!trained().isEmpty() && trained() != before);
        for (const QString& name : trained()) QVERIFY2(name.endsWith("bias"), qPrintable(name));
        QVERIFY2(counts->text().contains(" kB") || counts->text().contains(" bytes"),
                 qPrintable(counts->text()));
        QVERIFY(driver.click("filterIsExpression"));
        auto* filter = driver.window().findChild<QLineEdit*>("parameterFilter");
        auto* note = driver.window().findChild<QLabel*>("parameterFilterNote");
        auto* only = driver.window().findChild<QPushButton*>("trainOnlyListed");
        filter->setText("weight$");
        QVERIFY2(note->text().contains("tensors"), qPrintable(note->text()));
        QVERIFY(driver.click("trainOnlyListed"));
        for (const QString& name : trained()) QVERIFY2(name.endsWith("weight"), qPrintable(name));
        filter->setText("fc(");
        QCOMPARE(note->text(), QString("Character 3, “(”: a parenthesis has no counterpart."));
        QCOMPARE(markedCharacter(*filter).value_or(-1), 2);
        QVERIFY(!only->isEnabled());
        filter->setText("fc");
        QVERIFY(only->isEnabled() && !markedCharacter(*filter));
        driver.project().undoStack()->undo();
        driver.project().undoStack()->undo();
        QCOMPARE(trained(), before);
    }

    void layersOfOneKindAreFrozen() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("parameters"));
        auto* kinds = driver.window().findChild<QComboBox*>("parameterOperator");
        auto* table = driver.window().findChild<QTableView*>("parameterTable");
        const auto& parameters = driver.project().model()->parameters;
        const auto trained = [&] {
            return trainedParameters(parameters, driver.project().spec().artifacts);
        };
        const int all = table->model()->rowCount();
        const auto before = trained();
        kinds->setCurrentIndex(kinds->findData("Conv"));
        QVERIFY2(kinds->currentText().startsWith("Conv ("), qPrintable(kinds->currentText()));
        QVERIFY(table->model()->rowCount() > 0 && table->model()->rowCount() < all);
        QVERIFY(driver.click("freezeListed"));
        for (const ParameterInfo& parameter : parameters) {
            const bool trains = before.contains(parameter.name) && parameter.op != "Conv";
            QCOMPARE(trained().contains(parameter.name), trains);
        }
        driver.project().undoStack()->undo();
        QCOMPARE(trained(), before);

        auto* filter = driver.window().findChild<QLineEdit*>("parameterFilter");
        filter->setText("bias");
        QVERIFY(driver.click("trainOnlyListed"));
        QCOMPARE(driver.project().undoStack()->undoText(), QString("Train: Conv, bias"));
        for (const ParameterInfo& parameter : parameters) {
            const bool isListed = parameter.op == "Conv" && parameter.name.ends_with("bias");
            QCOMPARE(trained().contains(parameter.name), isListed);
        }
        driver.project().undoStack()->undo();
        filter->clear();
        kinds->setCurrentIndex(0);
        QCOMPARE(table->model()->rowCount(), all);
    }

    void spaceFreezesAndTrainsRowsAndLayers() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("parameters"));
        auto* table = driver.window().findChild<QTableView*>("parameterTable");
        const auto trained = [&] {
            return trainedParameters(driver.project().model()->parameters,
                                     driver.project().spec().artifacts);
        };
        const auto before = trained();
        const std::string first = *before.begin();
        const std::string layer = first.substr(0, first.find_last_of("./") + 1);
        for (int row = 0; row < table->model()->rowCount(); ++row)
            for (int column = 0; column < table->model()->columnCount(); ++column)
                if (table->model()->index(row, column).data().toString() == first.c_str())
                    table->setCurrentIndex(table->model()->index(row, column));
        QVERIFY(table->currentIndex().isValid());
        driver.window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&driver.window()));
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Space);
        QCOMPARE(trained().size(), before.size() - 1);
        QVERIFY(!trained().contains(first));
        QTest::keyClick(table, Qt::Key_Space);
        QVERIFY(trained() == before);
        QTest::keyClick(table, Qt::Key_Space, Qt::ShiftModifier);
        for (const std::string& name : before)
            QCOMPARE(trained().contains(name), !name.starts_with(layer));
        QVERIFY(trained().size() < before.size() - 1);
        driver.project().undoStack()->undo();
        QVERIFY(trained() == before);
    }

    void aHeadIsReplacedAndUndone() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("parameters"));
        auto* classes = driver.window().findChild<QLineEdit*>("headClasses");
        QCOMPARE(classes->text(), QString("10"));
        type(classes, "12");
        const auto outputs = [&] {
            return driver.project().model()->graph->outputs().front()->type().shape->back().value;
        };
        QTRY_COMPARE_WITH_TIMEOUT(outputs(), int64_t{12}, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.window().isVisible() && classes->isVisible());  // still on this page
        driver.project().undoStack()->undo();
        QTRY_COMPARE_WITH_TIMEOUT(outputs(), int64_t{10}, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QCOMPARE(classes->text(), QString("10"));
    }
};

QTEST_MAIN(ObjectiveTest)
#include "objective_test.moc"

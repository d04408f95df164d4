// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QTabWidget>
#include <QTableView>
#include <QTest>

#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/ui/picture_folder.h"
#include "tests/ui/typing.h"
#include "tests/ui/window_driver.h"
#include "ui/checks/data_fixes.h"
#include "ui/checks/problem_list.h"
#include "ui/messages/problem.h"
#include "ui/panels/data/batch_model.h"
#include "ui/panels/data/binding_model.h"
#include "ui/panels/data/data_panel.h"
#include "ui/panels/data/health_model.h"
#include "ui/panels/data/health_view.h"
#include "ui/panels/data/prepare_view.h"
#include "ui/panels/data/thumbnail_view.h"
#include "ui/panels/train/train_plots.h"
#include "ui/translation/languages.h"
#include "ui/widgets/banner.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

template <typename T>
T* find(WindowDriver& driver, const char* name = nullptr) {
    return driver.window().pages().page("data")->findChild<T*>(QString::fromLatin1(name));
}

bool isIdle(WindowDriver& driver) {
    return QTest::qWaitFor(
        [&] { return !driver.project().tasks()->isBusy() && !driver.project().isPreparing(); },
        kPatienceMs);
}

/// The text in the plot of metrics before the first value.
QString placeholderOfMetrics(WindowDriver& driver) {
    for (const QLabel* label : driver.trainPanel().plots()->metrics()->findChildren<QLabel*>())
        if (label->text().contains("easured")) return label->text();
    return {};
}

QString writeIris(const WindowDriver& driver, const QString& name) {
    QFile file(driver.filePath(name));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write("a,b,c,d,species\n");
    for (int i = 0; i < 30; ++i)
        file.write(QString("%1,2,3,4,%2\n").arg(i).arg(QChar('x' + i % 3)).toUtf8());
    return file.fileName();
}

}  // namespace

class DataPageTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { installLanguage(*qApp, "en"); }

    void picturesAreDroppedBoundAndVaried() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        writePictureFolder(driver.filePath("shapes"), 3, 20);
        driver.window().files().open(driver.filePath("shapes"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.window().pages().current(), QString("data"), kPatienceMs);
        QVERIFY(isIdle(driver));
        QVERIFY2(driver.project().isReadyToTrain(), qPrintable(driver.message()));
        QVERIFY(driver.project().spec().run.data.starts_with("images:"));

        auto* binding = find<BindingModel>(driver);
        QCOMPARE(binding->rowCount(), 2);
        QCOMPARE(binding->index(0, BindingModel::State).data().toString(), QString("fits"));
        // The model takes [N, 1, 8, 8]: the pictures are read in that shape.
        QVERIFY(binding->index(0, BindingModel::Source).data().toString().contains("[1, 8, 8]"));
        auto* batch = find<BatchModel>(driver);
        QCOMPARE(batch->rowCount(),
                 int(std::min<int64_t>(48, driver.project().spec().run.batchSize)));
        auto* pictures = find<ThumbnailView>(driver, "firstBatchPictures");
        QVERIFY(pictures->isVisible() && pictures->count() == batch->rowCount());

        auto* tabs = find<QTabWidget>(driver, "dataTabs");
        tabs->setCurrentIndex(2);
        auto* prepare = find<PrepareView>(driver);
        QTRY_COMPARE(prepare->preview()->count(), 0);
        type(find<QLineEdit>(driver, "data-rotate"), "20");
        QVERIFY(isIdle(driver));
        QVERIFY(driver.project().spec().run.data.find("rotate=20") != std::string::npos);
        QTRY_COMPARE_WITH_TIMEOUT(prepare->preview()->count(), 8, kPatienceMs);
        QVERIFY(find<QLineEdit>(driver, "data-rotate")->text() == "20");
        auto* flip = find<QComboBox>(driver, "data-flip");
        QTest::keyClick(flip, Qt::Key_Down);
        QVERIFY(isIdle(driver));
        QVERIFY(driver.project().spec().run.data.find("flip=horizontal") != std::string::npos);
        driver.project().undoStack()->undo();
        driver.project().undoStack()->undo();
        QVERIFY(isIdle(driver));
        QVERIFY(driver.project().spec().run.data.find("rotate") == std::string::npos);
        QTRY_COMPARE_WITH_TIMEOUT(prepare->preview()->count(), 0, kPatienceMs);
    }

    void copiesAreFoundAndLeftOutWithOneClick() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        writePictureFolder(driver.filePath("shapes"), 3, 10);
        const QDir folder(driver.filePath("shapes/class 1"));
        QVERIFY(QFile::copy(folder.filePath("3.png"), folder.filePath("copy.png")));
        driver.window().files().open(folder.absolutePath() + "/..");
        QVERIFY(driver.goTo("data"));
        QVERIFY(isIdle(driver));
        find<QTabWidget>(driver, "dataTabs")->setCurrentIndex(1);
        auto* health = find<HealthModel>(driver);
        const auto codes = [&] {
            QStringList found;
            for (int row = 0; row < health->rowCount(); ++row)
                found << health->index(row, HealthModel::Code).data().toString();
            return found;
        };
        QVERIFY2(codes().contains("D106") || codes().contains("D107"),
                 qPrintable(codes().join(" ")));
        QVERIFY(driver.click("dataFix"));
        QVERIFY(isIdle(driver));
        QVERIFY(driver.project().spec().run.data.find("duplicates=drop") != std::string::npos);
        QVERIFY(!codes().contains("D106") && !codes().contains("D107"));
        const auto& data = driver.project().data();
        QCOMPARE(data->training()->size() + data->evaluation()->size(), int64_t{30});
    }

    void damagedPicturesAreFoundAndLeftOutWithOneClick() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        writePictureFolder(driver.filePath("shapes"), 2, 10);
        QFile damaged(driver.filePath("shapes/class 1/5.png"));
        QVERIFY(damaged.exists() && damaged.resize(damaged.size() / 2));
        QFile other(driver.filePath("shapes/class 0/animated.gif"));
        QVERIFY(other.open(QIODevice::WriteOnly) && other.write("GIF89a") > 0);
        other.close();
        driver.window().files().open(driver.filePath("shapes"));
        QVERIFY(driver.goTo("data"));
        QVERIFY(isIdle(driver));
        const auto problem = [&](const std::string& code) {
            QString message;
            for (const ListedProblem& listed : problemsOf(driver.project()))
                if (listed.finding.code == code) message = text(listed.finding.message);
            return message;
        };
        const QString unreadable = problem("D114");
        QVERIFY2(unreadable.contains("class 1/5.png"), qPrintable(unreadable));
        const auto* banner = find<Banner>(driver);
        QVERIFY2(banner->isVisible() && banner->text().contains(unreadable),
                 qPrintable(banner->text()));
        QVERIFY2(problem("D115").contains("1 .gif"), qPrintable(problem("D115")));
        auto* health = find<HealthModel>(driver);
        QCOMPARE(health->index(0, HealthModel::Code).data().toString(), QString("D114"));
        find<QTabWidget>(driver, "dataTabs")->setCurrentIndex(1);
        QVERIFY(driver.click("dataFix"));
        QVERIFY(isIdle(driver));
        QVERIFY(driver.project().spec().run.data.find("invalid=drop") != std::string::npos);
        QVERIFY2(problem("D114").isEmpty(), qPrintable(problem("D114")));
        QVERIFY2(!banner->text().contains("class 1/5.png"), qPrintable(banner->text()));
        QVERIFY2(problem("D113").contains("1 of "), qPrintable(problem("D113")));
        const auto& data = driver.project().data();
        QCOMPARE(data->training()->size() + data->evaluation()->size(), int64_t{19});
    }

    void dataThatADamagedPictureKeepsFromOpeningIsMendedFromTheProblem() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        writePictureFolder(driver.filePath("shapes"), 2, 10);
        QFile damaged(driver.filePath("shapes/class 1/5.png"));
        QVERIFY(damaged.resize(damaged.size() / 2));
        driver.window().files().open(driver.filePath("shapes"));
        QVERIFY(driver.goTo("data"));
        QVERIFY(isIdle(driver));
        // Its means and deviations need all samples.
        editDataOption(driver.project(), "Normalize", "normalize", "standard");
        QVERIFY(isIdle(driver));
        QVERIFY(!driver.project().data());
        const std::vector<ListedProblem> problems = problemsOf(driver.project());
        const auto found = std::ranges::find(
            problems, "P002", [](const ListedProblem& listed) { return listed.finding.code; });
        QVERIFY(found != problems.end());
        const std::vector<ProblemFix> fixes = fixesOf(found->finding, driver.project());
        QCOMPARE(fixes.size(), size_t{1});
        fixes.front().apply();
        QVERIFY(isIdle(driver));
        const auto& data = driver.project().data();
        QVERIFY2(data != nullptr, qPrintable(driver.message()));
        QCOMPARE(data->training()->size() + data->evaluation()->size(), int64_t{19});
    }

    void whatControlsATerminalIsShownInTheWindow() {
        QCOMPARE(text(std::string("a\x1b[31m\xe2\x80\xae")), QString("a\\u001b[31m\\u202e"));
        QCOMPARE(text(std::string("caf\xe9")), QString("caf\uFFFD"));
    }

    /// Marks from 3 to 5 could be classes: the loss decides, and the table is read again.
    void aTargetIsReadAsTheLossTakesIt() {
        WindowDriver driver;
        const QString model = driver.filePath("model.onnx"), table = driver.filePath("marks.csv");
        saveModel(*parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
                      m (float[N, 2] x) => (float[N, 3] y)
                      <float[2, 3] w = {1, 2, 3, 4, 5, 6}> { y = MatMul(x, w) })"),
                  model.toStdString());
        QFile file(table);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("a,b,mark\n");
        for (int i = 0; i < 60; ++i)
            file.write(QString("%1,%2,%3\n").arg(i).arg(0.5 * i).arg(3 + i % 3).toUtf8());
        file.close();
        driver.window().files().open(model);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != nullptr, kPatienceMs);
        const auto choose = [&](const char* loss) {
            TrainingSpec spec = driver.project().spec();
            spec.artifacts.loss = {loss, {}};
            spec.run.data = table.toStdString() + "?target=mark";
            driver.project().edit("choices", spec);
        };
        const auto classes = [&] {
            const auto& data = driver.project().data();
            return data && isIdle(driver) ? data->training()->columns().back().classes.size()
                                          : size_t{1000};
        };
        choose("cross-entropy");
        QTRY_COMPARE_WITH_TIMEOUT(classes(), size_t{3}, kPatienceMs);
        choose("mse");
        QTRY_COMPARE_WITH_TIMEOUT(classes(), size_t{0}, kPatienceMs);
        choose("cross-entropy");
        QTRY_COMPARE_WITH_TIMEOUT(classes(), size_t{3}, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
    }

    void theTrainingShareIsTypedAsPeopleWriteIt_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("option");  // empty: as before
        QTest::addColumn<QString>("shown");
        QTest::newRow("percent") << "80%"
                                 << "split=0.8"
                                 << "80 %";
        QTest::newRow("percent apart") << "80 %"
                                       << "split=0.8"
                                       << "80 %";
        QTest::newRow("point") << "0.8"
                               << "split=0.8"
                               << "80 %";
        QTest::newRow("comma") << "0,8"
                               << "split=0.8"
                               << "80 %";
        QTest::newRow("half a percent") << "62.5 %"
                                        << "split=0.625"
                                        << "62.5 %";
        QTest::newRow("all") << "100%"
                             << ""
                             << "70 %";
        QTest::newRow("nothing") << "0"
                                 << ""
                                 << "70 %";
        QTest::newRow("without percent") << "80"
                                         << ""
                                         << "70 %";
        QTest::newRow("word") << "most"
                              << ""
                              << "70 %";
    }
    void theTrainingShareIsTypedAsPeopleWriteIt() {
        QFETCH(QString, typed);
        QFETCH(QString, option);
        QFETCH(QString, shown);
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("data"));
        editDataOption(driver.project(), "Share", "split", "0.7");
        QVERIFY(isIdle(driver));
        find<QTabWidget>(driver, "dataTabs")->setCurrentIndex(2);
        auto* field = find<QLineEdit>(driver, "data-split");
        QCOMPARE(field->text(), QString("70 %"));
        type(field, typed);
        QVERIFY(isIdle(driver));
        const QString data = text(driver.project().spec().run.data);
        QVERIFY2(data.contains(option.isEmpty() ? QString("split=0.7") : option), qPrintable(data));
        QCOMPARE(field->text(), shown);
        const auto* refused = find<QLabel>(driver, "data-split-refused");
        QCOMPARE(refused->isVisible(), option.isEmpty());
        if (option.isEmpty()) {
            QVERIFY2(refused->text().contains(typed), qPrintable(refused->text()));
            QVERIFY2(refused->text().contains("80 %"), qPrintable(refused->text()));
        }
        if (typed == "80%") QVERIFY(driver.savePicture("fault-09-share"));
    }

    void anEmptyShareMeansNoSplit() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("data"));
        find<QTabWidget>(driver, "dataTabs")->setCurrentIndex(2);
        TrainingSpec spec = driver.project().spec();
        spec.run.evalData.clear();
        driver.project().edit("No validation", spec);
        QVERIFY(isIdle(driver));
        auto* field = find<QLineEdit>(driver, "data-split");
        type(field, "60 %");
        QVERIFY(isIdle(driver));
        field->clear();
        type(field, QString());
        QVERIFY(isIdle(driver));
        QVERIFY(driver.project().spec().run.data.find("split") == std::string::npos);
        QCOMPARE(field->text(), QString());
        const QString said = placeholderOfMetrics(driver);
        QVERIFY2(said.startsWith("Nothing is measured") && said.contains("training share"),
                 qPrintable(said));
        QVERIFY(driver.goTo("train") && driver.savePicture("fault-09-plot"));
        QVERIFY(driver.goTo("data"));
        type(field, "60 %");
        QVERIFY(isIdle(driver));
        QCOMPARE(placeholderOfMetrics(driver), QString("Measured after each epoch."));
    }

    void anotherPathKeepsTheOptionsOfTheSplit_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("options");  // after the path of the other file
        QTest::newRow("a path") << "csv:%1"
                                << "seed=5&split=0.6";
        QTest::newRow("a path without its kind") << "%1"
                                                 << "seed=5&split=0.6";
        QTest::newRow("a path and options") << "csv:%1?split=0.9"
                                            << "split=0.9";
        QTest::newRow("other options") << "csv:%1?target=species"
                                       << "seed=5&split=0.6&target=species";
    }
    void anotherPathKeepsTheOptionsOfTheSplit() {
        QFETCH(QString, typed);
        QFETCH(QString, options);
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("data"));
        const QString path = writeIris(driver, "other.csv");
        TrainingSpec spec = driver.project().spec();
        spec.run.data = writeIris(driver, "first.csv").toStdString() + "?seed=5&split=0.6";
        driver.project().edit("Data", spec);
        QVERIFY(isIdle(driver));
        auto* field = find<QLineEdit>(driver, "trainingSource");
        field->clear();
        type(field, typed.arg(path));
        QVERIFY(isIdle(driver));
        const QString data = text(driver.project().spec().run.data);
        QVERIFY2(data.endsWith("other.csv?" + options), qPrintable(data));
        // Chosen instead of typed.
        driver.window().files().open(writeIris(driver, "third.csv"));
        QVERIFY(isIdle(driver));
        const QString third = text(driver.project().spec().run.data);
        const QString kept = options.section("&target", 0, 0);
        QVERIFY2(third.endsWith("third.csv?" + kept), qPrintable(third));
    }

    /// The ranges that PyTorch documents for these losses.
    void targetsThatTheLossDoesNotTakeAreFound_data() {
        QTest::addColumn<QByteArray>("loss");
        QTest::addColumn<QByteArray>("first");
        QTest::addColumn<QByteArray>("second");
        QTest::addColumn<QString>("found");  // empty: nothing
        QTest::newRow("bce, 0 and 1")
            << QByteArray("bce-with-logits") << QByteArray("0") << QByteArray("1") << "";
        QTest::newRow("bce, shares")
            << QByteArray("bce-with-logits") << QByteArray("0.25") << QByteArray("0.75") << "";
        QTest::newRow("bce, 3 and 10") << QByteArray("bce-with-logits") << QByteArray("3")
                                       << QByteArray("10") << "has 3, 10, first in line 2.";
        QTest::newRow("bce, -1 and 1") << QByteArray("bce-with-logits") << QByteArray("-1")
                                       << QByteArray("1") << "has -1, first in line 2.";
        QTest::newRow("focal, 3 and 10") << QByteArray("binary-focal") << QByteArray("3")
                                         << QByteArray("10") << "has 3, 10, first in line 2.";
        QTest::newRow("hinge, -1 and 1")
            << QByteArray("hinge") << QByteArray("-1") << QByteArray("1") << "";
        QTest::newRow("hinge, 0 and 1") << QByteArray("hinge") << QByteArray("0") << QByteArray("1")
                                        << "has 0, first in line 2.";
        QTest::newRow("kl, 0.5 and 2") << QByteArray("kl-div") << QByteArray("0.5")
                                       << QByteArray("2") << "has 2, first in line 3.";
        QTest::newRow("mse, 3 and 10")
            << QByteArray("mse") << QByteArray("3") << QByteArray("10") << "";
    }
    void targetsThatTheLossDoesNotTakeAreFound() {
        QFETCH(QByteArray, loss);
        QFETCH(QByteArray, first);
        QFETCH(QByteArray, second);
        QFETCH(QString, found);
        WindowDriver driver;
        const QString model = driver.filePath("model.onnx"), table = driver.filePath("yes.csv");
        saveModel(*parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
                      m (float[N, 2] x) => (float[N, 1] y)
                      <float[2, 1] w = {1, 2}> { y = MatMul(x, w) })"),
                  model.toStdString());
        QFile file(table);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("a,b,yes\n");
        for (int i = 0; i < 40; ++i)
            file.write(QByteArray::number(i) + ',' + QByteArray::number(0.5 * i) + ',' +
                       (i % 2 == 0 ? first : second) + '\n');
        file.close();
        driver.window().files().open(model);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != nullptr, kPatienceMs);
        TrainingSpec spec = driver.project().spec();
        spec.artifacts.loss = {loss.toStdString(), {}};
        spec.run.data = table.toStdString() + "?target=yes";
        driver.project().edit("choices", spec);
        QTRY_VERIFY_WITH_TIMEOUT(
            driver.project().preparation() && driver.project().data() &&
                driver.project().preparation()->data == driver.project().data() && isIdle(driver),
            kPatienceMs);
        QString message;
        for (const ListedProblem& listed : problemsOf(driver.project()))
            if (listed.finding.code == "D123") message = text(listed.finding.message);
        QCOMPARE(message.isEmpty(), found.isEmpty());
        QVERIFY2(found.isEmpty() || message.endsWith(found), qPrintable(message));
        QCOMPARE(driver.project().isReadyToTrain(), found.isEmpty());
        const QString start = driver.window().work().training.start()->text();
        QCOMPARE(start == "Labels do not fit the loss", !found.isEmpty());
        QVERIFY(driver.goTo("data"));
        QCOMPARE(driver.message().contains("The data does not fit yet"), !found.isEmpty());
        if (loss == "bce-with-logits" && first == "3")
            QVERIFY(driver.savePicture("fault-04-labels"));
    }

    void columnsAreBoundInTheTable() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("data"));
        auto* table = find<QTableView>(driver, "bindingTable");
        auto* model = find<BindingModel>(driver);
        const QModelIndex source = model->index(0, BindingModel::Source);
        const QString before = source.data().toString();
        auto* box = qobject_cast<QComboBox*>(table->indexWidget(source));
        QVERIFY(box != nullptr && !box->accessibleName().isEmpty());
        box->setCurrentIndex(0);
        emit box->activated(0);
        // "not bound" undoes the choice: the proposal is shown again.
        QVERIFY(isIdle(driver));
        QCOMPARE(model->index(0, BindingModel::Source).data().toString(), before);
        QVERIFY(model->setData(model->index(0, BindingModel::Source), "labels", Qt::EditRole));
        QVERIFY(isIdle(driver));
        QVERIFY(!driver.project().isReadyToTrain());
        QCOMPARE(model->index(0, BindingModel::State).data().toString(),
                 QString("type or element count differs"));
        QVERIFY(!driver.message().isEmpty());
        driver.project().undoStack()->undo();
        QVERIFY(isIdle(driver));
        QVERIFY(driver.project().isReadyToTrain());
    }

    void missingValuesAreMendedFromTheBanner() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QFile file(driver.filePath("iris.csv"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "a,b,c,d,species\n1,2,3,4,x\n,2,3,4,y\n5,6,7,8,z\n2,3,4,5,x\n6,5,4,3,y\n1,1,1,1,z\n");
        file.close();
        driver.window().files().open(file.fileName());
        QVERIFY(isIdle(driver));
        QVERIFY(!driver.project().dataProblem().isEmpty());
        auto* button =
            driver.window().pages().page("data")->findChild<QPushButton*>("bannerAction");
        QVERIFY(button != nullptr && button->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(isIdle(driver));
        QVERIFY(driver.project().dataProblem().isEmpty());
        QCOMPARE(driver.project().data()->training()->size() +
                     driver.project().data()->evaluation()->size(),
                 int64_t{5});
    }

    void modelsKeepTheirPromises() {
        BindingModel binding;
        QAbstractItemModelTester bindingTester(&binding);
        Column column;
        column.name = "x";
        column.dtype = DType::Float32;
        column.shape = {4};
        const ValueType type{DType::Float32, SymbolicShape{Dim::named("N"), Dim::of(4)}, false};
        binding.setBinding({{"in", type, false}, {"t", type, true}}, {column}, {{"in", "x"}});
        QCOMPARE(binding.index(0, BindingModel::State).data().toString(), QString("fits"));
        QCOMPARE(binding.index(1, BindingModel::State).data().toString(),
                 QString("needs a column"));
        binding.setBinding({{"in", type, false}}, {column}, {}, {{"in", "ones"}});
        const QModelIndex state = binding.index(0, BindingModel::State);
        QCOMPARE(state.data().toString(), QString("uses its default value"));
        QVERIFY(!state.data(Qt::DecorationRole).isValid());
        HealthModel health;
        QAbstractItemModelTester healthTester(&health);
        Finding info, bad;
        info.severity = Severity::Info;
        bad.code = "D101";
        health.setFindings({info, bad});
        QCOMPARE(health.index(0, HealthModel::Code).data().toString(), QString("D101"));
        BatchModel batch;
        QAbstractItemModelTester batchTester(&batch);
        auto fed = std::make_shared<FedBatch>();
        fed->columns = {column};
        fed->tensors = {Tensor::of<float>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})};
        fed->samples = {7, 3};
        batch.setBatch(fed);
        QCOMPARE(batch.index(1, 2).data().toString(), QString("7"));
        QCOMPARE(batch.headerData(1, Qt::Vertical, Qt::DisplayRole).toInt(), 3);
        batch.setBatch(nullptr);
        QCOMPARE(batch.rowCount(), 0);
    }
};

QTEST_MAIN(DataPageTest)
#include "data_page_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include <QHeaderView>
#include <QScrollBar>
#include <QTableView>
#include <QTest>

#include "tests/ui/window_driver.h"
#include "ui/checks/data_fixes.h"
#include "ui/panels/data/binding_model.h"

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

}  // namespace

/// What the data page says about the data, and whether it can be read.
class DataFactsTest : public QObject {
    Q_OBJECT

private slots:
    void theOriginOfTheValidationSamplesIsNamed() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        const auto description = [&] {
            return isIdle(driver) && driver.project().data() ? driver.project().data()->description
                                                             : QString();
        };
        QVERIFY2(description().contains("30 validation samples (test.csv)"),
                 qPrintable(description()));
        editDataOption(driver.project(), "Share", "split", "0.8");
        // 24 of the 120 are held out; those of the file are used.
        QVERIFY2(description().contains("96 training samples, 30 validation samples (test.csv; "
                                        "the 20 % held out are not used)"),
                 qPrintable(description()));
        TrainingSpec spec = driver.project().spec();
        spec.run.evalData.clear();
        driver.project().edit("No file", spec);
        QVERIFY2(description().contains("24 validation samples (20 % of all, drawn with seed 0)"),
                 qPrintable(description()));
    }

    /// With the lesson beside it.
    void theTableOfInputsShowsAllItsRows() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        driver.window().docks().show("lesson");
        QVERIFY(driver.goTo("data"));
        // The table is filled again while it is visible.
        editDataOption(driver.project(), "Share", "split", "0.8");
        QVERIFY(isIdle(driver));
        auto* table = find<QTableView>(driver, "bindingTable");
        QTRY_COMPARE(table->horizontalScrollBar()->maximum(), 0);
        QCOMPARE(table->model()->rowCount(), 2);
        const auto showsAllRows = [table] {
            return table->verticalScrollBar()->maximum() == 0 &&
                   table->verticalHeader()->length() <= table->viewport()->height();
        };
        QTRY_VERIFY(showsAllRows());
        table->setColumnWidth(BindingModel::Input, 2 * table->width());
        QTRY_VERIFY(table->horizontalScrollBar()->isVisible());
        QTRY_VERIFY(showsAllRows());
        table->setColumnWidth(BindingModel::Input, 40);
        QTRY_VERIFY(!table->horizontalScrollBar()->isVisible());
        QTRY_VERIFY(showsAllRows());
    }
};

QTEST_MAIN(DataFactsTest)
#include "data_facts_test.moc"

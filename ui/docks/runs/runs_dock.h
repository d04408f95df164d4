// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <set>

#include "ui/docks/dock.h"
#include "ui/docks/runs/run_table.h"

class QAction;
class QCheckBox;
class QComboBox;
class QLabel;
class QStackedWidget;
class QTableView;

namespace temper::ui {

class Banner;
class ParallelPage;
class ParallelView;
class RunCompareModel;
class RunFiles;
class RunFolders;
class RunOverlay;
class RunScope;
class RunTableFeed;
class RunTagCommands;
class RunTableModel;
class Placeholder;
class SparkDelegate;

/// The history of runs, of the project or of all: folders, a table to sort, filter and write notes
/// and tags into, and the curves of the selected runs in one plot.
class RunsDock : public QWidget {
    Q_OBJECT
public:
    explicit RunsDock(const PanelContext& context, QWidget* parent = nullptr);

    RunTableModel* model() const { return model_; }
    RunOverlay* overlay() const { return overlay_; }
    /// The runs as columns.
    RunCompareModel* comparison() const { return comparison_; }
    ParallelView* parallel() const;
    RunFolders* folders() const { return folders_; }

private:
    QWidget* buildTools();
    QWidget* buildList();
    QWidget* buildComparison();
    void refreshView();
    void compareColumns();
    /// Brings runs together that are to be compared.
    void compare(const std::vector<int64_t>& ids);
    void select(const std::vector<int64_t>& ids);
    void selectRows(const std::vector<int>& rows);
    std::vector<int> selectedRows() const;
    void buildCommands();
    QAction* addCommand(const QString& id, const QString& title, const QString& icon,
                        void (RunsDock::*slot)());
    void rebuild();
    void adopt(std::shared_ptr<const RunTable> table);
    void connectEdits();
    void selectionChanged();
    std::vector<int64_t> selected() const;
    void useSettings();
    void resume();
    void togglePin();
    void moveToTrash();
    void putIntoNewFolder();
    void addTags();
    void setDelegates();
    void keepView();
    void showKeptView();
    void importLog();
    void saveReport();
    void saveTensorBoard();
    void chooseColumns(const QPoint& place);
    void hideColumns();

    PanelContext context_;
    RunTableChoice choice_;
    RunTableModel* model_;
    RunTableFeed* feed_;
    RunScope* scope_ = nullptr;
    QComboBox* view_ = nullptr;
    QComboBox* values_ = nullptr;
    QCheckBox* differences_ = nullptr;
    QTableView* table_ = nullptr;
    SparkDelegate* sparks_ = nullptr;
    RunCompareModel* comparison_;
    QStackedWidget* views_ = nullptr;  ///< runs as rows, as columns, over parallel axes
    QTableView* compareTable_ = nullptr;
    QLabel* leftOut_ = nullptr;
    RunFolders* folders_;
    ParallelPage* parallel_;
    RunOverlay* overlay_;
    RunFiles* files_;
    RunTagCommands* tags_;
    Banner* banner_;
    QWidget* list_ = nullptr;
    Placeholder* empty_ = nullptr;
    std::vector<QAction*> needOne_;
    std::vector<QAction*> needSome_;
    std::vector<int64_t> compared_;  ///< the runs that were selected last
    std::vector<int64_t> trashed_;   ///< by the last deletion, for undo
    std::set<QString> hidden_;       ///< keys of columns
    bool isFresh_ = true;
};

DockInfo runsDock();

}  // namespace temper::ui

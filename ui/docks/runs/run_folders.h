// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTreeView>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace temper {
struct StoredRun;
}

namespace temper::ui {

class RunFolderModel;
class RunHistory;
struct RunTable;

/// The folders of the runs beside their table: the table shows the runs of the chosen one, runs can
/// be dropped on them, names are edited in place. Hidden until a run is in a folder.
class RunFolders : public QTreeView {
    Q_OBJECT
public:
    explicit RunFolders(RunHistory& history, QWidget* parent = nullptr);

    /// Folders are renamed only for the runs of which `isShown` is true. Initially of all.
    void limitTo(std::function<bool(int64_t run)> isShown) { isShown_ = std::move(isShown); }
    void show(const RunTable& runs);
    RunFolderModel* folders() const { return model_; }
    /// The folder whose runs are shown; no value: all.
    const std::optional<QString>& chosen() const { return chosen_; }
    /// The chosen folder, or the one to choose once it exists: the one to save.
    const std::optional<QString>& wanted() const { return wanted_ ? wanted_ : chosen_; }
    /// Takes effect once the folder exists.
    void choose(const std::optional<QString>& folder);
    /// Puts runs into a new folder; its name can be edited then.
    void putIntoNew(const std::vector<int64_t>& runs);

    QSize sizeHint() const override;

signals:
    void chosenChanged();

protected:
    // Runs of another window have their own numbers.
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QString newName() const;
    /// Whether a run is among those shown and in the folder or in one below.
    bool contains(const QString& folder, const StoredRun& run) const;
    void rename(const QString& from, const QString& to);
    void put(const std::vector<int64_t>& runs, const QString& folder);
    void showChosen();
    void become(const std::optional<QString>& folder);

    RunHistory& history_;
    RunFolderModel* model_;
    std::function<bool(int64_t run)> isShown_;
    std::optional<QString> chosen_;
    std::optional<QString> wanted_;  ///< once it exists
    std::optional<QString> named_;   ///< to be edited once it exists
    bool isShowing_ = false;
};

}  // namespace temper::ui

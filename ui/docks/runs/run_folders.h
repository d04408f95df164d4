// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTreeView>
#include <optional>
#include <vector>

namespace temper::ui {

class RunFolderModel;
class RunHistory;
struct RunTable;

/// The folders of the runs beside their table: one is chosen and its runs are shown, runs are
/// dropped on them, names are edited in place. Hidden until a run lies in a folder.
class RunFolders : public QTreeView {
    Q_OBJECT
public:
    explicit RunFolders(RunHistory& history, QWidget* parent = nullptr);

    void show(const RunTable& runs);
    RunFolderModel* folders() const { return model_; }
    /// The folder whose runs are shown; nothing: all.
    const std::optional<QString>& chosen() const { return chosen_; }
    /// The same, or what is to be chosen once it is there: what is to be kept.
    const std::optional<QString>& wanted() const { return wanted_ ? wanted_ : chosen_; }
    /// Takes effect once there is such a folder.
    void choose(const std::optional<QString>& folder);
    /// Puts runs into a folder that is not there yet; its name can be edited then.
    void putIntoNew(const std::vector<int64_t>& runs);

    QSize sizeHint() const override;

signals:
    void chosenChanged();

protected:
    // Runs of another window have numbers of their own.
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QString newName() const;
    void rename(const QString& from, const QString& to);
    void put(const std::vector<int64_t>& runs, const QString& folder);
    void showChosen();
    void become(const std::optional<QString>& folder);

    RunHistory& history_;
    RunFolderModel* model_;
    std::optional<QString> chosen_;
    std::optional<QString> wanted_;  ///< once there is one
    std::optional<QString> named_;   ///< to be edited once there is one
    bool isShowing_ = false;
};

}  // namespace temper::ui

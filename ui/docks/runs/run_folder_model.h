// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QStandardItemModel>
#include <optional>
#include <vector>

namespace temper::ui {

struct RunTable;

/// A folder of runs: "nets/small" lies in "nets". There is one as long as a run lies in it.
struct RunFolder {
    QString path;
    int count = 0;  ///< runs, with those of the folders within

    bool operator==(const RunFolder&) const = default;
};

/// By their paths, each behind the one that it lies in.
std::vector<RunFolder> foldersOf(const RunTable& runs);

/// "a/b" for " a // b/": names of folders are not empty and have no blanks around them.
QString cleanFolder(const QString& path);

/// Whether a run of this folder lies in `folder`, or in one within. `folder` empty: in none.
bool isInFolder(const QString& group, const QString& folder);

/// The runs' folders as a tree, with all runs above them and those in none below. Names are edited
/// and runs dropped in place: the model asks, others write.
class RunFolderModel : public QStandardItemModel {
    Q_OBJECT
public:
    /// What RunTableModel gives to be dragged: ids as text, with spaces.
    static constexpr char kMimeType[] = "application/x-temper-runs";
    /// Path of a folder as QString; empty of "No folder". Of all runs it has none.
    static constexpr int kPathRole = Qt::UserRole + 1;

    explicit RunFolderModel(QObject* parent = nullptr);

    /// Returns: whether rows came or went.
    bool show(const RunTable& runs);
    /// There are no runs.
    bool isEmpty() const { return all_ == 0; }
    const std::vector<RunFolder>& folders() const { return folders_; }
    QModelIndex indexOf(const std::optional<QString>& path) const;
    /// Nothing: of all runs.
    static std::optional<QString> pathOf(const QModelIndex& index);

    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QStringList mimeTypes() const override { return {QLatin1String(kMimeType)}; }
    bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                         const QModelIndex& parent) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;
    Qt::DropActions supportedDropActions() const override { return Qt::CopyAction; }

signals:
    void renamed(const QString& from, const QString& to);
    void dropped(const std::vector<int64_t>& runs, const QString& folder);

private:
    void rebuild();
    void count();

    std::vector<RunFolder> folders_;
    QHash<QString, QStandardItem*> items_;  ///< by path
    int all_ = 0;                           ///< runs
    int loose_ = 0;                         ///< those in no folder
};

}  // namespace temper::ui

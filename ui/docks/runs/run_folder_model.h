// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QStandardItemModel>
#include <optional>
#include <vector>

namespace temper::ui {

struct RunTable;

/// A folder of runs: "nets/small" is in "nets". It exists as long as it contains a run.
struct RunFolder {
    QString path;
    int count = 0;  ///< runs, including those of subfolders

    bool operator==(const RunFolder&) const = default;
};

/// Sorted by path, each after its parent.
std::vector<RunFolder> foldersOf(const RunTable& runs);

/// Returns: "a/b" for " a // b/": names of folders are not empty and have no surrounding blanks.
QString cleanFolder(const QString& path);

/// Whether a run of this folder is in `folder` or in a subfolder of it. `folder` empty: in none.
bool isInFolder(const QString& group, const QString& folder);

/// The runs' folders as a tree, with all runs above them and those in no folder below. Names are
/// edited and runs dropped in place: the model emits requests, others write.
class RunFolderModel : public QStandardItemModel {
    Q_OBJECT
public:
    /// MIME type of rows dragged from RunTableModel: ids as text, separated by spaces.
    static constexpr char kMimeType[] = "application/x-temper-runs";
    /// Path of a folder as QString; empty for "No folder". "All runs" has none.
    static constexpr int kPathRole = Qt::UserRole + 1;

    explicit RunFolderModel(QObject* parent = nullptr);

    /// Returns: whether rows were added or removed.
    bool show(const RunTable& runs);
    /// Whether there are no runs.
    bool isEmpty() const { return all_ == 0; }
    const std::vector<RunFolder>& folders() const { return folders_; }
    QModelIndex indexOf(const std::optional<QString>& path) const;
    /// No value: all runs.
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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/run_folder_model.h"

#include <QLocale>
#include <QMimeData>
#include <algorithm>
#include <map>

#include "ui/docks/runs/run_table.h"
#include "ui/messages/problem.h"

namespace temper::ui {
namespace {

constexpr QLatin1Char kSeparator('/');

QList<QStandardItem*> makeRow(const QString& name, const QVariant& path) {
    auto* title = new QStandardItem(name);
    title->setData(path, RunFolderModel::kPathRole);
    title->setEditable(path.isValid() && !path.toString().isEmpty());
    auto* count = new QStandardItem;
    count->setEditable(false);
    count->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return {title, count};
}

}  // namespace

QString cleanFolder(const QString& path) {
    QStringList names;
    for (const QString& name : path.split(kSeparator))
        if (const QString trimmed = name.trimmed(); !trimmed.isEmpty()) names << trimmed;
    return names.join(kSeparator);
}

bool isInFolder(const QString& group, const QString& folder) {
    const QString path = cleanFolder(group);
    return path == folder || (!folder.isEmpty() && path.startsWith(folder + kSeparator));
}

std::vector<RunFolder> foldersOf(const RunTable& runs) {
    // By names and not by characters: "a b" comes after everything in "a".
    std::map<QStringList, int> counts;
    std::map<std::string, QStringList> known;  // thousands of runs share a few
    for (size_t row = 0; row < runs.rows.size(); ++row) {
        const std::string& group = runs.run(row).group;
        if (group.empty()) continue;
        const auto [place, isNew] = known.try_emplace(group);
        if (isNew) place->second = cleanFolder(text(group)).split(kSeparator, Qt::SkipEmptyParts);
        for (qsizetype depth = 1; depth <= place->second.size(); ++depth)
            ++counts[place->second.first(depth)];
    }
    std::vector<RunFolder> folders;
    for (const auto& [names, count] : counts) folders.push_back({names.join(kSeparator), count});
    return folders;
}

RunFolderModel::RunFolderModel(QObject* parent) : QStandardItemModel(parent) { setColumnCount(2); }

bool RunFolderModel::show(const RunTable& runs) {
    std::vector<RunFolder> folders = foldersOf(runs);
    const auto isLoose = [&](size_t row) {
        return cleanFolder(text(runs.run(row).group)).isEmpty();
    };
    int loose = 0;
    for (size_t row = 0; row < runs.rows.size(); ++row) loose += isLoose(row) ? 1 : 0;
    const bool sameRows =
        rowCount() > 0 && (loose > 0) == (loose_ > 0) &&
        std::ranges::equal(folders, folders_, {}, &RunFolder::path, &RunFolder::path);
    folders_ = std::move(folders);
    loose_ = loose;
    all_ = static_cast<int>(runs.rows.size());
    if (!sameRows) rebuild();
    count();
    return !sameRows;
}

void RunFolderModel::rebuild() {
    removeRows(0, rowCount());
    items_.clear();
    appendRow(makeRow(tr("All runs"), {}));
    for (const RunFolder& folder : folders_) {
        const QString name = folder.path.section(kSeparator, -1);
        const QString within = folder.path.section(kSeparator, 0, -2);
        const QList<QStandardItem*> row = makeRow(name, folder.path);
        items_[folder.path] = row[0];
        (within.isEmpty() ? invisibleRootItem() : items_.value(within))->appendRow(row);
    }
    if (loose_ == 0 || folders_.empty()) return;
    const QList<QStandardItem*> row = makeRow(tr("No folder"), QString());
    items_[QString()] = row[0];
    appendRow(row);
}

void RunFolderModel::count() {
    const QLocale locale;
    const auto say = [&](const QModelIndex& index, int number) {
        if (!index.isValid()) return;
        itemFromIndex(index.siblingAtColumn(1))->setText(locale.toString(number));
        itemFromIndex(index)->setAccessibleDescription(tr("%n runs", nullptr, number));
    };
    say(index(0, 0), all_);
    for (const RunFolder& folder : folders_) say(indexOf(folder.path), folder.count);
    say(indexOf(QString()), loose_);
}

QModelIndex RunFolderModel::indexOf(const std::optional<QString>& path) const {
    if (!path) return index(0, 0);
    const QStandardItem* item = items_.value(*path);
    return item == nullptr ? QModelIndex() : item->index();
}

std::optional<QString> RunFolderModel::pathOf(const QModelIndex& index) {
    const QVariant path = index.siblingAtColumn(0).data(kPathRole);
    return path.isValid() ? std::optional(path.toString()) : std::nullopt;
}

bool RunFolderModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole) return QStandardItemModel::setData(index, value, role);
    const QString from = pathOf(index).value_or(QString());
    const QString name = cleanFolder(value.toString());
    if (from.isEmpty() || name.isEmpty()) return false;
    const QString within = from.section(kSeparator, 0, -2);
    const QString to = within.isEmpty() ? name : within + kSeparator + name;
    if (to != from) emit renamed(from, to);
    return to != from;
}

bool RunFolderModel::canDropMimeData(const QMimeData* data, Qt::DropAction /*action*/, int row,
                                     int /*column*/, const QModelIndex& parent) const {
    return row < 0 && data->hasFormat(QLatin1String(kMimeType)) && pathOf(parent).has_value();
}

bool RunFolderModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                                  const QModelIndex& parent) {
    if (!canDropMimeData(data, action, row, column, parent)) return false;
    std::vector<int64_t> runs;
    for (const QByteArray& id : data->data(QLatin1String(kMimeType)).split(' '))
        runs.push_back(id.toLongLong());
    emit dropped(runs, *pathOf(parent));
    return true;
}

}  // namespace temper::ui

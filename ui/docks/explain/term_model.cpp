// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/explain/term_model.h"

#include <algorithm>

namespace temper::ui {

TermModel::TermModel(QObject* parent) : QAbstractListModel(parent), terms_(terms()) {
    std::sort(terms_.begin(), terms_.end(), [](const Term& a, const Term& b) {
        return QString::localeAwareCompare(a.title, b.title) < 0;
    });
    setFilter({});
}

void TermModel::setFilter(const QString& filter) {
    beginResetModel();
    shown_.clear();
    const QString wanted = filter.trimmed();
    const auto fits = [&wanted](const QString& text) {
        return text.contains(wanted, Qt::CaseInsensitive);
    };
    for (const Term& term : terms_)
        if (fits(term.title)) shown_.push_back(&term);
    for (const Term& term : terms_)
        if (!fits(term.title) && (fits(term.text) || fits(term.id))) shown_.push_back(&term);
    endResetModel();
}

const Term* TermModel::find(const QString& id) const {
    const auto found = std::find_if(terms_.begin(), terms_.end(),
                                    [&id](const Term& term) { return term.id == id; });
    return found == terms_.end() ? nullptr : &*found;
}

int TermModel::rowOf(const QString& id) const {
    const auto found = std::find_if(shown_.begin(), shown_.end(),
                                    [&id](const Term* term) { return term->id == id; });
    return found == shown_.end() ? -1 : static_cast<int>(found - shown_.begin());
}

int TermModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

QVariant TermModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role == Qt::DisplayRole) return termAt(index.row()).title;
    return {};
}

}  // namespace temper::ui

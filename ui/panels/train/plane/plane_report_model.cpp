// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/plane/plane_report_model.h"

#include <QGuiApplication>

#include "ui/theme/colors.h"
#include "ui/translation/number_text.h"

namespace temper::ui {

PlaneShare sumOf(const std::vector<PlaneShare>& shares) {
    PlaneShare sum;
    for (const PlaneShare& share : shares) {
        sum.samples += share.samples;
        sum.right += share.right;
    }
    return sum;
}

QString shareText(const PlaneShare& share) {
    if (share.samples == 0) return QStringLiteral("–");
    const double percent =
        100 * static_cast<double>(share.right) / static_cast<double>(share.samples);
    return PlaneReportModel::tr("%1 %").arg(decimalText(percent, 'f', 1));
}

void PlaneReportModel::setLook(std::shared_ptr<const PlaneLook> look) {
    const bool isSame = look && look_ && look->classes == look_->classes;
    if (!isSame) beginResetModel();
    look_ = std::move(look);
    if (look_) colors_ = planeColors(look_->classes);
    if (!isSame) return endResetModel();
    emit dataChanged(index(0, Training), index(rowCount() - 1, Validation));
}

void PlaneReportModel::refreshMarkers() {
    if (rowCount() > 0) emit dataChanged(index(0, Name), index(rowCount() - 1, Name));
}

int PlaneReportModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !look_ ? 0 : static_cast<int>(look_->classes.size()) + 1;
}

int PlaneReportModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QString PlaneReportModel::shareText(int row, bool isTraining) const {
    const auto& shares = isTraining ? look_->training : look_->validation;
    if (row == look_->classes.size()) return ui::shareText(sumOf(shares));
    return static_cast<size_t>(row) < shares.size()
               ? ui::shareText(shares[static_cast<size_t>(row)])
               : QString();
}

QVariant PlaneReportModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const int row = index.row();
    const bool isClass = row < look_->classes.size();
    if (role == Qt::DisplayRole) {
        if (index.column() == Name) return isClass ? look_->classes[row] : tr("All classes");
        return shareText(row, index.column() == Training);
    }
    if (role == Qt::TextAlignmentRole && index.column() != Name)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::DecorationRole && index.column() == Name && isClass)
        return planeMarker(row, colors_[static_cast<size_t>(row)], false, markerSize_,
                           currentColors());
    return {};
}

QVariant PlaneReportModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole && section != Name)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Name: return tr("Class");
        case Training: return tr("Training");
        case Validation: return tr("Validation");
        default: return {};
    }
}

}  // namespace temper::ui

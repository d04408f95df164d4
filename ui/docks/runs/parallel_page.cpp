// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/parallel_page.h"

#include <QLabel>
#include <QLocale>
#include <QVBoxLayout>
#include <utility>

#include "ui/docks/runs/parallel_view.h"
#include "ui/docks/runs/run_table_model.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

/// Selecting thousands of scattered rows would block the window.
constexpr size_t kMaxChosen = 200;

}  // namespace

ParallelPage::ParallelPage(const RunTableModel& runs, QWidget* parent)
    : QWidget(parent),
      runs_(runs),
      view_(new ParallelView(runs, this)),
      sentence_(makeLabel({}, "muted", this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    sentence_->setWordWrap(true);
    layout->addWidget(view_, 1);
    layout->addWidget(sentence_);
    connect(view_, &ParallelView::rangesChanged, this, &ParallelPage::choose);
}

void ParallelPage::refresh(std::vector<int> selectedRows) {
    view_->refresh();
    view_->setSelected(std::move(selectedRows));
    say();
}

void ParallelPage::choose() {
    std::vector<int> rows = view_->within();
    if (!view_->hasRanges() || rows.size() > kMaxChosen) rows.clear();
    emit rowsChosen(rows);
    say();
}

void ParallelPage::say() {
    const QLocale locale;
    const size_t count = view_->within().size();
    QString words =
        tr("Drag along an axis to keep the runs in a range; drag a title to move its axis, click "
           "it to colour by it.");
    if (view_->hasRanges())
        words =
            (count <= kMaxChosen
                 ? tr("%1 of %2 runs are within the ranges and selected. Escape clears the ranges.")
                 : tr("%1 of %2 runs are within the ranges. Narrow them to select runs; Escape "
                      "clears the ranges."))
                .arg(locale.toString(count), locale.toString(runs_.rowCount()));
    sentence_->setText(words);
    sentence_->setVisible(!view_->axes().empty());
}

}  // namespace temper::ui

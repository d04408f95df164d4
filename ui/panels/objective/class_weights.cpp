// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/class_weights.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/checks/data_fixes.h"
#include "ui/document/studio_project.h"
#include "ui/explain/explain.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr size_t kNamedClasses = 12;

}  // namespace

ClassWeights::ClassWeights(StudioProject& project, QWidget* parent)
    : QWidget(parent),
      project_(project),
      weigh_(new QPushButton(tr("Balance classes automatically"), this)),
      remove_(new QPushButton(tr("No weights"), this)),
      text_(makeLabel({}, "muted", this)) {
    explain(this, "D108");
    weigh_->setObjectName(QStringLiteral("weighClasses"));
    remove_->setObjectName(QStringLiteral("removeClassWeights"));
    remove_->setAccessibleName(tr("Remove the class weights"));
    text_->setObjectName(QStringLiteral("classWeights"));
    text_->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(em(this, 0.3));
    auto* row = new QHBoxLayout;
    row->addWidget(weigh_);
    row->addWidget(remove_);
    row->addStretch(1);
    layout->addLayout(row);
    layout->addWidget(text_);
    connect(weigh_, &QPushButton::clicked, this, [this] { weighClasses(project_); });
    connect(remove_, &QPushButton::clicked, this, [this] { removeClassWeights(project_); });
    connect(&project_, &StudioProject::dataChanged, this, &ClassWeights::refresh);
}

void ClassWeights::refresh() {
    const Selection& loss = project_.spec().artifacts.loss;
    setVisible(takesClassWeights(loss));
    if (!takesClassWeights(loss)) return;
    const bool hasWeights = loss.lists.contains(kClassWeights);
    const Column* target = project_.data() ? classColumnOf(*project_.data()) : nullptr;
    weigh_->setEnabled(target != nullptr);
    remove_->setVisible(hasWeights);
    text_->setText(target != nullptr ? weightsText()
                   : project_.data()
                       ? tr("The data has no class names.")
                       : tr("Choose data first, so that its classes can be counted."));
    text_->setVisible(!text_->text().isEmpty());
}

/// "ant 0.52 · bee 2.1"; empty if there are no weights.
QString ClassWeights::weightsText() const {
    const auto& lists = project_.spec().artifacts.loss.lists;
    const auto found = lists.find(kClassWeights);
    if (found == lists.end()) return {};
    const auto& classes = classColumnOf(*project_.data())->classes;
    if (found->second.size() != classes.size())
        return tr("%1 weights for %2 classes: training needs one per class.")
            .arg(found->second.size())
            .arg(classes.size());
    QStringList parts;
    for (size_t i = 0; i < std::min(classes.size(), kNamedClasses); ++i)
        parts << QStringLiteral("%1 %2").arg(text(classes[i]),
                                             decimalText(found->second[i], 'g', 3));
    if (classes.size() > kNamedClasses) parts << QStringLiteral("…");
    return parts.join(QStringLiteral(" · "));
}

}  // namespace temper::ui

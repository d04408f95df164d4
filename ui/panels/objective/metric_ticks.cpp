// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/metric_ticks.h"

#include <QCheckBox>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/explain/explain.h"
#include "ui/explain/terms.h"
#include "ui/messages/problem.h"
#include "ui/run/run_model.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

bool contains(const std::vector<std::string>& keys, const std::string& key) {
    return std::ranges::find(keys, key) != keys.end();
}

}  // namespace

MetricTicks::MetricTicks(QWidget* parent)
    : QWidget(parent), none_(makeLabel(tr("No metric fits this loss."), "muted", this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(em(this, 0.2));
    layout->addWidget(none_);
}

void MetricTicks::show(const std::vector<std::string>& fitting,
                       const std::vector<std::string>& usual,
                       const std::vector<std::string>& chosen) {
    usual_ = usual;
    std::vector<std::string> keys = fitting;
    for (const std::string& key : chosen)
        if (!contains(keys, key)) keys.push_back(key);
    if (keys != keys_) rebuild(keys);
    for (size_t i = 0; i < keys_.size(); ++i) {
        const QString label = metricLabel(keys_[i]);
        const bool fits = contains(fitting, keys_[i]);
        boxes_[i]->setText(fits ? label : tr("%1: does not fit the loss").arg(label));
        boxes_[i]->setChecked(contains(chosen.empty() ? usual : chosen, keys_[i]));
    }
}

void MetricTicks::rebuild(const std::vector<std::string>& keys) {
    qDeleteAll(boxes_);
    boxes_.clear();
    keys_ = keys;
    for (const std::string& key : keys_) {
        auto* box = new QCheckBox(this);
        box->setObjectName(QStringLiteral("metric-") + text(key));
        box->setAccessibleName(tr("Measure %1").arg(metricLabel(key)));
        box->setToolTip(tr("If none is ticked, the default metrics of the loss are measured."));
        const QString term = termOfChoice(QStringLiteral("metric"), text(key));
        if (!term.isEmpty()) explain(box, term);
        connect(box, &QCheckBox::clicked, this, &MetricTicks::edit);
        layout()->addWidget(box);
        boxes_.push_back(box);
    }
    none_->setVisible(boxes_.empty());
}

void MetricTicks::edit() {
    std::vector<std::string> chosen;
    for (size_t i = 0; i < keys_.size(); ++i)
        if (boxes_[i]->isChecked()) chosen.push_back(keys_[i]);
    emit edited(chosen == usual_ ? std::vector<std::string>{} : chosen);
}

}  // namespace temper::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/loss_input.h"

#include <QCompleter>
#include <QFocusEvent>
#include <QLineEdit>
#include <QStringListModel>

#include "ui/messages/problem.h"
#include "ui/widgets/name_elision.h"

namespace temper::ui {
namespace {

constexpr int kShownTensors = 12;
constexpr int kMinLetters = 12;

/// A loss reads a tensor of numbers; an unknown type may be numeric.
bool mayBeRead(const Value* value) {
    if (value == nullptr || !value->type().isTensor()) return false;
    return !value->type().isKnown() || isFloating(value->type().dtype);
}

}  // namespace

LossInput::LossInput(QWidget* parent) : QComboBox(parent), tensors_(new QStringListModel(this)) {
    setEditable(true);
    // Names of tensors can be of any length.
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(kMinLetters);
    setInsertPolicy(QComboBox::NoInsert);
    setToolTip(tr("An output of the model, or any other tensor: type a part of its name"));
    lineEdit()->setPlaceholderText(tr("A part of a tensor's name"));
    auto* completer = new QCompleter(tensors_, this);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setFilterMode(Qt::MatchContains);
    completer->setMaxVisibleItems(kShownTensors);
    setCompleter(completer);
    completer->popup()->setProperty("completion", true);
    for (QAbstractItemView* list : {completer->popup(), view()})
        list->setItemDelegate(new ElidingDelegate(list));
    connect(completer, qOverload<const QString&>(&QCompleter::activated), this, &LossInput::choose);
    connect(this, &QComboBox::textActivated, this, &LossInput::choose);
    connect(lineEdit(), &QLineEdit::returnPressed, this, [this] { choose(currentText()); });
}

void LossInput::setGraph(const Graph& graph) {
    clearGraph();
    for (const Value* output : graph.outputs())
        if (output->type().isTensor()) addItem(text(output->name()));
    QStringList names;
    for (const Node* node : graph.nodes())
        for (const Value* value : node->outputs())
            if (mayBeRead(value)) names << text(value->name());
    tensors_->setStringList(names);
    clearEditText();
}

void LossInput::clearGraph() {
    clear();
    tensors_->setStringList({});
    read_.clear();
}

void LossInput::setRead(const QString& name) {
    read_ = name;
    takeBack();
}

QStringList LossInput::tensors() const { return tensors_->stringList(); }

void LossInput::choose(const QString& name) {
    const QString wanted = name.trimmed();
    if (wanted == read_) return takeBack();
    const bool isThere = tensors_->stringList().contains(wanted) || findText(wanted) >= 0;
    if (!isThere) return;  // typing may continue
    emit tensorChosen(wanted);
}

/// Reverts an unknown name.
void LossInput::takeBack() {
    setCurrentIndex(findText(read_));
    setEditText(read_);
    const bool differsAtItsEnd = elideModeOf(read_) == Qt::ElideLeft;
    lineEdit()->setCursorPosition(differsAtItsEnd ? static_cast<int>(read_.size()) : 0);
}

void LossInput::focusOutEvent(QFocusEvent* event) {
    QComboBox::focusOutEvent(event);
    if (event->reason() == Qt::PopupFocusReason) return;
    choose(currentText());
    takeBack();
}

}  // namespace temper::ui

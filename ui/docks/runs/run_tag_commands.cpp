// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/run_tag_commands.h"

#include <QInputDialog>
#include <QLineEdit>
#include <algorithm>

#include "engine/runs/run_tags.h"
#include "ui/docks/runs/tag_delegate.h"
#include "ui/messages/problem.h"
#include "ui/run/run_history.h"

namespace temper::ui {

RunTagCommands::RunTagCommands(RunHistory& history, QWidget* parent)
    : QObject(parent), history_(history), page_(parent), delegate_(new TagDelegate(this)) {
    const auto learn = [this] { delegate_->setTags(tagsOf(*history_.runs())); };
    connect(&history_, &RunHistory::changed, this, learn);
    learn();
}

QStringList RunTagCommands::tagsOf(const std::vector<StoredRun>& runs) {
    QStringList tags;
    for (const StoredRun& run : runs)
        for (const std::string& tag : run.tags) tags << text(tag);
    tags.removeDuplicates();
    tags.sort(Qt::CaseInsensitive);
    return tags;
}

void RunTagCommands::set(int64_t run, const QString& typed) {
    history_.edit(tr("Change tags of run"), {run},
                  [tags = parseTags(typed.toStdString())](StoredRun& each) { each.tags = tags; });
}

void RunTagCommands::askAdd(const std::vector<int64_t>& runs) {
    if (runs.empty()) return;
    QInputDialog dialog(page_);
    dialog.setWindowTitle(tr("Add tags"));
    dialog.setInputMode(QInputDialog::TextInput);
    dialog.setLabelText(tr("Tags, separated by commas"));
    if (auto* edit = dialog.findChild<QLineEdit*>())
        edit->setCompleter(makeTagCompleter(delegate_->tags(), edit));
    if (dialog.exec() == QDialog::Accepted) add(runs, dialog.textValue());
}

void RunTagCommands::add(const std::vector<int64_t>& runs, const QString& typed) {
    history_.edit(tr("Add tags to runs"), runs, [&](StoredRun& run) {
        run.tags = parseTags(tagText(run.tags) + "," + typed.toStdString());
    });
}

}  // namespace temper::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checkpoints/compare_files_dialog.h"

#include <QDialogButtonBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QUrl>
#include <QVBoxLayout>

#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {

CompareFilesDialog::CompareFilesDialog(QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Compare weights"));
    setObjectName(QStringLiteral("compareFiles"));
    setAcceptDrops(true);
    resize(em(this, 40), sizeHint().height());
    auto* layout = new QVBoxLayout(this);
    QLabel* what =
        makeLabel(tr("Two checkpoints or models, side by side. You can drop them here."), "", this);
    what->setWordWrap(true);
    layout->addWidget(what);
    auto* grid = new QGridLayout;
    layout->addLayout(grid);
    note_ = makeLabel({}, "muted", this);
    note_->setObjectName(QStringLiteral("compareNote"));
    note_->setWordWrap(true);
    layout->addWidget(note_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    compare_ = buttons->addButton(tr("Compare"), QDialogButtonBox::AcceptRole);
    compare_->setObjectName(QStringLiteral("compareButton"));
    layout->addWidget(buttons);
    addRow(grid, 0, tr("&First"), QStringLiteral("compareFirst"));
    addRow(grid, 1, tr("&Second"), QStringLiteral("compareSecond"));
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        emit chosen(fields_[0]->text(), fields_[1]->text());
        accept();
    });
    fields_[0]->setFocus();
    refresh();
}

void CompareFilesDialog::addRow(QGridLayout* grid, size_t row, const QString& label,
                                const QString& name) {
    auto* field = new QLineEdit(this);
    field->setObjectName(name);
    field->setPlaceholderText(tr("Checkpoint or model"));
    field->setAcceptDrops(false);  // the dialog accepts files, not their URLs as text
    auto* caption = makeLabel(label, "", this);
    caption->setBuddy(field);
    auto* choose = new QPushButton(tr("Choose…"), this);
    choose->setAutoDefault(false);
    const int line = static_cast<int>(row);
    grid->addWidget(caption, line, 0);
    grid->addWidget(field, line, 1);
    grid->addWidget(choose, line, 2);
    fields_[row] = field;
    connect(field, &QLineEdit::textChanged, this, &CompareFilesDialog::refresh);
    connect(choose, &QPushButton::clicked, this, [this, field] { browse(field); });
}

void CompareFilesDialog::browse(QLineEdit* field) {
    const QStringList paths = QFileDialog::getOpenFileNames(
        this, tr("Choose a checkpoint or a model"), QFileInfo(field->text()).path());
    if (paths.isEmpty()) return;
    field->setText(paths.front());
    take(paths.mid(1));
}

void CompareFilesDialog::take(const QStringList& paths) {
    for (const QString& path : paths) fields_[fields_[0]->text().isEmpty() ? 0 : 1]->setText(path);
}

void CompareFilesDialog::refresh() {
    if (!fields_[1]) return;  // under construction
    QString missing;
    bool areThere = true;
    for (const QLineEdit* field : fields_) {
        const bool isThere = QFileInfo::exists(field->text());
        areThere = areThere && isThere;
        if (!isThere && !field->text().isEmpty()) missing = field->text();
    }
    compare_->setEnabled(areThere);
    note_->setText(!missing.isEmpty() ? tr("File %1 not found.").arg(missing)
                   : areThere         ? QString()
                                      : tr("Choose the files to compare, one in each row."));
}

void CompareFilesDialog::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void CompareFilesDialog::dropEvent(QDropEvent* event) {
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile()) paths << url.toLocalFile();
    event->acceptProposedAction();
    take(paths);
}

}  // namespace temper::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <array>

class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace temper::ui {

/// Asks for two checkpoints or models, each chosen, typed or dropped separately.
class CompareFilesDialog : public QDialog {
    Q_OBJECT
public:
    explicit CompareFilesDialog(QWidget* parent = nullptr);

signals:
    void chosen(const QString& first, const QString& second);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void addRow(QGridLayout* grid, size_t row, const QString& label, const QString& name);
    void browse(QLineEdit* field);
    /// Sets each path into the first field if that is empty, else into the second.
    void take(const QStringList& paths);
    void refresh();

    std::array<QLineEdit*, 2> fields_{};
    QLabel* note_ = nullptr;
    QPushButton* compare_ = nullptr;
};

}  // namespace temper::ui

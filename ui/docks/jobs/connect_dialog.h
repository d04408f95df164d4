// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "engine/jobs/job_client.h"

class QLineEdit;
class QPushButton;

namespace temper::ui {

/// Asks where a job server of another machine can be reached, and for its token.
class ConnectDialog : public QDialog {
    Q_OBJECT
public:
    explicit ConnectDialog(QWidget* parent = nullptr);

    ServerAddress address() const;

private:
    bool isComplete() const;

    QLineEdit* place_;
    QLineEdit* token_;
    QPushButton* connect_;
};

}  // namespace temper::ui

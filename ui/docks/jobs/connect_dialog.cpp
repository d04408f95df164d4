// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/jobs/connect_dialog.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QFontDatabase>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>

#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr int kMaxPort = 65535;

/// As docs/jobs.md explains it.
constexpr auto kCommand = "ssh -L ~/far.socket:/home/NAME/.local/state/temper/jobs/socket HOST";

int portOf(const QString& place) {
    bool isNumber = false;
    const int port = place.toInt(&isNumber);
    return isNumber && port > 0 && port <= kMaxPort ? port : 0;
}

}  // namespace

ConnectDialog::ConnectDialog(QWidget* parent)
    : QDialog(parent), place_(new QLineEdit(this)), token_(new QLineEdit(this)) {
    setObjectName(QStringLiteral("connectDialog"));
    setWindowTitle(tr("Jobs of another machine"));
    auto* layout = new QVBoxLayout(this);
    QLabel* about =
        makeLabel(tr("Forward the server's socket to this machine, in a terminal that stays open:"),
                  "", this);
    about->setWordWrap(true);
    QLabel* command = makeLabel(QString::fromLatin1(kCommand), "", this);
    command->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    command->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    layout->addWidget(about);
    layout->addWidget(command);
    auto* form = new QFormLayout;
    place_->setObjectName(QStringLiteral("serverPlace"));
    place_->setPlaceholderText(tr("far.socket, or a port of this machine"));
    token_->setObjectName(QStringLiteral("serverToken"));
    token_->setEchoMode(QLineEdit::Password);
    token_->setMinimumWidth(em(this, 28));
    token_->setPlaceholderText(tr("content of the file 'token' beside the socket there"));
    form->addRow(tr("&Socket"), place_);
    form->addRow(tr("&Token"), token_);
    layout->addLayout(form);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    connect_ = buttons->addButton(tr("Connect"), QDialogButtonBox::AcceptRole);
    connect_->setObjectName(QStringLiteral("connectButton"));
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    const auto refresh = [this] { connect_->setEnabled(isComplete()); };
    connect(place_, &QLineEdit::textChanged, this, refresh);
    connect(token_, &QLineEdit::textChanged, this, refresh);
    refresh();
}

ServerAddress ConnectDialog::address() const {
    const QString place = place_->text().trimmed();
    const std::string token = token_->text().trimmed().toStdString();
    if (const int port = portOf(place)) return {{}, port, token};
    const bool isBelowHome = place.startsWith(QLatin1String("~/"));  // as shells write it
    return {(isBelowHome ? QDir::homePath() + place.mid(1) : place).toStdString(), 0, token};
}

/// A token is 64 hexadecimal digits (engine/jobs/access_token.h).
bool ConnectDialog::isComplete() const {
    static const QRegularExpression token(QStringLiteral("^[0-9a-f]{64}$"));
    return !place_->text().trimmed().isEmpty() && token.match(token_->text().trimmed()).hasMatch();
}

}  // namespace temper::ui

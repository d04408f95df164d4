// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <functional>
#include <vector>

#include "ui/messages/problem.h"

class QGridLayout;
class QHBoxLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace temper::ui {

class Fold;

/// A remedy for a message: a button that applies it. `name` is its object name.
struct BannerAction {
    QString name;
    QString text;
    std::function<void()> run;
    bool isPrimary = false;  ///< also without another button, whose first is
};

/// A message across the top of a page: icon, text, hint, actions, a close button; further facts
/// under "Details", for copying. Hidden until something is shown.
class Banner : public QFrame {
    Q_OBJECT
public:
    enum class Kind { Info, Good, Attention, Bad };

    explicit Banner(QWidget* parent = nullptr);

    void show(Kind kind, const Problem& message, const QString& action = {});
    /// Shows a message with several buttons; the first is the recommended one.
    void show(Kind kind, const Problem& message, const std::vector<BannerAction>& actions);
    Kind kind() const { return kind_; }
    /// Title, message and hint, as shown.
    QString text() const;
    /// The text under "Details"; empty if there is none.
    QString details() const;

signals:
    void actionTriggered();

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* buildDetails();
    void setActions(const std::vector<BannerAction>& actions);
    void arrange();
    void applyColors();

    Kind kind_ = Kind::Info;
    QLabel* icon_;
    QLabel* title_;
    QLabel* message_;
    QPlainTextEdit* details_ = nullptr;
    Fold* fold_ = nullptr;
    QGridLayout* grid_ = nullptr;
    QHBoxLayout* actions_;
    bool areBelow_ = false;  ///< the buttons, below the text
    bool applying_ = false;
};

}  // namespace temper::ui

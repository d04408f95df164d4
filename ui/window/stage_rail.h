// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QFrame>
#include <vector>

#include "ui/panels/stage.h"

class QVBoxLayout;

namespace temper::ui {

/// One step of the workflow in the rail: icon, name, state in words and as a mark.
class StageButton : public QAbstractButton {
    Q_OBJECT
public:
    StageButton(const QString& icon, const QString& title, QWidget* parent = nullptr);

    void setStatus(const StageStatus& status);
    const StageStatus& status() const { return status_; }
    /// Only the icon is shown; the tool tip has the words, as it has a state that does not fit.
    void setCompact(bool compact);
    QSize sizeHint() const override { return sizeWhen(isCompact_); }
    QSize sizeWhen(bool compact) const;
    QSize minimumSizeHint() const override;
    /// The width for the name and the state, in pixels; of the icon only: 0.
    int textWidth() const;
    QFont stateFont() const;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    int textLeft() const;
    void refreshToolTip();
    void paintState(QPainter& painter, const QRect& place) const;
    void paintMark(QPainter& painter, const QRectF& place) const;

    QString icon_;
    QString caption_;
    StageStatus status_;
    bool showsState_ = false;
    bool isCompact_ = false;
};

/// The pipeline on the left of the window. Every row opens its page, whatever its state.
class StageRail : public QFrame {
    Q_OBJECT
public:
    explicit StageRail(QWidget* parent = nullptr);

    /// Returns: the row's button.
    StageButton* addStage(const QString& id, const QString& icon, const QString& title);
    void addGap();
    void finish();
    void setStatus(const QString& id, const StageStatus& status);
    void setCurrent(const QString& id);
    /// As narrow as its icons: by choice (compact), or for lack of room (narrow).
    void setCompact(bool compact);
    void setNarrow(bool narrow);
    /// In pixels, with icons only or with texts; both are equal if compact.
    int widthWhen(bool narrow) const;

signals:
    void stageRequested(const QString& id);

private:
    struct Row {
        QString id;
        StageButton* button;
    };
    void refresh();

    QVBoxLayout* layout_;
    std::vector<Row> rows_;
    bool isCompact_ = false;
    bool isNarrow_ = false;
};

}  // namespace temper::ui

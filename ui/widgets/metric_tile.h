// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QStringList>
#include <cstddef>

class QLabel;

namespace temper::ui {

/// A figure to watch: caption, value, a smaller line below.
class MetricTile : public QFrame {
    Q_OBJECT
public:
    explicit MetricTile(const QString& caption, QWidget* parent = nullptr);

    void setCaption(const QString& caption);
    /// Of the details, from the fullest to the shortest, the first that fits is shown.
    void setValue(const QString& value, const QStringList& details = {});
    QString value() const;
    /// The caption fits; figure and detail shrink.
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void fit();
    void fitFigure();

    QString captionText_;
    QStringList details_;
    size_t size_ = 0;  ///< of the figure, an index of the possible sizes
    QLabel* caption_;
    QLabel* value_;
    QLabel* detail_;
};

}  // namespace temper::ui

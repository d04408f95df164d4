// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QString>
#include <QWidget>

class QLabel;

namespace temper::ui {

/// The picture of a camera with its sides shaded: bright is what the model gets. Without a picture,
/// a message.
class LivePicture : public QWidget {
    Q_OBJECT
public:
    explicit LivePicture(QWidget* parent = nullptr);

    void setPicture(const QImage& picture);
    /// Shows a message instead of the picture.
    void setMessage(const QString& message);
    QString message() const;
    /// Width by height of what the model gets, which is the middle of the picture.
    void setAspect(double aspect);
    /// The bright part. Units: pixels of the picture.
    QRect taken() const;

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QImage picture_;
    QLabel* message_;
    double aspect_ = 1;
};

}  // namespace temper::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QMimeData>
#include <future>
#include <memory>
#include <stop_token>

#include "engine/core/tensor.h"
#include "ui/project/problem.h"

namespace temper::ui {

/// "conv1_weight" for "conv1/weight": a name that a file may have.
QString fileNameOf(const QString& tensor);

/// A tensor on its way into another program: the URL of an NPY file, which another thread writes
/// from now on. Who asks for the URL gets it when the file is complete.
class TensorMimeData : public QMimeData {
    Q_OBJECT
public:
    TensorMimeData(const Tensor& tensor, const QString& path);
    /// A file that nobody has asked for is not completed.
    ~TensorMimeData() override;

    /// What went wrong, once the URL was asked for; else empty.
    const Problem& problem() const { return problem_; }

protected:
    QVariant retrieveData(const QString& type, QMetaType preferred) const override;

private:
    std::stop_source stop_;
    std::shared_future<bool> written_;
    mutable Problem problem_;
};

/// A picture that is taken with the mouse to carry something away.
class DragHandle : public QLabel {
    Q_OBJECT
public:
    explicit DragHandle(QWidget* parent = nullptr);

signals:
    void dragStarted();

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void draw();

    QPoint pressed_;
};

}  // namespace temper::ui

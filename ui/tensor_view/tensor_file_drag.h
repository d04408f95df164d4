// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMimeData>
#include <future>
#include <memory>
#include <stop_token>

#include "engine/core/tensor.h"
#include "ui/messages/problem.h"
#include "ui/widgets/drag_handle.h"
#include "ui/widgets/file_drag.h"

namespace temper::ui {

/// A tensor dragged into another program: the URL of an NPY file, which another thread starts to
/// write. Requests for the URL return once the file is complete.
class TensorMimeData : public QMimeData {
    Q_OBJECT
public:
    TensorMimeData(const Tensor& tensor, const QString& path);
    /// A file that was not requested is not completed.
    ~TensorMimeData() override;

    /// The error, once the URL was requested; else empty.
    const Problem& problem() const { return problem_; }

protected:
    QVariant retrieveData(const QString& type, QMetaType preferred) const override;

private:
    std::stop_source stop_;
    std::shared_future<bool> written_;
    mutable Problem problem_;
};

}  // namespace temper::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/data/thumbnails.h"

#include "ui/messages/problem.h"
#include "ui/tensor_view/tensor_summary.h"
#include "ui/translation/number_text.h"

namespace temper::ui {
namespace {

/// The first target column, else nothing.
const Column* targetOf(const std::vector<Column>& columns, size_t& index) {
    for (index = 0; index < columns.size(); ++index)
        if (columns[index].isTarget) return &columns[index];
    return nullptr;
}

}  // namespace

QString valueText(const Column& column, const Tensor& batch, int64_t sample, int64_t element) {
    const auto place = static_cast<size_t>(sample * column.elementsPerSample() + element);
    double value = 0;
    visitDType(batch.dtype(),
               [&]<typename T>() { value = static_cast<double>(batch.values<T>()[place]); });
    if (!column.classes.empty() && value >= 0 && value < static_cast<double>(column.classes.size()))
        return text(column.classes[static_cast<size_t>(value)]);
    return decimalText(value, 'g', 5);
}

std::vector<Thumbnail> thumbnailsOf(const std::vector<Column>& columns,
                                    const std::vector<Tensor>& batch) {
    std::vector<Thumbnail> thumbnails;
    size_t targetIndex = 0;
    const Column* target = targetOf(columns, targetIndex);
    for (size_t column = 0; column < columns.size() && thumbnails.empty(); ++column) {
        const Tensor& pictures = batch[column];
        if (columns[column].isTarget) continue;
        for (int64_t sample = 0; sample < pictures.shape().front(); ++sample) {
            const QImage image = sampleImage(pictures, sample);
            if (image.isNull()) break;
            thumbnails.push_back({image, target == nullptr
                                             ? QString()
                                             : valueText(*target, batch[targetIndex], sample, 0)});
        }
    }
    return thumbnails;
}

}  // namespace temper::ui

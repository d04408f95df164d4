// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/kernels/row_kernel.h"

#include <algorithm>
#include <array>

namespace temper {

void RowKernel::run(const RunContext& context) const {
    const int64_t columns = form_.columns;
    if (form_.isWhole) {
        const int64_t grain = std::max<int64_t>(1, form_.grain / columns);
        context.pool().forRanges(form_.rows, grain, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) runPartOfRow(context, row, 0, columns);
        });
        return;
    }
    context.pool().forRanges(form_.rows * columns, form_.grain,
                             [&](int64_t begin, int64_t end) { runPart(context, begin, end); });
}

void RowKernel::runPart(const RunContext& context, int64_t begin, int64_t end) const {
    const int64_t columns = form_.columns;
    while (begin < end) {
        const int64_t count = std::min(columns - begin % columns, end - begin);
        runPartOfRow(context, begin / columns, begin % columns, count);
        begin += count;
    }
}

void RowKernel::runPartOfRow(const RunContext& context, int64_t row, int64_t column,
                             int64_t count) const {
    const auto place = [&](int64_t line, int64_t width, size_t bytes) {
        return static_cast<size_t>(line * width + (width == 1 ? 0 : column)) * bytes;
    };
    std::array<const void*, kMaxOperands> inputs{};
    for (size_t i = 0; i < form_.operands.size(); ++i) {
        const RowOperand& operand = form_.operands[i];
        inputs[i] = context.in<std::byte>(i) +
                    place(operand.rowOf(row), operand.width, operand.elementBytes);
    }
    runBlock(inputs.data(),
             context.out<std::byte>(0) + place(row, form_.outputWidth, form_.outputBytes), count);
}

}  // namespace temper

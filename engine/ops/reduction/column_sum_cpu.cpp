// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/reduction/column_sum_cpu.h"

#include <algorithm>

#include "engine/ops/map_cpu.h"
#include "engine/ops/simd_cpu.h"

namespace temper {
namespace {

/// Rows that are summed in float before the sum continues in double.
constexpr int64_t kBlockRows = 32;
constexpr int64_t kPartElements = 32768;
/// Columns of a task: their sums stay in the cache.
constexpr int64_t kTaskColumns = 2048;

/// The sums of some columns.
struct ColumnSums {
    double* sums;
    float* block;  ///< of the last rows, not yet in `sums`
    int64_t columns;

    void start() const {
        std::fill(sums, sums + columns, 0.0);
        std::fill(block, block + columns, 0.0F);
    }
    /// `blockRows`: how many rows are in `block`.
    void add(const float* x, int64_t rows, int64_t stride, int64_t& blockRows) const {
        while (rows > 0) {
            const int64_t some = std::min(rows, kBlockRows - blockRows);
            simd::addRows(x, some, stride, block, columns);
            x += some * stride;
            rows -= some;
            blockRows += some;
            if (blockRows < kBlockRows) return;
            endBlock();
            blockRows = 0;
        }
    }
    void endBlock() const {
        for (int64_t j = 0; j < columns; ++j) sums[j] += static_cast<double>(block[j]);
        std::fill(block, block + columns, 0.0F);
    }
};

ColumnFoldKernel::Form formOf(int64_t rows, int64_t columns) {
    const int64_t rowsOfPart = kPartElements / std::min(columns, kTaskColumns);
    const int64_t partRows = std::max<int64_t>(2, rowsOfPart / kBlockRows) * kBlockRows;
    const size_t bytes =
        sizeof(int64_t) + (sizeof(double) + sizeof(float)) * static_cast<size_t>(columns);
    return {rows, columns, sizeof(float), partRows, (bytes + 63) / 64 * 64};
}

/// The state of a part: rows in the last block, sums, sums of the last block.
class ColumnSumKernel final : public ColumnFoldKernel {
public:
    ColumnSumKernel(int64_t rows, int64_t columns, bool isMean)
        : ColumnFoldKernel(formOf(rows, columns)),
          divisor_(isMean ? static_cast<double>(rows) : 1.0) {
        traits_.scratchBytes = form().stateBytes * static_cast<size_t>(form().parts());
    }

    void run(const RunContext& context) const override {
        const int64_t chunks = (form().columns + kTaskColumns - 1) / kTaskColumns;
        context.pool().forEach(form().parts() * chunks, [&](int64_t task) {
            addPart(context.in<float>(0), task / chunks, task % chunks * kTaskColumns,
                    context.scratch());
        });
        join(context.scratch(), context.out<float>(0), context.pool());
    }

    void start(std::byte* state) const override {
        blockRowsOf(state) = 0;
        columnsOf(state, 0, form().columns).start();
    }
    void add(std::byte* state, const void* x, int64_t rows) const override {
        columnsOf(state, 0, form().columns)
            .add(static_cast<const float*>(x), rows, form().columns, blockRowsOf(state));
    }
    void join(std::byte* states, void* output, ThreadPool& pool) const override {
        const int64_t grain = std::max<int64_t>(64, kMapGrain / form().parts());
        pool.forRanges(form().columns, grain, [&](int64_t begin, int64_t end) {
            joinColumns(states, begin, end, static_cast<float*>(output));
        });
    }

private:
    static int64_t& blockRowsOf(std::byte* state) { return *reinterpret_cast<int64_t*>(state); }

    ColumnSums columnsOf(std::byte* state, int64_t begin, int64_t end) const {
        auto* sums = reinterpret_cast<double*>(state + sizeof(int64_t));
        auto* block = reinterpret_cast<float*>(sums + form().columns);
        return {sums + begin, block + begin, end - begin};
    }

    std::byte* stateOf(std::byte* states, int64_t part) const {
        return states + static_cast<size_t>(part) * form().stateBytes;
    }

    void addPart(const float* x, int64_t part, int64_t begin, std::byte* states) const {
        const int64_t end = std::min(begin + kTaskColumns, form().columns);
        const int64_t row = part * form().partRows;
        const int64_t rows = std::min(form().partRows, form().rows - row);
        const ColumnSums sums = columnsOf(stateOf(states, part), begin, end);
        int64_t blockRows = 0;
        sums.start();
        sums.add(x + row * form().columns + begin, rows, form().columns, blockRows);
    }

    void joinColumns(std::byte* states, int64_t begin, int64_t end, float* output) const {
        const ColumnSums total = columnsOf(stateOf(states, 0), begin, end);
        total.endBlock();
        for (int64_t part = 1; part < form().parts(); ++part) {
            const ColumnSums sums = columnsOf(stateOf(states, part), begin, end);
            for (int64_t j = 0; j < sums.columns; ++j)
                total.sums[j] += sums.sums[j] + static_cast<double>(sums.block[j]);
        }
        for (int64_t j = 0; j < total.columns; ++j)
            output[begin + j] = static_cast<float>(total.sums[j] / divisor_);
    }

    double divisor_;
};

}  // namespace

std::unique_ptr<Kernel> makeColumnSum(int64_t rows, int64_t columns, bool isMean) {
    return std::make_unique<ColumnSumKernel>(rows, columns, isMean);
}

}  // namespace temper

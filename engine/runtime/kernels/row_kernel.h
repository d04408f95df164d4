// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/runtime/kernel.h"
#include "engine/runtime/kernels/partwise_kernel.h"

namespace temper {

/// A kernel with one output that can run block by block, so that a plan can run several of them on
/// one block of their arrays before it continues with the next.
class BlockKernel : public Kernel {
public:
    static constexpr size_t kMaxOperands = 8;

    /// `count` elements at the given addresses; the output may overlap the inputs that
    /// KernelTraits::mayShare names.
    virtual void runBlock(const void* const* inputs, void* output, int64_t count) const = 0;
};

/// How an array lines up with the rows of a kernel that processes its arrays row by row.
struct RowOperand {
    size_t elementBytes = 0;
    int64_t width = 0;  ///< elements of a row: all columns, or one number for them
    int64_t repeats = 1;
    int64_t period = 1;

    /// The row of the array that goes with row `row` of the kernel.
    int64_t rowOf(int64_t row) const {
        const int64_t index = repeats == 1 ? row : row / repeats;
        return index < period ? index : index % period;
    }
    /// Whether each row of the kernel has a separate row of the array.
    bool isAligned(int64_t rows) const { return repeats == 1 && period == rows; }
    /// Whether the distance between consecutive rows is constant.
    bool isEven(int64_t rows) const { return isAligned(rows) || period == 1; }
    bool isNumber() const { return width == 1 && period == 1; }
};

/// What a kernel that processes its arrays row by row reads and writes.
struct RowForm {
    int64_t rows = 0;
    int64_t columns = 0;
    size_t outputBytes = 0;   ///< of an element
    int64_t outputWidth = 0;  ///< elements of a row of the output: all columns, or one
    bool isWhole = false;     ///< needs a whole row at once
    std::vector<RowOperand> operands = {};  ///< at most BlockKernel::kMaxOperands
    int64_t grain = 0;                      ///< elements that are worth a thread
};

/// A BlockKernel whose blocks are rows, or parts of them if the form is not whole. Operands may be
/// broadcast along the rows or the columns; the output may be a number for each row.
class RowKernel : public BlockKernel, public PartwiseKernel {
public:
    const RowForm& form() const { return form_; }

    void run(const RunContext& context) const final;
    KernelCapabilities capabilities() const final {
        const bool hasParts = !form_.isWhole && form_.outputWidth == form_.columns;
        return {.blocks = this, .partwise = hasParts ? this : nullptr, .rows = this};
    }

    int64_t elements() const final { return form_.rows * form_.columns; }
    void runPart(const RunContext& context, int64_t begin, int64_t end) const final;

protected:
    RowKernel(RowForm form, std::vector<std::pair<size_t, size_t>> mayShare)
        : form_(std::move(form)) {
        traits_.mayShare = std::move(mayShare);
    }

private:
    void runPartOfRow(const RunContext& context, int64_t row, int64_t column, int64_t count) const;

    RowForm form_;
};

/// A row kernel from a callable `f(inputs, output, count)`; see BlockKernel::runBlock().
template <typename F>
std::unique_ptr<Kernel> makeRowKernel(RowForm form, F f,
                                      std::vector<std::pair<size_t, size_t>> mayShare) {
    class FunctionKernel final : public RowKernel {
    public:
        FunctionKernel(RowForm form, F function, std::vector<std::pair<size_t, size_t>> mayShare)
            : RowKernel(std::move(form), std::move(mayShare)), function_(std::move(function)) {}
        void runBlock(const void* const* inputs, void* output, int64_t count) const override {
            function_(inputs, output, count);
        }

    private:
        F function_;
    };
    return std::make_unique<FunctionKernel>(std::move(form), std::move(f), std::move(mayShare));
}

/// A kernel that folds the rows of its input 0 into one. Parts of the rows are folded separately,
/// each into a state; then the states are joined in order.
class ColumnFoldKernel : public Kernel {
public:
    struct Form {
        int64_t rows = 0;
        int64_t columns = 0;
        size_t elementBytes = 0;  ///< of the input
        int64_t partRows = 0;
        size_t stateBytes = 0;  ///< of a part, a multiple of 64

        int64_t parts() const { return (rows + partRows - 1) / partRows; }
    };

    const Form& form() const { return form_; }

    KernelCapabilities capabilities() const final { return {.fold = this}; }

    virtual void start(std::byte* state) const = 0;
    /// Adds the next rows of the part, in groups of any size.
    virtual void add(std::byte* state, const void* x, int64_t rows) const = 0;
    /// Joins the states of all parts, stored one after another, into the output.
    virtual void join(std::byte* states, void* output, ThreadPool& pool) const = 0;

protected:
    explicit ColumnFoldKernel(Form form) : form_(form) {}

private:
    Form form_;
};

}  // namespace temper

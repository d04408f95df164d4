// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/kernels/fused_kernel.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/runtime/kernels/elementwise_kernel.h"

namespace temper {
namespace {

/// A block of a few arrays stays in the first-level cache.
constexpr int64_t kBlock = 2048;
constexpr size_t kMaxMembers = 32;
constexpr size_t kMaxElementBytes = 8;
constexpr size_t kStackBytes = kMaxMembers * kBlock * kMaxElementBytes;
constexpr int64_t kGrain = 16384;

std::optional<RowForm> elementwiseForm(const RowShape& shape, const ElementwiseKernel& kernel) {
    const auto& form = kernel.form();
    const bool isFull = form.count == shape.rows * shape.columns;
    if (form.count == 0 || (!isFull && form.count != shape.rows)) return std::nullopt;
    const int64_t width = isFull ? shape.columns : 1;
    RowForm rows{shape.rows, width, form.outputBytes, width, false, {}, form.grain};
    for (const auto& [bytes, isNumber] : form.operands) {
        rows.operands.push_back(isNumber ? RowOperand{bytes, 1, 1, 1}
                                         : RowOperand{bytes, width, 1, shape.rows});
    }
    return rows;
}

/// The operand if each row is cut into `parts`; empty if the parts do not repeat evenly.
std::optional<RowOperand> cutInto(int64_t parts, RowOperand operand) {
    if (operand.width == 1) {
        operand.repeats *= parts;
        return operand;
    }
    operand.width /= parts;
    if (operand.period == 1) operand.repeats = 1;
    if (operand.repeats != 1 && parts != 1) return std::nullopt;
    operand.period *= parts;
    return operand;
}

std::optional<RowForm> rowForm(const RowShape& shape, const RowKernel& kernel) {
    RowForm form = kernel.form();
    if (form.columns < 2 || form.rows * form.columns != shape.rows * shape.columns ||
        form.columns % shape.columns != 0 || (form.isWhole && form.columns != shape.columns)) {
        return std::nullopt;
    }
    const int64_t parts = form.columns / shape.columns;
    for (RowOperand& operand : form.operands) {
        const auto cut = cutInto(parts, operand);
        if (!cut) return std::nullopt;
        operand = *cut;
    }
    form.rows = shape.rows;
    form.columns = shape.columns;
    if (form.outputWidth != 1) form.outputWidth = shape.columns;
    return form;
}

std::optional<RowForm> foldForm(const RowShape& shape, const ColumnFoldKernel& kernel) {
    const auto& form = kernel.form();
    if (form.rows != shape.rows || form.columns != shape.columns) return std::nullopt;
    return RowForm{shape.rows, shape.columns, 0,
                   0,          true,          {{form.elementBytes, shape.columns, 1, shape.rows}},
                   kGrain};
}

/// A member in its form for running.
struct Member {
    std::unique_ptr<Kernel> owner;
    const BlockKernel* kernel = nullptr;     ///< or
    const ColumnFoldKernel* fold = nullptr;  ///< with
    size_t states = 0;                       ///< offset in the scratch memory
    RowForm form;
    std::vector<FusedPlace> operands;
    FusedPlace output;
    bool isFlat = false;  ///< consecutive rows are one block
};

bool isFlat(const RowForm& form) {
    return form.outputWidth == form.columns &&
           std::ranges::all_of(form.operands, [&](const RowOperand& operand) {
               return operand.isNumber() ||
                      (operand.width == form.columns && operand.isAligned(form.rows));
           });
}

Member memberOf(FusedMember given) {
    Member member;
    const KernelCapabilities can = given.kernel->capabilities();
    member.kernel = can.blocks;
    member.fold = can.fold;
    member.owner = std::move(given.kernel);
    member.isFlat = !given.form.isWhole && isFlat(given.form);
    member.form = std::move(given.form);
    member.operands = std::move(given.operands);
    member.output = given.output;
    return member;
}

class FusedKernel final : public Kernel, public PartwiseKernel {
public:
    FusedKernel(const RowShape& shape, std::vector<FusedMember> members, KernelTraits traits)
        : shape_(shape) {
        traits_ = std::move(traits);
        for (FusedMember& member : members) addMember(std::move(member));
        cutRows();
    }

    void run(const RunContext& context) const override {
        context.pool().forRanges(
            shape_.rows * chunks_, chunks_ > 1 ? 1 : grainRows_, [&](int64_t begin, int64_t end) {
                if (chunks_ == 1) return runRows(context, begin, end, 0, shape_.columns);
                const int64_t row = begin / chunks_, column = begin % chunks_ * grain_;
                runRows(context, row, row + 1, column, std::min(column + grain_, shape_.columns));
            });
        for (const Member& member : members_) {
            if (member.fold == nullptr) continue;
            member.fold->join(context.scratch() + member.states,
                              context.out<std::byte>(member.output.index), context.pool());
        }
    }

    KernelCapabilities capabilities() const override {
        return {.partwise = isWhole_ ? nullptr : this};
    }

    int64_t elements() const override { return shape_.rows * shape_.columns; }
    void runPart(const RunContext& context, int64_t begin, int64_t end) const override {
        const int64_t columns = shape_.columns;
        while (begin < end) {
            const int64_t row = begin / columns, column = begin % columns;
            const int64_t rows = column == 0 ? (end - begin) / columns : 0;
            const int64_t count = std::min(columns - column, end - begin);
            runRows(context, row, row + std::max<int64_t>(rows, 1), column, column + count);
            begin += std::max(rows * columns, count);
        }
    }

private:
    /// Some rows of the arrays, or a part of one.
    struct Block {
        std::byte* memory;
        int64_t row;
        int64_t rows;
        int64_t column;
        int64_t columns;
    };

    void addMember(FusedMember given) {
        Member member = memberOf(std::move(given));
        isWhole_ = isWhole_ || isWhole(member.form, shape_);
        grain_ = std::min(grain_, member.form.grain);
        if (member.output.kind == FusedPlace::Kind::Block)
            elementBytes_ = std::max(elementBytes_, member.form.outputBytes);
        if (member.fold != nullptr) {
            member.states = traits_.scratchBytes;
            traits_.scratchBytes += member.fold->traits().scratchBytes;
            grainRows_ = member.fold->form().partRows;
        }
        members_.push_back(std::move(member));
    }

    /// Cuts rows into tasks: as the folds require, by a number of elements, or each row into
    /// several.
    void cutRows() {
        if (grainRows_ == 0) grainRows_ = std::max<int64_t>(1, grain_ / shape_.columns);
        if (!isWhole_) chunks_ = (shape_.columns + grain_ - 1) / grain_;
        blockRows_ = std::max<int64_t>(1, kBlock / shape_.columns);
        blockColumns_ = isWhole_ ? shape_.columns : std::min(kBlock, shape_.columns);
        const auto elements = static_cast<size_t>(std::max(kBlock, blockColumns_));
        blockBytes_ = elements * elementBytes_;
    }

    void runRows(const RunContext& context, int64_t row, int64_t endRow, int64_t column,
                 int64_t endColumn) const {
        alignas(64) std::array<std::byte, kStackBytes> memory;
        startFolds(context, row);
        for (const int64_t first = row; row < endRow; row += blockRows_) {
            const int64_t rows = std::min(blockRows_, endRow - row);
            for (int64_t c = column; c < endColumn; c += blockColumns_) {
                const Block block{memory.data(), row, rows, c,
                                  std::min(blockColumns_, endColumn - c)};
                for (const Member& member : members_) runMember(member, context, block, first);
            }
        }
    }

    static std::byte* stateOf(const Member& member, const RunContext& context, int64_t row) {
        const auto part = static_cast<size_t>(row / member.fold->form().partRows);
        return context.scratch() + member.states + part * member.fold->form().stateBytes;
    }

    void startFolds(const RunContext& context, int64_t row) const {
        for (const Member& member : members_) {
            if (member.fold != nullptr) member.fold->start(stateOf(member, context, row));
        }
    }

    /// `first`: the row at which the task began.
    void runMember(const Member& member, const RunContext& context, const Block& block,
                   int64_t first) const {
        if (member.fold != nullptr) {
            member.fold->add(stateOf(member, context, first),
                             operandAt(member, 0, context, block, block.row), block.rows);
            return;
        }
        const int64_t columns = member.form.columns == 1 ? 1 : block.columns;
        const int64_t rowsAtOnce = member.isFlat ? block.rows : 1;
        Arrays arrays = arraysOf(member, context, block);
        for (int64_t row = block.row;;) {
            member.kernel->runBlock(arrays.inputs.data(), arrays.output, rowsAtOnce * columns);
            row += rowsAtOnce;
            if (row >= block.row + block.rows) return;
            for (size_t i = 0; i < member.operands.size(); ++i) {
                if (member.form.operands[i].isEven(shape_.rows)) {
                    arrays.inputs[i] =
                        static_cast<const std::byte*>(arrays.inputs[i]) + arrays.steps[i];
                } else {
                    arrays.inputs[i] = operandAt(member, i, context, block, row);
                }
            }
            arrays.output += arrays.outputStep;
        }
    }

    /// The addresses of a member's arrays for a row, and the distances to the next.
    struct Arrays {
        std::array<const void*, BlockKernel::kMaxOperands> inputs{};
        std::array<size_t, BlockKernel::kMaxOperands> steps{};
        std::byte* output = nullptr;
        size_t outputStep = 0;
    };

    Arrays arraysOf(const Member& member, const RunContext& context, const Block& block) const {
        Arrays arrays;
        for (size_t i = 0; i < member.operands.size(); ++i) {
            const RowOperand& operand = member.form.operands[i];
            arrays.inputs[i] = operandAt(member, i, context, block, block.row);
            if (operand.isAligned(shape_.rows))
                arrays.steps[i] =
                    stepOf(member.operands[i], block, operand.width, operand.elementBytes);
        }
        const RowForm& form = member.form;
        arrays.output = addressOf(member.output, context, block, block.row, block.row,
                                  form.outputWidth, form.outputBytes);
        arrays.outputStep = stepOf(member.output, block, form.outputWidth, form.outputBytes);
        return arrays;
    }

    static size_t stepOf(const FusedPlace& place, const Block& block, int64_t width, size_t bytes) {
        const bool isPart = place.kind == FusedPlace::Kind::Block && width != 1;
        return static_cast<size_t>(isPart ? block.columns : width) * bytes;
    }

    std::byte* operandAt(const Member& member, size_t i, const RunContext& context,
                         const Block& block, int64_t row) const {
        const RowOperand& operand = member.form.operands[i];
        return addressOf(member.operands[i], context, block, row, operand.rowOf(row), operand.width,
                         operand.elementBytes);
    }

    /// `row`: of the fused kernel; `arrayRow`: the corresponding row of the array.
    std::byte* addressOf(const FusedPlace& place, const RunContext& context, const Block& block,
                         int64_t row, int64_t arrayRow, int64_t width, size_t bytes) const {
        if (place.kind == FusedPlace::Kind::Block) {
            const int64_t element = (row - block.row) * (width == 1 ? 1 : block.columns);
            return block.memory + place.index * blockBytes_ + static_cast<size_t>(element) * bytes;
        }
        std::byte* array = place.kind == FusedPlace::Kind::Input
                               ? context.mutableIn<std::byte>(place.index)
                               : context.out<std::byte>(place.index);
        const int64_t element = width == 1 ? arrayRow : arrayRow * width + block.column;
        return array + static_cast<size_t>(element) * bytes;
    }

    std::vector<Member> members_;
    RowShape shape_;
    bool isWhole_ = false;
    int64_t grain_ = kGrain;
    int64_t grainRows_ = 0;  ///< of a task
    int64_t chunks_ = 1;     ///< of a row
    int64_t blockRows_ = 1;
    int64_t blockColumns_ = 1;
    size_t elementBytes_ = 1;
    size_t blockBytes_ = 0;
};

}  // namespace

std::optional<RowForm> formIn(const RowShape& shape, const Kernel& kernel) {
    std::optional<RowForm> form;
    const KernelCapabilities can = kernel.capabilities();
    if (can.elementwise != nullptr) form = elementwiseForm(shape, *can.elementwise);
    if (can.rows != nullptr) form = rowForm(shape, *can.rows);
    if (can.fold != nullptr) form = foldForm(shape, *can.fold);
    return form && form->outputBytes <= kMaxElementBytes ? form : std::nullopt;
}

size_t mostMembers(const RowShape& shape, bool isWhole) {
    const int64_t elements = isWhole ? std::max(kBlock, shape.columns) : kBlock;
    return std::min(kMaxMembers, kStackBytes / (static_cast<size_t>(elements) * kMaxElementBytes));
}

bool isWhole(const RowForm& form, const RowShape& shape) {
    return form.isWhole || form.outputWidth != shape.columns;
}

std::unique_ptr<Kernel> makeFusedKernel(const RowShape& shape, std::vector<FusedMember> members,
                                        KernelTraits traits) {
    return std::make_unique<FusedKernel>(shape, std::move(members), std::move(traits));
}

}  // namespace temper

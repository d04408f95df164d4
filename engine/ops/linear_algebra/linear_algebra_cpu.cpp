// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/ops/linear_algebra/linear_algebra.h"
#include "engine/ops/map_cpu.h"

namespace temper {
namespace {

/// Work is divided into at most this many tasks, each with its own memory.
constexpr int64_t kMaxTasks = 64;

/// One square matrix in double precision, row after row.
class Matrix {
public:
    Matrix(double* elements, int64_t size) : elements_(elements), size_(size) {}

    double* row(int64_t i) const { return elements_ + i * size_; }

    template <typename T>
    void read(const T* from) const {
        for (int64_t i = 0; i < size_ * size_; ++i) elements_[i] = static_cast<double>(from[i]);
    }

    /// The row at or below `column` whose element there is largest: the pivot.
    int64_t pivot(int64_t column) const {
        int64_t best = column;
        for (int64_t i = column + 1; i < size_; ++i) {
            if (std::abs(row(i)[column]) > std::abs(row(best)[column])) best = i;
        }
        return best;
    }

    void swapRows(int64_t a, int64_t b) const {
        if (a != b) std::swap_ranges(row(a), row(a) + size_, row(b));
    }

    /// row(i) -= factor * row(from), columns from `first` on.
    void subtract(int64_t i, int64_t from, double factor, int64_t first) const {
        for (int64_t j = first; j < size_; ++j) row(i)[j] -= factor * row(from)[j];
    }

private:
    double* elements_;
    int64_t size_;
};

/// Gaussian elimination with partial pivots: the product of the pivots.
double determinant(const Matrix& matrix, int64_t size) {
    double result = 1;
    for (int64_t column = 0; column < size; ++column) {
        const int64_t pivot = matrix.pivot(column);
        if (matrix.row(pivot)[column] == 0) return 0;
        if (pivot != column) result = -result;
        matrix.swapRows(pivot, column);
        const double head = matrix.row(column)[column];
        result *= head;
        for (int64_t i = column + 1; i < size; ++i) {
            matrix.subtract(i, column, matrix.row(i)[column] / head, column);
        }
    }
    return result;
}

/// Gauss-Jordan with partial pivots; `inverse` begins as the identity matrix. A singular matrix
/// gives numbers that are not finite, as in ONNX Runtime.
void invert(const Matrix& matrix, const Matrix& inverse, int64_t size) {
    for (int64_t i = 0; i < size; ++i) {
        std::fill(inverse.row(i), inverse.row(i) + size, 0.0);
        inverse.row(i)[i] = 1;
    }
    for (int64_t column = 0; column < size; ++column) {
        const int64_t pivot = matrix.pivot(column);
        matrix.swapRows(pivot, column);
        inverse.swapRows(pivot, column);
        const double head = matrix.row(column)[column];
        for (int64_t j = 0; j < size; ++j) {
            matrix.row(column)[j] /= head;
            inverse.row(column)[j] /= head;
        }
        for (int64_t i = 0; i < size; ++i) {
            if (i == column) continue;
            const double factor = matrix.row(i)[column];
            matrix.subtract(i, column, factor, 0);
            inverse.subtract(i, column, factor, 0);
        }
    }
}

/// Calls `f(matrix number, memory)` for every matrix; `copies` matrices of memory for each task.
class MatrixTasks {
public:
    MatrixTasks(const PrepareContext& context, int64_t copies) {
        const Shape& shape = context.input(0).shape;
        size_ = shape.back();
        for (size_t i = 0; i + 2 < shape.size(); ++i) count_ *= shape[i];
        tasks_ = std::clamp<int64_t>(count_, 1, kMaxTasks);
        numbers_ = copies * size_ * size_;
    }

    int64_t size() const { return size_; }
    size_t scratchBytes() const { return static_cast<size_t>(tasks_ * numbers_) * sizeof(double); }

    template <typename F>
    void run(const RunContext& context, F&& f) const {
        auto* memory = reinterpret_cast<double*>(context.scratch());
        context.pool().forEach(tasks_, [&](int64_t task) {
            for (int64_t i = count_ * task / tasks_; i < count_ * (task + 1) / tasks_; ++i) {
                f(i, memory + task * numbers_);
            }
        });
    }

private:
    int64_t size_ = 0;
    int64_t count_ = 1;
    int64_t tasks_ = 1;
    int64_t numbers_ = 0;
};

std::unique_ptr<Kernel> prepareDet(const PrepareContext& context) {
    const MatrixTasks tasks(context, 1);
    KernelTraits traits;
    traits.scratchBytes = tasks.scratchBytes();
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return makeKernel(
            [tasks](const RunContext& run) {
                const int64_t size = tasks.size();
                tasks.run(run, [&](int64_t i, double* memory) {
                    const Matrix matrix(memory, size);
                    matrix.read(run.in<T>(0) + i * size * size);
                    run.out<T>(0)[i] = static_cast<T>(determinant(matrix, size));
                });
            },
            std::move(traits));
    });
}

std::unique_ptr<Kernel> prepareInverse(const PrepareContext& context) {
    const MatrixTasks tasks(context, 2);
    KernelTraits traits;
    traits.scratchBytes = tasks.scratchBytes();
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return makeKernel(
            [tasks](const RunContext& run) {
                const int64_t size = tasks.size(), area = size * size;
                tasks.run(run, [&](int64_t i, double* memory) {
                    const Matrix matrix(memory, size), inverse(memory + area, size);
                    matrix.read(run.in<T>(0) + i * area);
                    invert(matrix, inverse, size);
                    T* to = run.out<T>(0) + i * area;
                    for (int64_t k = 0; k < area; ++k) to[k] = static_cast<T>(memory[area + k]);
                });
            },
            std::move(traits));
    });
}

}  // namespace

void addLinearAlgebraKernels(KernelRegistry& kernels) {
    kernels.add("", "Det", prepareDet);
    kernels.add(kMicrosoftDomain, "Inverse", prepareInverse);
}

}  // namespace temper

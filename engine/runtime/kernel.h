// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/shape.h"
#include "engine/core/tensor.h"
#include "engine/core/thread_pool.h"
#include "engine/core/value_data.h"
#include "engine/ir/block_pattern.h"
#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/ir/operator_table.h"

namespace temper {

/// A concrete tensor type: what a plan knows about each value.
struct TensorType {
    DType dtype = DType::Undefined;
    Shape shape;

    int64_t numElements() const { return temper::numElements(shape); }
    size_t byteSize() const { return static_cast<size_t>(numElements()) * dtypeSize(dtype); }
    bool operator==(const TensorType&) const = default;
};

class KernelRegistry;

/// For inputs and for outputs: kernels may query optional ones after the node's last one.
inline constexpr size_t kMinPositions = 16;

class ConstantLayouts;

/// What a kernel that runs a graph itself (the body of a Scan) needs for it, and what the plans of
/// a graph share.
struct BodyTools {
    const ModelInfo& info;  ///< of the model: its opsets
    const OpCatalog& catalog;
    const KernelRegistry& kernels;
    ConstantLayouts* layouts = nullptr;  ///< null: the plan shares nothing
};

/// The view of a kernel's factory: the node and the concrete types around it. Values that the
/// node's bodies capture (Graph::capturedBy) are inputs after the node's own.
class PrepareContext {
public:
    struct Input {
        bool isSequence = false;
        bool isAbsent = false;             ///< an optional without content
        std::vector<TensorType> elements;  ///< one; none if omitted; any number for a sequence
        const Tensor* constant = nullptr;  ///< data known before the run
    };
    struct Output {
        bool isSequence = false;           ///< its tensors follow from the KernelTraits
        std::vector<TensorType> elements;  ///< one; none if omitted, a sequence or an optional
    };

    PrepareContext(const Node& node, int64_t opset, std::vector<Input> inputs,
                   std::vector<Output> outputs, BodyTools tools)
        : node_(node),
          opset_(opset),
          inputs_(std::move(inputs)),
          outputs_(std::move(outputs)),
          tools_(tools) {}

    const Node& node() const { return node_; }
    /// Version of the opset of the node's domain.
    int64_t opset() const { return opset_; }

    size_t inputCount() const { return inputs_.size(); }
    size_t outputCount() const { return outputs_.size(); }
    const BodyTools& bodyTools() const { return tools_; }
    const std::vector<Input>& inputs() const { return inputs_; }
    const std::vector<Output>& outputs() const { return outputs_; }
    bool hasInput(size_t i) const { return i < inputs_.size() && !inputs_[i].elements.empty(); }
    bool hasOutput(size_t i) const {
        return i < outputs_.size() && (outputs_[i].isSequence || !outputs_[i].elements.empty());
    }

    /// Type of a tensor input. Throws: Error(InvalidInput) if it is omitted.
    const TensorType& input(size_t i) const;
    const TensorType& output(size_t i) const;
    /// Types of the tensors of a sequence input.
    const std::vector<TensorType>& sequence(size_t i) const { return inputs_.at(i).elements; }
    /// Data of an input if it is known before the run, else null.
    const Tensor* constant(size_t i) const {
        return i < inputs_.size() ? inputs_[i].constant : nullptr;
    }
    /// All integers of an input that has to be known before the run.
    /// Throws: UnknownData naming the input if it depends on data.
    std::vector<int64_t> integers(size_t i) const;
    /// Throws: Error(Unsupported) naming node, input and dtypes if the dtype is another one.
    void requireDType(size_t i, DType dtype) const;
    [[noreturn]] void fail(ErrorCode code, const std::string& message,
                           const std::string& hint = {}) const;

private:
    const Node& node_;
    int64_t opset_;
    std::vector<Input> inputs_;
    std::vector<Output> outputs_;
    BodyTools tools_;
};

/// A reference to a callable `f(begin, end)`.
class RangeFunction {
public:
    template <typename F>
    explicit RangeFunction(const F& f)
        : callable_(&f), call_([](const void* callable, int64_t begin, int64_t end) {
              (*static_cast<const F*>(callable))(begin, end);
          }) {}
    void operator()(int64_t begin, int64_t end) const { call_(callable_, begin, end); }

private:
    const void* callable_;
    void (*call_)(const void*, int64_t, int64_t);
};

/// The view of a running kernel: addresses, nothing to check.
class RunContext {
public:
    RunContext(void* const* buffers, const uint32_t* inputBuffers, const uint32_t* inputBegins,
               const uint32_t* outputBuffers, std::byte* scratch, ThreadPool& pool, uint64_t seed)
        : buffers_(buffers),
          inputBuffers_(inputBuffers),
          inputBegins_(inputBegins),
          outputBuffers_(outputBuffers),
          scratch_(scratch),
          pool_(pool),
          seed_(seed) {}

    /// Null if the input is omitted.
    template <typename T>
    const T* in(size_t i) const {
        return static_cast<const T*>(inputAt(inputBegins_[i]));
    }
    /// An input that the kernel declared in KernelTraits::mutatedInputs.
    template <typename T>
    T* mutableIn(size_t i) const {
        return static_cast<T*>(inputAt(inputBegins_[i]));
    }
    /// Null if the output is omitted.
    template <typename T>
    T* out(size_t i) const {
        return static_cast<T*>(buffers_[outputBuffers_[i]]);
    }
    /// Number and addresses of the tensors of a sequence input.
    size_t sequenceLength(size_t i) const { return inputBegins_[i + 1] - inputBegins_[i]; }
    template <typename T>
    T* sequence(size_t i, size_t element) const {
        return static_cast<T*>(inputAt(inputBegins_[i] + static_cast<uint32_t>(element)));
    }

    /// KernelTraits::scratchBytes bytes, 64-byte aligned, not initialised.
    std::byte* scratch() const { return scratch_; }
    ThreadPool& pool() const { return pool_; }
    /// Differs for each node and each step; the same for the same seed of the run.
    uint64_t seed() const { return seed_; }

    /// Elements [begin, end) of output 0 are complete and will not be touched again: runs what else
    /// has to be done to them, on the calling thread. See
    /// KernelCapabilities::finishesParts.
    void finished(int64_t begin, int64_t end) const {
        if (epilogue_ != nullptr) (*epilogue_)(begin, end);
    }

    /// The context of a kernel inside another one, whose inputs begin at `inputBegins`, in the
    /// other's positions, and whose outputs are the other's from `firstOutput` on.
    RunContext inner(const uint32_t* inputBegins, size_t firstOutput,
                     const RangeFunction* epilogue) const {
        RunContext context = *this;
        context.inputBegins_ = inputBegins;
        context.outputBuffers_ += firstOutput;
        context.epilogue_ = epilogue;
        return context;
    }

private:
    void* inputAt(uint32_t position) const { return buffers_[inputBuffers_[position]]; }

    void* const* buffers_;
    const uint32_t* inputBuffers_;
    const uint32_t* inputBegins_;
    const uint32_t* outputBuffers_;
    std::byte* scratch_;
    ThreadPool& pool_;
    uint64_t seed_;
    const RangeFunction* epilogue_ = nullptr;
};

/// How a kernel uses memory. Pairs are (input, output).
struct KernelTraits {
    /// The output may overwrite the input if nothing else needs it: same byte size, and each
    /// element is read before the element at the same index is written.
    std::vector<std::pair<size_t, size_t>> mayShare = {};
    /// The output is the input's memory, unchanged (Reshape) or changed in place. A kernel with
    /// only views and no mutated inputs is not called at all. A sequence output consists of the
    /// tensors of all inputs that are paired with it, in order; an optional one without a pair is
    /// nothing.
    std::vector<std::pair<size_t, size_t>> views = {};
    /// Instead, output 0 is a sequence of these tensors of the inputs: (input, element).
    std::vector<std::pair<size_t, size_t>> elements = {};
    /// Instead, output 0 is a sequence of new tensors of these types: RunContext::out(0), out(1),
    /// ...
    std::vector<TensorType> newElements = {};
    /// Inputs that the kernel writes to (gradient buffers, running statistics, parameters).
    std::vector<size_t> mutatedInputs = {};
    size_t scratchBytes = 0;
    /// Draws random numbers: never computed ahead of the run.
    bool isRandom = false;
    /// Floating-point operations of one run, for profiles; 0 if irrelevant.
    int64_t flops = 0;
};

class BlockKernel;
class PartwiseKernel;
class ElementwiseKernel;
class RowKernel;
class ColumnFoldKernel;
class AccumulatorKernel;
class BlockableKernel;
class ReorderableKernel;
class TransposeKernel;
class PartKernel;
class TaskKernel;

/// What a kernel can do besides run(), for queries by passes. Pointers are the kernel itself under
/// another type, or null; see engine/runtime/kernels.
struct KernelCapabilities {
    const BlockKernel* blocks = nullptr;             ///< computes blocks at given addresses
    const PartwiseKernel* partwise = nullptr;        ///< computes any part of its outputs
    const ElementwiseKernel* elementwise = nullptr;  ///< element by element
    const RowKernel* rows = nullptr;                 ///< row by row
    const ColumnFoldKernel* fold = nullptr;          ///< folds rows into one
    const AccumulatorKernel* accumulator = nullptr;  ///< adds to a buffer
    const BlockableKernel* blockable = nullptr;      ///< has a form for channels in blocks
    const ReorderableKernel* reorderable = nullptr;  ///< has forms for transposed operands
    const TransposeKernel* transpose = nullptr;      ///< copies to another order of axes
    const PartKernel* parts = nullptr;               ///< copies contiguous parts of an array
    const TaskKernel* tasks = nullptr;               ///< is independent tasks
    /// Calls RunContext::finished() for each element of output 0 once, in parts that fit into a
    /// cache, on any thread.
    bool finishesParts = false;
};

/// An operator prepared for concrete shapes: its factory checked everything, run() only computes.
/// Thread: run() may be called by one thread at a time per RunContext; it keeps no state.
class Kernel {
public:
    Kernel() = default;
    virtual ~Kernel() = default;
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    /// Allocates nothing; results do not depend on the number of threads of the pool.
    virtual void run(const RunContext& context) const = 0;

    const KernelTraits& traits() const { return traits_; }

    virtual KernelCapabilities capabilities() const { return {}; }

protected:
    KernelTraits traits_;  // NOLINT(cppcoreguidelines-non-private-member-variables-in-classes)
};

/// A kernel from a callable: `makeKernel([=](const RunContext& c) { ... }, {.mayShare = {{0,
/// 0}}})`. It has those of the capabilities that are no pointers.
template <typename F>
std::unique_ptr<Kernel> makeKernel(F run, KernelTraits traits = {},
                                   const KernelCapabilities& capabilities = {}) {
    class FunctionKernel final : public Kernel {
    public:
        FunctionKernel(F function, KernelTraits traits, bool finishesParts)
            : function_(std::move(function)), finishesParts_(finishesParts) {
            traits_ = std::move(traits);
        }
        void run(const RunContext& context) const override { function_(context); }
        KernelCapabilities capabilities() const override {
            return {.finishesParts = finishesParts_};
        }

    private:
        F function_;
        bool finishesParts_;
    };
    return std::make_unique<FunctionKernel>(std::move(run), std::move(traits),
                                            capabilities.finishesParts);
}

/// Throws: Error(Unsupported) for types or attributes it can't do, Error(InvalidInput) for
/// inputs that contradict the operator.
using KernelFactory = std::function<std::unique_ptr<Kernel>(const PrepareContext&)>;

/// A node whose inputs are all known, to be computed outside of a plan.
struct EvaluationContext {
    const Node& node;
    int64_t opset = 0;  ///< of the node's domain
    std::vector<ValueData> inputs;
    std::map<std::string, ValueData> captured = {};
    BodyTools tools;
    ThreadPool& pool;
    uint64_t seed = 0;  ///< of the run

    /// An input that is a tensor; empty() if it is omitted.
    const Tensor& tensor(size_t i) const;
};

/// Computes an operator whose output shapes depend on its inputs' data (NonZero, Loop), so that no
/// plan can contain it: GraphRunner calls it between plans. Data for each output of the node.
/// Throws: Error(Unsupported), Error(InvalidInput) as a kernel's factory does.
using NodeEvaluator = std::function<std::vector<ValueData>(const EvaluationContext&)>;

/// What models write as several operators and a kernel computes as one: its inputs and its output
/// have one shape, except numbers.
struct KernelFormula {
    BlockPattern pattern;  ///< its numbers are exact, Identity and the like do matter
    std::string domain;
    std::string opType;
    std::vector<std::string> inputs;        ///< of the operator: variables of the pattern
    std::vector<std::string> numbers = {};  ///< its further inputs, of one element
    /// Attributes of the operator, from a match and the shape of its result; nothing if it is none
    /// after all. Null: there are none.
    std::function<std::optional<Attributes>(const BlockMatch&, const Shape&)> attributesOf = {};
};

/// The kernels of one device, by operator. Thread: constant once filled.
class KernelRegistry {
public:
    void add(std::string_view domain, std::string_view opType, KernelFactory factory);
    /// Uses it instead of the operator's kernel.
    void replace(std::string_view domain, std::string_view opType, KernelFactory factory);
    void addEvaluator(std::string_view domain, std::string_view opType, NodeEvaluator evaluator);
    void addFormula(KernelFormula formula) { formulas_.push_back(std::move(formula)); }
    const std::vector<KernelFormula>& formulas() const { return formulas_; }
    /// Null if there is none.
    const KernelFactory* find(const Node& node) const;
    const NodeEvaluator* findEvaluator(const Node& node) const;
    /// Whether the operator can be run at all.
    bool knows(const Node& node) const {
        return find(node) != nullptr || findEvaluator(node) != nullptr;
    }

private:
    OperatorTable<KernelFactory> factories_;
    OperatorTable<NodeEvaluator> evaluators_;
    std::vector<KernelFormula> formulas_;
};

}  // namespace temper

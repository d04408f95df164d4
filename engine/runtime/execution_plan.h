// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// Concrete types of a graph's inputs: one per tensor, any number for a sequence. An optional input
/// without an entry has no content.
using InputTypes = std::map<std::string, std::vector<TensorType>>;

struct PlanOptions {
    /// The phase that profiles count the nodes under; a backward pass's count as "backward".
    std::string phase = "forward";
    /// < 1: reduces the arena by all but this share of the activations. Forward values are
    /// recomputed for the backward pass (see Recomputation) until that is reached, or as far as
    /// possible.
    double memoryShare = 1;
    /// Kinds of blocks (Block::kind) whose inner values are recomputed.
    std::vector<std::string> recomputedBlocks = {};
    /// Names of passes (planPasses()) to leave out; results are the same bits, except for
    /// PlanPass::keepsBits.
    std::vector<std::string> withoutPasses = {};
    /// Products round what they multiply to bfloat16.
    bool multipliesBFloat16 = false;
    /// Attention is computed in blocks even if it has so few scores that this makes it no faster.
    bool isAttentionAlwaysInBlocks = false;
    /// Null: the plan shares no constants with others.
    std::shared_ptr<ConstantLayouts> constantLayouts = nullptr;
};

struct PlanDraft;

/// A graph compiled for one set of input shapes: kernels prepared, memory laid out, in order.
///
/// Values that follow only from shapes and constants are computed here. GraphRunner resolves shapes
/// that depend on the input data. Thread: immutable, may be shared.
class ExecutionPlan {
public:
    enum class BufferKind : uint8_t { Null, Arena, External, Constant, Part };

    /// An address that kernels read or write.
    struct Buffer {
        BufferKind kind = BufferKind::Null;
        TensorType type;
        size_t offset = 0;   ///< Arena: in the arena; Part: in the whole
        Tensor constant;     ///< Constant: its data
        uint32_t whole = 0;  ///< Part: the buffer that it is in, which is no part itself
    };

    /// One kernel call.
    struct Step {
        std::unique_ptr<Kernel> kernel;
        std::string node;  ///< Node::describe()
        std::string op;    ///< qualified operator
        std::string phase;
        std::vector<uint32_t> inputBuffers;
        std::vector<uint32_t> inputBegins;
        std::vector<uint32_t> outputBuffers;
        uint32_t scratchBuffer = 0;
        uint64_t randomStream = 0;  ///< from the node's name: the same in every plan of a graph
    };

    /// A graph input or output: a buffer for each tensor of it.
    struct Port {
        std::string name;
        bool isSequence = false;
        std::vector<TensorType> types;
        std::vector<uint32_t> buffers;
        bool isAbsent = false;  ///< an optional without content
    };

    /// The body of a Loop or Scan takes its inputs, then its captures.
    /// Throws: Error(InvalidInput) if an input is missing or contradicts the graph,
    /// Error(Unsupported) for an operator without kernel, and UnknownData for a shape that depends
    /// on data; all name the node. Types of the graph need not be inferred.
    static std::shared_ptr<const ExecutionPlan> compile(const Graph& graph,
                                                        const InputTypes& inputTypes,
                                                        const OpCatalog& catalog,
                                                        const KernelRegistry& kernels,
                                                        const PlanOptions& options = {});

    explicit ExecutionPlan(PlanDraft draft);

    const std::vector<Buffer>& buffers() const { return buffers_; }
    /// Those that are parts of others: their addresses follow from these.
    const std::vector<uint32_t>& parts() const { return parts_; }
    const std::vector<Step>& steps() const { return steps_; }
    const std::vector<Port>& inputs() const { return inputs_; }
    const std::vector<Port>& outputs() const { return outputs_; }
    /// Constants that steps change: copied into the arena before each run. (buffer, data)
    const std::vector<std::pair<uint32_t, Tensor>>& initialCopies() const { return initialCopies_; }
    /// The inputs that steps change (gradient buffers, running statistics), and the last step that
    /// does. (step, name), in the order of the steps.
    const std::vector<std::pair<size_t, std::string>>& changedInputs() const {
        return changedInputs_;
    }
    size_t arenaBytes() const { return arenaBytes_; }
    /// The part of the arena that the forward pass fills and keeps for the backward pass.
    size_t activationBytes() const { return activationBytes_; }

private:
    std::vector<Buffer> buffers_;
    std::vector<uint32_t> parts_;
    std::vector<Step> steps_;
    std::vector<Port> inputs_;
    std::vector<Port> outputs_;
    std::vector<std::pair<uint32_t, Tensor>> initialCopies_;
    std::vector<std::pair<size_t, std::string>> changedInputs_;
    size_t arenaBytes_ = 0;
    size_t activationBytes_ = 0;
};

}  // namespace temper

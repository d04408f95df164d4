#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes engine/onnx/operator_schemas.inc: for each operator and version its inputs, outputs and
attributes, against which nodes are checked when a model is read.

ONNX's operators, all versions, are read from the installed onnx package (1.23 or later: it knows
opsets that distributions do not have yet). ONNX Runtime's own are in MICROSOFT below, as its
checker of version 1.19 (the training build) answers for nodes with too few and too many of each,
and with what came later as optional (docs/ContribOperators.md). They may have attributes beside those
listed, which "..." says.

usage: tools/make_operator_schemas.py > engine/onnx/operator_schemas.inc
       tools/make_operator_schemas.py --versions > tests/engine/ops/operator_table/onnx_versions.txt
"""
import sys

import onnx
from onnx import defs

KINDS = {"INT": "i", "FLOAT": "f", "STRING": "s", "TENSOR": "t", "GRAPH": "g",
         "INTS": "I", "FLOATS": "F", "STRINGS": "S"}

# Operators that ONNX withdrew with version 1.5 and old models still have, as docs/Operators.md of
# version 1.4 describes them. They may have attributes beside those listed.
WITHDRAWN = {
    "Affine": ("X", "Y", "alpha:f beta:f"),
    "Crop": ("input", "output", "border:I scale:I"),
    "ImageScaler": ("input", "output", "bias:F scale:f"),
    "ParametricSoftplus": ("X", "Y", "alpha:f beta:f"),
    "Scale": ("input", "output", "scale:f"),
    "ScaledTanh": ("input", "output", "alpha:f beta:f"),
}

# Temper's own, which its optimizer models have.
TEMPER = {
    "OptimizerStep": ("_ _ _ _ _ _?", "_", ""),
}

# Domain, operator: inputs, outputs, attributes, in the form of the table: "_" has no name here, "?"
# may be omitted, "*1" stands for one or more; an attribute has its kind, "!" if it is required.
MICROSOFT = {
    ("", "AveragePoolGrad"): ("_", "_", "count_include_pad:i kernel_shape:I! pads:I strides:I"),
    ("", "MaxPoolGrad"): ("_ _", "_", ""),
    ("", "SimplifiedLayerNormalization"): ("_ _", "_ _?", "axis:i epsilon:f"),
    ("", "SparseSoftmaxCrossEntropy"): ("_ _ _?", "_ _?", "reduction:s"),
    ("", "SparseSoftmaxCrossEntropyGrad"): ("_ _ _ _?", "_", "reduction:s"),
    ("com.microsoft", "AdamOptimizer"): ("_ _ _ _ _ _ _? _? _? _?", "_ _ _ _? _? _?", "alpha:f beta:f do_bias_correction:i epsilon:f lambda:f weight_decay_mode:i"),
    ("com.microsoft", "AdamWOptimizer"): ("_ _ _ _ _ _ _?", "_ _? _? _?", "adam_mode:i alpha:f beta:f correct_bias:i epsilon:f weight_decay:f"),
    ("com.microsoft", "All"): ("_", "_", ""),
    ("com.microsoft", "Attention"): ("_ _ _? _? _? _? _?", "_ _?", "mask_filter_value:f num_heads:i! qkv_hidden_sizes:I rotary_embedding_dim:i scale:f unidirectional:i"),
    ("com.microsoft", "BatchNormInternal"): ("_ _ _ _ _", "_ _? _? _? _?", "epsilon:f momentum:f training_mode:i"),
    ("com.microsoft", "BatchNormalizationGrad"): ("_ _ _ _ _", "_ _ _", "epsilon:f!"),
    ("com.microsoft", "BatchScale"): ("_", "_ _ _?", "scale_0:f! scale_1:f!"),
    ("com.microsoft", "BiasAdd"): ("_ _ _", "_", ""),
    ("com.microsoft", "BiasDropout"): ("_ _ _? _? _?", "_ _?", "seed:i"),
    ("com.microsoft", "BiasFastGeluGrad_dX"): ("_ _ _", "_", ""),
    ("com.microsoft", "BiasGelu"): ("_ _", "_", ""),
    ("com.microsoft", "BiasGeluGrad_dX"): ("_ _ _", "_", ""),
    ("com.microsoft", "BiasSoftmax"): ("_ _", "_", "axis:i is_inner_broadcast:i!"),
    ("com.microsoft", "BiasSplitGelu"): ("_ _", "_", ""),
    ("com.microsoft", "BroadcastGradientArgs"): ("_ _", "_? _?", ""),
    ("com.microsoft", "CDist"): ("_ _", "_", "metric:s!"),
    ("com.microsoft", "ComplexMul"): ("_ _", "_", ""),
    ("com.microsoft", "ComplexMulConj"): ("_ _", "_", ""),
    ("com.microsoft", "ConcatTraining"): ("_*1", "_ _?", "axis:i!"),
    ("com.microsoft", "ConvGrad"): ("_ _ _", "_? _? _?", ""),
    ("com.microsoft", "ConvTransposeGrad"): ("_ _ _", "_? _? _?", ""),
    ("com.microsoft", "ConvTransposeWithDynamicPads"): ("_ _ _? _?", "_", "auto_pad:s dilations:I group:i kernel_shape:I output_padding:I strides:I"),
    ("com.microsoft", "DequantizeLinear"): ("_ _ _?", "_", "axis:i block_size:i"),
    ("com.microsoft", "DivGrad"): ("_ _ _", "_? _?", ""),
    ("com.microsoft", "DropoutGrad"): ("_ _ _? _?", "_", ""),
    ("com.microsoft", "DynamicQuantizeMatMul"): ("_ _ _ _? _?", "_", ""),
    ("com.microsoft", "EmbedLayerNormalization"): ("_ _? _ _ _? _ _ _? _?", "_ _? _?", "epsilon:f"),
    ("com.microsoft", "ExpandDims"): ("_ _", "_", ""),
    ("com.microsoft", "FakeQuant"): ("_ _ _", "_ _", "quant_max:i quant_min:i"),
    ("com.microsoft", "FakeQuantGrad"): ("_ _", "_", ""),
    ("com.microsoft", "FastGelu"): ("_ _?", "_", ""),
    ("com.microsoft", "FastGeluGrad"): ("_ _", "_", ""),
    ("com.microsoft", "FlattenAndUnpad"): ("_ _", "_ _", ""),
    ("com.microsoft", "FusedConv"): ("_ _ _? _?", "_", "activation:s activation_params:F auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I"),
    ("com.microsoft", "FusedGemm"): ("_ _ _?", "_", "activation:s activation_alpha:f activation_beta:f alpha:f beta:f transA:i transB:i"),
    ("com.microsoft", "FusedMatMul"): ("_ _", "_", "alpha:f transA:i transB:i transBatchA:i transBatchB:i"),
    ("com.microsoft", "FusedMatMulActivation"): ("_ _", "_", "activation:s! activation_alpha:f activation_axis:i activation_beta:f activation_gamma:f alpha:f transA:i transB:i transBatchA:i transBatchB:i"),
    ("com.microsoft", "GRUGrad"): ("_ _ _ _? _? _? _? _? _? _?", "_? _? _? _? _?", "activation_alpha:F activation_beta:F activations:S clip:f direction:s hidden_size:i linear_before_reset:i"),
    ("com.microsoft", "GRUTraining"): ("_ _ _ _? _? _?", "_? _? _?", "activation_alpha:F activation_beta:F activations:S clip:f direction:s hidden_size:i linear_before_reset:i"),
    ("com.microsoft", "GatedRelativePositionBias"): ("_ _ _ _ _ _ _?", "_", "num_heads:i!"),
    ("com.microsoft", "GatherElementsGrad"): ("_ _ _", "_", "axis:i"),
    ("com.microsoft", "GatherGrad"): ("_ _ _", "_", "axis:i"),
    ("com.microsoft", "GatherND"): ("_ _", "_", ""),
    ("com.microsoft", "GatherNDGrad"): ("_ _ _", "_", "batch_dims:i"),
    ("com.microsoft", "Gelu"): ("_", "_", ""),
    ("com.microsoft", "GeluGrad"): ("_ _", "_", ""),
    ("com.microsoft", "GemmFastGelu"): ("_ _ _?", "_", ""),
    ("com.microsoft", "GemmaRotaryEmbedding"): ("_ _ _ _ _", "_ _", ""),
    ("com.microsoft", "GridSample"): ("_ _", "_", "align_corners:i mode:s padding_mode:s"),
    ("com.microsoft", "Group"): ("_*1", "_", ""),
    ("com.microsoft", "GroupNorm"): ("_ _ _", "_", "activation:i! channels_last:i epsilon:f groups:i!"),
    ("com.microsoft", "GroupQueryAttention"): ("_ _? _? _? _? _ _ _? _? _? _? _? _? _? _? _?", "_ _? _? _?", "causal:i do_rotary:i k_quant_type:s kv_cache_bit_width:i kv_num_heads:i! local_window_size:i num_heads:i! qk_norm_epsilon:f qk_output:i rotary_interleaved:i scale:f sliding_window_cache:i smooth_softmax:i softcap:f v_quant_type:s"),
    ("com.microsoft", "InPlaceAccumulator"): ("_ _ _?", "_", ""),
    ("com.microsoft", "InPlaceAccumulatorV2"): ("_ _ _?", "_ _?", ""),
    ("com.microsoft", "InplaceClipGradNorm"): ("_", "_", "max_norm:f norm_type:s"),
    ("com.microsoft", "Inverse"): ("_", "_", ""),
    ("com.microsoft", "InvertibleLayerNormalizationGrad"): ("_ _ _ _ _", "_ _ _", "axis:i"),
    ("com.microsoft", "IsAllFinite"): ("_*1", "_", "isinf_only:i isnan_only:i"),
    ("com.microsoft", "IsFinite"): ("_", "_", ""),
    ("com.microsoft", "LSTMGrad"): ("_ _ _ _? _? _? _? _? _? _? _? _?", "_? _? _? _? _? _? _?", "activation_alpha:F activation_beta:F activations:S clip:f direction:s hidden_size:i input_forget:i"),
    ("com.microsoft", "LSTMTraining"): ("_ _ _ _? _? _? _? _?", "_? _? _? _? _?", "activation_alpha:F activation_beta:F activations:S clip:f direction:s hidden_size:i input_forget:i"),
    ("com.microsoft", "LayerNormalizationGrad"): ("_ _ _ _ _", "_ _ _", "axis:i"),
    ("com.microsoft", "LeakyReluGrad"): ("_ _", "_", "alpha:f"),
    ("com.microsoft", "LogSoftmaxGrad"): ("_ _", "_", "axis:i"),
    ("com.microsoft", "LogSoftmaxGrad_13"): ("_ _", "_", "axis:i"),
    ("com.microsoft", "MatMulBnb4"): ("_ _ _", "_", "K:i! N:i! block_size:i! quant_type:i! training_mode:i transB:i"),
    ("com.microsoft", "MatMulIntegerToFloat"): ("_ _ _ _ _? _? _?", "_", ""),
    ("com.microsoft", "MatMulNBits"): ("_ _ _ _? _? _?", "_", "K:i! N:i! accuracy_level:i bits:i block_size:i! weight_prepacked:i"),
    ("com.microsoft", "MixedPrecisionScale"): ("_ _*1", "_*1", "fuse_outputs:i to:i!"),
    ("com.microsoft", "MultiHeadAttention"): ("_ _? _? _? _? _? _? _?", "_ _? _?", "mask_filter_value:f num_heads:i! scale:f unidirectional:i"),
    ("com.microsoft", "NegativeLogLikelihoodLossInternal"): ("_ _ _? _?", "_", "reduction:s"),
    ("com.microsoft", "NegativeLogLikelihoodLossInternal2"): ("_ _ _? _?", "_", "reduction:s"),
    ("com.microsoft", "NhwcConv"): ("_ _ _?", "_", "auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I"),
    ("com.microsoft", "NhwcFusedConv"): ("_ _ _? _?", "_", "activation:s activation_params:F auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I"),
    ("com.microsoft", "NhwcMaxPool"): ("_", "_", "auto_pad:s ceil_mode:i dilations:I kernel_shape:I! pads:I strides:I"),
    ("com.microsoft", "Pad"): ("_ _ _?", "_", "mode:s"),
    ("com.microsoft", "PadAndUnflatten"): ("_ _ _", "_", ""),
    ("com.microsoft", "PassThrough"): ("_*1", "_*1", ""),
    ("com.microsoft", "QAttention"): ("_ _ _ _ _ _? _? _? _?", "_ _?", "do_rotary:i mask_filter_value:f num_heads:i! past_present_share_buffer:i scale:f unidirectional:i"),
    ("com.microsoft", "QGemm"): ("_ _ _ _ _ _ _? _? _?", "_", "alpha:f transA:i transB:i"),
    ("com.microsoft", "QLinearAdd"): ("_ _ _? _ _ _? _ _?", "_", ""),
    ("com.microsoft", "QLinearAveragePool"): ("_ _ _? _ _?", "_", "auto_pad:s ceil_mode:i channels_last:i count_include_pad:i kernel_shape:I! pads:I strides:I"),
    ("com.microsoft", "QLinearConcat"): ("_ _ _*1", "_", "axis:i!"),
    ("com.microsoft", "QLinearConv"): ("_ _ _ _ _ _ _ _ _?", "_", "auto_pad:s channels_last:i dilations:I group:i kernel_shape:I pads:I strides:I"),
    ("com.microsoft", "QLinearGlobalAveragePool"): ("_ _ _ _ _", "_", "channels_last:i"),
    ("com.microsoft", "QLinearLeakyRelu"): ("_ _ _? _ _?", "_", "alpha:f"),
    ("com.microsoft", "QLinearMul"): ("_ _ _? _ _ _? _ _?", "_", ""),
    ("com.microsoft", "QLinearReduceMean"): ("_ _ _? _ _?", "_", "axes:I! keepdims:i!"),
    ("com.microsoft", "QLinearSigmoid"): ("_ _ _? _ _?", "_", ""),
    ("com.microsoft", "QLinearSoftmax"): ("_ _ _? _ _", "_", "axis:i opset:i!"),
    ("com.microsoft", "QLinearWhere"): ("_ _ _ _ _ _ _ _ _", "_", ""),
    ("com.microsoft", "QuantizeLinear"): ("_ _ _?", "_", "axis:i block_size:i"),
    ("com.microsoft", "QuickGelu"): ("_", "_", "alpha:f"),
    ("com.microsoft", "QuickGeluGrad"): ("_ _", "_", "alpha:f"),
    ("com.microsoft", "ReduceAllL2"): ("_*1", "_", ""),
    ("com.microsoft", "ReduceSumTraining"): ("_ _", "_", "keepdims:i noop_with_empty_axes:i"),
    ("com.microsoft", "ReluGrad"): ("_ _", "_", ""),
    ("com.microsoft", "RotaryEmbedding"): ("_ _ _ _", "_", "interleaved:i is_packed_batching:i num_heads:i rotary_embedding_dim:i scale:f"),
    ("com.microsoft", "SGDOptimizer"): ("_ _ _", "_? _?", ""),
    ("com.microsoft", "SGDOptimizerV2"): ("_ _ _ _?", "_ _?", ""),
    ("com.microsoft", "Scale"): ("_ _", "_", "scale_down:i"),
    ("com.microsoft", "ScaledSum"): ("_ _ _?", "_", "scale_0:f! scale_1:f!"),
    ("com.microsoft", "ShrunkenGather"): ("_ _", "_", "axis:i"),
    ("com.microsoft", "SigmoidGrad"): ("_ _", "_", ""),
    ("com.microsoft", "SimplifiedLayerNormalizationGrad"): ("_ _ _ _", "_ _", "axis:i"),
    ("com.microsoft", "SkipGroupNorm"): ("_ _ _ _ _?", "_ _?", "activation:i! channels_last:i epsilon:f groups:i!"),
    ("com.microsoft", "SkipLayerNormalization"): ("_ _ _ _? _?", "_ _? _? _?", "epsilon:f"),
    ("com.microsoft", "SkipSimplifiedLayerNormalization"): ("_ _ _ _?", "_ _? _? _?", "epsilon:f"),
    ("com.microsoft", "SliceGrad"): ("_ _ _ _ _? _?", "_", ""),
    ("com.microsoft", "SoftmaxCrossEntropy"): ("_ _", "_ _?", "reduction:s"),
    ("com.microsoft", "SoftmaxCrossEntropyGrad"): ("_ _ _", "_", "reduction:s"),
    ("com.microsoft", "SoftmaxCrossEntropyLossGrad"): ("_ _ _ _?", "_", "ignore_index:i reduction:s"),
    ("com.microsoft", "SoftmaxCrossEntropyLossInternal"): ("_ _ _? _?", "_ _", "reduction:s"),
    ("com.microsoft", "SoftmaxCrossEntropyLossInternalGrad"): ("_ _ _ _? _? _?", "_", "reduction:s"),
    ("com.microsoft", "SoftmaxGrad"): ("_ _", "_", "axis:i"),
    ("com.microsoft", "SoftmaxGrad_13"): ("_ _", "_", "axis:i"),
    ("com.microsoft", "SplitTraining"): ("_ _", "_*1", "axis:i"),
    ("com.microsoft", "TanhGrad"): ("_ _", "_", ""),
    ("com.microsoft", "TransposeMatMul"): ("_ _", "_", "alpha:f transA:i transB:i"),
    ("com.microsoft", "Trilu"): ("_ _?", "_", "upper:i"),
    ("com.microsoft", "UnfoldTensor"): ("_", "_", "dim:i size:i! step:i"),
    ("com.microsoft", "ZeroGradient"): ("_ _", "_", ""),
}


def parameter(formal):
    option = str(formal.option).rsplit(".", 1)[-1]
    if option == "Variadic":
        return f"{formal.name}*{formal.min_arity}"
    return formal.name + ("?" if option == "Optional" else "")


def attribute(given):
    kind = KINDS.get(str(given.type).rsplit(".", 1)[-1])
    return f"{given.name}:{kind}{'!' if given.required else ''}" if kind else None


def signature(schema):
    attributes = [attribute(given) for _, given in sorted(schema.attributes.items())]
    return (" ".join(map(parameter, schema.inputs)), " ".join(map(parameter, schema.outputs)),
            " ".join(text for text in attributes if text))


def rows():
    versions = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain in ("", "ai.onnx.preview") and not schema.deprecated:
            operator = versions.setdefault((schema.domain, schema.name), {})
            operator[schema.since_version] = signature(schema)
    for (domain, name), operator in versions.items():
        grouped = {}
        for version in sorted(operator):
            grouped.setdefault(operator[version], []).append(str(version))
        for form, numbers in grouped.items():
            yield (domain, name, int(numbers[0]), " ".join(numbers), *form)
    others = (MICROSOFT | {("", name): form for name, form in WITHDRAWN.items()}
              | {("temper", name): form for name, form in TEMPER.items()})
    for (domain, name), form in others.items():
        inputs, outputs, attributes = form
        yield (domain, name, 1, "1", inputs, outputs, f"{attributes} ...".strip())


def print_versions():
    """Which versions of the opset changed each operator: the table of docs/operators.md has them."""
    versions = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":
            versions.setdefault(schema.name, []).append(schema.since_version)
    print("# The versions of each operator of ONNX's default domain, up to opset "
          f"{defs.onnx_opset_version()}.")
    print(f"# Source: the operator registry of ONNX {onnx.__version__}; made by "
          "tools/make_operator_schemas.py --versions.")
    for name in sorted(versions):
        print(name, *sorted(versions[name]))


def main():
    if sys.argv[1:] == ["--versions"]:
        return print_versions()
    print("// SPDX-License-Identifier: Apache-2.0")
    print("// Made by tools/make_operator_schemas.py.")
    for domain, name, _, versions, *form in sorted(rows()):
        texts = ", ".join(f'"{text}"' for text in (domain, name, versions, *form))
        print("{" + texts + "},")


if __name__ == "__main__":
    main()

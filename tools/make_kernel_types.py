#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes engine/ort/kernel_types_table.inc: for each operator and version, which inputs and outputs
each of its type constraints binds, as models in ORT format state it for the lookup of kernels.

ONNX's operators up to opset 17 are read from the installed onnx package. What later opsets changed,
and ONNX Runtime's own operators, are listed below: facts of ONNX's changelog and of ONNX Runtime's
operator documentation.

usage: tools/make_kernel_types.py > engine/ort/kernel_types_table.inc
"""
import onnx

# Operator: (versions, signature or None if only element types were added).
LATER = {
    "AveragePool": [("19", None)],
    "BitwiseAnd": [("18", "T i0 i1 o0")],
    "BitwiseNot": [("18", "T i0 o0")],
    "BitwiseOr": [("18", "T i0 i1 o0")],
    "BitwiseXor": [("18", "T i0 i1 o0")],
    "Cast": [("19 21", None)],
    "CastLike": [("19 21", None)],
    "CenterCropPad": [("18", "T i0 o0; Tind i1")],
    "Col2Im": [("18", "T i0 o0; block_shape i2; image_shape i1")],
    "ConstantOfShape": [("20 21", None)],
    "DFT": [("20", "T1 i0 o0; T2 i1; axis i2")],
    "DequantizeLinear": [("19", "T1 i0 i2; T2 i1 o0"), ("21", "T1 i0 i2; T2 i1 o0")],
    "Equal": [("19", None)],
    "Flatten": [("21", None)],
    "Gelu": [("20", "T i0 o0")],
    "GridSample": [("20", None)],
    "GroupNormalization": [("18 21", "T i0 i1 i2 o0")],
    "Identity": [("19 21", None)],
    "If": [("19 21", None)],
    "IsInf": [("20", None)],
    "IsNaN": [("20", None)],
    "Loop": [("19 21", None)],
    "LpPool": [("18", None)],
    "Mish": [("18", "T i0 o0")],
    "Pad": [("18 19 21", "T i0 i2 o0; Tind i3; pads i1")],
    "QLinearMatMul": [("21", "T1 i0 i2; T2 i3 i5; T3 i7 o0; TS i1 i4 i6")],
    "QuantizeLinear": [("19", "T1 i0 i1; T2 i2 o0"), ("21", "T1 i0 i1; T2 i2 o0")],
    "ReduceL1": [("18", "T i0 o0; axes i1")],
    "ReduceL2": [("18", "T i0 o0; axes i1")],
    "ReduceLogSum": [("18", "T i0 o0; axes i1")],
    "ReduceLogSumExp": [("18", "T i0 o0; axes i1")],
    "ReduceMax": [("18 20", "T i0 o0; axes i1")],
    "ReduceMean": [("18", "T i0 o0; axes i1")],
    "ReduceMin": [("18 20", "T i0 o0; axes i1")],
    "ReduceProd": [("18", "T i0 o0; axes i1")],
    "ReduceSumSquare": [("18", "T i0 o0; axes i1")],
    "Reshape": [("19 21", None)],
    "Resize": [("18 19", None)],
    "Scan": [("19 21", None)],
    "ScatterElements": [("18", None)],
    "ScatterND": [("18", None)],
    "Shape": [("19 21", None)],
    "Size": [("19 21", None)],
    "Split": [("18", None)],
    "Squeeze": [("21", None)],
    "Transpose": [("21", None)],
    "Unsqueeze": [("21", None)],
}

# Operators of com.microsoft; all have version 1.
MICROSOFT = """
AdamOptimizer T1 i0; T2 i1 o0; T3 i2 i7 o3; T4 i4 i5 o1 o2; T_BOOL i9; T_GRAD i3 o4; T_GRAD_NORM i8; T_MIXED_PRECISION_FP i6 o5
AdamWOptimizer S_GRAD i3; S_MOMENT i4 i5 o2 o3; S_WEIGHT i2 o1; T1 i0; T2 i1; T_BOOL i6 o0
All T i0 o0
Attention M i3 i6; T i0 i1 i2 i4 i5 o0 o1
BatchNormInternal T i0 o0; T1 i1 i2; T2 i3 i4 o1 o2 o3 o4
BatchNormalizationGrad T i0 i1 o0; T1 i2 o1 o2; T2 i3 i4
BatchScale T i0 o0 o1 o2
BiasAdd T i0 i1 i2 o0
BiasDropout T i0 i1 i2 o0; T1 i3; T2 i4 o1
BiasFastGeluGrad_dX T i0 i1 i2 o0
BiasGelu T i0 i1 o0
BiasGeluGrad_dX T i0 i1 i2 o0
BiasSoftmax T i0 i1 o0
BiasSplitGelu T i0 i1 o0
BroadcastGradientArgs T i0 i1 o0 o1
CDist T i0 i1 o0
ComplexMul T i0 i1 o0
ComplexMulConj T i0 i1 o0
ConcatTraining T i0 o0; Tint o1
ConvGrad T i0 i1 i2 o0 o1 o2
ConvTransposeGrad T i0 i1 i2 o0 o1 o2
ConvTransposeWithDynamicPads Pads i2; T i0 i1 i3 o0
DequantizeLinear T1 i0 i2; T2 i1 o0
DivGrad T i0 i1 i2 o0 o1
DropoutGrad T i0 o0; T1 i2; T2 i1 i3
DynamicQuantizeMatMul T1 i0 i2 i4 o0; T2 i1 i3
EmbedLayerNormalization T i2 i3 i4 i5 i6 o0 o2; T1 i0 i1 i7 i8 o1
ExpandDims T i0 o0; axis i1
FakeQuant T i0 i1 i2 o0; T_BOOL o1
FakeQuantGrad T i0 o0; T_BOOL i1
FastGelu T i0 i1 o0
FastGeluGrad T i0 i1 o0
FlattenAndUnpad T i0 o0; T_INDEX i1; T_INT o1
FusedConv T i0 i1 i2 i3 o0
FusedGemm T i0 i1 i2 o0
FusedMatMul T i0 i1 o0
FusedMatMulActivation T i0 i1 o0
GRUGrad T i0 i1 i2 i3 i5 i6 i7 i8 i9 o0 o1 o2 o3 o4; T1 i4
GRUTraining T i0 i1 i2 i3 i5 o0 o1 o2; T1 i4
GatedRelativePositionBias M i6; T i0 i1 i2 i3 i4 i5 o0
GatherElementsGrad I i1; T i0 o0; Tind i2
GatherGrad I i0; T i2 o0; Tind i1
GatherND T i0 o0; Tind i1
GatherNDGrad T i2 o0; T1 i0; Tind i1
Gelu T i0 o0
GeluGrad T i0 i1 o0
GemmFastGelu T i0 i1 i2 o0
GemmaRotaryEmbedding T i1 i2 i3 i4 o0 o1; U i0
GridSample T1 i0 i1; T2 o0
Group B o0; T i0
GroupNorm M i1 i2; T i0 o0
GroupQueryAttention M i5 i6; T i0 i1 i2 i3 i4 i7 i8 o0 o1 o2
InPlaceAccumulator T i0 o0; T_BOOL i2; T_GRAD i1
InPlaceAccumulatorV2 T i0 o1; T_BOOL i2 o0; T_GRAD i1
InplaceClipGradNorm S_GRAD i0 o0
Inverse T i0 o0
InvertibleLayerNormalizationGrad T o0; U i4; V i0 i1 i2 i3 o1 o2
IsAllFinite T o0; V i0
IsFinite T i0; T1 o0
LSTMGrad T i0 i1 i2 i3 i5 i6 i7 i8 i9 i10 i11 i12 i13 o0 o1 o2 o3 o4 o5 o6; T1 i4
LSTMTraining T i0 i1 i2 i3 i5 i6 i7 o0 o1 o2 o3 o4; T1 i4
LayerNormalizationGrad T i1 o0; U i3 i4; V i0 i2 o1 o2
LeakyReluGrad T i0 i1 o0
LogSoftmaxGrad T i0 i1 o0
LogSoftmaxGrad_13 T i0 i1 o0
MatMulBnb4 T1 i0 i2 o0; T2 i1
MatMulIntegerToFloat T1 i0 i4; T2 i1 i5; T3 i2 i3 i6 o0
MatMulNBits T1 i0 i2 i5 o0; T2 i1; T3 i3; T4 i4
MixedPrecisionScale DstT o0; ScaleT i0; SrcT i1
MultiHeadAttention M i4; T i0 i1 i2 i3 i5 i6 i7 o0 o1 o2
NegativeLogLikelihoodLossInternal T i0 i2 o0; Tind i1; I i3
NegativeLogLikelihoodLossInternal2 T i0 i2 o0; Tind i1; I i3
NhwcConv T i0 i1 i2 o0
NhwcFusedConv T i0 i1 i2 i3 o0
NhwcMaxPool T i0 o0
Pad T i0 i2 o0; pads i1
PadAndUnflatten T i0 o0; T_INT i2; T_INDEX i1
PassThrough T i0 o0
QAttention T1 i0 i6; T2 i1 i7; T3 i2 i3 i4 i8 o0 o1; T4 i5
QGemm T i1 i4 i7; TA i0 i2; TB i3 i5; TC i6; TY o0; TYZ i8
QLinearAdd A_scale i1; B_scale i4; C_scale i6; T i0 i2 i3 i5 i7 o0
QLinearAveragePool T i0 i2 i4 o0; x_scale i1; y_scale i3
QLinearConcat T8 i1 o0; TF i0; TV i2
QLinearConv T1 i0 i2; T2 i3 i5; T3 i7 o0; T4 i8; w_scale i4; x_scale i1; y_scale i6
QLinearGlobalAveragePool T i0 i2 i4 o0; x_scale i1; y_scale i3
QLinearLeakyRelu T i0 i2 i4 o0; X_scale i1; Y_scale i3
QLinearMul A_scale i1; B_scale i4; C_scale i6; T i0 i2 i3 i5 i7 o0
QLinearReduceMean T i0 i2 i4 o0; data_scale i1; reduced_scale i3
QLinearSigmoid T i0 i2 i4 o0; X_scale i1; Y_scale i3
QLinearSoftmax T i0 i2 i4 o0; X_scale i1; y_scale i3
QLinearWhere B i0; T i1 i3 i4 i6 i8 o0; TF i2 i5 i7
QuantizeLinear T1 i0 i1; T2 i2 o0
QuickGelu T i0 o0
QuickGeluGrad T i0 i1 o0
ReduceAllL2 TIn i0; TOut o0
ReduceSumTraining T i0 o0; axes i1
ReluGrad T i0 i1 o0
RotaryEmbedding M i1; T i0 i2 i3 o0
SGDOptimizer L i0; T i1 i2 o0 o1
SGDOptimizerV2 S_GRAD i2; S_WEIGHT i1 o1; T1 i0; T_BOOL i3 o0
Scale ScaleT i1; T i0 o0
ScaledSum T i0 i1 i2 o0
ShrunkenGather T i0 o0; Tind i1
SigmoidGrad T i0 i1 o0
SimplifiedLayerNormalizationGrad T i1 o0; U i3; V i0 i2 o1
SkipGroupNorm M i1 i2; T i0 i3 i4 o0 o1
SkipLayerNormalization T i0 i1 i2 i3 i4 o0 o3; U o1 o2
SkipSimplifiedLayerNormalization T i0 i1 i2 i3 o0 o3; U o1 o2
SliceGrad I i1; T i0 o0; Tind i2 i3 i4 i5
SoftmaxCrossEntropy T i0 i1 o0 o1
SoftmaxCrossEntropyGrad T i0 i1 i2 o0
SoftmaxCrossEntropyLossGrad T i0 i1 i3 o0; Tind i2
SoftmaxCrossEntropyLossInternal I i3; T i0 i2; TOut o0 o1; Tind i1
SoftmaxCrossEntropyLossInternalGrad I i4; T i0 i1 i3; TOut o0; Tind i2
SoftmaxGrad T i0 i1 o0
SoftmaxGrad_13 T i0 i1 o0
SplitTraining T i0 o0; split i1
TanhGrad T i0 i1 o0
TransposeMatMul T i0 i1 o0
Trilu T i0 o0; k i1
UnfoldTensor T i0 o0
ZeroGradient T1 i0 o0; T2 i1
"""

# Operators that ONNX Runtime adds to ONNX's own domain, and newer ones.
ADDED = [
    ("Affine", "1", "T i0 o0"),
    ("AffineGrid", "20", "T1 i0 o0; T2 i1"),
    ("AveragePoolGrad", "9", "T i0 o0"),
    ("Crop", "1", "T i0 o0"),
    ("DeformConv", "19", "T i0 i1 i2 i3 i4 o0"),
    ("ImageScaler", "1", "T i0 o0"),
    ("MaxPoolGrad", "9", "I i1; T i0 o0"),
    ("ParametricSoftplus", "1", "T i0 o0"),
    ("Scale", "1", "T i0 o0"),
    ("ScaledTanh", "1", "T i0 o0"),
    ("SparseSoftmaxCrossEntropy", "9", "T i0 i2 o0 o1; Tind i1"),
    ("SparseSoftmaxCrossEntropyGrad", "9", "T i0 i1 i3 o0; Tind i2"),
    ("SimplifiedLayerNormalization", "1", "T i0; U o1; V i1 o0"),
]


def signature(schema):
    """"T i0 i1 o0; axes i2": arguments of a fixed type are named by themselves."""
    constraints = {c.type_param_str for c in schema.type_constraints}
    bound = {}
    for kind, formals in (("i", schema.inputs), ("o", schema.outputs)):
        for index, formal in enumerate(formals):
            key = formal.typeStr if formal.typeStr in constraints else formal.name
            bound.setdefault(key, []).append(f"{kind}{index}")
    return "; ".join(f"{key} {' '.join(args)}" for key, args in sorted(bound.items()))


def onnx_operators():
    operators = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == "" and not schema.deprecated:
            operators.setdefault(schema.name, []).append((schema.since_version, signature(schema)))
    for name, changes in LATER.items():
        history = sorted(operators.setdefault(name, []))
        for versions, text in changes:
            for version in map(int, versions.split()):
                history.append((version, text or history[-1][1]))
        operators[name] = history
    for name, version, text in ADDED:
        operators[name] = [(int(version), text)]
    return operators


def rows():
    for name, history in sorted(onnx_operators().items()):
        grouped = []
        for version, text in sorted(history):
            if grouped and grouped[-1][1] == text:
                grouped[-1][0].append(version)
            else:
                grouped.append(([version], text))
        for versions, text in grouped:
            yield f'{{"", "{name}", "{" ".join(map(str, versions))}", "{text}"}},'
    for line in MICROSOFT.strip().splitlines():
        name, text = line.split(" ", 1)
        text = "; ".join(sorted(text.split("; ")))
        yield f'{{"com.microsoft", "{name}", "1", "{text}"}},'


print("// SPDX-License-Identifier: Apache-2.0")
print("// Made by tools/make_kernel_types.py.")
print("\n".join(rows()))

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Why a tensor has its class, in a few words: see ParameterInfo::reason. The window translates
/// them.
namespace temper::reasons {

inline constexpr const char* kNamed = "a named parameter";
inline constexpr const char* kParameter = "a parameter of the exported module";
inline constexpr const char* kMade = "made from parameters by the exporter";
inline constexpr const char* kTensorLiteral = "a tensor written into the model";
inline constexpr const char* kNotFloating = "not a floating-point tensor";
inline constexpr const char* kStatistic = "running statistic of a batch normalization";
inline constexpr const char* kUnread = "nothing reads it";
inline constexpr const char* kLiteral = "a number written into the model";
inline constexpr const char* kBesideNames = "written into a model whose parameters have names";
inline constexpr const char* kBuffer = "a buffer of the exported module";
inline constexpr const char* kConstant = "a constant of the exporter";
inline constexpr const char* kEncoding = "a table of sines and cosines";
inline constexpr const char* kExponent = "the exponent of a power";
inline constexpr const char* kComparison = "a bound of a comparison";
inline constexpr const char* kBound = "a bound";
inline constexpr const char* kFiller = "a number to fill in";
inline constexpr const char* kEpsilon = "an epsilon";
inline constexpr const char* kMask = "a mask";
inline constexpr const char* kZeroState = "a state of zeros";
inline constexpr const char* kCanvas = "zeros to write into";
inline constexpr const char* kWindow = "a window";
inline constexpr const char* kFilled = "filled with one number";
inline constexpr const char* kGroupNorm = "part of a group normalization";
inline constexpr const char* kWhole = "whole numbers";
inline constexpr const char* kGrid = "a grid of coordinates";
inline constexpr const char* kArgument = "an argument of a function";
inline constexpr const char* kInput = "normalizes an input";
/// The weakest of them: one number, with a name that an exporter made up.
inline constexpr const char* kNumberWithoutName = "a number without a name";

/// All of these, for translators.
inline constexpr const char* kAll[] = {
    kNamed,   kParameter,   kMade,    kTensorLiteral, kNotFloating, kStatistic, kUnread,
    kLiteral, kBesideNames, kBuffer,  kConstant,      kEncoding,    kExponent,  kComparison,
    kBound,   kFiller,      kEpsilon, kMask,          kZeroState,   kCanvas,    kWindow,
    kFilled,  kGroupNorm,   kWhole,   kGrid,          kArgument,    kInput,     kNumberWithoutName};

}  // namespace temper::reasons

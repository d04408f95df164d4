// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "engine/ops/activation/activation.h"
#include "engine/ops/activation/activation_loops_cpu.h"
#include "engine/ops/map_cpu.h"

namespace temper {
namespace {

// The formulas in float64; float32 has its own vectorized loops.

using P = ActivationParameters;
using Formula = double (*)(double x, P p);
using Slope = double (*)(double x, P p);

double sigmoidOf(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double softplusOf(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
double normalDistribution(double x) { return 0.5 * (1.0 + std::erf(x / std::numbers::sqrt2)); }
double fastGeluArgument(double x) {
    return std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
}

double geluSlope(double x) {
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
    return normalDistribution(x) + (density == 0.0 ? 0.0 : x * density);
}

double fastGeluSlope(double x) {
    const double bounded = std::clamp(x, -20.0, 20.0);
    const double t = std::tanh(fastGeluArgument(bounded));
    const double inner = std::sqrt(2.0 / std::numbers::pi) *
                         (bounded + 3.0 * 0.044715 * bounded * bounded * bounded);
    return 0.5 * (1.0 + t + (1.0 - t * t) * inner);
}

double quickGeluSlope(double x, double alpha) {
    // Bounded where the slope is 1 or 0, so that an infinite x gives no NaN.
    const double v = std::clamp(alpha * x, -800.0, 800.0);
    const double s = sigmoidOf(v);
    return s * (1.0 + v * (1.0 - s));
}

KernelFactory activation(simd::Activation function, Formula formula) {
    return [=](const PrepareContext& context) {
        const P p = activationParameters(context.node());
        if (context.input(0).dtype != DType::Float32) {
            context.requireDType(0, DType::Float64);
            return unaryKernel<double>(
                context, [=](double x) { return formula(x, p); }, kSlowMapGrain);
        }
        return makeElementwise(elementwiseForm(context, 1, kMapGrain),
                               [=](const void* const* inputs, void* output, int64_t count) {
                                   simd::activate(function, static_cast<const float*>(inputs[0]),
                                                  static_cast<float*>(output), count, p);
                               },
                               {{0, 0}});
    };
}

/// dX = dY slope(X).
KernelFactory backward(simd::ActivationGradient gradient, Slope slope) {
    return [=](const PrepareContext& context) {
        const P p = activationParameters(context.node());
        context.requireDType(1, context.input(0).dtype);
        const int64_t count = context.output(0).numElements();
        if (context.input(0).numElements() != count || context.input(1).numElements() != count) {
            context.fail(ErrorCode::InvalidInput,
                         "The shapes are " + formatShape(context.input(0).shape) + " and " +
                             formatShape(context.input(1).shape) + "; expected equal shapes.");
        }
        if (context.input(0).dtype != DType::Float32) {
            context.requireDType(0, DType::Float64);
            return binaryKernel<double, double, double>(
                context, [=](double dy, double x) { return dy * slope(x, p); }, kSlowMapGrain);
        }
        return makeElementwise(elementwiseForm(context, 2, kMapGrain),
                               [=](const void* const* inputs, void* output, int64_t elements) {
                                   simd::activationBackward(
                                       gradient, static_cast<const float*>(inputs[0]),
                                       static_cast<const float*>(inputs[1]),
                                       static_cast<float*>(output), elements, p);
                               },
                               {{0, 0}, {1, 0}});
    };
}

void addPiecewise(KernelRegistry& kernels) {
    kernels.add("", "LeakyRelu", activation(simd::Activation::LeakyRelu, [](double x, P p) {
                    return x < 0 ? static_cast<double>(p.alpha) * x : x;
                }));
    kernels.add("", "Elu", activation(simd::Activation::Elu, [](double x, P p) {
                    return x < 0 ? static_cast<double>(p.alpha) * std::expm1(x) : x;
                }));
    kernels.add("", "Selu", activation(simd::Activation::Selu, [](double x, P p) {
                    return static_cast<double>(p.beta) *
                           (x < 0 ? static_cast<double>(p.alpha) * std::expm1(x) : x);
                }));
    kernels.add("", "Celu", activation(simd::Activation::Celu, [](double x, P p) {
                    const auto alpha = static_cast<double>(p.alpha);
                    return x < 0 ? alpha * std::expm1(x / alpha) : x;
                }));
    kernels.add("", "HardSigmoid", activation(simd::Activation::HardSigmoid, [](double x, P p) {
                    const double line =
                        static_cast<double>(p.alpha) * x + static_cast<double>(p.beta);
                    return std::isnan(x) ? x : std::clamp(line, 0.0, 1.0);
                }));
    kernels.add("", "HardSwish", activation(simd::Activation::HardSwish, [](double x, P) {
                    return x * std::clamp(x / 6.0 + 0.5, 0.0, 1.0);
                }));
}

void addSmooth(KernelRegistry& kernels) {
    kernels.add("", "Sigmoid", floatingUnary(simd::sigmoid, [](auto x) {
                    return static_cast<decltype(x)>(sigmoidOf(static_cast<double>(x)));
                }));
    kernels.add("", "Tanh", floatingUnary(simd::tanh, [](auto x) { return std::tanh(x); }));
    kernels.add("", "Softplus",
                activation(simd::Activation::Softplus, [](double x, P) { return softplusOf(x); }));
    kernels.add("", "Softsign", activation(simd::Activation::Softsign, [](double x, P) {
                    return x / (1.0 + std::abs(x));
                }));
    kernels.add("", "Mish", activation(simd::Activation::Mish, [](double x, P) {
                    return x * std::tanh(softplusOf(x));
                }));
    const auto gelu =
        activation(simd::Activation::Gelu, [](double x, P) { return x * normalDistribution(x); });
    const auto tanhGelu = activation(simd::Activation::FastGelu, [](double x, P) {
        return 0.5 * x * (1.0 + std::tanh(fastGeluArgument(x)));
    });
    kernels.add(kMicrosoftDomain, "Gelu", gelu);
    kernels.add("", "Gelu", [=](const PrepareContext& context) {
        return isTanhGelu(context.node()) ? tanhGelu(context) : gelu(context);
    });
    kernels.add(kMicrosoftDomain, "QuickGelu",
                activation(simd::Activation::QuickGelu, [](double x, P p) {
                    return x * sigmoidOf(static_cast<double>(p.alpha) * x);
                }));
}

void addBackward(KernelRegistry& kernels) {
    const auto add = [&](const char* op, simd::ActivationGradient gradient, Slope slope) {
        kernels.add(kMicrosoftDomain, op, backward(gradient, slope));
    };
    add("ReluGrad", simd::ActivationGradient::ReluGrad,
        [](double x, P) { return x > 0 ? 1.0 : 0.0; });
    add("SigmoidGrad", simd::ActivationGradient::SigmoidGrad,
        [](double y, P) { return y * (1.0 - y); });
    add("TanhGrad", simd::ActivationGradient::TanhGrad, [](double y, P) { return 1.0 - y * y; });
    add("LeakyReluGrad", simd::ActivationGradient::LeakyReluGrad,
        [](double x, P p) { return x > 0 ? 1.0 : static_cast<double>(p.alpha); });
    kernels.add(kTemperDomain, "HardSwishGrad",
                backward(simd::ActivationGradient::HardSwishGrad, [](double x, P) {
                    if (!(x > -3)) return 0.0;
                    return x < 3 ? x / 3 + 0.5 : 1.0;
                }));
    add("GeluGrad", simd::ActivationGradient::GeluGrad, [](double x, P) { return geluSlope(x); });
    add("FastGeluGrad", simd::ActivationGradient::FastGeluGrad,
        [](double x, P) { return fastGeluSlope(x); });
    add("QuickGeluGrad", simd::ActivationGradient::QuickGeluGrad,
        [](double x, P p) { return quickGeluSlope(x, static_cast<double>(p.alpha)); });
}

/// Gelu as exporters write it without an operator for it, and the gradient of that formula as
/// autodiff (ours and ONNX Runtime's) writes it. Source: Hendrycks & Gimpel, Gaussian Error Linear
/// Units (2016).
void addGeluFormulas(const std::function<void(const std::string&, const char*)>& add) {
    const std::string quotient = "Div(x, 1.41421356)", product = "Mul(x, 0.70710678)";
    const std::string slope = "Exp(Neg(Mul(u, u)))";
    add("Mul(0.5, x, Add(1, Erf({" + quotient + " | " + product + "})))", "Gelu");
    add("Sum(Mul(dy, 0.5, Add(1, Erf(u=" + quotient + "))), Div(Mul(dy, 0.5, x, 1.12837917, " +
            slope + "), 1.41421356))",
        "GeluGrad");
    add("Sum(Mul(dy, 0.5, Add(1, Erf(u=" + product + "))), Mul(dy, 0.5, x, 1.12837917, " + slope +
            ", 0.70710678))",
        "GeluGrad");
}

/// The same for its approximation with tanh, with Pow (GPT-2) or products (PyTorch's exporter).
void addFastGeluFormulas(const std::function<void(const std::string&, const char*)>& add) {
    const auto tanhOf = [](const std::string& cube) {
        return "Tanh(Mul(0.79788456, Add(x, Mul(0.044715, " + cube + "))))";
    };
    const std::string power = tanhOf("Pow(x, 3)"), product = tanhOf("x, x, x");
    add("Mul(0.5, x, Add(1, {" + power + " | " + product + "}))", "FastGelu");
    const std::string inner = "0.79788456, com.microsoft.TanhGrad(Mul(dy, 0.5, x), t)";
    const auto sumOf = [&](const std::string& tanh, const std::string& ofCube) {
        return "Sum(Mul(dy, 0.5, Add(1, t=" + tanh + ")), Mul(" + inner + "), " + ofCube + ")";
    };
    const std::string ofPower = "Mul(" + inner + ", 0.044715, 3, Pow(x, {2 | Sub(3, 1)}))",
                      ofFactor = "Mul(" + inner + ", 0.044715, x, x)";
    add(sumOf(power, ofPower), "FastGeluGrad");
    add(sumOf(product, ofFactor + ", " + ofFactor + ", " + ofFactor), "FastGeluGrad");
}

void addFormulas(KernelRegistry& kernels) {
    const auto adderOf = [&](const Attributes& attributes) {
        return [&kernels, attributes](const std::string& pattern, const std::string& op) {
            const bool isGradient = op.ends_with("Grad");
            const std::vector<std::string> inputs =
                isGradient ? std::vector<std::string>{"dy", "x"} : std::vector<std::string>{"x"};
            kernels.addFormula({.pattern = BlockPattern::parse(pattern),
                                .domain = std::string(kMicrosoftDomain),
                                .opType = op,
                                .inputs = inputs,
                                .attributesOf = [attributes](const BlockMatch&, const Shape&) {
                                    return std::optional(attributes);
                                }});
        };
    };
    addGeluFormulas(adderOf({}));
    addFastGeluFormulas(adderOf({}));
    // SiLU, or Swish, and its gradient.
    const auto addSilu = adderOf({{"alpha", 1.0F}});
    addSilu("Mul(x, Sigmoid(x))", "QuickGelu");
    addSilu("Sum(Mul(dy, s=Sigmoid(x)), com.microsoft.SigmoidGrad(Mul(dy, x), s))",
            "QuickGeluGrad");
    kernels.addFormula({BlockPattern::parse("Where(Greater(x, -3), Where(Less(x, 3), "
                                            "Mul(dy, Add(Div(x, 3), 0.5)), dy), 0)"),
                        std::string(kTemperDomain),
                        "HardSwishGrad",
                        {"dy", "x"}});
}

std::unique_ptr<Kernel> prepareRelu(const PrepareContext& context) {
    static const KernelFactory kFloat =
        activation(simd::Activation::Relu, [](double x, P) { return x < 0 ? 0.0 : x; });
    if (isFloating(context.input(0).dtype)) return kFloat(context);
    return visitNumeric(context, context.input(0).dtype, [&]<typename T>() {
        return unaryKernel<T>(context, [](T x) { return x > T{0} ? x : T{0}; });
    });
}

std::unique_ptr<Kernel> prepareThresholdedRelu(const PrepareContext& context) {
    const float alpha = activationParameters(context.node()).alpha;
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return unaryKernel<T>(context,
                              [alpha](T x) { return x > static_cast<T>(alpha) ? x : T{0}; });
    });
}

std::unique_ptr<Kernel> prepareShrink(const PrepareContext& context) {
    const ActivationParameters parameters = activationParameters(context.node());
    const double lambda = parameters.alpha, bias = parameters.beta;
    return visitNumeric(context, context.input(0).dtype, [&]<typename T>() {
        return unaryKernel<T>(context, [lambda, bias](T x) {
            const auto wide = static_cast<double>(x);
            if (wide < -lambda) return static_cast<T>(wide + bias);
            return wide > lambda ? static_cast<T>(wide - bias) : T{0};
        });
    });
}

/// Before opset 7, a vector has one slope for each channel: seen as [channels, 1, ...].
PrepareContext withSlopesByChannel(const PrepareContext& context) {
    TensorType slope = context.input(1);
    if (slope.shape.size() == 1) {
        slope.shape.resize(std::max<size_t>(context.input(0).shape.size(), 2) - 1, 1);
    }
    return {context.node(),
            context.opset(),
            {{.elements = {context.input(0)}}, {.elements = {std::move(slope)}}},
            {{.elements = {context.output(0)}}},
            context.bodyTools()};
}

std::unique_ptr<Kernel> preparePRelu(const PrepareContext& given) {
    const PrepareContext context = given.opset() < 7 ? withSlopesByChannel(given) : given;
    context.requireDType(1, context.input(0).dtype);
    return visitNumeric(context, context.input(0).dtype, [&]<typename T>() {
        return binaryKernel<T, T, T>(
            context, [](T x, T slope) { return x < T{0} ? static_cast<T>(x * slope) : x; });
    });
}

}  // namespace

void registerActivationKernels(KernelRegistry& kernels) {
    kernels.add("", "Relu", prepareRelu);
    kernels.add("", "PRelu", preparePRelu);
    kernels.add("", "ThresholdedRelu", prepareThresholdedRelu);
    kernels.add("", "Shrink", prepareShrink);
    addPiecewise(kernels);
    addSmooth(kernels);
    addBackward(kernels);
    addFormulas(kernels);
}

}  // namespace temper

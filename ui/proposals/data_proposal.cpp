// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/proposals/data_proposal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "engine/data/data_spec.h"
#include "ui/document/input_scale.h"
#include "ui/messages/problem.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

/// Parameters of models of Hugging Face's Transformers whose processors use a mean and a deviation
/// of 0.5. Source: preprocessor_config.json of google/vit-base-patch16-224 and
/// microsoft/beit-base-patch16-224.
constexpr std::array<std::string_view, 2> kFromMinusOne = {"vit.", "beit."};

/// Beyond this mean or deviation, inputs of a table are far from the scale that networks expect.
constexpr double kUsualScale = 4;

bool isScaled(const DataSpec& spec) {
    return std::ranges::any_of(std::array{"normalize", "mean", "std"},
                               [&](const char* key) { return spec.options.contains(key); });
}

/// A node that calculates with each number of an input and a constant, or normalizes it.
bool isScale(const Value::Use& use, const OpCatalog& catalog) {
    const OperatorFacts& facts = catalog.facts(*use.node);
    if (facts.family == OperatorFamily::Normalization) return use.input == 0;
    const Value* output = use.node->output(0);
    const bool isElementwise = facts.family == OperatorFamily::Other && output != nullptr &&
                               output->type() == use.node->input(use.input)->type();
    return isElementwise && std::ranges::any_of(use.node->inputs(), [](const Value* input) {
               return input != nullptr && input->isInitializer();
           });
}

bool scalesItsInput(const Graph& graph, const OpCatalog& catalog) {
    return std::ranges::any_of(graph.inputs(), [&](const Value* input) {
        return std::ranges::any_of(input->uses(),
                                   [&](const Value::Use& use) { return isScale(use, catalog); });
    });
}

bool hasParameterLike(const LoadedModel& model, std::string_view start) {
    const auto startsLike = [&](const std::string& name) { return name.starts_with(start); };
    return std::ranges::any_of(model.parameters, [&](const ParameterInfo& parameter) {
        return startsLike(parameter.name) || std::ranges::any_of(parameter.parameters, startsLike);
    });
}

int64_t channelsOf(const Column& column) {
    if (column.shape.size() != 3) return 1;
    return column.hasChannelsLast ? column.shape.back() : column.shape.front();
}

ProposedChoice scale(const QString& value, const QString& why) {
    return {QStringLiteral("scale"), tr("Normalization"), value, why, QStringLiteral("data")};
}

ProposedChoice scalePictures(const LoadedModel& model, const Column& column, DataSpec& spec) {
    if (channelsOf(column) != 3) {
        return scale(tr("0 to 1"), tr("Pixels are bytes; networks expect small numbers."));
    }
    if (std::ranges::any_of(kFromMinusOne, [&](std::string_view start) {
            return hasParameterLike(model, start);
        })) {
        setInputScale(spec.options, {InputScale::Kind::FromMinusOne});
        return scale(tr("−1 to 1"), tr("Models of this kind were trained with it."));
    }
    setInputScale(spec.options, {InputScale::Kind::ImageNet});
    return scale(tr("Mean and deviation of ImageNet"),
                 tr("Most networks for colour pictures were trained with it."));
}

/// Whether a column of a table is far from mean 0 and deviation 1.
bool isFarFromUsual(const Tensor& samples) {
    const Tensor numbers = samples.cast(DType::Float64);
    const auto values = numbers.values<double>();
    const auto columns = static_cast<size_t>(samples.shape().back());
    for (size_t column = 0; column < columns; ++column) {
        double sum = 0, squares = 0;
        size_t count = 0;
        for (size_t i = column; i < values.size(); i += columns, ++count) {
            sum += values[i];
            squares += values[i] * values[i];
        }
        const double mean = sum / static_cast<double>(count);
        const double deviation =
            std::sqrt(std::max(0.0, squares / static_cast<double>(count) - mean * mean));
        if (std::abs(mean) > kUsualScale || deviation > kUsualScale) return true;
    }
    return false;
}

void proposeScale(const LoadedModel& model, const LoadedData& data, const OpCatalog& catalog,
                  DataSpec& spec, std::vector<ProposedChoice>& choices) {
    if (isScaled(spec)) {
        choices.push_back(scale(tr("As chosen"), tr("It is part of the data's settings.")));
        return;
    }
    if (scalesItsInput(*model.graph, catalog)) {
        choices.push_back(scale(tr("Unchanged"), tr("The model scales its input itself.")));
        return;
    }
    const std::vector<Column>& columns = data.training()->columns();
    for (size_t i = 0; i < columns.size(); ++i) {
        const Column& column = columns[i];
        if (column.isTarget) continue;
        if (column.isImage) return choices.push_back(scalePictures(model, column, spec));
        const bool isTable = isFloating(column.dtype) && column.shape.size() == 1;
        if (!isTable || !isFarFromUsual(data.firstBatch[i])) continue;
        setInputScale(spec.options, {InputScale::Kind::Standard});
        return choices.push_back(scale(tr("Mean 0, deviation 1 for each column"),
                                       tr("The columns have very different scales.")));
    }
    const auto isNumeric = [](const Column& column) {
        return !column.isTarget && isFloating(column.dtype);
    };
    if (std::ranges::any_of(columns, isNumeric))
        choices.push_back(
            scale(tr("Unchanged"), tr("The inputs are already on a suitable scale.")));
}

bool hasClasses(const LoadedData& data) {
    return std::ranges::any_of(data.training()->columns(), [](const Column& column) {
        return column.isTarget && !isFloating(column.dtype);
    });
}

/// `share`: of the samples that train; 1 if none are set apart.
ProposedChoice validation(const LoadedData& data, double share) {
    ProposedChoice choice{
        QStringLiteral("validation"), tr("Validation"), {}, {}, QStringLiteral("data")};
    if (share == 1) {
        choice.value = tr("%Ln samples of their own", nullptr,
                          static_cast<int>(data.evaluation() ? data.evaluation()->size() : 0));
        choice.why = tr("The data has them.");
        return choice;
    }
    choice.value = tr("%1 % of the samples").arg(std::lround(100 * (1 - share)));
    choice.why = tr("It is not trained on and shows whether the model learns or memorizes.");
    if (hasClasses(data))
        choice.why += QLatin1Char(' ') + tr("Each class is divided in the same proportion.");
    return choice;
}

}  // namespace

DataProposal proposeData(const LoadedModel& model, const LoadedData& data, const OpCatalog& catalog,
                         bool isEvaluatedElsewhere) {
    DataProposal proposal;
    DataSpec spec = data.opened.spec;
    const bool hasOwn = isEvaluatedElsewhere || data.evaluation() != nullptr;
    if (!hasOwn) spec.options["split"] = "0.8";
    proposal.choices.push_back(validation(data, spec.number("split").value_or(1)));
    proposeScale(model, data, catalog, spec, proposal.choices);
    proposal.source = formatDataSpec(spec);
    return proposal;
}

}  // namespace temper::ui

// SPDX-License-Identifier: Apache-2.0
#include "engine/training/binding/binding.h"

#include <algorithm>
#include <set>

#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/data/pieces.h"
#include "engine/training/binding/default_inputs.h"
#include "engine/training/binding/target_input.h"
#include "engine/training/binding/target_values.h"
#include "engine/training/loss/class_targets.h"
#include "engine/training/loss/label_shapes.h"
#include "engine/training/loss/language_model.h"
#include "engine/training/session/module.h"

namespace temper {
namespace {

/// Samples of a batch of which only the shape matters.
constexpr int64_t kShapeBatch = 2;

std::string describe(const Column& column) {
    return "'" + column.name + "' (" + std::string(dtypeName(column.dtype)) + " " +
           formatShape(column.shape) + " each)";
}

/// Shape of one sample as the input needs it; nullopt if the column does not fit.
std::optional<Shape> sampleShape(const ValueType& input, const Column& column) {
    if (!input.shape) return column.shape;
    if (input.shape->empty()) return std::nullopt;
    const SymbolicShape wanted(input.shape->begin() + 1, input.shape->end());
    if (const std::optional<Shape> known = concreteShape(wanted)) {
        const bool fits = numElements(*known) == column.elementsPerSample();
        return fits ? known : std::nullopt;
    }
    if (wanted.size() != column.shape.size()) return std::nullopt;
    for (size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i].isNumber() && wanted[i].value != column.shape[i]) return std::nullopt;
    }
    return column.shape;
}

/// The batch axis, if it is not the first one: the first dimension is a number, followed by a name
/// that is the first dimension of another input, as in a state [2, N, H] with data [N, T].
std::optional<size_t> innerBatchAxis(const std::map<std::string, ValueType>& types,
                                     const std::string& input) {
    const ValueType& type = types.at(input);
    if (type.rank() < 2 || !type.shape->front().isNumber()) return std::nullopt;
    for (size_t axis = 1; axis < type.shape->size(); ++axis) {
        const Dim& dim = (*type.shape)[axis];
        const bool leads = dim.isSymbol() && std::ranges::any_of(types, [&](const auto& other) {
                               return other.first != input && other.second.rank() > 0 &&
                                      other.second.shape->front() == dim;
                           });
        if (leads) return axis;
    }
    return std::nullopt;
}

std::string constantHint(const std::string& input, const char* value) {
    return "Set the input to a constant when generating the artifacts (--fix-input " + input + "=" +
           value + ")";
}

/// Why no column can feed the input; the message continues after "Input 'x', float32[...], ".
std::optional<LossObjection> objectionToAnyColumn(const std::map<std::string, ValueType>& types,
                                                  const std::string& input) {
    const ValueType& type = types.at(input);
    if (type.rank() == 0) {
        return LossObjection{
            "is one number for a whole batch; columns have one for each sample.",
            constantHint(input, "VALUE") + ", or export the model with a batch in this input."};
    }
    const std::optional<size_t> axis = innerBatchAxis(types, input);
    if (!axis) return std::nullopt;
    return LossObjection{"has the batch '" + (*type.shape)[*axis].symbol + "' as axis " +
                             std::to_string(*axis) + "; the samples of a column are along axis 0.",
                         constantHint(input, "0") +
                             ", as for a state that starts with zeros, or export the model with "
                             "the batch as the first axis of this input."};
}

bool columnFits(const ValueType& input, const Column& column) {
    return takesValuesOf(input.dtype, column.dtype) && sampleShape(input, column).has_value();
}

Finding errorFinding(const char* code, std::string message, std::string hint) {
    return {code, Severity::Error, {}, {}, std::move(message), std::move(hint), {}};
}

/// The inputs of both models, without duplicates.
std::vector<std::string> userInputs(const TrainingSession& session) {
    std::vector<std::string> names = session.inputNames(true);
    if (!session.artifacts().evalModel) return names;
    for (const std::string& name : session.inputNames(false)) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
}

class Binder {
public:
    Binder(const TrainingSession& session, const Dataset& data)
        : session_(session),
          data_(data),
          loss_(describeLoss(graphWithLoss(session))),
          types_(inputTypesOf(session)) {}

    BindingProposal run(const std::map<std::string, std::string>& given) {
        const std::vector<std::string> inputs = userInputs(session_);
        for (const auto& [input, column] : given) takeGiven(inputs, input, column);
        if (loss_.targets.size() > 1) {  // "the target" of the data could be any of them
            for (const std::string& input : inputs) bind(input, &Binder::columnOfSameName);
        }
        for (const std::string& input : inputs) bind(input, &Binder::targetColumn);
        for (const std::string& input : inputs) bind(input, &Binder::columnOfSameName);
        for (const std::string& input : inputs) bind(input, &Binder::onlyFittingColumn);
        for (const std::string& input : inputs) check(input);
        checkLabels();
        checkRanges();
        checkLengthOfSequences();
        sayDoubt();
        sayNumberedClasses();
        sayDefaults();
        return std::move(proposal_);
    }

private:
    using Choose = std::optional<std::string> (Binder::*)(const std::string&) const;

    void takeGiven(const std::vector<std::string>& inputs, const std::string& input,
                   const std::string& column) {
        if (std::find(inputs.begin(), inputs.end(), input) == inputs.end()) {
            proposal_.findings.push_back(
                errorFinding("D004", "The model has no input '" + input + "'.",
                             "Its inputs are " + joinedQuoted(inputs) + "."));
        } else if (!data_.findColumn(column)) {
            proposal_.findings.push_back(errorFinding(
                "D004", "The data has no column '" + column + "' for input '" + input + "'.",
                "Its columns are " + columnList() + "."));
        } else {
            proposal_.binding[input] = column;
        }
    }

    void bind(const std::string& input, Choose choose) {
        if (proposal_.binding.contains(input)) return;
        if (const auto column = (this->*choose)(input)) proposal_.binding[input] = *column;
    }

    std::optional<std::string> targetColumn(const std::string& input) const {
        const auto& targets = loss_.targets;
        if (std::find(targets.begin(), targets.end(), input) == targets.end()) return std::nullopt;
        const std::set<std::string> used = usedColumns();
        const auto isFree = [&](const Column& column) {
            return column.isTarget && !used.contains(column.name);
        };
        const std::optional<std::string> fitting = onlyOne(input, isFree);
        return fitting ? fitting : onlyTarget(isFree);
    }

    /// If there is only one target, it is meant, and what is wrong with it can be reported.
    template <typename Condition>
    std::optional<std::string> onlyTarget(Condition&& isFree) const {
        const auto& columns = data_.columns();
        if (loss_.targets.size() != 1 || std::ranges::count_if(columns, isFree) != 1)
            return std::nullopt;
        return std::ranges::find_if(columns, isFree)->name;
    }

    std::optional<std::string> columnOfSameName(const std::string& input) const {
        return data_.findColumn(input) ? std::optional(input) : std::nullopt;
    }

    /// An input that has a value of its own takes only a column of the same name.
    std::optional<std::string> onlyFittingColumn(const std::string& input) const {
        if (helperInput(input, session_.inputType(input)) != HelperInput::None) return std::nullopt;
        const std::set<std::string> used = usedColumns();
        return onlyOne(input, [&](const Column& column) { return !used.contains(column.name); });
    }

    std::set<std::string> usedColumns() const {
        std::set<std::string> used;
        for (const auto& [name, column] : proposal_.binding) used.insert(column);
        return used;
    }

    /// The one column that fits the input and the condition.
    template <typename Condition>
    std::optional<std::string> onlyOne(const std::string& input, Condition&& condition) const {
        const ValueType type = session_.inputType(input);
        if (objectionToAnyColumn(types_, input)) return std::nullopt;
        std::vector<std::string> names;
        for (const Column& column : data_.columns()) {
            if (columnFits(type, column) && condition(column)) names.push_back(column.name);
        }
        return names.size() == 1 ? std::optional(names.front()) : std::nullopt;
    }

    void check(const std::string& input) {
        const ValueType type = session_.inputType(input);
        const auto bound = proposal_.binding.find(input);
        if (bound == proposal_.binding.end() && takesDefault(input)) return;
        const bool isTarget = std::ranges::count(loss_.targets, input) > 0;
        if (const auto objection = objectionToAnyColumn(types_, input)) {
            proposal_.findings.push_back(errorFinding(
                bound == proposal_.binding.end() ? "D001" : "D002",
                "Input '" + input + "', " + formatType(type) + ", " + objection->message,
                isTarget ? "It is an input of the loss: let the loss read an output whose first "
                           "axis is the batch."
                         : objection->hint));
            return;
        }
        if (bound == proposal_.binding.end()) {
            proposal_.findings.push_back(errorFinding(
                "D001", "Input '" + input + "', " + formatType(type) + ", has no data column.",
                "The columns are " + columnList() + "; specify the one that feeds it."));
            return;
        }
        const Column& column = data_.columns()[data_.columnIndex(bound->second)];
        if (const auto objection = objectionToLabels(input)) {
            proposal_.findings.push_back(errorFinding("D002", objection->message, objection->hint));
            return;
        }
        if (const auto found = objectionToReading(input, type, column); found && isTarget) {
            proposal_.findings.push_back(*found);
            return;
        }
        if (columnFits(type, column)) return;
        proposal_.findings.push_back(errorFinding("D002",
                                                  "Column " + describe(column) +
                                                      " does not match input '" + input + "', " +
                                                      formatType(type) + ".",
                                                  "Bind another column, or convert the data."));
    }

    /// Gives an input without a column its default, if it has one.
    bool takesDefault(const std::string& input) {
        const DefaultInputs defaults(inputTypesOf(session_), data_, proposal_.binding);
        const std::optional<DefaultInput> found = defaults.of(input);
        if (found) proposal_.defaults[input] = found->what;
        return found.has_value();
    }

    /// Inputs that are fed alike are named together.
    void sayDefaults() {
        std::map<std::string, std::vector<std::string>> inputs;
        for (const auto& [input, what] : proposal_.defaults) inputs[what].push_back(input);
        for (const auto& [what, names] : inputs) {
            const bool isOne = names.size() == 1;
            proposal_.findings.push_back({"D120",
                                          Severity::Info,
                                          {},
                                          {},
                                          (isOne ? "Input " : "Inputs ") + joinedQuoted(names) +
                                              (isOne ? " has" : " have") + " no data column and " +
                                              (isOne ? "is" : "are") + " fed with " + what + ".",
                                          "To feed one from the data, bind a column to it.",
                                          {}});
        }
    }

    /// A sequence of one token has no next one.
    void checkLengthOfSequences() {
        const auto bound = proposal_.binding.find(loss_.tokens);
        if (bound == proposal_.binding.end()) return;
        const Column& column = data_.columns()[data_.columnIndex(bound->second)];
        if (column.elementsPerSample() != 1) return;
        proposal_.findings.push_back(
            errorFinding("D121",
                         "Column " + describe(column) +
                             " holds sequences of one token; the labels are the next tokens, so "
                             "each sequence needs at least two.",
                         "Use longer sequences."));
    }

    /// The shapes of a batch by input, to check the labels' shape against that of the logits.
    std::map<std::string, Shape> shapesOfBatch() const {
        std::map<std::string, Shape> shapes;
        for (const auto& [name, columnName] : proposal_.binding) {
            const Column& column = data_.columns()[data_.columnIndex(columnName)];
            const auto sample = sampleShape(session_.inputType(name), column);
            const bool isTarget = name == loss_.target;
            if (!isTarget && !sample) continue;
            Shape& shape = shapes[name];
            shape = isTarget ? column.shape : *sample;
            shape.insert(shape.begin(), fixedBatchSize(session_, true).value_or(kShapeBatch));
        }
        return shapes;
    }

    std::optional<LossObjection> objectionToLabels(const std::string& input) const {
        if (input != loss_.target) return std::nullopt;
        return temper::objectionToLabels(graphWithLoss(session_), session_.context().ops->catalog,
                                         loss_, shapesOfBatch());
    }

    void sayDoubt() {
        const auto doubt = doubtAboutLabels(
            graphWithLoss(session_), session_.context().ops->catalog, loss_, shapesOfBatch());
        if (!doubt) return;
        proposal_.findings.push_back(
            {"D122", Severity::Warning, {}, {}, doubt->message, doubt->hint, {}});
    }

    /// Among the numbers of more than two classes, distances mean nothing.
    void sayNumberedClasses() {
        constexpr size_t kShown = 3;
        for (const std::string& input : loss_.targets) {
            const auto bound = proposal_.binding.find(input);
            if (bound == proposal_.binding.end() || isInteger(types_.at(input).dtype)) continue;
            const Column& column = data_.columns()[data_.columnIndex(bound->second)];
            if (column.classes.size() <= 2) continue;
            const auto numbered = [index = 0](const std::string& name) mutable {
                return "'" + name + "' as " + std::to_string(index++);
            };
            proposal_.findings.push_back(
                {"D126",
                 Severity::Warning,
                 {},
                 {},
                 "The loss takes '" + input + "' as numbers, but column '" + column.name +
                     "' holds names of classes (" + joined(column.classes, numbered, kShown) + ").",
                 "If the order of the classes means nothing, use a loss of classes, such as "
                 "cross-entropy.",
                 {}});
        }
    }

    /// Labels have to be less than the number of logits.
    void checkLabels() {
        if (!loss_.tokens.empty())
            return checkLabels({loss_.tokens, loss_.predictions.front(), classesOf(session_, loss_),
                                loss_.ignoredLabel});
        for (const ClassTarget& target : classTargets(graphWithLoss(session_))) checkLabels(target);
    }

    /// Reports the first bad label.
    void checkLabels(const ClassTarget& target) {
        const auto bound = proposal_.binding.find(target.input);
        if (bound == proposal_.binding.end() || target.classes <= 0) return;
        const size_t column = data_.columnIndex(bound->second);
        if (!isInteger(data_.columns()[column].dtype)) return;
        const int64_t step = samplesPerPiece(data_.columns()[column]);
        for (int64_t begin = 0; begin < data_.size(); begin += step) {
            if (!checkLabels(target, column, begin)) return;
        }
    }

    /// Returns false at the first bad label, after reporting it.
    bool checkLabels(const ClassTarget& target, size_t column, int64_t begin) {
        const std::vector<int64_t> samples = pieceFrom(data_, column, begin);
        const Tensor labels = data_.batch(column, samples).cast(DType::Int64);
        const auto perSample = std::max<int64_t>(labels.numElements() / std::ssize(samples), 1);
        for (int64_t i = 0; i < labels.numElements(); ++i) {
            const int64_t label = labels.values<int64_t>()[static_cast<size_t>(i)];
            if (target.takes(label) || label == target.ignoredLabel) continue;
            const int64_t sample = begin + i / perSample;
            if (loss_.tokens.empty()) {
                proposal_.findings.push_back(unknownLabel(target, column, label, sample));
                return false;
            }
            if (label == loss_.padToken || i % perSample == 0) continue;
            proposal_.findings.push_back(unknownToken(column, label, sample, target.classes));
            return false;
        }
        return true;
    }

    Finding unknownLabel(const ClassTarget& target, size_t index, int64_t label,
                         int64_t sample) const {
        const Column& column = data_.columns()[index];
        return errorFinding("D003",
                            "Column '" + column.name + "' holds the label " +
                                describeLabel(column, label) + " in " +
                                nameOfSample(data_, sample) + ", but '" + target.prediction +
                                "' has " + counted(target.classes, "class", "classes") + ", 0 to " +
                                std::to_string(target.classes - 1) + ".",
                            hintForLabel(column, target.classes, target.input == loss_.target));
    }

    /// Targets of losses that take only some numbers.
    void checkRanges() {
        std::vector<RangedTarget> targets = rangedTargets(graphWithLoss(session_));
        std::erase_if(targets, [this](const RangedTarget& target) {
            const auto bound = proposal_.binding.find(target.input);
            return bound == proposal_.binding.end() ||
                   !columnFits(session_.inputType(target.input),
                               data_.columns()[data_.columnIndex(bound->second)]);
        });
        std::ranges::move(findTargetsOutOfRange(targets, proposal_.binding, data_),
                          std::back_inserter(proposal_.findings));
    }

    Finding unknownToken(size_t column, int64_t token, int64_t sample, int64_t classes) const {
        const std::string padding =
            token < 0 ? ""
                      : " If this is the padding token, generate the artifacts with --pad-id " +
                            std::to_string(token) + ".";
        return errorFinding("D003",
                            "Column '" + data_.columns()[column].name + "' holds the token " +
                                std::to_string(token) + " in " + nameOfSample(data_, sample) +
                                ", but '" + loss_.predictions.front() + "' knows " +
                                counted(classes, "token") + ", 0 to " +
                                std::to_string(classes - 1) + ".",
                            "Create the data with the model's own tokenizer." + padding);
    }

    std::string columnList() const {
        return joined(data_.columns(), [](const Column& column) { return describe(column); });
    }

    const TrainingSession& session_;
    const Dataset& data_;
    LossInfo loss_;
    std::map<std::string, ValueType> types_;
    BindingProposal proposal_;
};

}  // namespace

BindingProposal proposeBinding(const TrainingSession& session, const Dataset& data,
                               const std::map<std::string, std::string>& given) {
    return Binder(session, data).run(given);
}

std::vector<BatchField> batchFields(const TrainingSession& session, const Dataset& data,
                                    const std::map<std::string, std::string>& binding,
                                    bool training) {
    std::vector<BatchField> fields;
    const std::map<std::string, ValueType> types = inputTypesOf(session);
    const DefaultInputs defaults(types, data, binding);
    for (const std::string& input : session.inputNames(training)) {
        const auto bound = binding.find(input);
        if (bound == binding.end()) {
            if (const std::optional<DefaultInput> usual = defaults.of(input)) {
                fields.push_back(usual->field);
                continue;
            }
            throw Error(ErrorCode::InvalidInput,
                        "Input '" + input + "' of the model is not bound to a data column.",
                        "Specify the column that feeds it.");
        }
        if (const auto objection = objectionToAnyColumn(types, input)) {
            throw Error(
                ErrorCode::InvalidInput,
                "Input '" + input + "', " + formatType(types.at(input)) + ", " + objection->message,
                objection->hint);
        }
        const Column& column = data.columns()[data.columnIndex(bound->second)];
        fields.push_back(fieldFor(input, session.inputType(input), column));
    }
    return fields;
}

BatchField fieldFor(const std::string& input, const ValueType& type, const Column& column) {
    const std::optional<Shape> shape = sampleShape(type, column);
    if (!shape || !takesValuesOf(type.dtype, column.dtype)) {
        throw Error(ErrorCode::InvalidInput, "Column " + describe(column) +
                                                 " does not match input '" + input + "', " +
                                                 formatType(type) + ".");
    }
    return {column.name, type.dtype, *shape};
}

bool takesValuesOf(DType input, DType given) {
    if (input == given) return true;
    if (given == DType::Bool) return isFloating(input) || isInteger(input);
    const bool isNumber = isInteger(given) || given == DType::Float32 || given == DType::Float64;
    if (input == DType::Float32 || input == DType::Float64) return isNumber;
    return isInteger(input) && isInteger(given);
}

std::optional<int64_t> fixedBatchSize(const TrainingSession& session, bool training) {
    for (const std::string& input : session.inputNames(training)) {
        const ValueType type = session.inputType(input);
        if (type.rank() > 0 && type.shape->front().isNumber()) return type.shape->front().value;
    }
    return std::nullopt;
}

}  // namespace temper

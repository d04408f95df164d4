// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <QTest>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/cli/command_flags.h"
#include "engine/training/projects/command_line.h"
#include "engine/training/spec/run_settings.h"
#include "tests/app/temper_program.h"
#include "tests/support/changed_setting.h"

namespace temper::test {

/// Every choice of a specification but those of the run, other than its default.
constexpr const char* kOtherChoices = R"({
    "model": "cnn.onnx",
    "fixed_inputs": {"sr": 16000, "training mode": -0.5},
    "free_batch": true,
    "head_classes": 5,
    "hidden_units": [8, 4],
    "replace": ["If", "/nms/\u002a"],
    "sharing": {
        "tie": ["embedding", "lm head"],
        "untie": ["conv.weight"],
        "part": ["table"],
        "keep_merged": ["fused", "fused.1"]
    },
    "restore_norms": ["*"],
    "rename": {"image": "pixels", "out": "logits"},
    "artifacts": {
        "trainable": ["fc*", "!fc1.bias"],
        "frozen": ["conv1.weight"],
        "loss": {"key": "smooth-l1", "values": {"beta": 0.5}},
        "loss_inputs": ["logits", "label"],
        "optimizer": {"key": "lion", "values": {"weight_decay": 0.1}},
        "parameter_groups": [
            {"pattern": "head.*, !head.bias", "learning_rate_factor": 0.1},
            {"pattern": "a:b", "learning_rate_factor": 1, "weight_decay": 0, "start_step": 5}
        ],
        "decay_biases_and_norms": false,
        "straight_through": ["Round"],
        "stop_gradient": ["/stem/\u002a"],
        "frozen_statistics": ["*"],
        "extra_outputs": ["hidden"],
        "prefix": "small_",
        "nominal_checkpoint": true,
        "ort_format": true
    }
})";

using Json = nlohmann::json;

/// A value by its place in the document, such as "/run/seed".
using Places = std::map<std::string, Json>;

Places placesOf(const Json& document) {
    Places places;
    for (const auto& item : document.items()) {
        const std::string place = "/" + item.key();
        if (place != "/artifacts" && place != "/run" && place != "/sharing") {
            places[place] = item.value();
            continue;
        }
        for (const auto& inner : item.value().items())
            places[place + "/" + inner.key()] = inner.value();
    }
    return places;
}

/// A model and data, which every command has, and otherwise the defaults.
Json usualDocument() {
    TrainingSpec spec;
    spec.model = "model.onnx";
    spec.run.data = "data.npz";
    return Json::parse(toJson(spec));
}

/// Every choice, other than its default.
Json otherDocument() {
    TrainingSpec spec = trainingSpecFromJson(kOtherChoices);
    for (const Setting<RunSpec>& setting : runSettings()) change(setting, spec.run);
    spec.run.binding["label"] = "species";  // a second flag
    // A command takes no unknown ones.
    spec.run.metrics = {"accuracy", "mae"};
    spec.run.bestMetric = "accuracy";
    return Json::parse(toJson(spec));
}

/// The two commands as a shell splits them, each without "temper" and its subcommand.
std::vector<std::vector<std::string>> wordsOf(const std::string& line) {
    const ProgramResult shell = runShell("temper() { shift; printf '%s\\n' \"$@\"; echo; }; " +
                                         QString::fromStdString(line));
    std::vector<std::vector<std::string>> commands;
    for (const QString& words : QString::fromUtf8(shell.out).split("\n\n", Qt::SkipEmptyParts)) {
        commands.emplace_back();
        for (const QString& word : words.split('\n')) commands.back().push_back(word.toStdString());
    }
    return commands;
}

/// CLI11 takes the words from the end.
void parse(CLI::App& command, std::vector<std::string> words) {
    std::ranges::reverse(words);
    command.parse(std::move(words));
}

/// What `temper artifacts` and `temper train` read from their arguments.
TrainingSpec parsed(const std::string& line) {
    const auto commands = wordsOf(line);
    if (commands.size() != 2) throw std::runtime_error("not two commands: " + line);
    CLI::App artifacts, train;
    cli::ArtifactsFlags ofArtifacts;
    ofArtifacts.addTo(artifacts);
    parse(artifacts, commands[0]);
    std::string folder, prefix;
    cli::RunFlags ofRun;
    train.add_option("DIR", folder);
    train.add_option("--prefix", prefix);
    ofRun.addTo(train);
    parse(train, commands[1]);
    TrainingSpec spec = ofArtifacts.spec();
    spec.run = ofRun.spec();
    if (folder != ofArtifacts.out || prefix != ofArtifacts.prefix)
        throw std::runtime_error("the second command reads other files: " + line);
    return spec;
}

/// The specification as a command can have it: it always saves, has no window to pause it, and has
/// no epochs beside steps.
TrainingSpec asCommand(TrainingSpec spec) {
    if (spec.run.saveFolder.empty()) spec.run.saveFolder = "checkpoints";
    for (const Setting<RunSpec>& setting : runSettings())
        if (setting.flag.empty() || isReplaced(setting, spec.run)) setDefault(setting, spec.run);
    return spec;
}

void compareWithParsed(const TrainingSpec& spec) {
    const std::string line = commandLineOf(spec, {});
    try {
        QCOMPARE(QString::fromStdString(toJson(parsed(line))),
                 QString::fromStdString(toJson(asCommand(spec))));
    } catch (const std::exception& error) {
        QFAIL((line + ": " + error.what()).c_str());
    }
}

/// The window's "Copy as command" means the same as the choices that it was copied from.
class CliCopiedCommandTest : public QObject {
    Q_OBJECT

private slots:
    void everyChoiceHasACase() {
        const Places usual = placesOf(usualDocument()), other = placesOf(otherDocument());
        for (const auto& [place, value] : usual) {
            const auto found = other.find(place);
            QVERIFY2(found != other.end(), place.c_str());
            QVERIFY2(found->second != value, place.c_str());
        }
        QCOMPARE(other.size(), usual.size());
    }

    void eachChoiceIsInTheCommand_data() {
        QTest::addColumn<QString>("value");
        for (const auto& [place, value] : placesOf(otherDocument()))
            QTest::newRow(place.c_str()) << QString::fromStdString(value.dump());
    }
    void eachChoiceIsInTheCommand() {
        QFETCH(QString, value);
        Json document = usualDocument();
        document[Json::json_pointer(QTest::currentDataTag())] = Json::parse(value.toStdString());
        compareWithParsed(trainingSpecFromJson(document.dump()));
    }

    void allChoicesTogetherAreInTheCommand() {
        compareWithParsed(trainingSpecFromJson(otherDocument().dump()));
    }

    void eachNumberOfASelectionIsInTheCommand_data() {
        QTest::addColumn<QString>("place");
        QTest::addColumn<int>("index");
        addRows("/artifacts/loss", lossChoices());
        addRows("/artifacts/optimizer", optimizerChoices());
        addRows("/run/schedule", scheduleChoices());
    }
    void eachNumberOfASelectionIsInTheCommand() {
        QFETCH(QString, place);
        QFETCH(int, index);
        const Choice& choice = choicesAt(place).at(static_cast<size_t>(index));
        Json selection = {{"key", choice.key}};
        for (const HyperParameter& each : choice.hyperParameters) {
            const double other = each.defaultValue == each.maximum ? each.minimum : each.maximum;
            if (each.kind == HyperParameter::Kind::List)
                selection["lists"][each.key] = {each.minimum, other};
            else
                selection["values"][each.key] = other;
        }
        Json document = usualDocument();
        document[Json::json_pointer(place.toStdString())] = selection;
        compareWithParsed(trainingSpecFromJson(document.dump()));
    }

private:
    static void addRows(const char* place, const std::vector<Choice>& choices) {
        for (size_t i = 0; i < choices.size(); ++i)
            QTest::addRow("%s %s", place, choices[i].key.c_str())
                << QString(place) << static_cast<int>(i);
    }
    static const std::vector<Choice>& choicesAt(const QString& place) {
        if (place.endsWith("loss")) return lossChoices();
        return place.endsWith("optimizer") ? optimizerChoices() : scheduleChoices();
    }
};

}  // namespace temper::test

QTEST_APPLESS_MAIN(temper::test::CliCopiedCommandTest)
#include "cli_copied_command_test.moc"

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/data/open_data.h"
#include "engine/ir/type_inference.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/trainer/trainer.h"

namespace temper::test {

/// A lesson set up for training; tests may change `spec` and `data` before run().
class LessonRun {
public:
    explicit LessonRun(const std::string& lesson, int threads = 1)
        : LessonRun(findLesson(lesson).spec, lesson, threads) {}

    /// `edit` changes the model before the artifacts are generated.
    LessonRun(const TrainingSpec& training, const std::string& lesson, int threads = 1,
              const std::function<void(Graph&)>& edit = {})
        : spec(training.run) {
        const std::unique_ptr<Graph> model = loadLessonModel(findLesson(lesson));
        if (edit) edit(*model);
        inferTypes(*model, ops->catalog);
        artifacts = generateArtifacts(*model, *ops, training.artifacts);
        restart(CheckpointState(artifacts.checkpoint), threads);
        const OpenedData opened = openData(spec.data, spec.evalData, lessonFiles());
        data.training = opened.training;
        data.evaluation = opened.evaluation;
        data.binding = proposeBinding(*session, *data.training, spec.binding).binding;
    }

    /// A new session, which begins with this state.
    void restart(CheckpointState begin, int threads = 1) {
        state = std::make_shared<CheckpointState>(std::move(begin));
        SessionOptions options = spec.session;
        options.threads = threads;
        session = std::make_unique<TrainingSession>(artifacts, state, ops, options);
    }

    RunOutcome run() { return run(control); }

    RunOutcome run(RunControl& theControl) {
        Trainer trainer(
            *session, data, spec, theControl,
            [&](const RunEvent& event) {
                events.push_back(event);
                if (onEvent) onEvent(event);
            },
            group);
        return trainer.run();
    }

    /// All events of a kind, in order.
    template <typename Fact>
    std::vector<Fact> all() const {
        std::vector<Fact> facts;
        for (const RunEvent& event : events) {
            if (const Fact* fact = std::get_if<Fact>(&event.fact)) facts.push_back(*fact);
        }
        return facts;
    }

    std::vector<double> losses() const {
        std::vector<double> values;
        for (const StepEvent& event : all<StepEvent>()) values.push_back(event.loss);
        return values;
    }

    std::vector<float> parameters() const {
        const Tensor buffer = session->toBuffer(false);
        return {buffer.values<float>().begin(), buffer.values<float>().end()};
    }

    std::shared_ptr<const OpSet> ops = std::make_shared<const OpSet>(standardOps());
    RunSpec spec;
    Artifacts artifacts;  ///< as the session began with
    std::shared_ptr<CheckpointState> state;
    std::unique_ptr<TrainingSession> session;
    TrainerData data;
    RunControl control;
    Group* group = nullptr;  ///< of ranks that train together
    std::vector<RunEvent> events;
    TrainerCallback onEvent;
};

}  // namespace temper::test

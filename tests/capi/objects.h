// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <temper/temper.h>

#include <QString>
#include <QTest>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "tests/capi/owned_object.h"

namespace temper::test {

struct Release {
    void operator()(TemperModel* object) const { temper_model_release(object); }
    void operator()(TemperArtifacts* object) const { temper_artifacts_release(object); }
    void operator()(TemperCheckpoint* object) const { temper_checkpoint_release(object); }
    void operator()(TemperSession* object) const { temper_session_release(object); }
    void operator()(TemperInference* object) const { temper_inference_release(object); }
    void operator()(TemperFailure* object) const { temper_failure_release(object); }
    void operator()(void* memory) const { temper_memory_release(memory); }
};

template <typename T>
using Owned = OwnedObject<T, Release>;

/// The failure of the latest call.
class FailureTexts {
public:
    TemperFailure** out() { return failure_.out(); }
    TemperFailure* get() { return failure_.get(); }
    QString message() { return QString::fromUtf8(temper_failure_message(get())); }
    QString hint() { return QString::fromUtf8(temper_failure_hint(get())); }

private:
    Owned<TemperFailure> failure_;
};

/// Fails the test with the texts of `failure`, a FailureTexts.
#define TEMPER_SUCCEEDS(call) \
    QVERIFY2((call) == TEMPER_OK, qPrintable(failure.message() + "\n" + failure.hint()))

inline TemperArray arrayOf(const Tensor& tensor) {
    return {tensor.address(), static_cast<int64_t>(tensor.byteSize()), tensor.shape().data(),
            tensor.rank(),    static_cast<int32_t>(tensor.dtype()),    0};
}

inline std::vector<TemperArray> arraysOf(const std::vector<Tensor>& tensors) {
    std::vector<TemperArray> arrays;
    for (const Tensor& tensor : tensors) arrays.push_back(arrayOf(tensor));
    return arrays;
}

/// A copy of what C returned.
inline Tensor tensorOf(const TemperArray& array) {
    return Tensor::wrap(static_cast<DType>(array.dtype),
                        Shape(array.shape, array.shape + array.rank), nullptr, array.data)
        .clone();
}

inline std::vector<std::string> listOf(const TemperNames& names) {
    return {names.names, names.names + names.count};
}

/// What a session over files of artifacts needs.
struct TrainingObjects {
    Owned<TemperArtifacts> artifacts;
    Owned<TemperCheckpoint> checkpoint;
    Owned<TemperSession> session;

    /// Returns: an error, or an empty text.
    QString load(const std::string& training, const std::string& eval, const std::string& optimizer,
                 const std::string& state, const char* specification = nullptr) {
        FailureTexts failure;
        const TemperArtifactPaths paths{
            sizeof(TemperArtifactPaths), training.c_str(), eval.empty() ? nullptr : eval.c_str(),
            optimizer.empty() ? nullptr : optimizer.c_str(), state.c_str()};
        if (temper_artifacts_load_files(&paths, artifacts.out(), failure.out()) == TEMPER_OK &&
            temper_checkpoint_create(artifacts, checkpoint.out(), failure.out()) == TEMPER_OK) {
            temper_session_create(artifacts, checkpoint, specification, session.out(),
                                  failure.out());
        }
        return failure.message();
    }

    /// The losses of a step's outputs, as double; NaN after an error.
    double trainStep(const std::vector<Tensor>& inputs) {
        return step(&temper_session_train_step, inputs);
    }
    double evalStep(const std::vector<Tensor>& inputs) {
        return step(&temper_session_eval_step, inputs);
    }

private:
    template <typename F>
    double step(F&& function, const std::vector<Tensor>& inputs) {
        TemperNames names = {};
        const bool training = function == &temper_session_train_step;
        temper_session_outputs(session, training ? 1 : 0, &names, nullptr);
        std::vector<TemperArray> outputs(static_cast<size_t>(names.count));
        const std::vector<TemperArray> arrays = arraysOf(inputs);
        FailureTexts failure;
        const TemperStatus status =
            function(session, arrays.data(), static_cast<int64_t>(arrays.size()), outputs.data(),
                     names.count, failure.out());
        if (status != TEMPER_OK) {
            qWarning("%s", qPrintable(failure.message()));
            return std::nan("");
        }
        return tensorOf(outputs.front()).toDouble();
    }
};

}  // namespace temper::test

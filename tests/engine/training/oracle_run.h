// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/engine/training/fixtures.h"
#include "tests/support/oracle.h"

namespace temper::test {

// Training the same artifacts in Temper ("here") and in the real ONNX Runtime ("there").

/// A session over the artifacts of a folder, or over a checkpoint in it, at ONNX Runtime's initial
/// rate.
std::unique_ptr<TrainingSession> sessionIn(const QString& folder,
                                           const QString& checkpoint = "checkpoint");

/// The losses of `steps` whole steps over the slices of the data from the first one.
std::vector<double> trainHere(TrainingSession& session, const Arrays& data, int64_t steps);

/// The same in ONNX Runtime: the artifacts of a folder, .onnx or .ort, from a checkpoint in it.
OracleResult trainThere(const QString& folder, const QString& checkpoint, const QString& feeds,
                        int64_t steps, const QStringList& more = {});

/// Fails the test if the losses of train.py's output differ from those found here.
void compareLosses(const QJsonObject& there, const std::vector<double>& here,
                   double tolerance = 1e-5);
/// The same for parameters. 1e-4 relative is above the noise of 32-bit sums.
void compareParameters(const CheckpointState& here, const Arrays& there, double absolute = 1e-5,
                       double relative = 1e-4);
/// Fails the test if two states differ in a bit of their parameters or moments.
void compareBits(const CheckpointState& found, const CheckpointState& expected);

/// The inputs of the fixture's model at a step, without the target, which an exported model lacks.
Arrays modelInputs(const TorchFixture& fixture, TrainingSession& session, int64_t step);
QString feedsFile(const TorchFixture& fixture);

}  // namespace temper::test

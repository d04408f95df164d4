// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything that a program needs to train ONNX models with the installed package `Temper`:
///
///     find_package(Temper REQUIRED)
///     target_link_libraries(program PRIVATE Temper::training)
///
/// This header and those it includes are the public ones: the installation contains no others.
/// docs/cpp.md shows a complete program.

#include "engine/core/error.h"
#include "engine/core/tensor.h"
#include "engine/data/batch_loader.h"
#include "engine/data/dataset.h"
#include "engine/data/open_data.h"
#include "engine/distributed/group.h"
#include "engine/distributed/loaded_transport.h"
#include "engine/ir/graph.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/checkpoint_folder.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/ops/op_set.h"
#include "engine/ort/checkpoint_file.h"
#include "engine/ort/ort_model.h"
#include "engine/runtime/cpu/compute_pool.h"
#include "engine/runtime/profile.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/artifacts/eval_model.h"
#include "engine/training/artifacts/training_block.h"
#include "engine/training/binding/binding.h"
#include "engine/training/blocks/blocks.h"
#include "engine/training/blocks/loss_blocks.h"
#include "engine/training/evaluation/evaluation.h"
#include "engine/training/loss/loss_function.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/optimizers/optimizers.h"
#include "engine/training/ort_classic/gradient_graph_builder.h"
#include "engine/training/ort_classic/training_session.h"
#include "engine/training/session/checkpoint_state.h"
#include "engine/training/session/inference_model.h"
#include "engine/training/session/module.h"
#include "engine/training/session/optimizer.h"
#include "engine/training/session/training_session.h"
#include "engine/training/session/weight_average.h"
#include "engine/training/spec/training_spec.h"
#include "engine/training/trainer/trainer.h"

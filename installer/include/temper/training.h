// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything that a program needs to train ONNX models with the installed package `Temper`:
///
///     find_package(Temper REQUIRED)
///     target_link_libraries(program PRIVATE Temper::training)
///
/// This header, and those it includes, are the public ones: the installation holds no others.
/// docs/cpp.md shows a whole program.

#include "engine/core/error.h"
#include "engine/core/tensor.h"
#include "engine/data/batch_loader.h"
#include "engine/data/dataset.h"
#include "engine/data/open_data.h"
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
#include "engine/training/artifacts.h"
#include "engine/training/binding.h"
#include "engine/training/blocks/blocks.h"
#include "engine/training/blocks/loss_blocks.h"
#include "engine/training/blocks/training_block.h"
#include "engine/training/checkpoint_state.h"
#include "engine/training/classic/gradient_graph_builder.h"
#include "engine/training/classic/training_session.h"
#include "engine/training/eval_model.h"
#include "engine/training/inference_model.h"
#include "engine/training/lr_schedule.h"
#include "engine/training/module.h"
#include "engine/training/optimizer.h"
#include "engine/training/optimizers.h"
#include "engine/training/trainer.h"
#include "engine/training/training_session.h"
#include "engine/training/training_spec.h"
#include "engine/training/weight_average.h"

# SPDX-License-Identifier: Apache-2.0
"""Which tests show what: the interface of onnxruntime-training 1.19, the ways people use it, what
it does wrong, and what the page for its users says about differences.

A test is "file::function", both without "test_"; the one that is most to the point comes first.
test_specification.py checks that the tests exist, and that nothing lacks one.
"""

from __future__ import annotations

Rows = dict[str, list[str]]

ARTIFACTS: Rows = {
    "model": [
        "artifacts::model_may_be_a_path_text_or_a_proto",
        "artifacts::a_message_stays_as_it_is_and_nothing_is_returned",
        "artifacts::model_of_another_kind_is_a_runtime_error",
        "artifacts::missing_model_is_a_file_not_found_error",
        "faults::a_model_of_more_than_2_gib_as_a_message_is_refused",
        "block_artifacts::a_model_of_more_than_2_gib_trains_with_blocks",
    ],
    "requires_grad": [
        "artifacts::names_may_be_any_iterable",
        "artifacts::a_text_is_no_list_of_names",
        "artifacts::unknown_trained_names_are_refused",
        "artifacts::a_name_in_both_lists_is_refused",
    ],
    "frozen_params": [
        "artifacts::names_may_be_any_iterable",
        "artifacts::a_text_is_no_list_of_names",
        "artifacts::unknown_frozen_names_are_ignored",
    ],
    "loss": [
        "oracle_training::losses_gradients_and_parameters_are_those_of_the_real_one",
        "artifacts::a_loss_of_another_kind_is_refused",
        "artifacts::without_a_loss_the_first_output_is_one",
        "onnxblock::a_block_as_loss_trains_like_the_named_loss",
        "onnxblock::a_forward_block_as_loss_trains",
        "onnxblock::wrong_blocks_are_refused_before_anything_is_written",
        "block_artifacts::a_class_instead_of_a_block_is_refused",
    ],
    "optimizer": [
        "artifacts::an_optimizer_of_another_kind_is_a_type_error_before_anything_is_written",
        "block_artifacts::an_optimizer_of_ones_own_receives_all_parameters",
        "onnxblock_parts::sgd_with_and_without_clipping_steps_along_the_gradient",
    ],
    "artifact_directory": [
        "artifacts::the_folder_may_be_text_a_path_or_the_current_one",
        "artifacts::a_missing_folder_is_not_created",
    ],
    "prefix": ["artifacts::prefix_begins_the_names_and_may_name_a_folder"],
    "ort_format": [
        "artifacts::ort_format_and_nominal_checkpoint_add_files",
        "oracle_names::files_in_ort_format_train_here_and_there",
    ],
    "custom_op_library": ["faults::17_nothing_is_written_before_a_wrong_choice_is_refused"],
    "additional_output_names": [
        "artifacts::additional_outputs_follow_the_loss",
        "artifacts::additional_outputs_may_be_values_inside_of_the_model",
        "artifacts::unknown_additional_outputs_are_a_lookup_error",
    ],
    "nominal_checkpoint": [
        "artifacts::ort_format_and_nominal_checkpoint_add_files",
        "oracle_checkpoints::nominal_checkpoints_are_exchanged_both_ways",
    ],
    "loss_input_names": [
        "artifacts::loss_inputs_choose_the_output_that_the_loss_reads",
        "artifacts::of_several_loss_inputs_the_second_is_the_target",
        "artifacts::without_loss_inputs_a_second_output_is_no_label",
        "onnxblock::a_loss_of_two_outputs_receives_both",
        "faults::without_a_loss_the_other_outputs_come_after_the_first",
    ],
    "unknown": ["artifacts::an_unknown_option_is_a_type_error_that_lists_the_options"],
    "order and defaults": ["signatures::arguments_are_those_of_onnxruntime"],
    "LossType, OptimType": ["artifacts::enums_have_onnxruntimes_numbers"],
    "a second call": [
        "artifacts::a_second_call_writes_the_same_bytes",
        "block_artifacts::a_second_call_with_blocks_writes_the_same_bytes",
        "remarks::choices_and_files_are_told",
    ],
    "what is printed": [
        "artifacts::nothing_is_printed",
        "remarks::without_logging_nothing_is_printed",
    ],
}

BUILDING: Rows = {
    "base": [
        "onnxblock::base_opens_a_copy",
        "onnxblock::a_second_base_while_one_is_open_is_an_error",
        "onnxblock::an_exception_closes_the_base",
    ],
    "empty_base": ["onnxblock::empty_base_has_versions_that_onnxruntime_reads"],
    "custom_op_library": ["onnxblock::custom_op_library_yields_an_existing_path"],
    "save_checkpoint": ["onnxblock::checkpoints_from_and_to_models"],
    "load_checkpoint_to_model": [
        "onnxblock::checkpoints_from_and_to_models",
        "oracle_blocks::checkpoints_of_both_are_loaded_into_models_by_both",
    ],
}

BLOCK_CLASSES: Rows = {
    "Block": [
        "onnxblock::a_block_with_an_absolute_temporary_file_is_refused",
        "onnxblock::a_block_that_breaks_the_model_is_refused",
        "onnxblock::types_of_the_open_model_are_inferred",
    ],
    "Block without a call of its base class": ["onnxblock::blocks_need_not_call_their_base_class"],
    "Block outside of a base": ["onnxblock::a_block_outside_of_a_base_names_what_is_missing"],
    "ForwardBlock": [
        "onnxblock::forward_block_makes_a_model_of_its_outputs",
        "onnxblock::outputs_of_a_forward_block_are_typed_and_those_of_the_open_model",
    ],
    "TrainingBlock": [
        "onnxblock::training_block_makes_models_and_parameters",
        "oracle_blocks::four_files_by_hand_train_alike_here_and_there",
    ],
    "TrainingBlock.requires_grad": [
        "onnxblock::training_block_makes_models_and_parameters",
        "onnxblock::a_graph_input_can_require_a_gradient",
    ],
    "nodes of one's own": ["usages::8_distillation_with_nodes_of_one_s_own"],
}

_COMPUTE = ["onnxblock_parts::blocks_compute"]

BLOCKS: Rows = {
    **{
        name: ["oracle_blocks::forward_blocks_of_both_compute_the_same_in_both", *_COMPUTE]
        for name in (
            "Add", "Sub", "Mul", "Div", "Pow", "ReduceMean", "ReduceSum", "Sigmoid", "Neg", "Abs",
            "Constant", "Clip", "Cast",
        )
    },
    "Log": ["onnxblock_parts::log"],
    "SequenceConstruct": ["onnxblock_parts::sequence_construct_and_pass_through"],
    "ReduceAllL2": ["onnxblock_parts::reduce_all_l2"],
    "PassThrough": [
        "onnxblock_parts::sequence_construct_and_pass_through",
        "onnxblock::a_pass_through_keeps_the_models_own_loss",
    ],
    "InputLike": ["onnxblock_parts::input_like_adds_an_input_of_the_same_type"],
    "LabelEncoder": [
        "onnxblock_parts::label_encoder",
        "oracle_blocks::forward_blocks_of_both_compute_the_same_in_both",
    ],
    "Linear": ["onnxblock_parts::linear", "onnxblock_parts::linear_without_bias_and_with_factors"],
    "Block": BLOCK_CLASSES["Block"],
}

LOSSES: Rows = {
    "MSELoss": ["onnxblock_parts::7_losses_of_values"],
    "L1Loss": ["onnxblock_parts::7_losses_of_values"],
    "BCEWithLogitsLoss": [
        "onnxblock_parts::7_losses_of_values",
        "onnxblock_parts::bce_of_large_logits_is_finite",
        "onnxblock_parts::7_weighted_losses_train",
    ],
    "CrossEntropyLoss": [
        "onnxblock_parts::7_cross_entropy_with_weights_and_an_ignored_label",
        "oracle_blocks::labels_of_cross_entropy_lack_the_dimension_that_the_operator_reads",
        "block_artifacts::cross_entropy_of_a_value_inside_of_the_model",
    ],
}

LOSS_RULES: Rows = {
    "reduction": [
        "onnxblock_parts::an_unknown_reduction_is_a_runtime_error",
        "onnxblock_parts::7_losses_of_values",
    ],
    "a shared target": ["onnxblock_parts::two_losses_can_share_a_target"],
    "labels of a LabelEncoder": [
        "oracle_blocks::the_output_of_a_label_encoder_can_be_the_labels_there",
        "onnxblock_parts::the_output_of_a_label_encoder_can_be_the_labels",
    ],
}

OPTIMIZERS: Rows = {
    "ClipGradNorm": [
        "onnxblock_parts::clip_grad_norm_returns_the_name_of_the_clipped_sequence",
        "onnxblock_parts::sgd_with_and_without_clipping_steps_along_the_gradient",
    ],
    "AdamW": [
        "onnxblock_parts::adamw_has_its_defaults_and_clips",
        "onnxblock_parts::adamw_passes_its_arguments_on",
        "oracle_blocks::four_files_by_hand_train_alike_here_and_there",
    ],
    "SGD": [
        "onnxblock_parts::sgd_with_and_without_clipping_steps_along_the_gradient",
        "oracle_blocks::four_files_by_hand_train_alike_here_and_there",
    ],
}

CHECKPOINT_STATE: Rows = {
    "load_checkpoint": [
        "checkpoint_state::a_checkpoint_may_be_given_as_text_path_or_bytes",
        "checkpoint_state::the_class_called_with_a_path_names_todays_spelling",
    ],
    "save_checkpoint": [
        "checkpoint_state::saving_works_on_the_class_and_on_an_instance",
        "oracle::properties_and_checkpoints_are_exchanged_both_ways",
    ],
    "parameters": [
        "checkpoint_state::an_unknown_parameter_is_a_key_error",
        "checkpoint_state::assigning_an_array_copies_it_from_any_layout",
        "checkpoint_state::another_dtype_shape_or_kind_is_a_runtime_error",
        "checkpoint_state::membership_and_length",
        "checkpoint_state::iteration_yields_pairs_sorted_by_name",
    ],
    "nominal": [
        "checkpoint_state::a_nominal_state_has_names_only",
        "checkpoint_state::what_needs_values_is_refused_in_a_nominal_state",
    ],
    "properties": [
        "checkpoint_state::properties_keep_int64_float32_and_text",
        "checkpoint_state::properties_refuse_other_types",
        "checkpoint_state::a_property_may_change_its_type",
        "checkpoint_state::an_unknown_property_is_a_key_error",
        "checkpoint_state::properties_iterate_as_sorted_pairs",
        "checkpoint_state::properties_are_saved_without_a_module",
    ],
    "state_dict": ["copies::state_dicts"],
    "copies": ["checkpoint_state::a_state_can_be_copied_and_pickled"],
}

PARAMETER: Rows = {
    "name": ["checkpoint_state::name_and_requires_grad_are_read_only"],
    "requires_grad": ["checkpoint_state::name_and_requires_grad_are_read_only"],
    "data": [
        "checkpoint_state::data_is_a_live_writable_view",
        "checkpoint_state::data_stays_valid_after_state_and_module",
        "checkpoint_state::data_from_before_a_module_is_the_same_memory",
        "checkpoint_state::a_frozen_parameter_is_a_live_view_too",
        "oracle_checkpoints::views_of_parameters_and_gradients_behave_as_there",
    ],
    "grad": [
        "checkpoint_state::grad_is_none_before_a_module_and_zeros_after",
        "checkpoint_state::editing_grad_before_the_step_counts",
        "checkpoint_state::a_frozen_parameter_is_a_live_view_too",
    ],
    "__repr__": ["checkpoint_state::repr_of_a_parameter"],
    "numpy": ["native::anything_with_dlpack_goes_in"],
}

MODULE: Rows = {
    "__init__": [
        "module::paths_may_be_text_or_paths",
        "module::a_missing_model_is_a_file_not_found_error",
        "module::device_cpu",
        "module::another_device_is_refused",
        "module::session_options_give_the_number_of_threads",
        "module::session_options_that_cannot_be_kept_are_refused",
    ],
    "training": ["module::train_and_eval_set_the_mode_and_return_the_module"],
    "__call__": [
        "module::the_loss_is_a_bare_or_first_0_dimensional_float32_array",
        "module::several_outputs_come_as_a_tuple",
        "module::results_belong_to_the_caller",
        "module::lists_among_arrays_are_converted_and_none_is_dropped",
        "module::inputs_may_be_named",
        "module::tensors_of_other_libraries_go_in",
        "module::all_inputs_as_one_list_names_todays_spelling",
        "module::wrong_number_of_inputs_names_them",
    ],
    "OrtValues": [
        "oracle_names::with_the_genuine_onnxruntime_installed_ours_trains",
        "module::ort_values_only_give_ort_values",
    ],
    "dtypes": ["module::other_dtypes_are_refused_and_change_nothing"],
    "shapes": ["native::wrong_shapes_and_element_types_name_the_input"],
    "layout": [
        "module::any_strides_and_read_only_arrays",
        "native::arrays_of_any_layout_and_byte_order_go_in",
        "native::a_step_does_not_copy_a_contiguous_array",
    ],
    "after an error": ["module::other_dtypes_are_refused_and_change_nothing"],
    "train": ["module::train_and_eval_set_the_mode_and_return_the_module"],
    "eval": [
        "module::train_and_eval_set_the_mode_and_return_the_module",
        "module::eval_changes_no_gradient",
    ],
    "lazy_reset_grad": ["module::lazy_reset_grad_keeps_the_values_until_the_next_step"],
    "get_contiguous_parameters": [
        "module::contiguous_parameters_are_a_snapshot_in_the_order_of_the_graph",
    ],
    "get_parameters_size": ["module::parameters_size_counts_the_trainable_ones_by_default"],
    "copy_buffer_to_parameters": [
        "module::copying_a_buffer_takes_arrays_of_any_shape",
        "module::a_buffer_of_the_trainable_ones_leaves_the_frozen_ones",
        "module::a_buffer_of_another_size_is_refused",
    ],
    "export_model_for_inferencing": ["module::export_for_inferencing"],
    "input_names": ["module::names_are_those_of_the_mode"],
    "output_names": ["module::names_are_those_of_the_mode"],
    "get_state": ["usages::18_old_spellings_tell_today_s"],
}

OPTIMIZER: Rows = {
    "step": [
        "optimizer::adamw_does_what_its_formula_says",
        "optimizer::a_step_before_any_training_step_uses_zero_gradients",
        "optimizer::the_loss_falls",
    ],
    "set_learning_rate": ["optimizer::learning_rate_has_no_range"],
    "get_learning_rate": [
        "optimizer::learning_rate_is_a_thousandth_at_first_and_after_loading",
        "optimizer::a_scheduler_made_after_a_load_goes_on_from_the_steps_that_are_done",
    ],
}

SCHEDULER: Rows = {
    "__init__": [
        "optimizer::linear_schedule_warms_up_then_falls",
        "optimizer::a_scheduler_made_after_a_load_goes_on_from_the_steps_that_are_done",
        "oracle_checkpoints::1_a_schedule_continues_from_a_checkpoint_as_there",
        "optimizer::the_initial_rate_of_a_schedule_is_in_the_checkpoint",
    ],
    "step": ["optimizer::linear_schedule_warms_up_then_falls"],
}

ROUND_TRIPS: Rows = {
    "with and without optimizer state": [
        "optimizer::with_optimizer_state_further_losses_are_the_same_bits",
        "oracle_checkpoints::the_real_one_continues_our_checkpoint_with_its_optimizer_state",
        "oracle_checkpoints::we_continue_a_checkpoint_of_the_real_one_with_its_optimizer_state",
        "oracle_checkpoints::the_moments_count",
    ],
    "nominal": ["optimizer::a_nominal_state_with_a_full_buffer_trains_the_same_bits"],
}

PROCESS: Rows = {
    "set_seed": [
        "process::the_same_seed_before_a_module_gives_the_same_losses",
        "names::a_plain_onnxruntime_stays_and_its_seed_seeds_temper_too",
    ],
    "logging": ["remarks::without_logging_nothing_is_printed", "process::training_prints_nothing"],
    "lock": [
        "process::other_threads_run_while_a_step_computes",
        "fit::other_threads_run_during_a_run",
    ],
    "four threads": [
        "process::one_module_called_by_four_threads_takes_turns",
        "process::one_session_used_by_four_threads_takes_turns",
        "process::four_sessions_in_four_threads_do_what_one_does",
    ],
}

_ALIKE = "oracle_usages::a_way_of_use_gives_the_same_numbers"

USAGES: Rows = {
    "1": ["usages::1_the_notebook_for_digits", _ALIKE],
    "2": ["usages::2_the_last_layer_trains", _ALIKE],
    "3": ["usages::3_everything_trains_but_running_statistics", _ALIKE],
    "4": ["usages::4_adapters_by_substring_of_a_model_by_path", _ALIKE],
    "5": ["usages::5_a_pass_through_that_skips_the_check", _ALIKE],
    "6": ["usages::6_blocks_by_hand_and_four_files", _ALIKE],
    "7": ["usages::7_a_loss_with_a_mask", _ALIKE],
    "8": ["usages::8_distillation_with_nodes_of_one_s_own", _ALIKE],
    "9": ["usages::9_an_adapter_by_graph_surgery_for_a_phone", _ALIKE],
    "10": ["usages::10_forces_are_the_gradient_of_an_input", _ALIKE],
    "11": ["usages::11_federated_averaging", _ALIKE],
    "12": ["usages::12_weights_go_into_another_model_by_name", _ALIKE],
    "13": ["usages::13_one_process_trains_for_several_data_sets", _ALIKE],
    "14": [
        "usages::14_training_in_a_thread_and_in_request_handlers",
        "usages::14_the_window_of_a_program_that_trains_in_a_thread_stays_alive",
    ],
    "15": ["usages::15_choices_by_name_from_a_configuration", _ALIKE],
    "16": [
        "usages::16_training_graphs_for_a_simulator",
        "oracle_usages::16_graphs_are_typed_as_those_of_the_real_one",
    ],
    "17": ["usages::17_an_import_that_may_fail"],
    "18": ["usages::18_old_spellings_tell_today_s"],
}

FAULTS: Rows = {
    "1": [
        "faults::1_warmup_and_total_are_not_swapped",
        "oracle::1_our_schedule_is_the_real_ones_with_warmup_and_total_swapped_back",
        "oracle_checkpoints::1_a_schedule_continues_from_a_checkpoint_as_there",
    ],
    "2": ["faults::2_eval_without_an_eval_model_is_an_error"],
    "3": ["faults::3_a_parameter_may_be_written_before_a_module_exists"],
    "4": ["faults::4_objects_keep_what_they_use"],
    "5": ["faults::5_a_label_that_is_no_class_is_an_error_with_its_place"],
    "6": ["faults::6_parameters_and_properties_have_a_repr"],
    "7": [
        "faults::7_losses_without_reduction_and_with_weights",
        "onnxblock_parts::7_losses_of_values",
        "onnxblock_parts::7_cross_entropy_with_weights_and_an_ignored_label",
        "onnxblock_parts::7_weighted_losses_train",
    ],
    "8": [
        "faults::8_a_loss_node_without_its_optional_output_trains",
        "faults::8_a_normalization_and_a_pooling_without_their_optional_outputs_train",
    ],
    "9": ["onnxblock::9_a_scalar_and_a_weighted_loss_of_shape_1_train_together"],
    "10": [
        "oracle_names::10_batch_normalization_trains_and_evaluates_here_and_there",
        "faults::10_and_12_batch_normalization_trains_and_its_statistics_are_found",
    ],
    "11": ["faults::11_a_forward_model_is_refused_as_training_model"],
    "12": [
        "faults::10_and_12_batch_normalization_trains_and_its_statistics_are_found",
        "remarks::statistics_that_are_found_are_told",
    ],
    "13": ["faults::13_no_temporary_file_is_in_the_current_folder"],
    "14": [
        "faults::14_training_needs_numpy_only",
        "names::importing_prints_nothing_starts_no_thread_and_needs_only_numpy",
        "oracle::onnx_onnxruntime_and_temper_live_in_one_process",
    ],
    "15": ["faults::15_all_missing_gradients_are_told_at_once"],
    "16": [
        "faults::16_a_missing_checkpoint_is_named",
        "faults::16_messages_have_no_places_in_sources",
    ],
    "17": [
        "faults::17_nothing_is_written_before_a_wrong_choice_is_refused",
        "faults::17_nothing_is_written_before_a_block_fails",
    ],
    "18": ["faults::18_a_model_of_any_origin_trains_in_three_lines"],
    "19": [
        "faults::19_values_that_no_one_asked_for_in_advance_are_there",
        "remarks::19_that_only_the_loss_comes_back_is_told",
    ],
    "20": [
        "faults::20_a_model_of_a_newer_opset_is_converted_to_what_onnxruntime_reads",
        "block_artifacts::20_opset_and_ir_version_are_those_that_the_real_one_reads",
        "block_artifacts::20_the_real_one_loads_all_artifacts_of_a_newer_model",
    ],
}

#: By the beginning of the first cell of the row, in docs/coming_from_onnxruntime.md.
DIFFERENCES: Rows = {
    "warm-up and total steps": FAULTS["1"],
    "`eval()` without an eval model": FAULTS["2"] + FAULTS["3"],
    "an `Optimizer` made before a nominal state": [
        "optimizer::a_nominal_state_with_a_full_buffer_trains_the_same_bits",
    ],
    "objects do not keep what they use": FAULTS["4"],
    "a label that is not a class": FAULTS["5"],
    "a forward model is accepted": FAULTS["11"],
    "running statistics of batch": FAULTS["12"],
    "files are written before": FAULTS["17"] + FAULTS["15"],
    "a property of type `numpy.float32`": CHECKPOINT_STATE["properties"][:1],
    "a generator as list of names": ARTIFACTS["requires_grad"][:2],
    "with several outputs and no `loss_input_names`": [
        "artifacts::without_loss_inputs_a_second_output_is_no_label",
    ],
    "`generate_artifacts` refuses an `os.PathLike`": [
        "artifacts::model_may_be_a_path_text_or_a_proto",
        "artifacts::additional_outputs_may_be_values_inside_of_the_model",
        "artifacts::the_folder_may_be_text_a_path_or_the_current_one",
    ],
    "it logs to the root logger": [
        "remarks::statistics_that_are_found_are_told",
        "remarks::another_opset_is_told",
        "remarks::without_logging_nothing_is_printed",
    ],
    "a model by path leaves `temp.onnx`": FAULTS["13"],
    "artifacts have the model's opset": FAULTS["20"],
    "session options": MODULE["__init__"][-2:],
    "with `requires_grad` only": ["onnxblock::a_block_as_loss_trains_like_the_named_loss"],
    "custom operator libraries": ARTIFACTS["custom_op_library"],
    "a block `LabelEncoder` computes": LOSS_RULES["labels of a LabelEncoder"],
    "losses without reduction": FAULTS["7"],
    "the sum of a loss of shape []": FAULTS["9"],
    "a loss block reads graph outputs only": [
        "block_artifacts::cross_entropy_of_a_value_inside_of_the_model",
    ],
    "`CrossEntropyLoss` declares labels": [
        "oracle_blocks::labels_of_cross_entropy_lack_the_dimension_that_the_operator_reads",
    ],
    "`BCEWithLogitsLoss` is infinite": ["onnxblock_parts::bce_of_large_logits_is_finite"],
    "the names of nodes and values": ARTIFACTS["a second call"][:2],
}

TABLES: dict[str, Rows] = {
    "2 artifacts": ARTIFACTS,
    "3.1 building": BUILDING,
    "3.2 block classes": BLOCK_CLASSES,
    "3.3 blocks": BLOCKS,
    "3.4 losses": LOSSES,
    "3.4 rules of losses": LOSS_RULES,
    "3.4 optimizers": OPTIMIZERS,
    "4.1 CheckpointState": CHECKPOINT_STATE,
    "4.1 Parameter": PARAMETER,
    "4.2 Module": MODULE,
    "4.3 Optimizer": OPTIMIZER,
    "4.3 LinearLRScheduler": SCHEDULER,
    "4.4 round trips": ROUND_TRIPS,
    "5 process": PROCESS,
    "6 faults": FAULTS,
    "9 usages": USAGES,
    "differences": DIFFERENCES,
}

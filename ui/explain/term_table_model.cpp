// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/explain/term_table.h"
#include "ui/translation/tr.h"

namespace temper::ui {

std::vector<Term> modelTerms() {
    return {
        {"lion",
         tr("Lion"),
         tr("Uses only the sign of the mean gradient: every weight moves by the same amount. It "
            "needs only one moment, a small rate and more weight decay."),
         "w ← w − η · sign(m)",
         {"adam", "moment", "weight-decay"}},
        {"weight-decay",
         tr("Weight decay"),
         tr("Every step makes the weights a little smaller, so that only those that are needed "
            "stay large. It is a remedy for overfitting. Biases and norms are often excluded."),
         "w ← w − η · λ · w",
         {"overfitting", "adam", "group"}},
        {"schedule",
         tr("Learning-rate schedule"),
         tr("How the learning rate changes during a run. Large steps first find the region, small "
            "ones at the end find the spot."),
         "",
         {"learning-rate", "warmup", "cosine", "step-decay"}},
        {"constant-rate",
         tr("Constant rate"),
         tr("The same learning rate in every step. Good for trying things out and for seeing what "
            "the rate does; a falling rate usually ends better."),
         "",
         {"schedule", "learning-rate"}},
        {"warmup",
         tr("Warm-up"),
         tr("The rate rises from nearly zero during the first steps. The first gradients are wild "
            "and the moments still empty: small steps then do less harm."),
         "",
         {"schedule", "exploding", "moment"}},
        {"linear-decay",
         tr("Linear and polynomial decay"),
         tr("The rate falls to its final value along a straight line, or along a curve of a given "
            "power. Simple, with only the length to tune."),
         "",
         {"schedule", "cosine", "warmup"}},
        {"cosine",
         tr("Cosine"),
         tr("The rate falls along half a cosine wave: slowly at first, fast in the middle, slowly "
            "at the end. With restarts, it jumps up again from time to time, to leave a bad "
            "valley."),
         "η(t) = η · (1 + cos πt) / 2",
         {"schedule", "one-cycle", "linear-decay"}},
        {"step-decay",
         tr("Step and exponential decay"),
         tr("The rate is multiplied by a factor at fixed intervals, at chosen milestones, or a "
            "little in every step."),
         "",
         {"schedule", "plateau"}},
        {"one-cycle",
         tr("One cycle"),
         tr("The rate rises high and then falls far below its start, all in one run. The large "
            "steps in the middle make training short."),
         "",
         {"schedule", "warmup", "cosine"}},
        {"plateau",
         tr("Reduce on plateau"),
         tr("The rate falls when validation has not improved for a while. It reacts to the run "
            "instead of following a plan."),
         "",
         {"schedule", "patience", "validation"}},
        {"accuracy",
         tr("Accuracy"),
         tr("The share of samples that the model gets right. If one class is much more frequent "
            "than the others, it says little: always choosing that class is then often right, "
            "too."),
         "a = n₊ / n",
         {"confusion-matrix", "precision", "recall", "validation"}},
        {"precision",
         tr("Precision"),
         tr("Of the samples that the model assigns to a class, the share that really belongs to "
            "it. High precision: few false alarms."),
         "P = TP / (TP + FP)",
         {"recall", "f1", "confusion-matrix"}},
        {"recall",
         tr("Recall"),
         tr("Of the samples of a class, the share that the model finds. High recall: few are "
            "missed. It often rises when precision falls."),
         "R = TP / (TP + FN)",
         {"precision", "f1", "roc"}},
        {"f1",
         tr("F1"),
         tr("Precision and recall in one number, their harmonic mean. It is high only if both "
            "are."),
         "F1 = 2 · P · R / (P + R)",
         {"precision", "recall", "accuracy"}},
        {"roc",
         tr("ROC curve"),
         tr("Shows for every threshold how much of a class is found and how much of the rest is "
            "wrongly assigned to it. The area under it is 0.5 for guessing and 1 for a perfect "
            "model."),
         "",
         {"recall", "precision", "calibration"}},
        {"calibration",
         tr("Calibration"),
         tr("Whether probabilities can be taken at face value: of all answers given with 80 %, "
            "eight in ten should be right. Models trained for a long time are often too sure."),
         "",
         {"logits", "label-smoothing", "roc"}},
        {"confusion-matrix",
         tr("Confusion matrix"),
         tr("A table that counts the samples of each class (rows) by predicted class (columns). "
            "Right answers are on the diagonal; the other cells show which classes are confused."),
         "",
         {"accuracy", "precision", "recall", "class"}},
        {"residual",
         tr("Residual"),
         tr("The error of a model that predicts numbers: predicted minus actual. A good model "
            "leaves residuals without a pattern; a bend or a funnel shows what it has not "
            "understood."),
         "r = ŷ − y",
         {"mse", "mae"}},
        {"saliency",
         tr("Saliency"),
         tr("The gradient of an answer with respect to the input: which pixels or values matter "
            "most if they change a little. Quick, and often noisy."),
         "s = ∂zₖ / ∂x",
         {"occlusion", "gradient"}},
        {"occlusion",
         tr("Occlusion"),
         tr("Parts of a picture are covered one after the other: the answer relies most on those "
            "whose absence changes it most. Slower than saliency and easier to trust."),
         "",
         {"saliency"}},
        {"graph",
         tr("Model"),
         tr("A graph of operators: tensors flow along its edges from the inputs to the outputs. In "
            "a forward model, parameters are tensors stored with it."),
         "",
         {"operator", "parameter", "opset", "gradient-graph"}},
        {"operator",
         tr("Operator"),
         tr("One kind of computation in a model, such as Gemm, Conv or Relu. To train through it, "
            "its derivative has to be known; the report says where it is not."),
         "",
         {"opset", "gradient-graph", "broadcast", "graph"}},
        {"opset",
         tr("Opset"),
         tr("The version of the operator set that a model was written for. Operators change "
            "between versions; a model states which one it uses."),
         "",
         {"operator", "graph"}},
        {"shape",
         tr("Shape"),
         tr("The sizes of a tensor along its dimensions: [32, 3, 28, 28] are 32 pictures with 3 "
            "colours and 28 by 28 pixels. A name instead of a number stands for any size, usually "
            "that of the batch."),
         "",
         {"broadcast", "batch", "graph"}},
        {"broadcast",
         tr("Broadcasting"),
         tr("A smaller tensor is repeated along missing dimensions to fit a larger one: a bias is "
            "added to every sample. In the backward pass, the gradients of all repetitions are "
            "summed."),
         "",
         {"shape", "operator", "gradient"}},
        {"gradient-graph",
         tr("Gradient graph"),
         tr("The model and its backward pass, from the loss to the parameters, as one graph of "
            "operators. It is built once and then runs in every step."),
         "",
         {"gradient", "operator", "artifact"}},
        {"straight-through",
         tr("Straight through"),
         tr("Rounding has a derivative of zero and stops every gradient. Passing the gradient "
            "through unchanged is wrong in theory and works well in practice."),
         "",
         {"gradient", "vanishing", "operator"}},
        {"stop-gradient",
         tr("Stop gradient"),
         tr("A place in the model where you chose to stop gradients. Its value counts as a "
            "constant, as with detach() in PyTorch. The model computes the same, but parameters "
            "that affect the loss only through this place stay frozen."),
         "",
         {"gradient", "frozen", "straight-through"}},
        {"eval-model",
         tr("Eval model"),
         tr("The model with its loss and without anything that is only for training, such as "
            "dropout. It is used for validation and predictions."),
         "",
         {"artifact", "validation", "batch-norm"}},
        {"artifact",
         tr("Artifact"),
         tr("One of the files that make up a training: training model, eval model, optimizer model "
            "and checkpoint. ONNX Runtime can train with them, too."),
         "",
         {"gradient-graph", "eval-model", "optimizer", "checkpoint"}},
        {"export",
         tr("Export"),
         tr("Writes the trained weights back into a forward model that any ONNX runtime can use. "
            "It is compared with the eval model before it counts as done."),
         "",
         {"checkpoint", "eval-model", "ema"}},
    };
}

}  // namespace temper::ui

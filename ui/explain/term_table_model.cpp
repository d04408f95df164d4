// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/explain/term_table.h"
#include "ui/translation/tr.h"

namespace temper::ui {

std::vector<Term> modelTerms() {
    return {
        {"lion",
         tr("Lion"),
         tr("Takes only the sign of the mean gradient: every weight moves by the same amount. It "
            "needs one moment only, a small rate and more weight decay."),
         "w ← w − η · sign(m)",
         {"adam", "moment", "weight-decay"}},
        {"weight-decay",
         tr("Weight decay"),
         tr("Every step makes the weights a little smaller, so that only those stay large that "
            "are needed. It is a means against overfitting. Biases and norms are often left out."),
         "w ← w − η · λ · w",
         {"overfitting", "adam", "group"}},
        {"schedule",
         tr("Learning-rate schedule"),
         tr("How the learning rate changes during a run. Large steps at first find the region, "
            "small ones at the end find the place."),
         "",
         {"learning-rate", "warmup", "cosine", "step-decay"}},
        {"constant-rate",
         tr("Constant rate"),
         tr("The same learning rate in every step. Good for trying things out and for watching "
            "what the rate does; a falling one ends better most of the time."),
         "",
         {"schedule", "learning-rate"}},
        {"warmup",
         tr("Warm-up"),
         tr("The rate rises from nearly zero during the first steps. The first gradients are "
            "wild and the moments still empty: small steps do less harm then."),
         "",
         {"schedule", "exploding", "moment"}},
        {"linear-decay",
         tr("Linear and polynomial decay"),
         tr("The rate falls to its end along a straight line, or along a curve of a given power. "
            "Simple, and nothing to tune but the length."),
         "",
         {"schedule", "cosine", "warmup"}},
        {"cosine",
         tr("Cosine"),
         tr("The rate falls along half a cosine wave: slowly at first, fast in the middle, "
            "slowly at the end. With restarts it jumps up again now and then, to leave a bad "
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
         tr("The rate falls when the validation has not become better for a while. It waits for "
            "what happens and does not follow a plan."),
         "",
         {"schedule", "patience", "validation"}},
        {"accuracy",
         tr("Accuracy"),
         tr("The share of samples that the model gets right. Where one class is much more "
            "frequent than others it says little: always choosing that class is right often, too."),
         "a = n₊ / n",
         {"confusion-matrix", "precision", "recall", "validation"}},
        {"precision",
         tr("Precision"),
         tr("Of the samples that the model takes for a class, the share that really belongs to "
            "it. High precision: few false alarms."),
         "P = TP / (TP + FP)",
         {"recall", "f1", "confusion-matrix"}},
        {"recall",
         tr("Recall"),
         tr("Of the samples of a class, the share that the model finds. High recall: little is "
            "missed. It often rises when precision falls."),
         "R = TP / (TP + FN)",
         {"precision", "f1", "roc"}},
        {"f1",
         tr("F1"),
         tr("Precision and recall in one number, their harmonic mean. It is high only where both "
            "are."),
         "F1 = 2 · P · R / (P + R)",
         {"precision", "recall", "accuracy"}},
        {"roc",
         tr("ROC curve"),
         tr("Shows for every threshold how much of a class is found and how much of the rest is "
            "wrongly taken for it. The area under it is 0.5 for guessing and 1 for a perfect "
            "model."),
         "",
         {"recall", "precision", "calibration"}},
        {"calibration",
         tr("Calibration"),
         tr("Whether probabilities are meant as said: of all answers with 80 %, eight in ten "
            "should be right. Models that train long are often too sure."),
         "",
         {"logits", "label-smoothing", "roc"}},
        {"confusion-matrix",
         tr("Confusion matrix"),
         tr("A table that counts the samples of each class (rows) by what the model says "
            "(columns). Right answers are on the diagonal; what is beside it shows which classes "
            "are taken for each other."),
         "",
         {"accuracy", "precision", "recall", "class"}},
        {"residual",
         tr("Residual"),
         tr("What a model of numbers is off by: predicted minus right. A good model leaves "
            "residuals without a pattern; a bend or a funnel shows what it has not understood."),
         "r = ŷ − y",
         {"mse", "mae"}},
        {"saliency",
         tr("Saliency"),
         tr("The gradient of an answer by its input: which pixels or values matter most for it "
            "when they change a little. Quick, and often noisy."),
         "s = ∂zₖ / ∂x",
         {"occlusion", "gradient"}},
        {"occlusion",
         tr("Occlusion"),
         tr("Parts of a picture are covered one after the other; where the answer suffers most "
            "is what it rests on. Slower than saliency and easier to believe."),
         "",
         {"saliency"}},
        {"graph",
         tr("Model"),
         tr("A graph of operators: tensors flow along its edges from the inputs to the outputs. "
            "In a forward model, parameters are tensors that are stored with it."),
         "",
         {"operator", "parameter", "opset", "gradient-graph"}},
        {"operator",
         tr("Operator"),
         tr("One kind of computation in a model, such as Gemm, Conv or Relu. To train through "
            "it, its derivative has to be known; the report says where that is not so."),
         "",
         {"opset", "gradient-graph", "broadcast", "graph"}},
        {"opset",
         tr("Opset"),
         tr("The version of the set of operators that a model was written for. Operators change "
            "between versions; a model says which one it means."),
         "",
         {"operator", "graph"}},
        {"shape",
         tr("Shape"),
         tr("The sizes of a tensor along its dimensions: [32, 3, 28, 28] are 32 pictures of 3 "
            "colours with 28 by 28 pixels. A name in place of a number can be any size, the batch "
            "most of the time."),
         "",
         {"broadcast", "batch", "graph"}},
        {"broadcast",
         tr("Broadcasting"),
         tr("A smaller tensor is repeated along missing dimensions to fit a larger one: a bias "
            "is added to every sample. On the way back the gradients of all repetitions are "
            "summed."),
         "",
         {"shape", "operator", "gradient"}},
        {"gradient-graph",
         tr("Gradient graph"),
         tr("The model and what is needed to come back from the loss to the parameters, as one "
            "graph of operators. It is built once and then runs in every step."),
         "",
         {"gradient", "operator", "artifact"}},
        {"straight-through",
         tr("Straight through"),
         tr("Rounding has a derivative of zero and stops every gradient. Letting it pass "
            "unchanged is wrong in theory and works well in practice."),
         "",
         {"gradient", "vanishing", "operator"}},
        {"stop-gradient",
         tr("Stop gradient"),
         tr("A place in the model where gradients end by choice: what comes from there counts as a "
            "constant, as with detach() in PyTorch. The model computes the same; parameters that "
            "the loss reaches no other way stay as they are."),
         "",
         {"gradient", "frozen", "straight-through"}},
        {"eval-model",
         tr("Eval model"),
         tr("The model with its loss and without anything that is for training only, such as "
            "dropout. Validation and predictions use it."),
         "",
         {"artifact", "validation", "batch-norm"}},
        {"artifact",
         tr("Artifact"),
         tr("One of the files that training is made of: training model, eval model, optimizer "
            "model and checkpoint. ONNX Runtime can train with them, too."),
         "",
         {"gradient-graph", "eval-model", "optimizer", "checkpoint"}},
        {"export",
         tr("Export"),
         tr("Writes the trained weights back into a forward model that any runtime for ONNX can "
            "use. It is compared with the eval model before it counts as done."),
         "",
         {"checkpoint", "eval-model", "ema"}},
    };
}

}  // namespace temper::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "ui/explain/terms.h"
#include "ui/translation/tr.h"

namespace temper::ui {

std::vector<Term> terms() {
    return {
        {"sample",
         tr("Sample"),
         tr("One example that the model learns from or is tested on: a picture, a row of a "
            "table, a point. It has the values that go in and, for learning, what is right."),
         "",
         {"target", "class", "batch", "validation"}},
        {"target",
         tr("Target"),
         tr("What the model is to say for a sample: the right class or the right number. The "
            "loss compares it with what the model says."),
         "",
         {"class", "loss", "binding"}},
        {"class",
         tr("Class"),
         tr("One of the answers that a model can choose from, such as one of ten digits. Inside "
            "of the model classes are numbers from 0 on; their names come from the data."),
         "",
         {"target", "logits", "accuracy"}},
        {"binding",
         tr("Binding"),
         tr("Says which column of the data feeds which input of the model. Most of it is found "
            "by name, type and shape; the rest is chosen on the data page."),
         "",
         {"target", "shape", "sample"}},
        {"validation",
         tr("Validation"),
         tr("Samples that are kept out of training and only looked at. How good the model is on "
            "them tells what to expect of samples that it has never seen."),
         "",
         {"overfitting", "stratified-split", "leakage", "early-stopping"}},
        {"stratified-split",
         tr("Stratified split"),
         tr("Divides samples into a part for training and a part for validation so that every "
            "class has the same share in both. Without it a rare class may be missing in one of "
            "them."),
         "",
         {"validation", "class", "leakage", "seed"}},
        {"leakage",
         tr("Leakage"),
         tr("The same sample, or a copy of it, is in the training and in the validation samples. "
            "The model has seen the answers then, and the validation figures are too good to be "
            "true."),
         "",
         {"validation", "overfitting", "stratified-split"}},
        {"normalization",
         tr("Normalization"),
         tr("Brings numbers to a common scale: the mean is subtracted, and the rest divided by "
            "the deviation. Features of a similar size are learned at a similar speed. What was "
            "measured on the training samples serves all others, too."),
         "x′ = (x − μ) / σ",
         {"sample", "leakage", "batch-norm"}},
        {"augmentation",
         tr("Augmentation"),
         tr("Training samples are varied at random each time they are seen: moved, turned, "
            "mirrored. What is right does not change. The model sees more variety and relies less "
            "on accidents."),
         "",
         {"overfitting", "epoch", "sample"}},
        {"data-wait",
         tr("Data wait"),
         tr("The share of the time in which training waits for the next batch. If it is high, "
            "reading the data is the bottleneck, and not the model."),
         "",
         {"batch", "step"}},
        {"seed",
         tr("Seed"),
         tr("The number that all chance of a run begins with: the order of the samples, dropout, "
            "augmentation. The same seed gives the same curve; another one shows how much of a "
            "result is luck."),
         "",
         {"run", "epoch", "augmentation"}},
        {"run",
         tr("Run"),
         tr("One training from its start to its end, with its choices, curves and checkpoints. "
            "Runs stay in the list and can be compared."),
         "",
         {"epoch", "checkpoint", "seed"}},
        {"epoch",
         tr("Epoch"),
         tr("One pass over all training samples, each seen once, in a new order. Most models "
            "need several epochs to a few hundred."),
         "",
         {"batch", "step", "overfitting"}},
        {"batch",
         tr("Batch"),
         tr("The samples that are computed together in one pass; their gradients are averaged. "
            "Large batches give a calmer direction and need more memory; small ones are rougher, "
            "which often helps."),
         "",
         {"step", "accumulation", "epoch", "learning-rate"}},
        {"step",
         tr("Training step"),
         tr("Once forwards to the loss, once backwards to the gradients, then the optimizer "
            "changes the parameters a little. An epoch has as many steps as there are batches."),
         "",
         {"batch", "gradient", "optimizer", "epoch"}},
        {"accumulation",
         tr("Accumulation"),
         tr("The gradients of several batches are averaged before a step is taken. It works like "
            "a larger batch with the memory of a small one, and takes as much longer."),
         "",
         {"batch", "step", "gradient"}},
        {"parameter",
         tr("Parameter"),
         tr("A tensor of numbers inside of the model that training may change: weights and "
            "biases. All that the model has learned is in its parameters."),
         "",
         {"frozen", "gradient", "head", "batch-norm"}},
        {"frozen",
         tr("Frozen"),
         tr("A frozen parameter stays as it is while others train. Freezing the first layers of "
            "a trained model keeps what they know, saves time and memory, and needs fewer "
            "samples."),
         "",
         {"parameter", "head", "overfitting"}},
        {"head",
         tr("Head"),
         tr("The last layer of a model, which turns what was recognised into classes. With a new "
            "head a trained model learns other classes: everything before it can stay frozen."),
         "",
         {"frozen", "class", "logits"}},
        {"batch-norm",
         tr("Batch-norm statistic"),
         tr("Mean and variance of what flows through a batch normalization, gathered while "
            "training. They are measured, not learned: no gradient reaches them, and they are no "
            "parameters to train."),
         "",
         {"parameter", "normalization", "eval-model"}},
        {"constant",
         tr("Constant"),
         tr("A number or tensor that was written into the model when it was exported, such as an "
            "exponent or an epsilon. It belongs to the formula and not to what is learned."),
         "",
         {"parameter", "operator"}},
        {"group",
         tr("Parameter group"),
         tr("Parameters with a learning rate or weight decay of their own. A trained backbone "
            "often gets a tenth of the rate of a new head."),
         "",
         {"learning-rate", "weight-decay", "head", "frozen"}},
        {"checkpoint",
         tr("Checkpoint"),
         tr("A file with all parameters and the state of the optimizer at one step. Training "
            "goes on from it as if nothing had happened, and one can go back to it."),
         "",
         {"moment", "run", "export"}},
        {"early-stopping",
         tr("Early stopping"),
         tr("Ends the run when the validation no longer gets better, and keeps the best state. "
            "It saves time and is a simple means against overfitting."),
         "",
         {"patience", "validation", "overfitting", "checkpoint"}},
        {"patience",
         tr("Patience"),
         tr("How many evaluations without improvement are put up with before the run ends or the "
            "rate falls. Curves are rough: with too little patience one bad evaluation decides."),
         "",
         {"early-stopping", "plateau", "validation"}},
        {"overfitting",
         tr("Overfitting"),
         tr("The model learns its training samples by heart. It shows where the training loss "
            "goes on falling while the validation loss rises. More samples, augmentation, weight "
            "decay, fewer trained parameters or an early stop help."),
         "",
         {"validation", "early-stopping", "augmentation", "weight-decay"}},
        {"smoothing",
         tr("Smoothing"),
         tr("Curves are drawn as a moving average as well, because the loss of single batches "
            "jumps. The slider says how much the past counts; the training itself does not "
            "change."),
         "",
         {"loss", "batch"}},
        {"ema",
         tr("Average of the weights (EMA)"),
         tr("Beside the weights, a moving average of them is kept. It is calmer than the weights "
            "themselves and often a little better on new samples; it can be exported in their "
            "place."),
         "a ← d · a + (1 − d) · w",
         {"parameter", "validation", "export"}},
        {"recompute",
         tr("Recomputation"),
         tr("Intermediate values that the way back needs are computed a second time in place of "
            "being kept. Training needs less memory and is slower; the numbers are the same."),
         "",
         {"gradient", "batch", "bf16"}},
        {"bf16",
         tr("bfloat16"),
         tr("A number of 16 bits with the range of float32 and about three digits. Products are "
            "computed faster in it on processors that can; the weights themselves stay float32."),
         "",
         {"recompute", "step"}},
        {"plane",
         tr("Plane of the features"),
         tr("For a model of two features every point of the plane is an input. Its colour says "
            "what the model decides there, the stronger the surer. The lines between colours are "
            "the decision boundaries: training moves them until the samples lie on the right "
            "side."),
         "",
         {"class", "logits", "overfitting", "accuracy"}},
        {"loss",
         tr("Loss"),
         tr("One number that says how wrong the model is; training makes it smaller. Which loss "
            "fits depends on what the model is to say: a class, yes or no, a number."),
         "",
         {"gradient", "cross-entropy", "mse", "validation"}},
        {"logits",
         tr("Logits"),
         tr("What a classifier gives out for each class before it becomes probabilities: any "
            "numbers, the largest wins. Softmax makes shares of them that add up to 1."),
         "pᵢ = exp(zᵢ) / Σⱼ exp(zⱼ)",
         {"class", "cross-entropy", "head"}},
        {"cross-entropy",
         tr("Cross entropy"),
         tr("The usual loss for one class out of several: minus the logarithm of the probability "
            "that the model gives to the right class. Being sure and wrong costs most."),
         "L = −log p(y)",
         {"logits", "nll", "focal", "label-smoothing"}},
        {"label-smoothing",
         tr("Label smoothing"),
         tr("A small part of what is right is given to all classes. The model is kept from "
            "becoming too sure, which makes its probabilities more honest."),
         "",
         {"cross-entropy", "calibration", "overfitting"}},
        {"focal",
         tr("Focal loss"),
         tr("Cross entropy in which samples that are right already count less. The hard ones and "
            "rare classes get more of the attention."),
         "L = −(1 − p)^γ · log p",
         {"cross-entropy", "bce", "class"}},
        {"nll",
         tr("Negative log likelihood"),
         tr("Cross entropy for models that give out logarithms of probabilities already, because "
            "LogSoftmax is their last layer."),
         "",
         {"cross-entropy", "logits"}},
        {"mse",
         tr("Mean squared error"),
         tr("The usual loss for numbers: the mean of the squared differences. Large errors count "
            "much more than small ones, and so do outliers."),
         "L = mean (ŷ − y)²",
         {"mae", "huber", "residual"}},
        {"mae",
         tr("Mean absolute error"),
         tr("The mean of the differences without their sign. It is in the unit of the target, "
            "and outliers pull less at it than at the squared error."),
         "L = mean |ŷ − y|",
         {"mse", "huber", "residual"}},
        {"huber",
         tr("Huber loss"),
         tr("Squared for small errors, straight for large ones: calm near the goal and not "
            "shaken by outliers. Smooth L1 is the same with another scale."),
         "",
         {"mse", "mae"}},
        {"bce",
         tr("Binary cross entropy"),
         tr("Cross entropy for questions with yes or no, each with one logit. Several questions "
            "about a sample can be answered independently."),
         "L = −y · log p − (1 − y) · log(1 − p)",
         {"logits", "cross-entropy", "focal", "hinge"}},
        {"hinge",
         tr("Hinge loss"),
         tr("For yes and no written as 1 and −1. A sample that is right by a margin costs "
            "nothing any more; only those near the boundary or beyond it teach something."),
         "L = max(0, 1 − y · ŷ)",
         {"bce", "plane"}},
        {"kl",
         tr("Kullback-Leibler divergence"),
         tr("How far the probabilities of the model are from given probabilities. It is used to "
            "teach a model what another one says of all classes, and not the best one only."),
         "L = Σ q · (log q − log p)",
         {"cross-entropy", "logits"}},
        {"cosine-embedding",
         tr("Cosine embedding loss"),
         tr("Compares directions: pairs that belong together are to point the same way, others "
            "apart. It trains models whose output is a description and no class."),
         "cos(a, b) = a · b / (|a| · |b|)",
         {"loss", "logits"}},
        {"gradient",
         tr("Gradient"),
         tr("For each number of the parameters: how much the loss changes when it grows a "
            "little. Training walks against it, downhill. It is computed backwards through the "
            "model, layer by layer."),
         "w ← w − η · ∂L/∂w",
         {"loss", "gradient-norm", "learning-rate", "gradient-graph"}},
        {"gradient-norm",
         tr("Gradient norm"),
         tr("The length of all gradients taken together: how steep the loss is. Peaks warn of "
            "steps that are too large; close to zero nothing is learned any more."),
         "|g| = √(Σ gᵢ²)",
         {"gradient", "clipping", "exploding", "vanishing"}},
        {"exploding",
         tr("Exploding gradient"),
         tr("Gradients grow from layer to layer or step to step until numbers overflow and the "
            "loss is NaN. A lower learning rate, clipping or a warm-up helps."),
         "",
         {"gradient-norm", "clipping", "learning-rate", "warmup"}},
        {"vanishing",
         tr("Vanishing gradient"),
         tr("Gradients shrink on their way back, so that the first layers hardly learn. Units "
            "that always give zero have none at all. Other activations, normalization or "
            "shortcuts in the model help."),
         "",
         {"gradient-norm", "update-ratio", "frozen"}},
        {"update-ratio",
         tr("Update ratio"),
         tr("How large a step is compared with the weights it changes. About a thousandth is "
            "healthy; a tenth is rough, and a millionth is standing still."),
         "r = |Δw| / |w|",
         {"learning-rate", "gradient-norm", "parameter"}},
        {"clipping",
         tr("Gradient clipping"),
         tr("Gradients that are too long are scaled down to a given norm, or their numbers cut. "
            "A single bad batch can't throw the model out of its way then."),
         "g ← g · min(1, c / |g|)",
         {"gradient-norm", "exploding", "batch"}},
        {"learning-rate",
         tr("Learning rate"),
         tr("How far each step goes. Too small, and training takes forever; too large, and the "
            "loss jumps or grows. It is the number worth trying first, by factors of three or "
            "ten."),
         "w ← w − η · g",
         {"schedule", "warmup", "update-ratio", "optimizer"}},
        {"optimizer",
         tr("Optimizer"),
         tr("The rule that makes a step out of gradients. Simple ones follow the gradient; "
            "others remember earlier ones and give each weight a step of its own size."),
         "",
         {"sgd", "adam", "momentum", "learning-rate"}},
        {"sgd",
         tr("Gradient descent (SGD)"),
         tr("The plain rule: each weight goes against its gradient, as far as the learning rate "
            "says. Every batch gives only an estimate of the gradient, hence “stochastic”."),
         "w ← w − η · g",
         {"momentum", "learning-rate", "batch"}},
        {"momentum",
         tr("Momentum"),
         tr("The step keeps a part of its earlier direction, as a ball keeps rolling. It gets "
            "through noise and along narrow valleys faster. Nesterov's form looks ahead before it "
            "turns."),
         "v ← μ · v + g,  w ← w − η · v",
         {"sgd", "moment", "adam"}},
        {"moment",
         tr("Moment"),
         tr("What an optimizer remembers of each weight: a moving mean of its gradients, or of "
            "their squares. Moments are in checkpoints, so that training goes on without a jolt; "
            "they take as much memory as the weights."),
         "",
         {"adam", "momentum", "checkpoint"}},
        {"adam",
         tr("Adam and AdamW"),
         tr("Divides the mean gradient of each weight by its usual size: weights with small "
            "gradients take steps as large as others. A good first choice. AdamW keeps weight "
            "decay apart from the gradient."),
         "w ← w − η · m̂ / (√v̂ + ε)",
         {"moment", "weight-decay", "rmsprop", "lamb"}},
        {"rmsprop",
         tr("RMSprop"),
         tr("Divides each gradient by the root of the mean of its squares, so that all weights "
            "move at a similar pace. Adam is RMSprop with momentum."),
         "w ← w − η · g / (√v + ε)",
         {"adam", "adagrad", "moment"}},
        {"adagrad",
         tr("Adagrad"),
         tr("Divides by the root of the sum of all squared gradients so far. Weights that are "
            "seldom needed keep large steps; all steps become smaller with time."),
         "",
         {"rmsprop", "moment"}},
        {"lamb",
         tr("LAMB"),
         tr("Adam whose step is scaled to the size of each tensor. It stays stable with very "
            "large batches."),
         "",
         {"adam", "batch", "update-ratio"}},
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

namespace {

struct Alias {
    const char* kind;
    const char* key;
    const char* term;
};

/// Choices and numbers of the engine that do not have the id of their term.
constexpr Alias kAliases[] = {
    {"loss", "l1", "mae"},
    {"loss", "smooth-l1", "huber"},
    {"loss", "bce-with-logits", "bce"},
    {"loss", "binary-focal", "focal"},
    {"loss", "kl-div", "kl"},
    {"loss", "none", "loss"},
    {"optimizer", "adamw", "adam"},
    {"optimizer", "adamw-torch", "adam"},
    {"optimizer", "nesterov", "momentum"},
    {"optimizer", "none", "optimizer"},
    {"schedule", "constant", "constant-rate"},
    {"schedule", "linear", "linear-decay"},
    {"schedule", "polynomial", "linear-decay"},
    {"schedule", "cosine-restarts", "cosine"},
    {"schedule", "step", "step-decay"},
    {"schedule", "multi-step", "step-decay"},
    {"schedule", "exponential", "step-decay"},
    {"number", "weight_decay", "weight-decay"},
    {"number", "momentum", "momentum"},
    {"number", "beta1", "moment"},
    {"number", "beta2", "moment"},
    {"number", "alpha", "moment"},
    {"number", "clip_norm", "clipping"},
    {"number", "clip_value", "clipping"},
    {"number", "label_smoothing", "label-smoothing"},
    {"number", "warmup_steps", "warmup"},
    {"number", "min_rate", "learning-rate"},
    {"number", "patience", "patience"},
    {"metric", "loss", "loss"},
    {"metric", "mae", "mae"},
    {"metric", "mse", "mse"},
    {"metric", "rmse", "mse"},
};

}  // namespace

QString termOfChoice(const QString& kind, const QString& key) {
    const auto found =
        std::find_if(std::begin(kAliases), std::end(kAliases), [&](const Alias& alias) {
            return kind == QLatin1String(alias.kind) && key == QLatin1String(alias.key);
        });
    if (found != std::end(kAliases)) return QLatin1String(found->term);
    return kind == QLatin1String("number") ? QString() : key;
}

}  // namespace temper::ui

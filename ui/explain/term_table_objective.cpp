// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/explain/term_table.h"
#include "ui/translation/tr.h"

namespace temper::ui {

std::vector<Term> objectiveTerms() {
    return {
        {"bf16",
         tr("bfloat16"),
         tr("A 16-bit number with the range of float32 and about three digits. Products are faster "
            "in it on processors that support it; the weights themselves stay float32."),
         "",
         {"recompute", "step"}},
        {"plane",
         tr("Feature plane"),
         tr("For a model with two features, every point of the plane is an input. Its colour shows "
            "what the model decides there; the stronger the colour, the surer it is. The lines "
            "between colours are the decision boundaries: training moves them until the samples "
            "are on the right side."),
         "",
         {"class", "logits", "overfitting", "accuracy"}},
        {"unit",
         tr("Unit"),
         tr("Also called a neuron: it adds up its inputs, each times a weight, and passes the sum "
            "through an activation such as Relu. Each unit learns to respond to one pattern; a "
            "layer has many of them side by side, and the next layer combines what they find. A "
            "layer between the inputs and the outputs is called hidden."),
         "r = activation(Σᵢ wᵢ xᵢ + b)",
         {"parameter", "dead-unit", "plane"}},
        {"loss",
         tr("Loss"),
         tr("One number that says how wrong the model is; training makes it smaller. Which loss "
            "fits depends on what the model should predict: a class, yes or no, a number."),
         "",
         {"gradient", "cross-entropy", "mse", "validation"}},
        {"logits",
         tr("Logits"),
         tr("The raw outputs of a classifier, one per class, before they become probabilities: any "
            "numbers, the largest wins. Softmax turns them into shares that add up to 1."),
         "pᵢ = exp(zᵢ) / Σⱼ exp(zⱼ)",
         {"class", "cross-entropy", "head"}},
        {"cross-entropy",
         tr("Cross entropy"),
         tr("The usual loss for one class out of several: minus the logarithm of the probability "
            "that the model gives the right class. Being sure and wrong costs most."),
         "L = −log p(y)",
         {"logits", "nll", "focal", "label-smoothing"}},
        {"label-smoothing",
         tr("Label smoothing"),
         tr("A small part of the target is spread over all classes. This keeps the model from "
            "becoming too sure and makes its probabilities more honest."),
         "",
         {"cross-entropy", "calibration", "overfitting"}},
        {"focal",
         tr("Focal loss"),
         tr("Cross entropy in which samples that are already right count less. Hard samples and "
            "rare classes get more weight."),
         "L = −(1 − p)^γ · log p",
         {"cross-entropy", "bce", "class"}},
        {"nll",
         tr("Negative log likelihood"),
         tr("Cross entropy for models that already output log-probabilities, because LogSoftmax is "
            "their last layer."),
         "",
         {"cross-entropy", "logits"}},
        {"ctc",
         tr("CTC"),
         tr("Connectionist temporal classification, for reading and listening: the labels are "
            "known "
            "in order, but not at which step each occurs. The loss adds up the probabilities of "
            "all alignments; one class, the blank, stands for no label."),
         "L = −log Σ p(π | x), π: alignments of the labels",
         {"cross-entropy", "logits", "loss"}},
        {"next-token",
         tr("Next token"),
         tr("The loss of language models: at each position, the cross entropy of the model's "
            "prediction for the next token. The texts are their own labels; padding is left out."),
         "L = mean −log p(xₜ₊₁ | x₁ … xₜ)",
         {"cross-entropy", "logits", "loss"}},
        {"mse",
         tr("Mean squared error"),
         tr("The usual loss for numbers: the mean of the squared errors. Large errors count much "
            "more than small ones, and so do outliers."),
         "L = mean (ŷ − y)²",
         {"mae", "huber", "residual"}},
        {"mae",
         tr("Mean absolute error"),
         tr("The mean of the errors without their sign. It is in the unit of the target, and "
            "outliers affect it less than the squared error."),
         "L = mean |ŷ − y|",
         {"mse", "huber", "residual"}},
        {"huber",
         tr("Huber loss"),
         tr("Quadratic for small errors, linear for large ones: smooth near the goal and robust to "
            "outliers. Smooth L1 is the same with another scale."),
         "",
         {"mse", "mae"}},
        {"bce",
         tr("Binary cross entropy"),
         tr("Cross entropy for yes-or-no questions, each with one logit. Several questions about a "
            "sample can be answered independently."),
         "L = −y · log p − (1 − y) · log(1 − p)",
         {"logits", "cross-entropy", "focal", "hinge"}},
        {"hinge",
         tr("Hinge loss"),
         tr("For yes and no written as 1 and −1. A sample that is right by a margin no longer "
            "costs anything; only those near the boundary or beyond it still teach something."),
         "L = max(0, 1 − y · ŷ)",
         {"bce", "plane"}},
        {"kl",
         tr("Kullback-Leibler divergence"),
         tr("How far the probabilities of the model are from given probabilities. It is used to "
            "teach a model what another one predicts for all classes, not just the best one."),
         "L = Σ q · (log q − log p)",
         {"cross-entropy", "logits"}},
        {"cosine-embedding",
         tr("Cosine embedding loss"),
         tr("Compares directions: pairs that belong together should point the same way, others "
            "should not. It trains models whose output is a description, not a class."),
         "cos(a, b) = a · b / (|a| · |b|)",
         {"loss", "logits"}},
        {"gradient",
         tr("Gradient"),
         tr("For each number of the parameters: how much the loss changes when it grows a little. "
            "Training moves against it, downhill. It is computed backward through the model, layer "
            "by layer."),
         "w ← w − η · ∂L/∂w",
         {"loss", "gradient-norm", "learning-rate", "gradient-graph"}},
        {"gradient-norm",
         tr("Gradient norm"),
         tr("The length of all gradients taken together: how steep the loss is. Peaks warn of "
            "steps that are too large; close to zero, nothing more is learned."),
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
         tr("Gradients shrink on their way back, so that the first layers hardly learn. Units that "
            "always output zero have none at all. Other activations, normalization or shortcuts in "
            "the model help."),
         "",
         {"gradient-norm", "update-ratio", "frozen", "dead-unit"}},
        {"dead-unit",
         tr("Dead unit"),
         tr("A neuron or channel whose activation, such as ReLU, is flat for every sample: it "
            "always outputs the same number and has gradients of exactly zero, so it never "
            "recovers. It counts as dead after ten checks in a row with only zeros. A few are "
            "usual; many come from a learning rate that is too high. A lower rate, LeakyReLU or "
            "normalization helps."),
         "",
         {"vanishing", "learning-rate", "gradient"}},
        {"update-ratio",
         tr("Update ratio"),
         tr("How large a step is compared with the weights it changes. About a thousandth is "
            "healthy; a tenth is rough, and a millionth is a standstill."),
         "r = |Δw| / |w|",
         {"learning-rate", "gradient-norm", "parameter"}},
        {"clipping",
         tr("Gradient clipping"),
         tr("Gradients that are too long are scaled down to a given norm, or their values are "
            "clipped. A single bad batch then can't throw the model off course."),
         "g ← g · min(1, c / |g|)",
         {"gradient-norm", "exploding", "batch"}},
        {"learning-rate",
         tr("Learning rate"),
         tr("How far each step goes. Too small, and training takes forever; too large, and the "
            "loss jumps or grows. It is the first number to tune, by factors of three or ten."),
         "w ← w − η · g",
         {"schedule", "warmup", "update-ratio", "optimizer"}},
        {"optimizer",
         tr("Optimizer"),
         tr("The rule that turns gradients into a step. Simple ones follow the gradient; others "
            "remember earlier ones and give each weight its own step size."),
         "",
         {"sgd", "adam", "momentum", "learning-rate"}},
        {"sgd",
         tr("Gradient descent (SGD)"),
         tr("The plain rule: each weight moves against its gradient, as far as the learning rate "
            "says. Every batch gives only an estimate of the gradient, hence “stochastic”."),
         "w ← w − η · g",
         {"momentum", "learning-rate", "batch"}},
        {"momentum",
         tr("Momentum"),
         tr("The step keeps part of its previous direction, as a ball keeps rolling. It gets "
            "through noise and along narrow valleys faster. Nesterov's form looks ahead before it "
            "turns."),
         "v ← μ · v + g,  w ← w − η · v",
         {"sgd", "moment", "adam"}},
        {"moment",
         tr("Moment"),
         tr("What an optimizer remembers for each weight: a moving mean of its gradients, or of "
            "their squares. Checkpoints include the moments, so that training continues smoothly; "
            "they take as much memory as the weights."),
         "",
         {"adam", "momentum", "checkpoint"}},
        {"adam",
         tr("Adam and AdamW"),
         tr("Divides the mean gradient of each weight by its usual size: weights with small "
            "gradients take steps as large as others. A good first choice. AdamW keeps weight "
            "decay separate from the gradient."),
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
         tr("Divides by the root of the sum of all squared gradients so far. Rarely used weights "
            "keep large steps; all steps become smaller over time."),
         "",
         {"rmsprop", "moment"}},
        {"lamb",
         tr("LAMB"),
         tr("Adam whose step is scaled to the size of each tensor. It stays stable with very "
            "large batches."),
         "",
         {"adam", "batch", "update-ratio"}},
    };
}

}  // namespace temper::ui

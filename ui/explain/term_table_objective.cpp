// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/explain/term_table.h"
#include "ui/translation/tr.h"

namespace temper::ui {

std::vector<Term> objectiveTerms() {
    return {
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
        {"next-token",
         tr("Next token"),
         tr("The loss of language models: at each position, cross entropy of what the model "
            "expects behind it against the token that follows. The texts are their own labels; "
            "padding is left out."),
         "L = mean −log p(xₜ₊₁ | x₁ … xₜ)",
         {"cross-entropy", "logits", "loss"}},
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
         {"gradient-norm", "update-ratio", "frozen", "dead-unit"}},
        {"dead-unit",
         tr("Dead unit"),
         tr("A neuron or a channel whose activation, such as ReLU, is flat for every sample: it "
            "gives the same number always and has gradients of exactly zero, so that nothing wakes "
            "it. It counts as dead after ten looks in a row at nothing but zeros. A few are usual; "
            "many come from a rate that is too high, and a lower rate, LeakyReLU or normalization "
            "helps."),
         "",
         {"vanishing", "learning-rate", "gradient"}},
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
    };
}

}  // namespace temper::ui

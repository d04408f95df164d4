// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/explain/term_table.h"
#include "ui/translation/tr.h"

namespace temper::ui {

std::vector<Term> dataTerms() {
    return {
        {"sample",
         tr("Sample"),
         tr("One example that the model learns from or is tested on: a picture, a row of a table, "
            "a point. It holds the input values and, for training, the right answer."),
         "",
         {"target", "class", "batch", "validation"}},
        {"sample-rate",
         tr("Sample rate"),
         tr("How many numbers stand for one second of a sound. They can hold tones up to half of "
            "it. A model knows sounds at the rate of its training data; at another rate, every "
            "tone would seem higher or lower to it."),
         "",
         {"sample", "normalization"}},
        {"target",
         tr("Target"),
         tr("What the model should predict for a sample: the right class or number. The loss "
            "compares it with the prediction."),
         "",
         {"class", "loss", "binding"}},
        {"class",
         tr("Class"),
         tr("One of the answers that a model can choose from, such as one of ten digits. Inside "
            "the model, classes are numbers from 0 on; their names come from the data."),
         "",
         {"target", "logits", "accuracy"}},
        {"binding",
         tr("Binding"),
         tr("Defines which column of the data feeds which input of the model. Most are matched by "
            "name, type and shape; the rest are chosen on the data page."),
         "",
         {"target", "shape", "sample"}},
        {"validation",
         tr("Validation"),
         tr("Samples that are not used for training, only for measuring. How well the model does "
            "on them shows what to expect of samples that it has never seen."),
         "",
         {"overfitting", "stratified-split", "leakage", "early-stopping"}},
        {"stratified-split",
         tr("Stratified split"),
         tr("Splits samples into training and validation so that every class has the same share in "
            "both. Without it, a rare class may be missing from one of them."),
         "",
         {"validation", "class", "leakage", "seed"}},
        {"leakage",
         tr("Leakage"),
         tr("The same sample, or a copy of it, is in both the training and the validation samples. "
            "The model then already knows the answers, and the validation results are too good to "
            "be true."),
         "",
         {"validation", "overfitting", "stratified-split"}},
        {"normalization",
         tr("Normalization"),
         tr("Brings numbers to a common scale: the mean is subtracted and the result divided by "
            "the standard deviation. Features of similar size are learned at a similar speed. The "
            "values measured on the training samples are used for all others, too."),
         "x′ = (x − μ) / σ",
         {"sample", "leakage", "batch-norm"}},
        {"augmentation",
         tr("Augmentation"),
         tr("Training samples are varied at random each time they are used: shifted, rotated, "
            "mirrored. The right answer stays the same. The model sees more variety and relies "
            "less on accidental details."),
         "",
         {"overfitting", "epoch", "sample"}},
        {"data-wait",
         tr("Data wait"),
         tr("The share of the time that training waits for the next batch. If it is high, the "
            "bottleneck is reading the data, not the model."),
         "",
         {"batch", "step"}},
        {"seed",
         tr("Seed"),
         tr("The number from which all randomness of a run derives: the order of the samples, "
            "dropout, augmentation. The same seed gives the same curve; another one shows how much "
            "of a result is luck."),
         "",
         {"run", "epoch", "augmentation"}},
        {"run",
         tr("Run"),
         tr("One training from start to end, with its settings, curves and checkpoints. Runs stay "
            "in the list and can be compared."),
         "",
         {"epoch", "checkpoint", "seed"}},
        {"epoch",
         tr("Epoch"),
         tr("One pass over all training samples, each seen once, in a new order. Most models need "
            "a few to a few hundred epochs."),
         "",
         {"batch", "step", "overfitting"}},
        {"batch",
         tr("Batch"),
         tr("The samples that are processed together in one pass; their gradients are averaged. "
            "Large batches give a steadier direction and need more memory; small ones are noisier, "
            "which often helps."),
         "",
         {"step", "accumulation", "epoch", "learning-rate"}},
        {"step",
         tr("Training step"),
         tr("Once forward to the loss, once backward to the gradients, then the optimizer changes "
            "the parameters a little. An epoch has one step per batch."),
         "",
         {"batch", "gradient", "optimizer", "epoch"}},
        {"accumulation",
         tr("Accumulation"),
         tr("The gradients of several batches are averaged before each step. It works like a "
            "larger batch with the memory of a small one, and each step takes longer accordingly."),
         "",
         {"batch", "step", "gradient"}},
        {"parameter",
         tr("Parameter"),
         tr("A tensor in the model that training may change: weights and biases. All that the "
            "model has learned is in its parameters."),
         "",
         {"frozen", "gradient", "head", "batch-norm"}},
        {"frozen",
         tr("Frozen"),
         tr("A frozen parameter stays unchanged while others train. Freezing the first layers of a "
            "trained model keeps what they know, saves time and memory, and needs fewer samples."),
         "",
         {"parameter", "head", "overfitting"}},
        {"head",
         tr("Head"),
         tr("The last layer of a model, which turns recognized features into classes. With a new "
            "head, a trained model learns other classes: everything before it can stay frozen."),
         "",
         {"frozen", "class", "logits"}},
        {"batch-norm",
         tr("Batch-norm statistic"),
         tr("Mean and variance of what flows through a batch normalization, collected during "
            "training. They are measured, not learned: no gradient reaches them, and they are not "
            "trainable parameters."),
         "",
         {"parameter", "normalization", "eval-model"}},
        {"constant",
         tr("Constant"),
         tr("A number or tensor that was written into the model when it was exported, such as an "
            "exponent or an epsilon. It is part of the formula, not of what is learned."),
         "",
         {"parameter", "operator"}},
        {"group",
         tr("Parameter group"),
         tr("Parameters with their own learning rate or weight decay. A trained backbone often "
            "gets a tenth of the rate of a new head."),
         "",
         {"learning-rate", "weight-decay", "head", "frozen"}},
        {"checkpoint",
         tr("Checkpoint"),
         tr("A file with all parameters and the state of the optimizer at one step. Training "
            "continues from it exactly where it was, and you can return to it. A run keeps its "
            "last and its best one and, if you choose so, more of the best or one at each pause."),
         "",
         {"moment", "run", "export"}},
        {"early-stopping",
         tr("Early stopping"),
         tr("Ends the run when validation no longer improves, and keeps the best state. It saves "
            "time and is a simple remedy for overfitting."),
         "",
         {"patience", "validation", "overfitting", "checkpoint"}},
        {"patience",
         tr("Patience"),
         tr("How many evaluations without improvement are tolerated before the run ends or the "
            "rate falls. Curves are noisy: with too little patience, a single bad evaluation "
            "decides."),
         "",
         {"early-stopping", "plateau", "validation"}},
        {"overfitting",
         tr("Overfitting"),
         tr("The model learns its training samples by heart: the training loss keeps falling while "
            "the validation loss rises. More samples, augmentation, weight decay, fewer trained "
            "parameters or early stopping help."),
         "",
         {"validation", "early-stopping", "augmentation", "weight-decay"}},
        {"smoothing",
         tr("Smoothing"),
         tr("Curves are also drawn as a moving average, because the loss of single batches jumps. "
            "The slider sets how much past values count; the training itself does not change."),
         "",
         {"loss", "batch"}},
        {"ema",
         tr("Weight averaging (EMA)"),
         tr("Besides the weights, a moving average of them is kept. It is steadier than the "
            "weights themselves and often a little better on new samples; it can be exported "
            "instead of them."),
         "a ← d · a + (1 − d) · w",
         {"parameter", "validation", "export"}},
        {"recompute",
         tr("Recomputation"),
         tr("Intermediate values that the backward pass needs are computed a second time instead "
            "of being kept. Training needs less memory and is slower; the numbers are the same."),
         "",
         {"gradient", "batch", "bf16"}},
    };
}

}  // namespace temper::ui

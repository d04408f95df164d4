// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/explain/term_table.h"
#include "ui/translation/tr.h"

namespace temper::ui {

std::vector<Term> dataTerms() {
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
            "goes on from it as if nothing had happened, and one can go back to it. A run keeps "
            "its last and its best one, more of the best ones or one at each pause where that is "
            "chosen."),
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
    };
}

}  // namespace temper::ui

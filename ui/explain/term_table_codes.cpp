// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/explain/term_table.h"
#include "ui/translation/tr.h"

namespace temper::ui {

std::vector<Term> codeTerms() {
    return {
        {"G001",
         tr("G001: an operator without a gradient"),
         tr("Between these parameters and the loss is an operator without a known gradient, so "
            "they can't learn. Freeze the parameters before it and train the others, replace the "
            "operator in the program that exported the model, or add a plugin that knows its "
            "gradient."),
         "",
         {"gradient", "operator", "frozen", "G002"}},
        {"G002",
         tr("G002: a gradient of zero"),
         tr("Rounding, comparisons and the like change in steps: their derivative is zero wherever "
            "it exists, and the parameters before them never learn. Freeze those, or pass the "
            "gradient straight through, as if the step were a straight line."),
         "",
         {"straight-through", "gradient", "frozen"}},
        {"G003",
         tr("G003: a parameter that the loss doesn't depend on"),
         tr("However this parameter changes, the loss stays the same: nothing reads it, or it only "
            "leads to another output. Freeze it, or let the loss read the output that it leads "
            "to."),
         "",
         {"parameter", "loss", "frozen"}},
        {"G004",
         tr("G004: an operator without a gradient in this form"),
         tr("The operator has a gradient, but not with these attributes or inputs: the message "
            "says which. Export the model with the form that it names, or freeze the parameters "
            "before the node."),
         "",
         {"operator", "gradient", "frozen", "G001"}},
        {"G005",
         tr("G005: an integer parameter"),
         tr("Training changes numbers by small fractions, which integers and booleans can't "
            "represent. Such tensors are usually shapes, indices or tables: freeze them."),
         "",
         {"parameter", "frozen", "constant"}},
        {"G006",
         tr("G006: a path that ends at integers"),
         tr("The parameters only affect something that takes integers, such as the index of the "
            "largest value, and no gradient comes back from there. Let the loss read a value "
            "before that point, or freeze the parameters."),
         "",
         {"gradient", "loss", "frozen"}},
        {"G007",
         tr("G007: parameters before a gradient stop"),
         tr("You chose to stop gradients at this node. These parameters affect the loss only "
            "through it, so they get no gradient and are frozen. To train them, undo the choice."),
         "",
         {"stop-gradient", "frozen", "gradient"}},
        {"T001",
         tr("T001: an unknown operator"),
         tr("The model uses an operator from another version of ONNX or a custom one. Temper can't "
            "run it, so the model can be viewed but not trained. Export the model with an older "
            "opset or with standard operators, or add a plugin that provides the operator."),
         "",
         {"operator", "opset", "G001"}},
        {"T002",
         tr("T002: a node that contradicts its operator"),
         tr("Types or shapes of the node's inputs don't match, for example two matrices with "
            "different inner sizes. No runtime could run the model; it was exported wrongly or "
            "edited afterwards. The message names the sizes found and expected."),
         "",
         {"shape", "operator", "broadcast"}},
        {"W001",
         tr("W001: a weight stored as a constant"),
         tr("The exporter stored a tensor as a constant, but a layer uses it as a weight. "
            "Constants stay frozen unless you select them. To train this one, tick it on the "
            "Parameters page."),
         "",
         {"constant", "parameter"}},
        {"W002",
         tr("W002: an integer weight"),
         tr("The model was quantized: its weights are small integers with a scale, and gradients "
            "can't move them. Train the original model, and quantize the result."),
         "",
         {"parameter", "G005"}},
        {"W003",
         tr("W003: weights inside a loop or a branch"),
         tr("Tensors in the body of If, Loop or Scan belong to that body and can't be selected for "
            "training. If an input of the model chooses the branch, set this input to a constant: "
            "its row among the model's inputs offers that. For a loop, export the model with these "
            "tensors as initializers of the main graph: a loop can read them there."),
         "",
         {"operator", "parameter"}},
        {"W004",
         tr("W004: batch norms merged into convolutions"),
         tr("For inference, exporters fold a batch norm into the convolution before it. Such a "
            "model trains, but without the benefit of the norm. If that matters, export again in "
            "training mode and without constant folding."),
         "",
         {"batch-norm", "constant"}},
        {"W005",
         tr("W005: statistics that would train"),
         tr("These tensors have names like the running mean or variance of a batch norm that was "
            "taken apart. They were measured from data; gradients would move them as if they were "
            "weights, and the model could get worse for no visible reason. Freeze them."),
         "",
         {"batch-norm", "frozen"}},
        {"W006",
         tr("W006: a constant with several definitions"),
         tr("Every value of a model should have a unique name, but this constant has several "
            "different definitions. ONNX Runtime uses the last one wherever the name is read, and "
            "so does Temper."),
         "",
         {"constant"}},
        {"W007",
         tr("W007: half-precision numbers"),
         tr("Weights or inputs in the model file are float16 or bfloat16. Small training steps "
            "vanish in so few digits, so the model is read as float32. It is also exported as "
            "float32, unless the export asks for the types of the file."),
         "",
         {"parameter"}},
        {"W008",
         tr("W008: a fixed batch size"),
         tr("The file fixes how many samples the model takes at a time, usually one. Training is "
            "then slow and unsteady, because each step sees so little. If nothing in the model "
            "depends on that number, it can be made variable; this is first checked with made-up "
            "inputs."),
         "",
         {"batch"}},
        {"S001",
         tr("S001: copies of one parameter"),
         tr("The exporter wrote a parameter into the model several times, for example an embedding "
            "and its transpose for the last layer. As in the original network, they train as one: "
            "one tensor stays, and the model derives the others from it."),
         "",
         {"parameter"}},
        {"S002",
         tr("S002: merged or missing parameters restored"),
         tr("Parameters of new layers are often equal, and the exporter kept one tensor for all of "
            "them. Trained like that, they would stay equal. The exporter's metadata for each node "
            "shows which were meant: each has its own tensor again. Parameters that it left out, "
            "or "
            "of which it kept only a result such as exp(a), are restored if the metadata says "
            "how."),
         "",
         {"parameter"}},
        {"S003",
         tr("S003: parameters that the exporter folded away"),
         tr("The model has tensors that were computed from parameters of the original network, or "
            "it lost some of them. It computes the same; training changes the tensors that exist. "
            "The message names these tensors, and the parameters if the file lists them. The hint "
            "says how to export so that the parameters are kept."),
         "",
         {"parameter", "batch-norm"}},
        {"S005",
         tr("S005: batch normalization restored"),
         tr("Batch normalizations that the exporter had merged into layers are restored, as you "
            "chose. Before the first step, the first training batches determine their running "
            "statistics; scale and shift are set so that the model predicts what it did. From then "
            "on they train."),
         "",
         {"batch-norm", "parameter"}},
        {"S004",
         tr("S004: tensors that may belong together"),
         tr("Several tensors hold the same numbers, or several layers read one tensor of ones or "
            "zeros, and the model does not say why. They may be one parameter, or several. The "
            "hint names the option for each case."),
         "",
         {"parameter"}},
        {"A001",
         tr("A001: a pattern that matches nothing"),
         tr("A name or pattern in the list of trainable or frozen parameters, or in a parameter "
            "group, matches no parameter of this model. It may have been written for another "
            "model. Names are case-sensitive; * matches any characters."),
         "",
         {"parameter", "frozen", "group"}},
        {"A002",
         tr("A002: both trainable and frozen"),
         tr("A parameter can't be trained and frozen at once. Remove its name from one of the two "
            "lists."),
         "",
         {"frozen", "parameter"}},
        {"A003",
         tr("A003: a tensor that can't be trained"),
         tr("A tensor in the list of trainable parameters can't be trained. Batch-norm statistics "
            "are measured, not learned; constants, shapes and indices belong to the model's "
            "structure. Remove the tensor from the list."),
         "",
         {"batch-norm", "constant", "parameter"}},
        {"A004",
         tr("A004: it is not clear what the loss reads"),
         tr("The loss compares one output of the model with the target. This model has several "
            "outputs, or none with the given name; choose one of them."),
         "",
         {"loss", "target"}},
        {"A005",
         tr("A005: the target's name is taken"),
         tr("The targets become one more input of the training graph, and every value of a graph "
            "needs a unique name. The model already uses this one: choose another."),
         "",
         {"target", "gradient-graph"}},
        {"A006",
         tr("A006: an extra output that doesn't exist"),
         tr("More values can be output besides the loss, but only those that the model computes, "
            "each only once."),
         "",
         {"artifact", "graph"}},
        {"A007",
         tr("A007: nothing trains"),
         tr("All parameters are frozen or none can be trained, so an optimizer has nothing to do. "
            "Choose parameters to train. If all weights are in the branches of an If, set the "
            "input that chooses the branch to a constant. If you only want gradients or the loss, "
            "choose no optimizer."),
         "",
         {"parameter", "frozen", "optimizer"}},
        {"A008",
         tr("A008: the loss doesn't fit"),
         tr("The loss can't read its inputs: shape or type differs, a name is unknown, or a number "
            "is out of range. The message says what the loss expects; the list of losses says what "
            "each is for."),
         "",
         {"loss", "target", "shape"}},
        {"A009",
         tr("A009: a name reserved for training graphs"),
         tr("In a training graph, gradients are named after their values: the gradient of x is "
            "x_grad. An input of the model with such a name would be confused with it. Rename the "
            "input in the program that exported the model."),
         "",
         {"gradient-graph", "gradient"}},
        {"A010",
         tr("A010: nothing to pass straight through"),
         tr("An operator or node was chosen to pass gradients through as if it were not there. The "
            "model has none with that name, or passing through makes no sense for its kind; it "
            "works only for steps such as Round, Floor or Sign."),
         "",
         {"straight-through", "G002"}},
        {"A014",
         tr("A014: no node to stop gradients at"),
         tr("Gradients should stop at a node or value that the model doesn't have, often because "
            "the choice was made for another model. Names are case-sensitive; * matches any "
            "characters."),
         "",
         {"stop-gradient", "gradient"}},
        {"A015",
         tr("A015: no batch normalization to keep"),
         tr("Some batch normalizations were chosen to keep their statistics in training, but the "
            "model has none with that name. Exporters often merge them into the convolutions "
            "before them; then nothing is left to keep."),
         "",
         {"batch-norm", "W004"}},
        {"A012",
         tr("A012: a group's number is out of range"),
         tr("Parameter groups have their own learning-rate factor and weight decay. Both must be "
            "zero or more; a factor of zero stops learning."),
         "",
         {"group", "learning-rate", "weight-decay"}},
        {"A013",
         tr("A013: softmax or sigmoid is applied twice"),
         tr("The loss itself turns numbers into probabilities, and the model has already done so. "
            "Applied twice, the differences almost vanish: training is slow, and the model never "
            "gets sure. Let the loss read the value before, as the problem's button does; the "
            "exported model stays unchanged."),
         "",
         {"logits", "cross-entropy", "bce"}},
        {"A020",
         tr("A020: tokens that can't be labels"),
         tr("The labels should be the next tokens, but it is not clear which input of the model "
            "holds the tokens, or it has the wrong form. Tokens are integers, with an axis for the "
            "samples and one for at least two positions. Name the input after the output that the "
            "loss reads."),
         "",
         {"next-token", "loss"}},
        {"A021",
         tr("A021: unused outputs"),
         tr("Language models output caches and hidden states besides their logits. The loss reads "
            "the logits; the others stay in the model and can be exported."),
         "",
         {"logits", "loss"}},
        {"A022",
         tr("A022: labels derived from the tokens"),
         tr("The data needs no labels: each position should predict the next token. Positions "
            "where the attention mask is 0, or with the padding token if one is named, have no "
            "label."),
         "",
         {"next-token", "target"}},
        {"A023",
         tr("A023: artifacts that ONNX Runtime can't load"),
         tr("ONNX Runtime trains models up to opset 21. This one is newer and has a node that no "
            "older opset can express, so its artifacts train only in Temper."),
         "",
         {"opset", "gradient-graph"}},
        {"P001",
         tr("P001: the training couldn't be prepared"),
         tr("Something other than the model and the choices failed while the training was "
            "prepared, such as an unreadable file or too little memory. The message says what; the "
            "project is unchanged."),
         "",
         {"artifact", "gradient-graph"}},
        {"P002",
         tr("P002: the data couldn't be opened"),
         tr("The data of this project can't be read: it was moved, is damaged, or has an unknown "
            "format. Choose it again on the data page; nothing else is lost."),
         "",
         {"sample", "binding"}},
        {"P003",
         tr("P003: a group that never trains"),
         tr("The parameters of a group start to change after a number of optimizer steps, and the "
            "run ends before. Train for more epochs, use smaller batches, or lower the number "
            "under “Starts after” on the page Objective."),
         "",
         {"epoch", "step"}},
        {"R001",
         tr("R001: a number that is NaN or infinite"),
         tr("A step gave a loss or gradient that is NaN or infinite, and the run ended before it "
            "reached the parameters. Usually the learning rate is too high, or the data has such a "
            "value: the message names the node where it first appeared. Roll back and continue at "
            "a lower rate, clip the gradients, or fix the data."),
         "",
         {"exploding", "learning-rate", "clipping", "D106", "R002"}},
        {"R002",
         tr("R002: a diverging loss"),
         tr("The numbers are still finite, but the loss, smoothed by the median of 32 steps, stays "
            "far above its initial value, or has returned there after falling, and does not fall "
            "again. Usually the learning rate is too high. Roll back to a state before it rose, "
            "and continue at a lower rate, with clipping or a warm-up. If such losses are right, "
            "switch the guard off in the settings of the run."),
         "",
         {"exploding", "learning-rate", "clipping", "warmup", "R001"}},
    };
}

}  // namespace temper::ui

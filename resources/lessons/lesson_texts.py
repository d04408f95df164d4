# SPDX-License-Identifier: Apache-2.0
"""What the bundled lessons say: title, summary and steps.

A step has a title, a text, the page or dock of the window that it is about, and the condition that
ticks it (README.md). make_lessons.py writes them into lesson.json; the window translates the texts
(docs/translation.md).
"""


def step(title, text, opens, **done):
    kind, name = opens.split(":")
    return {"title": title, "text": text, kind: name, "done": done}


TRAINED = ["/artifacts/trainable", "/artifacts/frozen"]
STRAIGHT_THROUGH = ["/artifacts/straight_through"]
WEIGHT_DECAY = ["/artifacts/optimizer/values/weight_decay"]


TEXTS = {
    "spirals": {
        "title": "Three spirals",
        "summary": "Points on three entangled spirals: no straight line separates them, two "
                   "hidden layers do.",
        "steps": [
            step("Meet the data",
                 "Each sample is a point with x and y; its arm is the class. The first "
                 "batch shows 32 of them as the model sees them.",
                 "page:data", place="data"),
            step("Look at the model",
                 "Three linear layers with tanh between them. Select a layer to see its weights "
                 "in the inspector.",
                 "page:model", act="select"),
            step("Train",
                 "Press Start training. The loss stays on a plateau at first, then falls "
                 "once the network finds the bends. The dashed line is the expected curve.",
                 "page:train", run="finished"),
            step("See what it confuses",
                 "Evaluate, then choose a cell of the matrix to see its points. After 60 "
                 "epochs hardly any are wrong; after 8 epochs, the errors are where the "
                 "arms meet.",
                 "page:evaluate", act="choose cell"),
            step("Freeze the middle",
                 "Untick the middle layer and start over: is one trained hidden layer enough?",
                 "page:parameters", run="ended", changed=TRAINED),
            step("Try other seeds",
                 "Seeds 1, 2 and 3 (under “More settings”) shuffle the samples differently: "
                 "the curves differ, the final result hardly does.",
                 "page:objective", run="ended", changed=["/run/seed"]),
            step("Compare the runs",
                 "Select several runs to see their curves in one plot. Then halve or double "
                 "the learning rate for another run.",
                 "dock:runs", act="compare runs"),
        ],
    },
    "xor": {
        "title": "XOR, step by step",
        "summary": "Four clusters of points and a network with four hidden units: small "
                   "enough to follow every step.",
        "steps": [
            step("Why one line is not enough",
                 "The class is 1 if exactly one of a and b is large. No straight line "
                 "separates these two corners from the others.",
                 "page:data", place="data"),
            step("Count the weights",
                 "Two inputs, four hidden units, one output: training can change 17 numbers "
                 "in all.",
                 "page:parameters", place="parameters"),
            step("Take one step",
                 "Press Step: one batch of 8 points goes through, gradients come back, every "
                 "weight moves a little. Watch the tiles above the curves.",
                 "page:train", act="step"),
            step("Watch the layers",
                 "Keep pressing Step. The layers show how large weights and gradients are, "
                 "and by what fraction each step changes the weights.",
                 "dock:layers", place="layers", run="paused", steps=3),
            step("Let it run",
                 "Press Resume. After the plateau, the loss falls towards zero: each hidden "
                 "unit has found a line.",
                 "page:train", run="finished"),
            step("Type a point",
                 "Under Try it, type 0.5 for both a and b, midway between the clusters: the "
                 "model has to guess, but it says how sure it is.",
                 "page:evaluate", act="type values"),
        ],
    },
    "sine": {
        "title": "A sine curve",
        "summary": "Regression: a small network fits a smooth wave to noisy samples.",
        "steps": [
            step("Numbers, not classes",
                 "The target y is a number: the sine of x plus noise with standard "
                 "deviation 0.1.",
                 "page:data", place="data"),
            step("Choose the loss",
                 "The mean squared error suits numbers. Large errors count more than small "
                 "ones.",
                 "page:objective", place="objective"),
            step("Train",
                 "Watch MAE and RMSE. They stop falling near 0.1: the rest is noise, which "
                 "no model can predict.",
                 "page:train", run="finished"),
            step("Look at the residuals",
                 "Evaluate, then open Curves: errors scattered evenly around zero are "
                 "noise; a pattern would mean that there is more to learn.",
                 "page:evaluate", act="show curves"),
            step("Leave the known range",
                 "Under Try it, type x = 8, outside the range of the samples: the network "
                 "continues in a straight line, not as a sine.",
                 "page:evaluate", act="type values"),
            step("Another loss",
                 "Replace the loss with the mean absolute error and start over: which of "
                 "the two metrics improves?",
                 "page:objective", run="ended", changed=["/artifacts/loss/key"]),
        ],
    },
    "iris": {
        "title": "Iris flowers",
        "summary": "The classic table: four lengths of a flower in centimetres, three species, "
                   "and the smallest network that tells them apart.",
        "steps": [
            step("Open the table",
                 "Four columns become one input of four numbers; the species becomes the "
                 "target.",
                 "page:data", place="data"),
            step("Check its health",
                 "Health reports how balanced the classes are and what is missing or "
                 "duplicated. One flower occurs twice in the classic table.",
                 "page:data", act="show health"),
            step("Train",
                 "480 steps take less than a second. The dashed line is the expected curve.",
                 "page:train", run="finished"),
            step("Find the hard species",
                 "Evaluate the training samples, too: setosa is always recognized; "
                 "versicolor and virginica overlap.",
                 "page:evaluate", act="evaluate training samples"),
            step("Change the optimizer",
                 "Replace AdamW with SGD at the same learning rate, start over and compare "
                 "the curves.",
                 "page:objective", run="ended", changed=["/artifacts/optimizer/key"]),
            step("Export the model",
                 "Export the trained model: it is checked against the evaluation model and runs "
                 "wherever ONNX does.",
                 "page:export", act="export"),
        ],
    },
    "digits": {
        "title": "Handwritten digits",
        "summary": "A small convolutional network learns to read 8 × 8 images of "
                   "handwritten digits: from random weights to more than 97 % accuracy in "
                   "seconds.",
        "steps": [
            step("Look at the images",
                 "1,437 images of 8 × 8 pixels, drawn by 43 people. The first batch shows "
                 "them as the model sees them.",
                 "page:data", place="data"),
            step("Follow the graph",
                 "Two convolutions look for strokes, two linear layers weigh them. Select a "
                 "convolution to see its kernels.",
                 "page:model", act="select"),
            step("Train",
                 "Training and validation loss fall together: what the model learns also "
                 "holds for images it has not seen.",
                 "page:train", run="finished"),
            step("Pause and step",
                 "Pause, step once, and see how much one batch changes the loss.",
                 "page:train", act="step", steps=1),
            step("Draw a digit",
                 "Under Try it, draw with the mouse. The model answers while you draw; Why "
                 "shows which pixels it relies on.",
                 "page:evaluate", act="draw"),
            step("Ten times the rate",
                 "Train with a learning rate ten times larger. What happens to the curve?",
                 "page:objective", run="ended", changed=["/run/learning_rate"]),
            step("Random eyes",
                 "Freeze conv1 and conv2 at their random values and train only the linear "
                 "layers: how accurate does that get?",
                 "page:parameters", run="ended", changed=TRAINED),
        ],
    },
    "digits-transfer": {
        "title": "New digits for a trained network",
        "summary": "A network that knows the digits 0 to 4 learns 5 to 9 by training its last "
                   "layer only: 2,565 of 7,365 values.",
        "steps": [
            step("See what is frozen",
                 "Everything but the head is frozen: the convolutions were trained on the "
                 "digits 0 to 4 and stay unchanged.",
                 "page:parameters", place="parameters"),
            step("Find the new digits",
                 "Labels 0 to 4 stand for the digits 5 to 9: find them in the first batch.",
                 "page:data", place="data"),
            step("Train the head",
                 "Training is fast and soon accurate: the strokes that distinguish 0 to 4 "
                 "also work for 5 to 9.",
                 "page:train", run="finished", goal=True),
            step("Train more of it",
                 "Tick conv2.weight and conv2.bias, too, and start over: how much accuracy "
                 "does that gain, and what does it cost per step?",
                 "page:parameters", run="ended", changed=TRAINED),
            step("Compare the runs",
                 "Select both runs to compare time, accuracy and their differences side by "
                 "side.",
                 "dock:runs", act="compare runs"),
            step("Inspect the optimizer",
                 "Open a checkpoint of each run: AdamW keeps two numbers for each trained "
                 "value and none for frozen ones.",
                 "page:train", act="view checkpoint"),
        ],
    },
    "broken": {
        "title": "Broken on purpose",
        "summary": "A network from a careless export: it runs, but no gradient gets "
                   "through. The report says where and how to fix it.",
        "steps": [
            step("Read the report",
                 "Training can't start. G002 names the node that stops the gradients, the "
                 "parameters it cuts off, and the reason.",
                 "dock:problems", place="problems"),
            step("See it in the graph",
                 "Round was inserted to imitate an 8-bit device. It is flat between its "
                 "jumps: its derivative is zero, which cuts off everything before it.",
                 "page:model", act="select"),
            step("Pass straight through",
                 "Choose “Pass the gradient straight through” for G002: in the backward "
                 "pass, the node acts as if it were not there.",
                 "dock:problems", changed=STRAIGHT_THROUGH),
            step("Freeze the statistics",
                 "W005: a batch normalization was taken apart, and its running mean and "
                 "variance look like weights. Choose “Freeze these 2 parameters”.",
                 "dock:problems", changed=["/artifacts/frozen"]),
            step("Know what is lost",
                 "W004: another normalization was merged into the convolution. It trains as it "
                 "is; only a better export brings it back.",
                 "dock:problems", act="read W004"),
            step("Train",
                 "Now it trains, and the curve should follow the dashed line.",
                 "page:train", run="finished", goal=True),
            step("The cheaper way",
                 "Undo, and freeze the parameters before Round instead of applying the "
                 "first remedy: only the head trains. How good does it get?",
                 "page:parameters", run="ended", changed=TRAINED, kept=STRAIGHT_THROUGH),
        ],
        "remedy": "Gradients pass straight through Round, and norm.running_mean and "
                  "norm.running_var are frozen.",
    },
    "tones": {
        "title": "Four tones",
        "summary": "A convolution over time hears which of four notes is in a short, noisy sound.",
        "steps": [
            step("Look at the sounds",
                 "128 numbers each, 32 milliseconds at 4 kHz: the notes C, E, G and C an "
                 "octave higher, with random phase and a lot of noise.",
                 "page:data", place="data"),
            step("One dimension less",
                 "The same convolutions as for images, but along time only. The mean at the "
                 "end makes the position of a wave irrelevant.",
                 "page:model", act="select"),
            step("Train",
                 "Neighbouring notes differ by only a few numbers per wave: the loss falls "
                 "slowly at first.",
                 "page:train", run="finished"),
            step("See the kernels",
                 "Select the weights of conv1: the kernels have become little waves, each in "
                 "tune with a note.",
                 "page:model", act="select", run="finished"),
            step("Which notes are confused?",
                 "Train for only 4 epochs, then evaluate: most errors are between "
                 "neighbouring notes.",
                 "page:evaluate", act="evaluate", run="finished", changed=["/run/epochs"]),
            step("Listen less closely",
                 "Freeze conv1 at its random kernels and start over: how much worse is it?",
                 "page:parameters", run="ended", changed=TRAINED),
        ],
    },
    "overfitting": {
        "title": "Overfitting",
        "summary": "Forty noisy points and 17,000 weights: the network memorizes them. "
                   "Early stopping keeps the best state.",
        "steps": [
            step("Count both",
                 "40 training samples against 17,154 weights. Six of the samples carry the "
                 "wrong label on purpose.",
                 "page:data", place="data"),
            step("Train",
                 "The training loss keeps falling; the validation loss falls and then "
                 "climbs: from there on, the network memorizes noise.",
                 "page:train", run="finished"),
            step("Find the best step",
                 "The star on the curve marks the best evaluation. Its checkpoint was kept: "
                 "load and evaluate it.",
                 "page:train", act="load checkpoint"),
            step("Stop in time",
                 "Under “More settings”, set “Early stop after” to 15 evaluations and start "
                 "over: the run ends soon after its best evaluation.",
                 "page:objective", run="ended", changed=["/run/early_stop_patience"]),
            step("Keep the weights small",
                 "Under the “More settings” of AdamW, set the weight decay to 1: large "
                 "weights are now penalized. Does the validation loss still climb?",
                 "page:objective", run="ended", changed=WEIGHT_DECAY),
            step("Train less of it",
                 "Train only the last layer. What can't change can't memorize noise either.",
                 "page:parameters", run="ended", changed=TRAINED),
            step("Compare",
                 "Select the runs and compare their validation loss: which remedy reached the "
                 "lowest?",
                 "dock:runs", act="compare runs"),
        ],
    },
    "exploding": {
        "title": "Exploding gradients",
        "summary": "Twelve layers and a learning rate that is far too large: the loss explodes "
                   "within a few steps. Two remedies tame it.",
        "steps": [
            step("Let it fail",
                 "Start training. Within a few steps a number overflows float32; the run "
                 "stops and names the first node where that happens.",
                 "page:train", run="failed"),
            step("Watch the gradients",
                 "The gradient norm grew from step to step. Each layer multiplies the "
                 "gradient that comes back to it: the product of twelve factors above 1 is "
                 "large.",
                 "dock:layers", place="layers", steps=1),
            step("Find a rate",
                 "Choose “Find a learning rate”: on a copy, the rate grows until the loss "
                 "explodes. Set the learning rate to 0.002, well below that.",
                 "page:objective", changed=["/run/learning_rate"]),
            step("Clip the gradients",
                 "Under “More settings”, set “Clip gradient norm” to 1: no gradient gets "
                 "longer than this, however steep the loss is.",
                 "page:objective", changed=["/run/clip_norm"]),
            step("Train again",
                 "Start over. With both remedies the curve follows the dashed line.",
                 "page:train", run="finished", goal=True),
            step("Roll back instead",
                 "Reset the choices, let the run fail once more and choose “Lower rate "
                 "×0.1”: it continues from the last good step at a tenth of the rate.",
                 "page:train", act="lower rate"),
        ],
        "remedy": "The learning rate is 0.002 instead of 0.5, and gradients are clipped to a "
                  "norm of 1.",
    },
}

<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Language</name>
    <message>
        <source>English</source>
        <extracomment>The name of the language of this translation, in itself.</extracomment>
        <translation>Deutsch</translation>
    </message>
</context>
<context>
    <name>StudioApplication</name>
    <message>
        <source>Something went wrong</source>
        <translation>Etwas ist schiefgegangen</translation>
    </message>
</context>
<context>
    <name>engine</name>
    <message>
        <source>1 is a straight line, 2 a parabola.</source>
        <translation>1 ist eine gerade Linie, 2 eine Parabel.</translation>
    </message>
    <message>
        <source>A network that knows the digits 0 to 4 learns 5 to 9 by training its last layer only: 2,565 of 7,365 values.</source>
        <translation>Ein Netz, das die Ziffern 0 bis 4 kennt, lernt 5 bis 9, indem nur seine letzte Schicht trainiert wird: 2.565 von 7.365 Werten.</translation>
    </message>
    <message>
        <source>A small convolutional network learns to read 8 × 8 images of handwritten digits: from random weights to more than 97 % accuracy in seconds.</source>
        <translation>Ein kleines Faltungsnetz lernt, 8 × 8-Bilder handgeschriebener Ziffern zu lesen: in Sekunden von zufälligen Gewichten zu mehr als 97 % Genauigkeit.</translation>
    </message>
    <message>
        <source>Absolute threshold</source>
        <translation>Absolute Schwelle</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>Adagrad</source>
        <translation>Adagrad</translation>
    </message>
    <message>
        <source>Adam</source>
        <translation>Adam</translation>
    </message>
    <message>
        <source>Adam with a rate for each tensor, for large batches.</source>
        <translation>Adam mit einer Rate für jeden Tensor, für große Batches.</translation>
    </message>
    <message>
        <source>AdamW</source>
        <translation>AdamW</translation>
    </message>
    <message>
        <source>AdamW (PyTorch&apos;s form)</source>
        <translation>AdamW (Form von PyTorch)</translation>
    </message>
    <message>
        <source>AdamW&apos;s ancestor: the decay is part of the gradient.</source>
        <translation>Vorläufer von AdamW: Der Zerfall ist Teil des Gradienten.</translation>
    </message>
    <message>
        <source>Adapts the step of each weight; ONNX Runtime&apos;s defaults.</source>
        <translation>Passt den Schritt jedes Gewichts an; Vorgaben von ONNX Runtime.</translation>
    </message>
    <message>
        <source>Alpha</source>
        <translation>Alpha</translation>
    </message>
    <message>
        <source>Like momentum, with the gradient at the point ahead.</source>
        <translation>Wie mit Impuls, mit dem Gradienten der Stelle, zu der er führt.</translation>
    </message>
    <message>
        <source>Beta</source>
        <translation>Beta</translation>
    </message>
    <message>
        <source>Beta 1</source>
        <translation>Beta 1</translation>
    </message>
    <message>
        <source>Beta 2</source>
        <translation>Beta 2</translation>
    </message>
    <message>
        <source>Binary cross entropy with logits</source>
        <translation>Binäre Kreuzentropie mit Logits</translation>
    </message>
    <message>
        <source>Binary focal</source>
        <translation>Binär Focal</translation>
    </message>
    <message>
        <source>Classification with rare classes: easy samples count less.</source>
        <translation>Klassifikation mit seltenen Klassen: Leichte Beispiele zählen weniger.</translation>
    </message>
    <message>
        <source>Classification: one of several classes.</source>
        <translation>Klassifikation: eine von mehreren Klassen.</translation>
    </message>
    <message>
        <source>Classification: the model outputs log-probabilities.</source>
        <translation>Klassifikation: Das Modell gibt Log-Wahrscheinlichkeiten aus.</translation>
    </message>
    <message>
        <source>Clip gradient norm</source>
        <translation>Gradientennorm begrenzen</translation>
    </message>
    <message>
        <source>Clip gradients</source>
        <translation>Gradienten abschneiden</translation>
    </message>
    <message>
        <source>Constant</source>
        <translation>Konstant</translation>
    </message>
    <message>
        <source>Cooldown</source>
        <translation>Abkühlung</translation>
    </message>
    <message>
        <source>Cosine</source>
        <translation>Kosinus</translation>
    </message>
    <message>
        <source>Cosine embedding</source>
        <translation>Kosinus-Einbettung</translation>
    </message>
    <message>
        <source>Cosine with restarts</source>
        <translation>Kosinus mit Neustarts</translation>
    </message>
    <message>
        <source>Cross entropy</source>
        <translation>Kreuzentropie</translation>
    </message>
    <message>
        <source>Clips each number of the gradients to this size; 0 is off.</source>
        <translation>Begrenzt jede Zahl der Gradienten auf diese Größe; 0 ist aus.</translation>
    </message>
    <message>
        <source>Decay of the mean of gradients.</source>
        <translation>Abklingen des Mittels der Gradienten.</translation>
    </message>
    <message>
        <source>Decay of the mean of squared gradients.</source>
        <translation>Abklingen des Mittels der quadrierten Gradienten.</translation>
    </message>
    <message>
        <source>Decay of the rate</source>
        <translation>Abklingen der Rate</translation>
    </message>
    <message>
        <source>Delta</source>
        <translation>Delta</translation>
    </message>
    <message>
        <source>Divides the step of each weight by the size of all its gradients so far.</source>
        <translation>Teilt den Schritt jedes Gewichts durch die Größe all seiner bisherigen Gradienten.</translation>
    </message>
    <message>
        <source>Divides the step of each weight by the size of its recent gradients.</source>
        <translation>Teilt den Schritt jedes Gewichts durch die Größe seiner jüngsten Gradienten.</translation>
    </message>
    <message>
        <source>Each cycle is this many times as long as the one before it.</source>
        <translation>Jeder Zyklus ist so viele Male so lang wie der vorige.</translation>
    </message>
    <message>
        <source>Epsilon</source>
        <translation>Epsilon</translation>
    </message>
    <message>
        <source>Errors below it are squared.</source>
        <translation>Fehler darunter werden quadriert.</translation>
    </message>
    <message>
        <source>Errors beyond it are large.</source>
        <translation>Fehler darüber gelten als groß.</translation>
    </message>
    <message>
        <source>Evaluations after a drop that do not count.</source>
        <translation>Auswertungen nach einem Sinken, die nicht zählen.</translation>
    </message>
    <message>
        <source>Evaluations without improvement before the rate drops.</source>
        <translation>Auswertungen ohne Verbesserung, bevor die Rate sinkt.</translation>
    </message>
    <message>
        <source>Exponential</source>
        <translation>Exponentiell</translation>
    </message>
    <message>
        <source>Factor</source>
        <translation>Faktor</translation>
    </message>
    <message>
        <source>Factor of the loss if the target is 1; one, or one per output.</source>
        <translation>Faktor des Verlusts bei Zielwert 1; einer, oder einer je Ausgabe.</translation>
    </message>
    <message>
        <source>Factors of the loss, one per class or element.</source>
        <translation>Faktoren des Verlusts, einer je Klasse oder Element.</translation>
    </message>
    <message>
        <source>Falls along a power of the remaining steps to the lowest rate at the last step.</source>
        <translation>Sinkt mit einer Potenz der verbleibenden Schritte auf die kleinste Rate beim letzten Schritt.</translation>
    </message>
    <message>
        <source>Falls along half a cosine to the lowest rate at the last step.</source>
        <translation>Sinkt entlang eines halben Kosinus auf die kleinste Rate beim letzten Schritt.</translation>
    </message>
    <message>
        <source>Falls along half a cosine, again and again from the full rate.</source>
        <translation>Sinkt entlang eines halben Kosinus, immer wieder von der vollen Rate aus.</translation>
    </message>
    <message>
        <source>Drops by a factor at regular intervals.</source>
        <translation>Sinkt in gleichen Abständen um einen Faktor.</translation>
    </message>
    <message>
        <source>Drops by a factor at the steps of a list.</source>
        <translation>Sinkt bei den Schritten einer Liste um einen Faktor.</translation>
    </message>
    <message>
        <source>Falls by a factor in every step.</source>
        <translation>Sinkt in jedem Schritt um einen Faktor.</translation>
    </message>
    <message>
        <source>Drops by a factor when the evaluation loss stops improving.</source>
        <translation>Sinkt um einen Faktor, wenn der Auswertungsverlust nicht mehr besser wird.</translation>
    </message>
    <message>
        <source>Falls in a straight line to zero at the last step, as in ONNX Runtime.</source>
        <translation>Sinkt geradlinig auf null beim letzten Schritt, wie bei ONNX Runtime.</translation>
    </message>
    <message>
        <source>First cycle</source>
        <translation>Erster Zyklus</translation>
    </message>
    <message>
        <source>First divisor</source>
        <translation>Erster Teiler</translation>
    </message>
    <message>
        <source>First sum</source>
        <translation>Erste Summe</translation>
    </message>
    <message>
        <source>Focal</source>
        <translation>Focal</translation>
    </message>
    <message>
        <source>For models that already compute a scalar loss.</source>
        <translation>Für Modelle, die schon einen skalaren Verlust berechnen.</translation>
    </message>
    <message>
        <source>The rate rises during this share of the steps.</source>
        <translation>Während dieses Anteils der Schritte steigt die Rate.</translation>
    </message>
    <message>
        <source>Gamma</source>
        <translation>Gamma</translation>
    </message>
    <message>
        <source>Gradient descent that keeps its direction for a while.</source>
        <translation>Gradientenabstieg, der seine Richtung eine Weile beibehält.</translation>
    </message>
    <message>
        <source>Growth</source>
        <translation>Wachstum</translation>
    </message>
    <message>
        <source>Handwritten digits</source>
        <translation>Handgeschriebene Ziffern</translation>
    </message>
    <message>
        <source>Hinge</source>
        <translation>Hinge</translation>
    </message>
    <message>
        <source>How clear a decision has to be.</source>
        <translation>Wie deutlich eine Entscheidung sein muss.</translation>
    </message>
    <message>
        <source>The higher it is, the less the easy samples count.</source>
        <translation>Je höher, desto weniger zählen die leichten Beispiele.</translation>
    </message>
    <message>
        <source>Huber</source>
        <translation>Huber</translation>
    </message>
    <message>
        <source>Ignored label</source>
        <translation>Ignoriertes Label</translation>
    </message>
    <message>
        <source>Interval</source>
        <translation>Abstand</translation>
    </message>
    <message>
        <source>Iris flowers</source>
        <translation>Schwertlilien</translation>
    </message>
    <message>
        <source>Keeps the division away from zero.</source>
        <translation>Hält die Division von null fern.</translation>
    </message>
    <message>
        <source>Kullback-Leibler divergence</source>
        <translation>Kullback-Leibler-Divergenz</translation>
    </message>
    <message>
        <source>LAMB</source>
        <translation>LAMB</translation>
    </message>
    <message>
        <source>Label smoothing</source>
        <translation>Label-Glättung</translation>
    </message>
    <message>
        <source>Labels 0 to 4 stand for the digits 5 to 9: find them in the first batch.</source>
        <translation>Die Labels 0 bis 4 stehen für die Ziffern 5 bis 9: Sie lassen sich im ersten Batch finden.</translation>
    </message>
    <message>
        <source>Last divisor</source>
        <translation>Letzter Teiler</translation>
    </message>
    <message>
        <source>Linear</source>
        <translation>Linear</translation>
    </message>
    <message>
        <source>Lion</source>
        <translation>Lion</translation>
    </message>
    <message>
        <source>Lowest rate</source>
        <translation>Kleinste Rate</translation>
    </message>
    <message>
        <source>MAE</source>
        <translation>MAE</translation>
    </message>
    <message>
        <source>Margin</source>
        <translation>Abstand</translation>
    </message>
    <message>
        <source>Mean absolute error</source>
        <translation>Mittlerer absoluter Fehler</translation>
    </message>
    <message>
        <source>Mean squared error</source>
        <translation>Mittlerer quadratischer Fehler</translation>
    </message>
    <message>
        <source>Milestones</source>
        <translation>Meilensteine</translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation>Impuls</translation>
    </message>
    <message>
        <source>Multi-step</source>
        <translation>Stufen nach Liste</translation>
    </message>
    <message>
        <source>Negative log-likelihood</source>
        <translation>Negative Log-Likelihood</translation>
    </message>
    <message>
        <source>New digits for a trained network</source>
        <translation>Neue Ziffern für ein trainiertes Netz</translation>
    </message>
    <message>
        <source>No optimizer model: gradients and evaluation only.</source>
        <translation>Kein Optimierermodell: nur Gradienten und Auswertung.</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keiner</translation>
    </message>
    <message>
        <source>None: the model&apos;s output is its loss</source>
        <translation>Keiner: Die Ausgabe des Modells ist sein Verlust</translation>
    </message>
    <message>
        <source>One cycle</source>
        <translation>Ein Zyklus</translation>
    </message>
    <message>
        <source>Optimizer steps after the warm-up at which the rate drops.</source>
        <translation>Optimiererschritte nach dem Aufwärmen, bei denen die Rate sinkt.</translation>
    </message>
    <message>
        <source>Optimizer steps between two drops.</source>
        <translation>Optimiererschritte zwischen zwei Senkungen.</translation>
    </message>
    <message>
        <source>Optimizer steps until the first restart.</source>
        <translation>Optimiererschritte bis zum ersten Neustart.</translation>
    </message>
    <message>
        <source>Pairs of outputs that should be similar (1) or not (-1).</source>
        <translation>Paare von Ausgaben, die ähnlich sein sollen (1) oder nicht (-1).</translation>
    </message>
    <message>
        <source>Patience</source>
        <translation>Geduld</translation>
    </message>
    <message>
        <source>Pause, step once, and see how much one batch changes the loss.</source>
        <translation>Anhalten, einen Einzelschritt machen und sehen, wie sehr ein Batch den Verlust ändert.</translation>
    </message>
    <message>
        <source>Plain gradient descent.</source>
        <translation>Einfacher Gradientenabstieg.</translation>
    </message>
    <message>
        <source>Points on three entangled spirals: no straight line separates them, two hidden layers do.</source>
        <translation>Punkte auf drei verschlungenen Spiralen: Keine Gerade trennt sie, zwei verborgene Schichten tun es.</translation>
    </message>
    <message>
        <source>Polynomial</source>
        <translation>Polynomial</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>Exponent</translation>
    </message>
    <message>
        <source>Probabilities; the model outputs log-probabilities.</source>
        <translation>Wahrscheinlichkeiten; das Modell gibt Log-Wahrscheinlichkeiten aus.</translation>
    </message>
    <message>
        <source>RMSE</source>
        <translation>RMSE</translation>
    </message>
    <message>
        <source>RMSProp</source>
        <translation>RMSProp</translation>
    </message>
    <message>
        <source>Reduce on plateau</source>
        <translation>Senken bei Stillstand</translation>
    </message>
    <message>
        <source>Regression: absolute errors, but squared close to zero.</source>
        <translation>Regression: Beträge, aber Quadrate nahe null.</translation>
    </message>
    <message>
        <source>Regression: numbers, large errors count more.</source>
        <translation>Regression: Zahlen, große Fehler zählen mehr.</translation>
    </message>
    <message>
        <source>Regression: numbers, robust against outliers.</source>
        <translation>Regression: Zahlen, robust gegen Ausreißer.</translation>
    </message>
    <message>
        <source>Regression: squared for small errors, absolute for large ones.</source>
        <translation>Regression: Quadrate kleiner Fehler, Beträge großer.</translation>
    </message>
    <message>
        <source>Rises from a small rate to the full one and falls to almost nothing at the last step.</source>
        <translation>Steigt von einer kleinen Rate zur vollen und sinkt beim letzten Schritt auf fast nichts.</translation>
    </message>
    <message>
        <source>Rising share</source>
        <translation>Steigender Anteil</translation>
    </message>
    <message>
        <source>SGD</source>
        <translation>SGD</translation>
    </message>
    <message>
        <source>SGD with Nesterov&apos;s momentum</source>
        <translation>SGD mit Nesterov-Impuls</translation>
    </message>
    <message>
        <source>SGD with momentum</source>
        <translation>SGD mit Impuls</translation>
    </message>
    <message>
        <source>Scales all gradients down to this norm; 0 is off.</source>
        <translation>Verkleinert alle Gradienten auf diese Norm; 0 ist aus.</translation>
    </message>
    <message>
        <source>Share of the last change that is kept.</source>
        <translation>Anteil der letzten Änderung, der weiterwirkt.</translation>
    </message>
    <message>
        <source>Share of the moment in the direction of a step.</source>
        <translation>Anteil des Moments an der Richtung eines Schritts.</translation>
    </message>
    <message>
        <source>Share of the target that is spread evenly over all classes.</source>
        <translation>Anteil des Zielwerts, der gleichmäßig auf alle Klassen verteilt wird.</translation>
    </message>
    <message>
        <source>Shrinks the weights a little with every step.</source>
        <translation>Verkleinert die Gewichte mit jedem Schritt ein wenig.</translation>
    </message>
    <message>
        <source>Smooth L1</source>
        <translation>Glatter L1</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Stufen</translation>
    </message>
    <message>
        <source>Steps of fixed size in the direction of the mean; needs a small rate.</source>
        <translation>Schritte gleicher Größe in Richtung des Mittels; braucht eine kleine Rate.</translation>
    </message>
    <message>
        <source>Straight lines</source>
        <translation>Gerade Linien</translation>
    </message>
    <message>
        <source>Target is logarithmic</source>
        <translation>Zielwert logarithmisch</translation>
    </message>
    <message>
        <source>The classic table: four lengths of a flower in centimetres, three species, and the smallest network that tells them apart.</source>
        <translation>Die klassische Tabelle: vier Längen einer Blüte in Zentimetern, drei Arten und das kleinste Netz, das sie unterscheidet.</translation>
    </message>
    <message>
        <source>The first rate is the learning rate divided by it.</source>
        <translation>Die erste Rate ist die Lernrate geteilt durch ihn.</translation>
    </message>
    <message>
        <source>The last rate is the first one divided by it.</source>
        <translation>Die letzte Rate ist die erste geteilt durch ihn.</translation>
    </message>
    <message>
        <source>The rate changes along straight lines instead of half cosines.</source>
        <translation>Die Rate folgt geraden Linien statt halben Kosinusbögen.</translation>
    </message>
    <message>
        <source>The rate does not fall below it.</source>
        <translation>Die Rate sinkt nicht darunter.</translation>
    </message>
    <message>
        <source>The rate takes as long to fall to the first one as it took to rise, then falls to the last one.</source>
        <translation>Die Rate sinkt so lange auf die erste, wie sie stieg, und dann auf die letzte.</translation>
    </message>
    <message>
        <source>The rate is divided by 1 + this times the steps done.</source>
        <translation>Die Rate wird durch 1 + dies mal die getanen Schritte geteilt.</translation>
    </message>
    <message>
        <source>The rate rises from zero over this many optimizer steps.</source>
        <translation>Die Rate steigt über so viele Optimiererschritte von null an.</translation>
    </message>
    <message>
        <source>The same rate in every step.</source>
        <translation>Dieselbe Rate in jedem Schritt.</translation>
    </message>
    <message>
        <source>The target is also a log-probability.</source>
        <translation>Auch der Zielwert ist eine Log-Wahrscheinlichkeit.</translation>
    </message>
    <message>
        <source>The threshold is a loss, not a share of it.</source>
        <translation>Die Schwelle ist ein Verlust und kein Anteil davon.</translation>
    </message>
    <message>
        <source>The weights decay before the step; PyTorch&apos;s defaults.</source>
        <translation>Die Gewichte zerfallen vor dem Schritt; Vorgaben von PyTorch.</translation>
    </message>
    <message>
        <source>This share of each weight is added to its gradient.</source>
        <translation>Dieser Anteil jedes Gewichts kommt zu seinem Gradienten hinzu.</translation>
    </message>
    <message>
        <source>Three phases</source>
        <translation>Drei Phasen</translation>
    </message>
    <message>
        <source>Three spirals</source>
        <translation>Drei Spiralen</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>Schwelle</translation>
    </message>
    <message>
        <source>Top-5-accuracy</source>
        <translation>Top-5-Genauigkeit</translation>
    </message>
    <message>
        <source>Train with a learning rate ten times larger. What happens to the curve?</source>
        <translation>Mit zehnmal größerer Lernrate trainieren. Was geschieht mit der Kurve?</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>Aufwärmen</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>Gewichtszerfall</translation>
    </message>
    <message>
        <source>Positive-class weight</source>
        <translation>Gewicht der positiven Klasse</translation>
    </message>
    <message>
        <source>Weight of the positive class against the negative; below 0: no weights.</source>
        <translation>Gewicht der positiven Klasse gegen die negative; unter 0: keine Gewichte.</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Smallest improvement of the loss that counts, as a share of the best loss.</source>
        <translation>Kleinste Verbesserung des Verlusts, die zählt, als Anteil des besten Verlusts.</translation>
    </message>
    <message>
        <source>Factor for the rate at a drop.</source>
        <translation>Faktor der Rate bei einem Sinken.</translation>
    </message>
    <message>
        <source>Factor for the rate at each drop.</source>
        <translation>Faktor der Rate bei jedem Sinken.</translation>
    </message>
    <message>
        <source>Factor for the rate in every step.</source>
        <translation>Faktor der Rate in jedem Schritt.</translation>
    </message>
    <message>
        <source>Initial value of the sums of squared gradients.</source>
        <translation>Anfangswert der Summen der quadrierten Gradienten.</translation>
    </message>
    <message>
        <source>Yes or no as 1 and -1, as support vectors do.</source>
        <translation>Ja oder nein als 1 und -1, wie bei Support-Vektoren.</translation>
    </message>
    <message>
        <source>Yes or no for each output; targets between 0 and 1.</source>
        <translation>Ja oder nein für jede Ausgabe; Zielwerte zwischen 0 und 1.</translation>
    </message>
    <message>
        <source>Yes or no if one of them is rare: easy samples count less.</source>
        <translation>Ja oder nein, falls eines selten ist: Leichte Beispiele zählen weniger.</translation>
    </message>
    <message>
        <source>a named parameter</source>
        <translation>ein benannter Parameter</translation>
    </message>
    <message>
        <source>a number written into the model</source>
        <translation>eine ins Modell geschriebene Zahl</translation>
    </message>
    <message>
        <source>a tensor written into the model</source>
        <translation>ein ins Modell geschriebener Tensor</translation>
    </message>
    <message>
        <source>batch-norm statistic</source>
        <translation>Batch-Norm-Statistik</translation>
    </message>
    <message>
        <source>constant</source>
        <translation>Konstante</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>evaluations</source>
        <translation>Auswertungen</translation>
    </message>
    <message>
        <source>info</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>not a floating-point tensor</source>
        <translation>kein Gleitkommatensor</translation>
    </message>
    <message>
        <source>nothing reads it</source>
        <translation>nichts liest es</translation>
    </message>
    <message>
        <source>of the steps</source>
        <translation>der Schritte</translation>
    </message>
    <message>
        <source>per step</source>
        <translation>je Schritt</translation>
    </message>
    <message>
        <source>per step and learning rate</source>
        <translation>je Schritt und Lernrate</translation>
    </message>
    <message>
        <source>running statistic of a batch normalization</source>
        <translation>laufende Statistik einer Batch-Normalisierung</translation>
    </message>
    <message>
        <source>shape data</source>
        <translation>Formdaten</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>trainable</source>
        <translation>trainierbar</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>written into a model whose parameters have names</source>
        <translation>in ein Modell geschrieben, dessen Parameter Namen haben</translation>
    </message>
    <message>
        <source>best</source>
        <translation>bester</translation>
    </message>
    <message>
        <source>every</source>
        <translation>regelmäßig</translation>
    </message>
    <message>
        <source>last</source>
        <translation>letzter</translation>
    </message>
    <message>
        <source>requested</source>
        <translation>gewünscht</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Validation loss</source>
        <translation>Validierungsverlust</translation>
    </message>
    <message>
        <source>a bracket is not closed</source>
        <translation>eine eckige Klammer ist nicht geschlossen</translation>
    </message>
    <message>
        <source>a parenthesis has no counterpart</source>
        <translation>eine Klammer hat kein Gegenstück</translation>
    </message>
    <message>
        <source>the backslash has no meaning here</source>
        <translation>der Backslash hat hier keine Bedeutung</translation>
    </message>
    <message>
        <source>the braces contain no repetition count</source>
        <translation>in den geschweiften Klammern steht keine Anzahl von Wiederholungen</translation>
    </message>
    <message>
        <source>the range ends before it starts</source>
        <translation>der Bereich endet vor seinem Anfang</translation>
    </message>
    <message>
        <source>unknown character class</source>
        <translation>unbekannte Klasse von Zeichen</translation>
    </message>
    <message>
        <source>nothing to repeat</source>
        <translation>nichts zu wiederholen</translation>
    </message>
    <message>
        <source>not allowed here</source>
        <translation>hier nicht erlaubt</translation>
    </message>
    <message>
        <source>1,437 images of 8 × 8 pixels, drawn by 43 people. The first batch shows them as the model sees them.</source>
        <translation>1.437 Bilder mit 8 × 8 Pixeln, gezeichnet von 43 Personen. Der erste Batch zeigt sie so, wie das Modell sie sieht.</translation>
    </message>
    <message>
        <source>128 numbers each, 32 milliseconds at 4 kHz: the notes C, E, G and C an octave higher, with random phase and a lot of noise.</source>
        <translation>Je 128 Zahlen, 32 Millisekunden bei 4 kHz: die Töne C, E, G und das C darüber, mit zufälliger Phase und viel Rauschen.</translation>
    </message>
    <message>
        <source>40 training samples against 17,154 weights. Six of the samples carry the wrong label on purpose.</source>
        <translation>40 Trainingsbeispiele gegen 17.154 Gewichte. Sechs der Beispiele haben mit Absicht die falsche Klasse.</translation>
    </message>
    <message>
        <source>480 steps take less than a second. The dashed line is the expected curve.</source>
        <translation>480 Schritte dauern keine Sekunde. Die gestrichelte Linie ist die zu erwartende Kurve.</translation>
    </message>
    <message>
        <source>A convolution over time hears which of four notes is in a short, noisy sound.</source>
        <translation>Eine Faltung über die Zeit hört, welcher von vier Tönen in einem kurzen, verrauschten Klang steckt.</translation>
    </message>
    <message>
        <source>A network from a careless export: it runs, but no gradient gets through. The report says where and how to fix it.</source>
        <translation>Ein Netz aus einem nachlässigen Export: Es läuft, aber kein Gradient kommt durch. Der Bericht sagt, wo, und was dagegen hilft.</translation>
    </message>
    <message>
        <source>A sine curve</source>
        <translation>Eine Sinuskurve</translation>
    </message>
    <message>
        <source>Everything but the head is frozen: the convolutions were trained on the digits 0 to 4 and stay unchanged.</source>
        <translation>Alles außer dem Kopf ist eingefroren: Die Faltungen wurden mit den Ziffern 0 bis 4 trainiert und bleiben unverändert.</translation>
    </message>
    <message>
        <source>Another loss</source>
        <translation>Ein anderer Verlust</translation>
    </message>
    <message>
        <source>Broken on purpose</source>
        <translation>Mit Absicht kaputt</translation>
    </message>
    <message>
        <source>Change the optimizer</source>
        <translation>Den Optimierer wechseln</translation>
    </message>
    <message>
        <source>Check its health</source>
        <translation>Den Zustand prüfen</translation>
    </message>
    <message>
        <source>Choose the loss</source>
        <translation>Den Verlust wählen</translation>
    </message>
    <message>
        <source>Choose “Find a learning rate”: on a copy, the rate grows until the loss explodes. Set the learning rate to 0.002, well below that.</source>
        <translation>„Lernrate suchen“ wählen: An einer Kopie wächst die Rate, bis der Verlust explodiert. Die Lernrate auf 0,002 setzen, weit darunter.</translation>
    </message>
    <message>
        <source>Choose “Pass the gradient straight through” for G002: in the backward pass, the node acts as if it were not there.</source>
        <translation>Für G002 „Den Gradienten unverändert durchleiten“ wählen: Rückwärts tut der Knoten, als wäre er nicht da.</translation>
    </message>
    <message>
        <source>Clip the gradients</source>
        <translation>Die Gradienten kappen</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Compare the runs</source>
        <translation>Die Läufe vergleichen</translation>
    </message>
    <message>
        <source>Count both</source>
        <translation>Beides zählen</translation>
    </message>
    <message>
        <source>Count the weights</source>
        <translation>Die Gewichte zählen</translation>
    </message>
    <message>
        <source>Draw a digit</source>
        <translation>Eine Ziffer zeichnen</translation>
    </message>
    <message>
        <source>Each sample is a point with x and y; its arm is the class. The first batch shows 32 of them as the model sees them.</source>
        <translation>Jedes Beispiel ist ein Punkt mit x und y; sein Arm ist die Klasse. Der erste Batch zeigt 32 davon so, wie das Modell sie sieht.</translation>
    </message>
    <message>
        <source>Evaluate, then open Curves: errors scattered evenly around zero are noise; a pattern would mean that there is more to learn.</source>
        <translation>Auswerten, dann „Kurven“ öffnen: Fehler, die gleichmäßig um null streuen, sind Rauschen; ein Muster wäre etwas, das noch zu lernen ist.</translation>
    </message>
    <message>
        <source>Exploding gradients</source>
        <translation>Explodierende Gradienten</translation>
    </message>
    <message>
        <source>Export the trained model: it is checked against the evaluation model and runs wherever ONNX does.</source>
        <translation>Das trainierte Modell exportieren: Es wird gegen das Auswertungsmodell geprüft und läuft überall, wo ONNX läuft.</translation>
    </message>
    <message>
        <source>Find a rate</source>
        <translation>Eine Rate finden</translation>
    </message>
    <message>
        <source>Find the best step</source>
        <translation>Den besten Schritt finden</translation>
    </message>
    <message>
        <source>Find the hard species</source>
        <translation>Die schwierigen Arten finden</translation>
    </message>
    <message>
        <source>Find the new digits</source>
        <translation>Die neuen Ziffern finden</translation>
    </message>
    <message>
        <source>Follow the graph</source>
        <translation>Dem Graphen folgen</translation>
    </message>
    <message>
        <source>Forty noisy points and 17,000 weights: the network memorizes them. Early stopping keeps the best state.</source>
        <translation>Vierzig verrauschte Punkte und 17.000 Gewichte: Das Netz lernt sie auswendig. Frühes Anhalten bewahrt den besten Stand.</translation>
    </message>
    <message>
        <source>Four clusters of points and a network with four hidden units: small enough to follow every step.</source>
        <translation>Vier Punktwolken und ein Netz mit vier verborgenen Einheiten: klein genug, um jedem einzelnen Schritt zu folgen.</translation>
    </message>
    <message>
        <source>Four columns become one input of four numbers; the species becomes the target.</source>
        <translation>Vier Spalten werden zu einer Eingabe aus vier Zahlen, die Art wird zum Zielwert.</translation>
    </message>
    <message>
        <source>Four tones</source>
        <translation>Vier Töne</translation>
    </message>
    <message>
        <source>Freeze conv1 and conv2 at their random values and train only the linear layers: how accurate does that get?</source>
        <translation>conv1 und conv2 mit ihren zufälligen Werten einfrieren und nur die linearen Schichten trainieren: Wie genau wird das?</translation>
    </message>
    <message>
        <source>Freeze conv1 at its random kernels and start over: how much worse is it?</source>
        <translation>conv1 mit seinen zufälligen Kernen einfrieren und neu beginnen: Wie viel schlechter ist es?</translation>
    </message>
    <message>
        <source>Freeze the middle</source>
        <translation>Die Mitte einfrieren</translation>
    </message>
    <message>
        <source>Freeze the statistics</source>
        <translation>Die Statistik einfrieren</translation>
    </message>
    <message>
        <source>Health reports how balanced the classes are and what is missing or duplicated. One flower occurs twice in the classic table.</source>
        <translation>„Zustand“ sagt, wie ausgewogen die Klassen sind und was fehlt oder doppelt ist. Eine Blume kommt in der klassischen Tabelle zweimal vor.</translation>
    </message>
    <message>
        <source>Keep the weights small</source>
        <translation>Die Gewichte klein halten</translation>
    </message>
    <message>
        <source>Training is fast and soon accurate: the strokes that distinguish 0 to 4 also work for 5 to 9.</source>
        <translation>Das Training ist schnell und bald genau: Die Striche, die 0 bis 4 unterscheiden, taugen auch für 5 bis 9.</translation>
    </message>
    <message>
        <source>Keep pressing Step. The layers show how large weights and gradients are, and by what fraction each step changes the weights.</source>
        <translation>Weiter auf „Einzelschritt“ drücken. Die Schichten zeigen, wie groß Gewichte und Gradienten sind und um welchen Anteil jeder Schritt die Gewichte ändert.</translation>
    </message>
    <message>
        <source>Know what is lost</source>
        <translation>Wissen, was fehlt</translation>
    </message>
    <message>
        <source>Leave the known range</source>
        <translation>Den bekannten Bereich verlassen</translation>
    </message>
    <message>
        <source>Let it fail</source>
        <translation>Scheitern lassen</translation>
    </message>
    <message>
        <source>Let it run</source>
        <translation>Laufen lassen</translation>
    </message>
    <message>
        <source>Listen less closely</source>
        <translation>Weniger genau hinhören</translation>
    </message>
    <message>
        <source>Look at the images</source>
        <translation>Die Bilder ansehen</translation>
    </message>
    <message>
        <source>Look at the model</source>
        <translation>Das Modell ansehen</translation>
    </message>
    <message>
        <source>Look at the residuals</source>
        <translation>Die Residuen ansehen</translation>
    </message>
    <message>
        <source>Look at the sounds</source>
        <translation>Die Klänge ansehen</translation>
    </message>
    <message>
        <source>Meet the data</source>
        <translation>Die Daten kennenlernen</translation>
    </message>
    <message>
        <source>Neighbouring notes differ by only a few numbers per wave: the loss falls slowly at first.</source>
        <translation>Benachbarte Töne unterscheiden sich nur um wenige Zahlen je Welle: Der Verlust fällt zuerst langsam.</translation>
    </message>
    <message>
        <source>Now it trains, and the curve should follow the dashed line.</source>
        <translation>Jetzt trainiert es, und die Kurve sollte der gestrichelten Linie folgen.</translation>
    </message>
    <message>
        <source>Numbers, not classes</source>
        <translation>Zahlen statt Klassen</translation>
    </message>
    <message>
        <source>One dimension less</source>
        <translation>Eine Dimension weniger</translation>
    </message>
    <message>
        <source>Open a checkpoint of each run: AdamW keeps two numbers for each trained value and none for frozen ones.</source>
        <translation>Von jedem Lauf einen Prüfpunkt öffnen: AdamW merkt sich zwei Zahlen für jeden Wert, der trainiert wird, und keine für das, was eingefroren ist.</translation>
    </message>
    <message>
        <source>Open the table</source>
        <translation>Die Tabelle öffnen</translation>
    </message>
    <message>
        <source>Overfitting</source>
        <translation>Überanpassung</translation>
    </message>
    <message>
        <source>Pass straight through</source>
        <translation>Geradewegs hindurch</translation>
    </message>
    <message>
        <source>Pause and step</source>
        <translation>Anhalten und einzeln weitergehen</translation>
    </message>
    <message>
        <source>Press Start training. The loss stays on a plateau at first, then falls once the network finds the bends. The dashed line is the expected curve.</source>
        <translation>Auf „Training starten“ drücken. Der Verlust bleibt zuerst auf einem Plateau und fällt, sobald das Netz die Biegungen findet. Die gestrichelte Linie zeigt, was zu erwarten ist.</translation>
    </message>
    <message>
        <source>Press Step: one batch of 8 points goes through, gradients come back, every weight moves a little. Watch the tiles above the curves.</source>
        <translation>Auf „Einzelschritt“ drücken: Ein Batch von 8 Punkten läuft durch, Gradienten kommen zurück, jedes Gewicht bewegt sich ein wenig. Die Kacheln über den Kurven zeigen es.</translation>
    </message>
    <message>
        <source>Random eyes</source>
        <translation>Zufällige Augen</translation>
    </message>
    <message>
        <source>Read the report</source>
        <translation>Den Bericht lesen</translation>
    </message>
    <message>
        <source>Regression: a small network fits a smooth wave to noisy samples.</source>
        <translation>Regression: Ein kleines Netz passt eine glatte Welle an verrauschte Beispiele an.</translation>
    </message>
    <message>
        <source>Replace AdamW with SGD at the same learning rate, start over and compare the curves.</source>
        <translation>AdamW bei gleicher Lernrate durch SGD ersetzen, neu beginnen und die Kurven vergleichen.</translation>
    </message>
    <message>
        <source>Replace the loss with the mean absolute error and start over: which of the two metrics improves?</source>
        <translation>Den Verlust durch den mittleren absoluten Fehler ersetzen und neu beginnen: Welche der beiden Metriken wird besser?</translation>
    </message>
    <message>
        <source>Reset the choices, let the run fail once more and choose “Lower rate ×0.1”: it continues from the last good step at a tenth of the rate.</source>
        <translation>Die Einstellungen zurücksetzen, den Lauf noch einmal scheitern lassen und „Rate ×0,1 senken“ wählen: Er geht vom letzten guten Schritt mit einem Zehntel der Rate weiter.</translation>
    </message>
    <message>
        <source>Press Resume. After the plateau, the loss falls towards zero: each hidden unit has found a line.</source>
        <translation>Auf „Weiter“ drücken. Nach dem Plateau fällt der Verlust gegen null: Jede verborgene Einheit hat eine Linie gefunden.</translation>
    </message>
    <message>
        <source>Roll back instead</source>
        <translation>Stattdessen zurücksetzen</translation>
    </message>
    <message>
        <source>Round was inserted to imitate an 8-bit device. It is flat between its jumps: its derivative is zero, which cuts off everything before it.</source>
        <translation>Round wurde eingesetzt, um ein 8-Bit-Gerät nachzuahmen. Es ist zwischen seinen Sprüngen flach: Seine Ableitung ist null und schneidet alles davor ab.</translation>
    </message>
    <message>
        <source>See it in the graph</source>
        <translation>Es im Graphen sehen</translation>
    </message>
    <message>
        <source>See the kernels</source>
        <translation>Die Kerne sehen</translation>
    </message>
    <message>
        <source>See what is frozen</source>
        <translation>Sehen, was eingefroren ist</translation>
    </message>
    <message>
        <source>See what it confuses</source>
        <translation>Sehen, was es verwechselt</translation>
    </message>
    <message>
        <source>Select both runs to compare time, accuracy and their differences side by side.</source>
        <translation>Beide Läufe auswählen, um Zeit, Genauigkeit und ihre Unterschiede nebeneinander zu sehen.</translation>
    </message>
    <message>
        <source>Select several runs to see their curves in one plot. Then halve or double the learning rate for another run.</source>
        <translation>Mehrere Läufe auswählen, um ihre Kurven in einem Diagramm zu sehen. Dann für einen weiteren Lauf die Lernrate halbieren oder verdoppeln.</translation>
    </message>
    <message>
        <source>Select the runs and compare their validation loss: which remedy reached the lowest?</source>
        <translation>Die Läufe auswählen und ihren Validierungsverlust vergleichen: Welches Mittel kam am tiefsten?</translation>
    </message>
    <message>
        <source>Select the weights of conv1: the kernels have become little waves, each in tune with a note.</source>
        <translation>Die Gewichte von conv1 auswählen: Die Kerne sind zu kleinen Wellen geworden, jede auf einen Ton gestimmt.</translation>
    </message>
    <message>
        <source>Start over. With both remedies the curve follows the dashed line.</source>
        <translation>Neu beginnen. Mit beiden Mitteln folgt die Kurve der gestrichelten Linie.</translation>
    </message>
    <message>
        <source>Start training. Within a few steps a number overflows float32; the run stops and names the first node where that happens.</source>
        <translation>Das Training starten. Nach wenigen Schritten ist eine Zahl zu groß für float32; der Lauf hält an und nennt den ersten Knoten, bei dem das geschieht.</translation>
    </message>
    <message>
        <source>Stop in time</source>
        <translation>Rechtzeitig anhalten</translation>
    </message>
    <message>
        <source>Take one step</source>
        <translation>Einen Schritt tun</translation>
    </message>
    <message>
        <source>Export the model</source>
        <translation>Das Modell exportieren</translation>
    </message>
    <message>
        <source>Ten times the rate</source>
        <translation>Die zehnfache Rate</translation>
    </message>
    <message>
        <source>The cheaper way</source>
        <translation>Der billigere Weg</translation>
    </message>
    <message>
        <source>The class is 1 if exactly one of a and b is large. No straight line separates these two corners from the others.</source>
        <translation>Die Klasse ist 1, wenn genau eines von a und b groß ist. Keine Gerade trennt diese beiden Ecken von den anderen.</translation>
    </message>
    <message>
        <source>The gradient norm grew from step to step. Each layer multiplies the gradient that comes back to it: the product of twelve factors above 1 is large.</source>
        <translation>Die Gradientennorm wuchs von Schritt zu Schritt. Jede Schicht multipliziert den Gradienten, der zu ihr zurückkommt: Das Produkt von zwölf Faktoren über 1 ist groß.</translation>
    </message>
    <message>
        <source>The mean squared error suits numbers. Large errors count more than small ones.</source>
        <translation>Der mittlere quadratische Fehler passt zu Zahlen. Große Fehler zählen mehr als kleine.</translation>
    </message>
    <message>
        <source>The same convolutions as for images, but along time only. The mean at the end makes the position of a wave irrelevant.</source>
        <translation>Die gleichen Faltungen wie für Bilder, nur entlang der Zeit. Durch den Mittelwert am Ende ist es gleich, wo eine Welle liegt.</translation>
    </message>
    <message>
        <source>The star on the curve marks the best evaluation. Its checkpoint was kept: load and evaluate it.</source>
        <translation>Der Stern auf der Kurve markiert die beste Auswertung. Ihr Prüfpunkt wurde behalten: Ihn laden und auswerten.</translation>
    </message>
    <message>
        <source>The target y is a number: the sine of x plus noise with standard deviation 0.1.</source>
        <translation>Der Zielwert y ist eine Zahl: der Sinus von x, dazu Rauschen mit Standardabweichung 0,1.</translation>
    </message>
    <message>
        <source>Three linear layers with tanh between them. Select a layer to see its weights in the inspector.</source>
        <translation>Drei lineare Schichten mit tanh dazwischen. Eine Schicht auswählen und ihre Gewichte im Inspektor ansehen.</translation>
    </message>
    <message>
        <source>Tick conv2.weight and conv2.bias, too, and start over: how much accuracy does that gain, and what does it cost per step?</source>
        <translation>Auch conv2.weight und conv2.bias ankreuzen und neu beginnen: Wie viel Genauigkeit bringt das, und was kostet es je Schritt?</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Trainieren</translation>
    </message>
    <message>
        <source>Train again</source>
        <translation>Noch einmal trainieren</translation>
    </message>
    <message>
        <source>Train less of it</source>
        <translation>Weniger davon trainieren</translation>
    </message>
    <message>
        <source>Train more of it</source>
        <translation>Mehr davon trainieren</translation>
    </message>
    <message>
        <source>Train the head</source>
        <translation>Den Kopf trainieren</translation>
    </message>
    <message>
        <source>Train only the last layer. What can&apos;t change can&apos;t memorize noise either.</source>
        <translation>Nur die letzte Schicht trainieren. Was sich nicht ändern kann, kann auch kein Rauschen auswendig lernen.</translation>
    </message>
    <message>
        <source>Training and validation loss fall together: what the model learns also holds for images it has not seen.</source>
        <translation>Trainings- und Validierungsverlust fallen gemeinsam: Was das Modell lernt, gilt auch für Bilder, die es nicht gesehen hat.</translation>
    </message>
    <message>
        <source>Training can&apos;t start. G002 names the node that stops the gradients, the parameters it cuts off, and the reason.</source>
        <translation>Das Training kann nicht beginnen. G002 nennt den Knoten, der die Gradienten aufhält, die abgeschnittenen Parameter und den Grund.</translation>
    </message>
    <message>
        <source>Try other seeds</source>
        <translation>Andere Startwerte versuchen</translation>
    </message>
    <message>
        <source>Twelve layers and a learning rate that is far too large: the loss explodes within a few steps. Two remedies tame it.</source>
        <translation>Zwölf Schichten und eine viel zu große Lernrate: Der Verlust explodiert in wenigen Schritten. Zwei Mittel zähmen ihn.</translation>
    </message>
    <message>
        <source>Two convolutions look for strokes, two linear layers weigh them. Select a convolution to see its kernels.</source>
        <translation>Zwei Faltungen suchen nach Strichen, zwei lineare Schichten gewichten sie. Eine Faltung auswählen, um ihre Kerne zu sehen.</translation>
    </message>
    <message>
        <source>Two inputs, four hidden units, one output: training can change 17 numbers in all.</source>
        <translation>Zwei Eingaben, vier verborgene Einheiten, eine Ausgabe: Das Training kann insgesamt 17 Zahlen ändern.</translation>
    </message>
    <message>
        <source>Type a point</source>
        <translation>Einen Punkt eintippen</translation>
    </message>
    <message>
        <source>Under Try it, draw with the mouse. The model answers while you draw; Why shows which pixels it relies on.</source>
        <translation>Unter „Ausprobieren“ mit der Maus zeichnen. Das Modell antwortet beim Zeichnen; „Warum“ zeigt, auf welche Pixel es sich stützt.</translation>
    </message>
    <message>
        <source>Under Try it, type 0.5 for both a and b, midway between the clusters: the model has to guess, but it says how sure it is.</source>
        <translation>Unter „Ausprobieren“ für a und b jeweils 0,5 eintippen, mitten zwischen den Wolken: Das Modell muss raten, sagt aber, wie sicher es ist.</translation>
    </message>
    <message>
        <source>Under Try it, type x = 8, outside the range of the samples: the network continues in a straight line, not as a sine.</source>
        <translation>Unter „Ausprobieren“ x = 8 eintippen, außerhalb des Bereichs der Beispiele: Das Netz geht gerade weiter, nicht als Sinus.</translation>
    </message>
    <message>
        <source>Undo, and freeze the parameters before Round instead of applying the first remedy: only the head trains. How good does it get?</source>
        <translation>Rückgängig machen und statt des ersten Mittels die Parameter vor Round einfrieren: Nur der Kopf trainiert. Wie gut wird es?</translation>
    </message>
    <message>
        <source>Untick the middle layer and start over: is one trained hidden layer enough?</source>
        <translation>Den Haken der mittleren Schicht entfernen und neu beginnen: Genügt eine trainierte verborgene Schicht?</translation>
    </message>
    <message>
        <source>W004: another normalization was merged into the convolution. It trains as it is; only a better export brings it back.</source>
        <translation>W004: Eine weitere Normalisierung wurde mit der Faltung verschmolzen. Sie trainiert so, wie sie ist; nur ein besserer Export bringt sie zurück.</translation>
    </message>
    <message>
        <source>W005: a batch normalization was taken apart, and its running mean and variance look like weights. Choose “Freeze these 2 parameters”.</source>
        <translation>W005: Eine Batch-Normalisierung wurde zerlegt, und ihr laufender Mittelwert und ihre Varianz sehen wie Gewichte aus. „Diese 2 Parameter einfrieren“ wählen.</translation>
    </message>
    <message>
        <source>Watch MAE and RMSE. They stop falling near 0.1: the rest is noise, which no model can predict.</source>
        <translation>MAE und RMSE beobachten. Sie fallen bis in die Nähe von 0,1: Der Rest ist Rauschen, das kein Modell vorhersagen kann.</translation>
    </message>
    <message>
        <source>Watch the gradients</source>
        <translation>Die Gradienten beobachten</translation>
    </message>
    <message>
        <source>Watch the layers</source>
        <translation>Die Schichten beobachten</translation>
    </message>
    <message>
        <source>Inspect the optimizer</source>
        <translation>Den Optimierer ansehen</translation>
    </message>
    <message>
        <source>Which notes are confused?</source>
        <translation>Welche Töne werden verwechselt?</translation>
    </message>
    <message>
        <source>Why one line is not enough</source>
        <translation>Warum eine Linie nicht genügt</translation>
    </message>
    <message>
        <source>XOR, step by step</source>
        <translation>XOR, Schritt für Schritt</translation>
    </message>
    <message>
        <source>Evaluate the training samples, too: setosa is always recognized; versicolor and virginica overlap.</source>
        <translation>Auch die Trainingsbeispiele auswerten: Setosa wird immer erkannt; Versicolor und Virginica überschneiden sich.</translation>
    </message>
    <message>
        <source>Evaluate, then choose a cell of the matrix to see its points. After 60 epochs hardly any are wrong; after 8 epochs, the errors are where the arms meet.</source>
        <translation>Auswerten und eine Zelle der Matrix wählen, um ihre Punkte zu sehen. Nach 60 Epochen ist kaum einer falsch; nach 8 Epochen liegen die Fehler dort, wo die Arme zusammenlaufen.</translation>
    </message>
    <message>
        <source>The training loss keeps falling; the validation loss falls and then climbs: from there on, the network memorizes noise.</source>
        <translation>Der Trainingsverlust fällt immer weiter; der Validierungsverlust fällt und steigt dann: Von da an lernt das Netz Rauschen auswendig.</translation>
    </message>
    <message>
        <source>Train for only 4 epochs, then evaluate: most errors are between neighbouring notes.</source>
        <translation>Nur 4 Epochen trainieren, dann auswerten: Die meisten Fehler betreffen benachbarte Töne.</translation>
    </message>
    <message>
        <source>the expression is too long</source>
        <translation>der Ausdruck ist zu lang</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>behalten</translation>
    </message>
    <message>
        <source>pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>both branches and Where</source>
        <translation>beide Zweige und Where</translation>
    </message>
    <message>
        <source>%1 (%2 trainable)</source>
        <translation>%1 (%2 trainierbar)</translation>
    </message>
    <message>
        <source>%1 h %2 min %3 s</source>
        <translation>%1 h %2 min %3 s</translation>
    </message>
    <message>
        <source>%1, step %2</source>
        <translation>%1, Schritt %2</translation>
    </message>
    <message>
        <source>Best %1: %2 at step %3.</source>
        <translation>Bester Wert für %1: %2 in Schritt %3.</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Prüfpunkte</translation>
    </message>
    <message>
        <source>Confusion matrix</source>
        <translation>Konfusionsmatrix</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>Umgebung</translation>
    </message>
    <message>
        <source>Evaluations</source>
        <translation>Auswertungen</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>Gradientennorm</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Metriken</translation>
    </message>
    <message>
        <source>Rows are the true classes, columns the predicted ones, after the last evaluation.</source>
        <translation>Zeilen sind die wahren Klassen, Spalten die vorhergesagten, nach der letzten Auswertung.</translation>
    </message>
    <message>
        <source>Run failed after %1 steps, %2.</source>
        <translation>Lauf nach %1 Schritten gescheitert, %2.</translation>
    </message>
    <message>
        <source>Run finished after %1 steps, %2.</source>
        <translation>Lauf nach %1 Schritten beendet, %2.</translation>
    </message>
    <message>
        <source>Run stopped after %1 steps, %2.</source>
        <translation>Lauf nach %1 Schritten angehalten, %2.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Sizes</source>
        <translation>Größen</translation>
    </message>
    <message>
        <source>The run has not ended.</source>
        <translation>Der Lauf ist nicht zu Ende.</translation>
    </message>
    <message>
        <source>To reproduce it</source>
        <translation>Zum Wiederholen</translation>
    </message>
    <message>
        <source>Training run</source>
        <translation>Trainingslauf</translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation>Warnungen</translation>
    </message>
    <message>
        <source>artifacts</source>
        <translation>Artefakte</translation>
    </message>
    <message>
        <source>continued after step</source>
        <translation>fortgesetzt nach Schritt</translation>
    </message>
    <message>
        <source>continued from</source>
        <translation>fortgesetzt von</translation>
    </message>
    <message>
        <source>device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>epoch</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>evaluation</source>
        <translation>Auswertung</translation>
    </message>
    <message>
        <source>evaluation samples</source>
        <translation>Beispiele zur Auswertung</translation>
    </message>
    <message>
        <source>gradient norm</source>
        <translation>Gradientennorm</translation>
    </message>
    <message>
        <source>learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>planned memory</source>
        <translation>geplanter Speicher</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>step %1: %2</source>
        <translation>Schritt %1: %2</translation>
    </message>
    <message>
        <source>steps per epoch</source>
        <translation>Schritte je Epoche</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>training samples</source>
        <translation>Trainingsbeispiele</translation>
    </message>
    <message>
        <source>training, smoothed</source>
        <translation>Training, geglättet</translation>
    </message>
    <message>
        <source>Axis of the logits with the classes; -1: the last one.</source>
        <translation>Achse der Logits mit den Klassen; -1: die letzte.</translation>
    </message>
    <message>
        <source>Class axis</source>
        <translation>Achse der Klassen</translation>
    </message>
    <message>
        <source>a bound</source>
        <translation>eine Schranke</translation>
    </message>
    <message>
        <source>a bound of a comparison</source>
        <translation>die Grenze eines Vergleichs</translation>
    </message>
    <message>
        <source>a buffer of the exported module</source>
        <translation>ein Puffer des exportierten Moduls</translation>
    </message>
    <message>
        <source>a constant of the exporter</source>
        <translation>eine Konstante des Exporters</translation>
    </message>
    <message>
        <source>a mask</source>
        <translation>eine Maske</translation>
    </message>
    <message>
        <source>a number to fill in</source>
        <translation>eine Zahl zum Auffüllen</translation>
    </message>
    <message>
        <source>a number without a name</source>
        <translation>eine Zahl ohne Namen</translation>
    </message>
    <message>
        <source>a parameter of the exported module</source>
        <translation>ein Parameter des exportierten Moduls</translation>
    </message>
    <message>
        <source>a state of zeros</source>
        <translation>ein Zustand aus Nullen</translation>
    </message>
    <message>
        <source>a table of sines and cosines</source>
        <translation>eine Tabelle von Sinus und Kosinus</translation>
    </message>
    <message>
        <source>an epsilon</source>
        <translation>ein Epsilon</translation>
    </message>
    <message>
        <source>made from parameters by the exporter</source>
        <translation>vom Exporter aus Parametern gemacht</translation>
    </message>
    <message>
        <source>normalizes an input</source>
        <translation>normiert einen Eingang</translation>
    </message>
    <message>
        <source>part of a group normalization</source>
        <translation>Teil einer Gruppennormierung</translation>
    </message>
    <message>
        <source>the exponent of a power</source>
        <translation>der Exponent einer Potenz</translation>
    </message>
    <message>
        <source>Labels with this value do not count, if set; with axis -1 it is -100 by default.</source>
        <translation>Labels mit diesem Wert zählen nicht, falls gesetzt; bei Achse -1 ist er ohne Angabe -100.</translation>
    </message>
    <message>
        <source>Language models: each position predicts the next token.</source>
        <translation>Sprachmodelle: Jede Stelle sagt das nächste Token voraus.</translation>
    </message>
    <message>
        <source>Next token</source>
        <translation>Nächstes Token</translation>
    </message>
    <message>
        <source>Padding token</source>
        <translation>Fülltoken</translation>
    </message>
    <message>
        <source>Tokens with this id are not used as labels; -1: none.</source>
        <translation>Token mit dieser Nummer dienen nicht als Labels; -1: keines.</translation>
    </message>
    <message>
        <source>Stop if the loss diverges</source>
        <translation>Bei davonlaufendem Verlust beenden</translation>
    </message>
    <message>
        <source>Accumulate batches</source>
        <translation>Batches sammeln</translation>
    </message>
    <message>
        <source>Activation memory limit</source>
        <translation>Grenze des Aktivierungsspeichers</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>Batchgröße</translation>
    </message>
    <message>
        <source>Batches whose gradients are averaged before a step is taken.</source>
        <translation>Batches, deren Gradienten vor einem Schritt gemittelt werden.</translation>
    </message>
    <message>
        <source>Best by</source>
        <translation>Bester nach</translation>
    </message>
    <message>
        <source>Best checkpoints kept</source>
        <translation>Beste Prüfpunkte behalten</translation>
    </message>
    <message>
        <source>Decay of a moving average of the weights, such as 0.999; 0 is off.</source>
        <translation>Abklingen eines gleitenden Mittels der Gewichte, etwa 0.999; 0 ist aus.</translation>
    </message>
    <message>
        <source>Each number of the gradients is clipped to this size; 0 is off.</source>
        <translation>Jede Zahl der Gradienten wird auf diese Größe begrenzt; 0 ist aus.</translation>
    </message>
    <message>
        <source>Early stop after</source>
        <translation>Früher Abbruch nach</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>Epochen</translation>
    </message>
    <message>
        <source>Evaluate the weight average</source>
        <translation>Mittel der Gewichte auswerten</translation>
    </message>
    <message>
        <source>Evaluations use the average of the weights instead of the weights. Needs weight averaging.</source>
        <translation>Auswertungen verwenden das Mittel der Gewichte statt der Gewichte. Braucht die Mittelung der Gewichte.</translation>
    </message>
    <message>
        <source>Evaluations without improvement that end the run; 0 is off.</source>
        <translation>Auswertungen ohne Verbesserung, die den Lauf beenden; 0 ist aus.</translation>
    </message>
    <message>
        <source>Size of each step.</source>
        <translation>Größe jedes Schritts.</translation>
    </message>
    <message>
        <source>Number of best checkpoints to keep, as best-STEP.ckpt; 1: only best.ckpt.</source>
        <translation>Anzahl der besten Prüfpunkte, die bleiben, als best-SCHRITT.ckpt; 1: nur best.ckpt.</translation>
    </message>
    <message>
        <source>Number of passes over all samples.</source>
        <translation>Anzahl der Durchgänge durch alle Beispiele.</translation>
    </message>
    <message>
        <source>Only larger improvements postpone the early stop.</source>
        <translation>Nur größere Verbesserungen schieben den frühen Abbruch hinaus.</translation>
    </message>
    <message>
        <source>Larger gradients are scaled down to this norm; 0 is off.</source>
        <translation>Größere Gradienten werden auf diese Norm verkleinert; 0 ist aus.</translation>
    </message>
    <message>
        <source>Minimum improvement</source>
        <translation>Mindestverbesserung</translation>
    </message>
    <message>
        <source>Optimizer steps from one checkpoint to the next; 0: at the end of each epoch.</source>
        <translation>Schritte des Optimierers von einem Prüfpunkt zum nächsten; 0: am Ende jeder Epoche.</translation>
    </message>
    <message>
        <source>Optimizer steps from one evaluation to the next; 0: at the end of each epoch.</source>
        <translation>Schritte des Optimierers von einer Auswertung zur nächsten; 0: am Ende jeder Epoche.</translation>
    </message>
    <message>
        <source>Optimizer steps of the run, instead of the epochs; 0: as many as the epochs have.</source>
        <translation>Schritte des Optimierers statt der Epochen; 0: so viele, wie die Epochen haben.</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Rechengenauigkeit</translation>
    </message>
    <message>
        <source>Samples whose gradients are averaged in one pass.</source>
        <translation>Beispiele, deren Gradienten in einem Durchgang gemittelt werden.</translation>
    </message>
    <message>
        <source>Save a checkpoint at each pause</source>
        <translation>Bei jeder Pause einen Prüfpunkt speichern</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Steps between checkpoints</source>
        <translation>Schritte je Prüfpunkt</translation>
    </message>
    <message>
        <source>Steps between evaluations</source>
        <translation>Schritte je Auswertung</translation>
    </message>
    <message>
        <source>What selects the best checkpoint: loss or a metric.</source>
        <translation>Was den besten Prüfpunkt bestimmt: loss oder eine Metrik.</translation>
    </message>
    <message>
        <source>The run ends after the step that reaches it; pauses do not count; 0 is off.</source>
        <translation>Der Lauf endet nach dem Schritt, der sie erreicht; Pausen zählen nicht; 0 ist aus.</translation>
    </message>
    <message>
        <source>The run ends if the smoothed loss stays far above its start, or all progress is lost, and offers to go back. NaN and infinity always end it.</source>
        <translation>Der Lauf endet, wenn der geglättete Verlust weit über seinem Anfang bleibt oder alles Gelernte verloren ist, und bietet an zurückzugehen. NaN und Unendlich beenden ihn immer.</translation>
    </message>
    <message>
        <source>The same seed gives the same curve.</source>
        <translation>Derselbe Startwert ergibt dieselbe Kurve.</translation>
    </message>
    <message>
        <source>Fraction of the activation memory to use, up to 1. The rest is recomputed: slower, with the same results.</source>
        <translation>Anteil des Aktivierungsspeichers, der benutzt werden darf, bis 1. Der Rest wird neu berechnet: langsamer, mit denselben Zahlen.</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>Compute threads; 0: one per core. Results do not depend on it.</source>
        <translation>Threads zum Rechnen; 0: einer je Kern. Die Ergebnisse hängen nicht davon ab.</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Device for computations.</source>
        <translation>Gerät zum Rechnen.</translation>
    </message>
    <message>
        <source>Time limit</source>
        <translation>Zeitgrenze</translation>
    </message>
    <message>
        <source>What evaluations measure besides the loss; by default the metrics that fit the loss.</source>
        <translation>Was Auswertungen außer dem Verlust messen; ohne Wahl die Metriken, die zum Verlust passen.</translation>
    </message>
    <message>
        <source>Precision of products in training: fp32 or bf16. Weights are float32.</source>
        <translation>Rechengenauigkeit der Produkte beim Training: fp32 oder bf16. Gewichte sind float32.</translation>
    </message>
    <message>
        <source>When a run is paused, its state is written to pause-STEP.ckpt.</source>
        <translation>Wenn ein Lauf angehalten wird, wird sein Stand in pause-SCHRITT.ckpt geschrieben.</translation>
    </message>
    <message>
        <source>Axis of the logits that holds the steps: 1 for [N, T, classes], 0 for [T, N, classes].</source>
        <translation>Achse der Logits mit den Schritten: 1 für [N, T, Klassen], 0 für [T, N, Klassen].</translation>
    </message>
    <message>
        <source>Blank</source>
        <translation>Leerklasse</translation>
    </message>
    <message>
        <source>CTC</source>
        <translation>CTC</translation>
    </message>
    <message>
        <source>EMA decay</source>
        <translation>EMA-Abnahme</translation>
    </message>
    <message>
        <source>Reading and listening: labels in order, without their positions.</source>
        <translation>Lesen und Hören: Labels in ihrer Reihenfolge, ohne ihre Stellen.</translation>
    </message>
    <message>
        <source>Samples with more labels than steps count 0; otherwise their loss is infinite.</source>
        <translation>Beispiele mit mehr Labels als Schritten zählen 0; sonst ist ihr Verlust unendlich.</translation>
    </message>
    <message>
        <source>Skip what does not fit</source>
        <translation>Auslassen, was nicht passt</translation>
    </message>
    <message>
        <source>The class that stands for no label.</source>
        <translation>Die Klasse, die für kein Label steht.</translation>
    </message>
    <message>
        <source>Time axis</source>
        <translation>Zeitachse</translation>
    </message>
    <message>
        <source>by epochs</source>
        <translation>nach Epochen</translation>
    </message>
    <message>
        <source>each epoch</source>
        <translation>je Epoche</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>unbegrenzt</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>one per core</source>
        <translation>einer je Kern</translation>
    </message>
    <message>
        <source>Seeds 1, 2 and 3 (under “More settings”) shuffle the samples differently: the curves differ, the final result hardly does.</source>
        <translation>Die Startwerte 1, 2 und 3 (unter „Weitere Einstellungen“) mischen die Beispiele anders: Die Kurven unterscheiden sich, das Ergebnis kaum.</translation>
    </message>
    <message>
        <source>Under the “More settings” of AdamW, set the weight decay to 1: large weights are now penalized. Does the validation loss still climb?</source>
        <translation>Unter „Weitere Einstellungen“ von AdamW den Gewichtszerfall auf 1 setzen: Große Gewichte kosten jetzt etwas. Steigt der Validierungsverlust noch?</translation>
    </message>
    <message>
        <source>Under “More settings”, set “Clip gradient norm” to 1: no gradient gets longer than this, however steep the loss is.</source>
        <translation>Unter „Weitere Einstellungen“ „Gradientennorm begrenzen“ auf 1 setzen: Kein Gradient wird länger, so steil der Verlust auch ist.</translation>
    </message>
    <message>
        <source>Under “More settings”, set “Early stop after” to 15 evaluations and start over: the run ends soon after its best evaluation.</source>
        <translation>Unter „Weitere Einstellungen“ „Früher Abbruch nach“ auf 15 Auswertungen setzen und neu beginnen: Der Lauf endet bald nach seiner besten Auswertung.</translation>
    </message>
    <message>
        <source>Any batch size</source>
        <translation>Beliebige Batchgröße</translation>
    </message>
    <message>
        <source>Batch norms over all slices</source>
        <translation>Batch-Normen über alle Teile</translation>
    </message>
    <message>
        <source>Binding</source>
        <translation>Verbindung</translation>
    </message>
    <message>
        <source>Classes of a new head</source>
        <translation>Klassen eines neuen Kopfes</translation>
    </message>
    <message>
        <source>Recomputed blocks</source>
        <translation>Neu berechnete Blöcke</translation>
    </message>
    <message>
        <source>Passes left out</source>
        <translation>Ausgelassene Durchgänge</translation>
    </message>
    <message>
        <source>Constant inputs</source>
        <translation>Konstante Eingaben</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Evaluation data</source>
        <translation>Auswertungsdaten</translation>
    </message>
    <message>
        <source>Extra outputs</source>
        <translation>Weitere Ausgaben</translation>
    </message>
    <message>
        <source>File name prefix</source>
        <translation>Präfix der Dateinamen</translation>
    </message>
    <message>
        <source>Frozen batch-norm statistics</source>
        <translation>Eingefrorene Batch-Norm-Statistik</translation>
    </message>
    <message>
        <source>Frozen parameters</source>
        <translation>Eingefrorene Parameter</translation>
    </message>
    <message>
        <source>Hidden units</source>
        <translation>Verborgene Einheiten</translation>
    </message>
    <message>
        <source>Loss inputs</source>
        <translation>Eingaben des Verlusts</translation>
    </message>
    <message>
        <source>New names</source>
        <translation>Neue Namen</translation>
    </message>
    <message>
        <source>Nominal checkpoint</source>
        <translation>Nomineller Prüfpunkt</translation>
    </message>
    <message>
        <source>ORT format</source>
        <translation>ORT-Format</translation>
    </message>
    <message>
        <source>Parameter groups</source>
        <translation>Parametergruppen</translation>
    </message>
    <message>
        <source>Replaced nodes</source>
        <translation>Ersetzte Knoten</translation>
    </message>
    <message>
        <source>Restored batch norms</source>
        <translation>Wiederhergestellte Batch-Normen</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>Slices of a batch</source>
        <translation>Teile eines Batches</translation>
    </message>
    <message>
        <source>Stopped gradients</source>
        <translation>Angehaltene Gradienten</translation>
    </message>
    <message>
        <source>Straight-through gradients</source>
        <translation>Durchgelassene Gradienten</translation>
    </message>
    <message>
        <source>Tensors kept merged</source>
        <translation>Verschmolzen gelassene Tensoren</translation>
    </message>
    <message>
        <source>Tensors split by node</source>
        <translation>Tensoren je Knoten</translation>
    </message>
    <message>
        <source>Tied tensors</source>
        <translation>Gekoppelte Tensoren</translation>
    </message>
    <message>
        <source>Trainable parameters</source>
        <translation>Trainierte Parameter</translation>
    </message>
    <message>
        <source>Untied tensors</source>
        <translation>Entkoppelte Tensoren</translation>
    </message>
    <message>
        <source>Weight decay of biases and norms</source>
        <translation>Gewichtszerfall von Bias-Werten und Normen</translation>
    </message>
    <message>
        <source>ZeRO stage</source>
        <translation>ZeRO-Stufe</translation>
    </message>
    <message>
        <source>a grid of coordinates</source>
        <translation>ein Gitter von Koordinaten</translation>
    </message>
    <message>
        <source>a window</source>
        <translation>ein Fenster</translation>
    </message>
    <message>
        <source>an argument of a function</source>
        <translation>ein Argument einer Funktion</translation>
    </message>
    <message>
        <source>filled with one number</source>
        <translation>mit einer Zahl gefüllt</translation>
    </message>
    <message>
        <source>whole numbers</source>
        <translation>ganze Zahlen</translation>
    </message>
    <message>
        <source>zeros to write into</source>
        <translation>Nullen zum Überschreiben</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>Trains ONNX models in a window.</source>
        <translation>Trainiert ONNX-Modelle in einem Fenster.</translation>
    </message>
    <message>
        <source>Open a lesson, e.g. digits.</source>
        <translation>Eine Lektion öffnen, z. B. digits.</translation>
    </message>
    <message>
        <source>Start training as soon as the model is ready.</source>
        <translation>Das Training starten, sobald das Modell bereit ist.</translation>
    </message>
    <message>
        <source>A project, a model, a checkpoint or data.</source>
        <translation>Ein Projekt, ein Modell, ein Prüfpunkt oder Daten.</translation>
    </message>
    <message>
        <source>Print the startup time and exit.</source>
        <translation>Die Startdauer ausgeben und beenden.</translation>
    </message>
</context>
<context>
    <name>temper::ui</name>
    <message>
        <source>Inspector</source>
        <translation>Inspektor</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Probleme</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>axis %1</source>
        <translation>Achse %1</translation>
    </message>
    <message numerus="yes">
        <source>%n more lines</source>
        <translation>
            <numerusform>%n weitere Zeile</numerusform>
            <numerusform>%n weitere Zeilen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n nodes</source>
        <translation>
            <numerusform>%n Knoten</numerusform>
            <numerusform>%n Knoten</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 · one of %2 alike</source>
        <translation>%1 · eine von %2 gleichen</translation>
    </message>
    <message numerus="yes">
        <source>%n tensors</source>
        <translation>
            <numerusform>%n Tensor</numerusform>
            <numerusform>%n Tensoren</numerusform>
        </translation>
    </message>
    <message>
        <source>Layers with weights</source>
        <translation>Schichten mit Gewichten</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>Normalization</source>
        <translation>Normalisierung</translation>
    </message>
    <message>
        <source>Pooling and reductions</source>
        <translation>Pooling und Reduktionen</translation>
    </message>
    <message>
        <source>Shapes and indices</source>
        <translation>Formen und Indizes</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>Andere</translation>
    </message>
    <message>
        <source>Trains</source>
        <translation>Trainiert</translation>
    </message>
    <message>
        <source>Partly frozen</source>
        <translation>Teils eingefroren</translation>
    </message>
    <message>
        <source>Frozen</source>
        <translation>Eingefroren</translation>
    </message>
    <message>
        <source>No gradient</source>
        <translation>Kein Gradient</translation>
    </message>
    <message>
        <source>No parameters</source>
        <translation>Keine Parameter</translation>
    </message>
    <message>
        <source>Computing norms</source>
        <translation>Normen werden berechnet</translation>
    </message>
    <message>
        <source>Values appear during training</source>
        <translation>Werte erscheinen während des Trainings</translation>
    </message>
    <message numerus="yes">
        <source>+%n shape ops</source>
        <translation>
            <numerusform>+%n Formoperation</numerusform>
            <numerusform>+%n Formoperationen</numerusform>
        </translation>
    </message>
    <message>
        <source>Epoch %1</source>
        <translation>Epoche %1</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Objective</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>Evaluate</source>
        <translation>Auswerten</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Export</translation>
    </message>
    <message numerus="yes">
        <source>graph of %n nodes</source>
        <translation>
            <numerusform>Graph mit %n Knoten</numerusform>
            <numerusform>Graph mit %n Knoten</numerusform>
        </translation>
    </message>
    <message>
        <source>Leave out the copies</source>
        <translation>Die Kopien weglassen</translation>
    </message>
    <message>
        <source>Leave them out of validation</source>
        <translation>Aus der Validierung weglassen</translation>
    </message>
    <message>
        <source>Leave out these samples</source>
        <translation>Diese Beispiele weglassen</translation>
    </message>
    <message>
        <source>Balance the classes</source>
        <translation>Die Klassen ausgleichen</translation>
    </message>
    <message>
        <source>Leave out these rows</source>
        <translation>Diese Zeilen weglassen</translation>
    </message>
    <message>
        <source>Leave out incomplete rows</source>
        <translation>Unvollständige Zeilen weglassen</translation>
    </message>
    <message>
        <source>Fill in the mean</source>
        <translation>Den Mittelwert einsetzen</translation>
    </message>
    <message>
        <source>Fill in missing values</source>
        <translation>Fehlende Werte auffüllen</translation>
    </message>
    <message>
        <source>Balance the classes in the loss</source>
        <translation>Die Klassen im Verlust ausgleichen</translation>
    </message>
    <message>
        <source>Training can&apos;t be prepared</source>
        <translation>Das Training lässt sich nicht vorbereiten</translation>
    </message>
    <message>
        <source>Not enough memory.</source>
        <translation>Der Arbeitsspeicher reicht nicht.</translation>
    </message>
    <message>
        <source>Close other programs or use a smaller batch.</source>
        <translation>Andere Programme schließen oder einen kleineren Batch verwenden.</translation>
    </message>
    <message>
        <source>Something unexpected went wrong.</source>
        <translation>Etwas Unerwartetes ist schiefgegangen.</translation>
    </message>
    <message>
        <source>Freeze parameters without a gradient</source>
        <translation>Parameter ohne Gradient einfrieren</translation>
    </message>
    <message>
        <source>Pass the gradient straight through %1</source>
        <translation>Den Gradienten unverändert durch %1 leiten</translation>
    </message>
    <message numerus="yes">
        <source>Freeze these %n parameters</source>
        <translation>
            <numerusform>Diesen Parameter einfrieren</numerusform>
            <numerusform>Diese %n Parameter einfrieren</numerusform>
        </translation>
    </message>
    <message>
        <source>Pass the gradient straight through</source>
        <translation>Den Gradienten unverändert durchleiten</translation>
    </message>
    <message>
        <source>Open a model first</source>
        <translation>Erst Modell öffnen</translation>
    </message>
    <message numerus="yes">
        <source>%n problems found</source>
        <translation>
            <numerusform>Ein Problem gefunden</numerusform>
            <numerusform>%n Probleme gefunden</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing to train</source>
        <translation>Nichts zu trainieren</translation>
    </message>
    <message>
        <source>Loss does not fit</source>
        <translation>Verlust passt nicht</translation>
    </message>
    <message>
        <source>Choose data</source>
        <translation>Daten wählen</translation>
    </message>
    <message>
        <source>An input is not bound</source>
        <translation>Eine Eingabe fehlt</translation>
    </message>
    <message>
        <source>Preparing was cancelled</source>
        <translation>Vorbereitung abgebrochen</translation>
    </message>
    <message>
        <source>Preparing…</source>
        <translation>Wird vorbereitet …</translation>
    </message>
    <message>
        <source>The model can&apos;t train yet</source>
        <translation>Noch nicht trainierbar</translation>
    </message>
    <message>
        <source>Reading data…</source>
        <translation>Daten werden gelesen …</translation>
    </message>
    <message>
        <source>Moving the runs…</source>
        <translation>Läufe werden verschoben …</translation>
    </message>
    <message>
        <source>no validation samples</source>
        <translation>keine Validierungsbeispiele</translation>
    </message>
    <message numerus="yes">
        <source>%Ln validation samples (%1)</source>
        <translation>
            <numerusform>%Ln Validierungsbeispiel (%1)</numerusform>
            <numerusform>%Ln Validierungsbeispiele (%1)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln validation samples (%1 % of all, drawn with seed %2)</source>
        <translation>
            <numerusform>%Ln Validierungsbeispiel (%1 % von allen, gezogen mit Startwert %2)</numerusform>
            <numerusform>%Ln Validierungsbeispiele (%1 % von allen, gezogen mit Startwert %2)</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2 %3</source>
        <translation>%1: %2 %3</translation>
    </message>
    <message>
        <source>target</source>
        <translation>Zielwert</translation>
    </message>
    <message numerus="yes">
        <source>%n classes (%1)</source>
        <translation>
            <numerusform>%n Klasse (%1)</numerusform>
            <numerusform>%n Klassen (%1)</numerusform>
        </translation>
    </message>
    <message>
        <source>normalized: mean %1, deviation %2</source>
        <translation>normalisiert: Mittelwert %1, Abweichung %2</translation>
    </message>
    <message numerus="yes">
        <source>%Ln training samples</source>
        <translation>
            <numerusform>%Ln Trainingsbeispiel</numerusform>
            <numerusform>%Ln Trainingsbeispiele</numerusform>
        </translation>
    </message>
    <message>
        <source>“Best by” does not fit the loss</source>
        <translation>„Bester nach“ passt nicht zum Verlust</translation>
    </message>
    <message>
        <source>Lesson</source>
        <translation>Lektion</translation>
    </message>
    <message>
        <source>Explain</source>
        <translation>Erklären</translation>
    </message>
    <message>
        <source>Sample</source>
        <translation>Beispiel</translation>
    </message>
    <message>
        <source>One example that the model learns from or is tested on: a picture, a row of a table, a point. It holds the input values and, for training, the right answer.</source>
        <translation>Ein Fall, aus dem das Modell lernt oder an dem es geprüft wird: ein Bild, eine Zeile einer Tabelle, ein Punkt. Es enthält die Eingabewerte und zum Lernen die richtige Antwort.</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>Zielwert</translation>
    </message>
    <message>
        <source>What the model should predict for a sample: the right class or number. The loss compares it with the prediction.</source>
        <translation>Was das Modell für ein Beispiel vorhersagen soll: die richtige Klasse oder Zahl. Der Verlust vergleicht es mit der Vorhersage.</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>Klasse</translation>
    </message>
    <message>
        <source>One of the answers that a model can choose from, such as one of ten digits. Inside the model, classes are numbers from 0 on; their names come from the data.</source>
        <translation>Eine der Antworten, unter denen ein Modell wählt, etwa eine von zehn Ziffern. Im Modell sind Klassen Zahlen ab 0; ihre Namen kommen aus den Daten.</translation>
    </message>
    <message>
        <source>Binding</source>
        <translation>Verbindung</translation>
    </message>
    <message>
        <source>Defines which column of the data feeds which input of the model. Most are matched by name, type and shape; the rest are chosen on the data page.</source>
        <translation>Legt fest, welche Spalte der Daten in welchen Eingang des Modells geht. Das meiste ergibt sich aus Name, Typ und Form; den Rest wählt man auf der Datenseite.</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>Validierung</translation>
    </message>
    <message>
        <source>Samples that are not used for training, only for measuring. How well the model does on them shows what to expect of samples that it has never seen.</source>
        <translation>Beispiele, die nicht zum Training dienen, nur zum Messen. Wie gut das Modell bei ihnen ist, zeigt, was bei nie gesehenen Beispielen zu erwarten ist.</translation>
    </message>
    <message>
        <source>Stratified split</source>
        <translation>Geschichtete Aufteilung</translation>
    </message>
    <message>
        <source>Splits samples into training and validation so that every class has the same share in both. Without it, a rare class may be missing from one of them.</source>
        <translation>Teilt Beispiele so in einen Teil zum Training und einen zur Validierung, dass jede Klasse in beiden denselben Anteil hat. Sonst kann eine seltene Klasse in einem davon fehlen.</translation>
    </message>
    <message>
        <source>Leakage</source>
        <translation>Datenleck</translation>
    </message>
    <message>
        <source>The same sample, or a copy of it, is in both the training and the validation samples. The model then already knows the answers, and the validation results are too good to be true.</source>
        <translation>Dasselbe Beispiel oder seine Kopie liegt im Training und in der Validierung. Das Modell kennt dann die Antworten schon, und die Ergebnisse der Validierung sind zu schön, um wahr zu sein.</translation>
    </message>
    <message>
        <source>Brings numbers to a common scale: the mean is subtracted and the result divided by the standard deviation. Features of similar size are learned at a similar speed. The values measured on the training samples are used for all others, too.</source>
        <translation>Bringt Zahlen auf eine gemeinsame Größe: Der Mittelwert wird abgezogen und der Rest durch die Standardabweichung geteilt. Merkmale ähnlicher Größe werden ähnlich schnell gelernt. Die an den Trainingsbeispielen gemessenen Werte gelten auch für alle anderen.</translation>
    </message>
    <message>
        <source>Augmentation</source>
        <translation>Augmentierung</translation>
    </message>
    <message>
        <source>Training samples are varied at random each time they are used: shifted, rotated, mirrored. The right answer stays the same. The model sees more variety and relies less on accidental details.</source>
        <translation>Trainingsbeispiele werden bei jeder Verwendung zufällig verändert: verschoben, gedreht, gespiegelt. Die richtige Antwort bleibt dieselbe. Das Modell sieht mehr Vielfalt und verlässt sich weniger auf Zufälle.</translation>
    </message>
    <message>
        <source>Data wait</source>
        <translation>Warten auf Daten</translation>
    </message>
    <message>
        <source>The share of the time that training waits for the next batch. If it is high, the bottleneck is reading the data, not the model.</source>
        <translation>Der Anteil der Zeit, in dem das Training auf den nächsten Batch wartet. Ist er hoch, bremst das Lesen der Daten und nicht das Modell.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>The number from which all randomness of a run derives: the order of the samples, dropout, augmentation. The same seed gives the same curve; another one shows how much of a result is luck.</source>
        <translation>Die Zahl, aus der aller Zufall eines Laufs folgt: Reihenfolge der Beispiele, Dropout, Augmentierung. Derselbe Startwert gibt dieselbe Kurve; ein anderer zeigt, wie viel an einem Ergebnis Glück ist.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>One training from start to end, with its settings, curves and checkpoints. Runs stay in the list and can be compared.</source>
        <translation>Ein Training von Anfang bis Ende mit seinen Einstellungen, Kurven und Prüfpunkten. Läufe bleiben in der Liste und lassen sich vergleichen.</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>One pass over all training samples, each seen once, in a new order. Most models need a few to a few hundred epochs.</source>
        <translation>Ein Durchgang durch alle Trainingsbeispiele, jedes einmal, in neuer Reihenfolge. Die meisten Modelle brauchen einige bis einige Hundert Epochen.</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Batch</translation>
    </message>
    <message>
        <source>The samples that are processed together in one pass; their gradients are averaged. Large batches give a steadier direction and need more memory; small ones are noisier, which often helps.</source>
        <translation>Die Beispiele, die in einem Durchgang zusammen gerechnet werden; ihre Gradienten werden gemittelt. Große Batches geben eine ruhigere Richtung und brauchen mehr Speicher; kleine sind unruhiger, was oft hilft.</translation>
    </message>
    <message>
        <source>Training step</source>
        <translation>Trainingsschritt</translation>
    </message>
    <message>
        <source>Once forward to the loss, once backward to the gradients, then the optimizer changes the parameters a little. An epoch has one step per batch.</source>
        <translation>Einmal vorwärts bis zum Verlust, einmal rückwärts zu den Gradienten, dann ändert der Optimierer die Parameter ein wenig. Eine Epoche hat einen Schritt je Batch.</translation>
    </message>
    <message>
        <source>Accumulation</source>
        <translation>Akkumulation</translation>
    </message>
    <message>
        <source>The gradients of several batches are averaged before each step. It works like a larger batch with the memory of a small one, and each step takes longer accordingly.</source>
        <translation>Die Gradienten mehrerer Batches werden gemittelt, bevor ein Schritt folgt. Das wirkt wie ein größerer Batch mit dem Speicher eines kleinen und dauert entsprechend länger.</translation>
    </message>
    <message>
        <source>Parameter</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>A tensor in the model that training may change: weights and biases. All that the model has learned is in its parameters.</source>
        <translation>Ein Tensor im Modell, den das Training ändern darf: Gewichte und Verschiebungen. Alles, was das Modell gelernt hat, steckt in seinen Parametern.</translation>
    </message>
    <message>
        <source>A frozen parameter stays unchanged while others train. Freezing the first layers of a trained model keeps what they know, saves time and memory, and needs fewer samples.</source>
        <translation>Ein eingefrorener Parameter bleibt, wie er ist, während andere trainieren. Die ersten Schichten eines trainierten Modells einzufrieren, bewahrt ihr Wissen, spart Zeit und Speicher und braucht weniger Beispiele.</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>The last layer of a model, which turns recognized features into classes. With a new head, a trained model learns other classes: everything before it can stay frozen.</source>
        <translation>Die letzte Schicht eines Modells, die aus erkannten Merkmalen Klassen macht. Mit einem neuen Kopf lernt ein trainiertes Modell andere Klassen: Alles davor kann eingefroren bleiben.</translation>
    </message>
    <message>
        <source>Batch-norm statistic</source>
        <translation>Batchnorm-Statistik</translation>
    </message>
    <message>
        <source>Mean and variance of what flows through a batch normalization, collected during training. They are measured, not learned: no gradient reaches them, and they are not trainable parameters.</source>
        <translation>Mittelwert und Varianz dessen, was durch eine Batch-Normalisierung fließt, beim Training gesammelt. Sie werden gemessen und nicht gelernt: Kein Gradient erreicht sie, und zu trainieren sind sie nicht.</translation>
    </message>
    <message>
        <source>Constant</source>
        <translation>Konstante</translation>
    </message>
    <message>
        <source>A number or tensor that was written into the model when it was exported, such as an exponent or an epsilon. It is part of the formula, not of what is learned.</source>
        <translation>Eine Zahl oder ein Tensor, der beim Export in das Modell geschrieben wurde, etwa ein Exponent oder ein Epsilon. Sie gehört zur Formel und nicht zum Gelernten.</translation>
    </message>
    <message>
        <source>Parameter group</source>
        <translation>Parametergruppe</translation>
    </message>
    <message>
        <source>Parameters with their own learning rate or weight decay. A trained backbone often gets a tenth of the rate of a new head.</source>
        <translation>Parameter mit eigener Lernrate oder eigenem Gewichtszerfall. Ein trainiertes Rückgrat bekommt oft ein Zehntel der Rate eines neuen Kopfs.</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>Prüfpunkt</translation>
    </message>
    <message>
        <source>Early stopping</source>
        <translation>Früher Halt</translation>
    </message>
    <message>
        <source>Ends the run when validation no longer improves, and keeps the best state. It saves time and is a simple remedy for overfitting.</source>
        <translation>Beendet den Lauf, wenn die Validierung nicht mehr besser wird, und behält den besten Stand. Das spart Zeit und ist ein einfaches Mittel gegen Überanpassung.</translation>
    </message>
    <message>
        <source>Patience</source>
        <translation>Geduld</translation>
    </message>
    <message>
        <source>How many evaluations without improvement are tolerated before the run ends or the rate falls. Curves are noisy: with too little patience, a single bad evaluation decides.</source>
        <translation>Wie viele Auswertungen ohne Verbesserung hingenommen werden, bevor der Lauf endet oder die Rate sinkt. Kurven sind unruhig: Mit zu wenig Geduld entscheidet eine schlechte Auswertung.</translation>
    </message>
    <message>
        <source>Overfitting</source>
        <translation>Überanpassung</translation>
    </message>
    <message>
        <source>The model learns its training samples by heart: the training loss keeps falling while the validation loss rises. More samples, augmentation, weight decay, fewer trained parameters or early stopping help.</source>
        <translation>Das Modell lernt seine Trainingsbeispiele auswendig: Der Trainingsverlust fällt weiter, während der Validierungsverlust steigt. Mehr Beispiele, Augmentierung, Gewichtszerfall, weniger trainierte Parameter oder ein früher Halt helfen.</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>Glättung</translation>
    </message>
    <message>
        <source>Curves are also drawn as a moving average, because the loss of single batches jumps. The slider sets how much past values count; the training itself does not change.</source>
        <translation>Kurven werden auch als gleitendes Mittel gezeichnet, weil der Verlust einzelner Batches springt. Der Regler legt fest, wie viel vergangene Werte zählen; das Training selbst ändert sich nicht.</translation>
    </message>
    <message>
        <source>Weight averaging (EMA)</source>
        <translation>Mittelung der Gewichte (EMA)</translation>
    </message>
    <message>
        <source>Besides the weights, a moving average of them is kept. It is steadier than the weights themselves and often a little better on new samples; it can be exported instead of them.</source>
        <translation>Neben den Gewichten wird ihr gleitendes Mittel geführt. Es ist ruhiger als die Gewichte selbst und bei neuen Beispielen oft etwas besser; es kann an ihrer Stelle exportiert werden.</translation>
    </message>
    <message>
        <source>Recomputation</source>
        <translation>Neuberechnung</translation>
    </message>
    <message>
        <source>Intermediate values that the backward pass needs are computed a second time instead of being kept. Training needs less memory and is slower; the numbers are the same.</source>
        <translation>Zwischenwerte, die der Rückwärtsdurchgang braucht, werden ein zweites Mal gerechnet, statt behalten zu werden. Das Training braucht weniger Speicher und ist langsamer; die Zahlen sind dieselben.</translation>
    </message>
    <message>
        <source>bfloat16</source>
        <translation>bfloat16</translation>
    </message>
    <message>
        <source>A 16-bit number with the range of float32 and about three digits. Products are faster in it on processors that support it; the weights themselves stay float32.</source>
        <translation>Eine Zahl aus 16 Bit mit dem Umfang von float32 und etwa drei Stellen. Auf Prozessoren, die das können, sind Produkte damit schneller; die Gewichte selbst bleiben float32.</translation>
    </message>
    <message>
        <source>Feature plane</source>
        <translation>Merkmalsebene</translation>
    </message>
    <message>
        <source>For a model with two features, every point of the plane is an input. Its colour shows what the model decides there; the stronger the colour, the surer it is. The lines between colours are the decision boundaries: training moves them until the samples are on the right side.</source>
        <translation>Bei einem Modell mit zwei Merkmalen ist jeder Punkt der Ebene eine Eingabe. Seine Farbe sagt, wie das Modell dort entscheidet, je kräftiger, desto sicherer. Die Linien zwischen den Farben sind die Entscheidungsgrenzen: Das Training verschiebt sie, bis die Beispiele auf der richtigen Seite liegen.</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>One number that says how wrong the model is; training makes it smaller. Which loss fits depends on what the model should predict: a class, yes or no, a number.</source>
        <translation>Eine Zahl, die sagt, wie falsch das Modell liegt; das Training macht sie kleiner. Welcher Verlust passt, hängt davon ab, was das Modell vorhersagen soll: eine Klasse, Ja oder Nein, eine Zahl.</translation>
    </message>
    <message>
        <source>Logits</source>
        <translation>Logits</translation>
    </message>
    <message>
        <source>The raw outputs of a classifier, one per class, before they become probabilities: any numbers, the largest wins. Softmax turns them into shares that add up to 1.</source>
        <translation>Die rohen Ausgaben eines Klassifikators, eine je Klasse, bevor Wahrscheinlichkeiten daraus werden: beliebige Zahlen, die größte gewinnt. Softmax macht daraus Anteile, deren Summe 1 ist.</translation>
    </message>
    <message>
        <source>Cross entropy</source>
        <translation>Kreuzentropie</translation>
    </message>
    <message>
        <source>The usual loss for one class out of several: minus the logarithm of the probability that the model gives the right class. Being sure and wrong costs most.</source>
        <translation>Der übliche Verlust für eine von mehreren Klassen: minus der Logarithmus der Wahrscheinlichkeit, die das Modell der richtigen Klasse gibt. Sicher und falsch kostet am meisten.</translation>
    </message>
    <message>
        <source>Label smoothing</source>
        <translation>Geglättete Zielwerte</translation>
    </message>
    <message>
        <source>A small part of the target is spread over all classes. This keeps the model from becoming too sure and makes its probabilities more honest.</source>
        <translation>Ein kleiner Teil des Zielwerts wird auf alle Klassen verteilt. Das hält das Modell davon ab, zu sicher zu werden, und macht seine Wahrscheinlichkeiten ehrlicher.</translation>
    </message>
    <message>
        <source>Focal loss</source>
        <translation>Focal-Verlust</translation>
    </message>
    <message>
        <source>Cross entropy in which samples that are already right count less. Hard samples and rare classes get more weight.</source>
        <translation>Kreuzentropie, in der Beispiele, die schon richtig sind, weniger zählen. Die schwierigen und seltene Klassen bekommen mehr Gewicht.</translation>
    </message>
    <message>
        <source>Negative log likelihood</source>
        <translation>Negative Log-Likelihood</translation>
    </message>
    <message>
        <source>Cross entropy for models that already output log-probabilities, because LogSoftmax is their last layer.</source>
        <translation>Kreuzentropie für Modelle, die schon Log-Wahrscheinlichkeiten ausgeben, weil LogSoftmax ihre letzte Schicht ist.</translation>
    </message>
    <message>
        <source>Mean squared error</source>
        <translation>Mittlerer quadratischer Fehler</translation>
    </message>
    <message>
        <source>The usual loss for numbers: the mean of the squared errors. Large errors count much more than small ones, and so do outliers.</source>
        <translation>Der übliche Verlust für Zahlen: das Mittel der quadrierten Fehler. Große Fehler zählen viel mehr als kleine, und Ausreißer ebenso.</translation>
    </message>
    <message>
        <source>Mean absolute error</source>
        <translation>Mittlerer absoluter Fehler</translation>
    </message>
    <message>
        <source>The mean of the errors without their sign. It is in the unit of the target, and outliers affect it less than the squared error.</source>
        <translation>Das Mittel der Fehler ohne Vorzeichen. Er hat die Einheit des Zielwerts, und Ausreißer wirken weniger auf ihn als auf den quadratischen Fehler.</translation>
    </message>
    <message>
        <source>Huber loss</source>
        <translation>Huber-Verlust</translation>
    </message>
    <message>
        <source>Quadratic for small errors, linear for large ones: smooth near the goal and robust to outliers. Smooth L1 is the same with another scale.</source>
        <translation>Quadratisch bei kleinen Fehlern, linear bei großen: glatt nahe am Ziel und robust gegen Ausreißer. Smooth L1 ist dasselbe mit anderem Maßstab.</translation>
    </message>
    <message>
        <source>Binary cross entropy</source>
        <translation>Binäre Kreuzentropie</translation>
    </message>
    <message>
        <source>Cross entropy for yes-or-no questions, each with one logit. Several questions about a sample can be answered independently.</source>
        <translation>Kreuzentropie für Fragen mit Ja oder Nein, jede mit einem Logit. Mehrere Fragen zu einem Beispiel können unabhängig beantwortet werden.</translation>
    </message>
    <message>
        <source>Hinge loss</source>
        <translation>Hinge-Verlust</translation>
    </message>
    <message>
        <source>For yes and no written as 1 and −1. A sample that is right by a margin no longer costs anything; only those near the boundary or beyond it still teach something.</source>
        <translation>Für Ja und Nein als 1 und −1. Ein Beispiel, das mit Abstand richtig ist, kostet nichts mehr; nur die nahe der Grenze oder jenseits davon lehren noch etwas.</translation>
    </message>
    <message>
        <source>Kullback-Leibler divergence</source>
        <translation>Kullback-Leibler-Divergenz</translation>
    </message>
    <message>
        <source>How far the probabilities of the model are from given probabilities. It is used to teach a model what another one predicts for all classes, not just the best one.</source>
        <translation>Wie weit die Wahrscheinlichkeiten des Modells von gegebenen entfernt sind. Damit lernt ein Modell, was ein anderes für alle Klassen vorhersagt, und nicht nur für die beste.</translation>
    </message>
    <message>
        <source>Cosine embedding loss</source>
        <translation>Kosinus-Einbettungsverlust</translation>
    </message>
    <message>
        <source>Compares directions: pairs that belong together should point the same way, others should not. It trains models whose output is a description, not a class.</source>
        <translation>Vergleicht Richtungen: Paare, die zusammengehören, sollen gleich zeigen, andere auseinander. Er trainiert Modelle, deren Ausgabe eine Beschreibung ist und keine Klasse.</translation>
    </message>
    <message>
        <source>Gradient</source>
        <translation>Gradient</translation>
    </message>
    <message>
        <source>For each number of the parameters: how much the loss changes when it grows a little. Training moves against it, downhill. It is computed backward through the model, layer by layer.</source>
        <translation>Für jede Zahl der Parameter: wie sehr sich der Verlust ändert, wenn sie etwas wächst. Das Training geht dagegen, also bergab. Gerechnet wird rückwärts durch das Modell, Schicht für Schicht.</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>Gradientennorm</translation>
    </message>
    <message>
        <source>The length of all gradients taken together: how steep the loss is. Peaks warn of steps that are too large; close to zero, nothing more is learned.</source>
        <translation>Die Länge aller Gradienten zusammen: wie steil der Verlust ist. Spitzen warnen vor zu großen Schritten; nahe null wird nichts mehr gelernt.</translation>
    </message>
    <message>
        <source>Exploding gradient</source>
        <translation>Explodierender Gradient</translation>
    </message>
    <message>
        <source>Gradients grow from layer to layer or step to step until numbers overflow and the loss is NaN. A lower learning rate, clipping or a warm-up helps.</source>
        <translation>Gradienten wachsen von Schicht zu Schicht oder von Schritt zu Schritt, bis Zahlen überlaufen und der Verlust NaN ist. Eine kleinere Lernrate, Begrenzen oder Aufwärmen hilft.</translation>
    </message>
    <message>
        <source>Vanishing gradient</source>
        <translation>Verschwindender Gradient</translation>
    </message>
    <message>
        <source>Gradients shrink on their way back, so that the first layers hardly learn. Units that always output zero have none at all. Other activations, normalization or shortcuts in the model help.</source>
        <translation>Gradienten schrumpfen auf dem Rückweg, sodass die ersten Schichten kaum lernen. Einheiten, die immer null ausgeben, haben gar keinen. Andere Aktivierungen, Normalisierung oder Abkürzungen im Modell helfen.</translation>
    </message>
    <message>
        <source>Update ratio</source>
        <translation>Änderungsverhältnis</translation>
    </message>
    <message>
        <source>How large a step is compared with the weights it changes. About a thousandth is healthy; a tenth is rough, and a millionth is a standstill.</source>
        <translation>Wie groß ein Schritt im Vergleich zu den Gewichten ist, die er ändert. Etwa ein Tausendstel ist gesund; ein Zehntel ist grob, und ein Millionstel ist Stillstand.</translation>
    </message>
    <message>
        <source>Gradient clipping</source>
        <translation>Gradienten begrenzen</translation>
    </message>
    <message>
        <source>Gradients that are too long are scaled down to a given norm, or their values are clipped. A single bad batch then can&apos;t throw the model off course.</source>
        <translation>Zu lange Gradienten werden auf eine gegebene Norm verkleinert oder ihre Zahlen abgeschnitten. Ein einzelner schlechter Batch kann das Modell dann nicht aus der Bahn werfen.</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>How far each step goes. Too small, and training takes forever; too large, and the loss jumps or grows. It is the first number to tune, by factors of three or ten.</source>
        <translation>Wie weit jeder Schritt geht. Zu klein, und das Training dauert ewig; zu groß, und der Verlust springt oder wächst. Sie ist die Zahl, die man als erste einstellt, um das Drei- oder Zehnfache.</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>The rule that turns gradients into a step. Simple ones follow the gradient; others remember earlier ones and give each weight its own step size.</source>
        <translation>Die Regel, die aus Gradienten einen Schritt macht. Einfache folgen dem Gradienten; andere merken sich frühere und geben jedem Gewicht eine eigene Schrittgröße.</translation>
    </message>
    <message>
        <source>Gradient descent (SGD)</source>
        <translation>Gradientenabstieg (SGD)</translation>
    </message>
    <message>
        <source>The plain rule: each weight moves against its gradient, as far as the learning rate says. Every batch gives only an estimate of the gradient, hence “stochastic”.</source>
        <translation>Die einfache Regel: Jedes Gewicht geht gegen seinen Gradienten, so weit die Lernrate sagt. Jeder Batch gibt nur eine Schätzung des Gradienten, daher „stochastisch“.</translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation>Impuls</translation>
    </message>
    <message>
        <source>The step keeps part of its previous direction, as a ball keeps rolling. It gets through noise and along narrow valleys faster. Nesterov&apos;s form looks ahead before it turns.</source>
        <translation>Der Schritt behält einen Teil seiner bisherigen Richtung, wie eine Kugel weiterrollt. So kommt er schneller durch Rauschen und enge Täler. Nesterovs Form schaut voraus, bevor sie abbiegt.</translation>
    </message>
    <message>
        <source>Moment</source>
        <translation>Moment</translation>
    </message>
    <message>
        <source>What an optimizer remembers for each weight: a moving mean of its gradients, or of their squares. Checkpoints include the moments, so that training continues smoothly; they take as much memory as the weights.</source>
        <translation>Was ein Optimierer sich zu jedem Gewicht merkt: ein gleitendes Mittel seiner Gradienten oder ihrer Quadrate. Momente stehen in Prüfpunkten, damit das Training ohne Ruck weitergeht; sie brauchen so viel Speicher wie die Gewichte.</translation>
    </message>
    <message>
        <source>Adam and AdamW</source>
        <translation>Adam und AdamW</translation>
    </message>
    <message>
        <source>Divides the mean gradient of each weight by its usual size: weights with small gradients take steps as large as others. A good first choice. AdamW keeps weight decay separate from the gradient.</source>
        <translation>Teilt den mittleren Gradienten jedes Gewichts durch seine übliche Größe: Gewichte mit kleinen Gradienten gehen so große Schritte wie andere. Eine gute erste Wahl. AdamW hält den Gewichtszerfall vom Gradienten getrennt.</translation>
    </message>
    <message>
        <source>RMSprop</source>
        <translation>RMSprop</translation>
    </message>
    <message>
        <source>Divides each gradient by the root of the mean of its squares, so that all weights move at a similar pace. Adam is RMSprop with momentum.</source>
        <translation>Teilt jeden Gradienten durch die Wurzel aus dem Mittel seiner Quadrate, sodass sich alle Gewichte ähnlich schnell bewegen. Adam ist RMSprop mit Impuls.</translation>
    </message>
    <message>
        <source>Adagrad</source>
        <translation>Adagrad</translation>
    </message>
    <message>
        <source>Divides by the root of the sum of all squared gradients so far. Rarely used weights keep large steps; all steps become smaller over time.</source>
        <translation>Teilt durch die Wurzel aus der Summe aller bisherigen quadrierten Gradienten. Selten gebrauchte Gewichte behalten große Schritte; alle Schritte werden mit der Zeit kleiner.</translation>
    </message>
    <message>
        <source>LAMB</source>
        <translation>LAMB</translation>
    </message>
    <message>
        <source>Adam whose step is scaled to the size of each tensor. It stays stable with very large batches.</source>
        <translation>Adam, dessen Schritt auf die Größe jedes Tensors abgestimmt wird. Bleibt auch bei sehr großen Batches stabil.</translation>
    </message>
    <message>
        <source>Lion</source>
        <translation>Lion</translation>
    </message>
    <message>
        <source>Uses only the sign of the mean gradient: every weight moves by the same amount. It needs only one moment, a small rate and more weight decay.</source>
        <translation>Nimmt nur das Vorzeichen des mittleren Gradienten: Jedes Gewicht bewegt sich gleich weit. Er braucht nur ein Moment, eine kleine Rate und mehr Gewichtszerfall.</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>Gewichtszerfall</translation>
    </message>
    <message>
        <source>Every step makes the weights a little smaller, so that only those that are needed stay large. It is a remedy for overfitting. Biases and norms are often excluded.</source>
        <translation>Jeder Schritt macht die Gewichte etwas kleiner, sodass nur die groß bleiben, die gebraucht werden. Ein Mittel gegen Überanpassung. Verschiebungen und Normierungen lässt man oft aus.</translation>
    </message>
    <message>
        <source>Learning-rate schedule</source>
        <translation>Plan der Lernrate</translation>
    </message>
    <message>
        <source>How the learning rate changes during a run. Large steps first find the region, small ones at the end find the spot.</source>
        <translation>Wie sich die Lernrate während eines Laufs ändert. Große Schritte am Anfang finden die Gegend, kleine am Ende die Stelle.</translation>
    </message>
    <message>
        <source>Constant rate</source>
        <translation>Gleichbleibende Rate</translation>
    </message>
    <message>
        <source>The same learning rate in every step. Good for trying things out and for seeing what the rate does; a falling rate usually ends better.</source>
        <translation>Dieselbe Lernrate in jedem Schritt. Gut zum Ausprobieren und um zu sehen, was die Rate bewirkt; eine fallende endet meist besser.</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>Aufwärmen</translation>
    </message>
    <message>
        <source>The rate rises from nearly zero during the first steps. The first gradients are wild and the moments still empty: small steps then do less harm.</source>
        <translation>Die Rate steigt in den ersten Schritten von fast null an. Die ersten Gradienten sind wild und die Momente noch leer: Kleine Schritte schaden dann weniger.</translation>
    </message>
    <message>
        <source>Linear and polynomial decay</source>
        <translation>Linearer und polynomialer Abfall</translation>
    </message>
    <message>
        <source>The rate falls to its final value along a straight line, or along a curve of a given power. Simple, with only the length to tune.</source>
        <translation>Die Rate fällt bis zum Ende entlang einer Geraden oder einer Kurve gegebener Potenz. Einfach, und außer der Länge ist nichts einzustellen.</translation>
    </message>
    <message>
        <source>Cosine</source>
        <translation>Kosinus</translation>
    </message>
    <message>
        <source>The rate falls along half a cosine wave: slowly at first, fast in the middle, slowly at the end. With restarts, it jumps up again from time to time, to leave a bad valley.</source>
        <translation>Die Rate fällt entlang einer halben Kosinuswelle: erst langsam, in der Mitte schnell, am Ende langsam. Mit Neustarts springt sie ab und zu wieder hoch, um ein schlechtes Tal zu verlassen.</translation>
    </message>
    <message>
        <source>Step and exponential decay</source>
        <translation>Stufen und exponentieller Abfall</translation>
    </message>
    <message>
        <source>The rate is multiplied by a factor at fixed intervals, at chosen milestones, or a little in every step.</source>
        <translation>Die Rate wird in festen Abständen, an gewählten Marken oder in jedem Schritt ein wenig mit einem Faktor malgenommen.</translation>
    </message>
    <message>
        <source>One cycle</source>
        <translation>Ein Zyklus</translation>
    </message>
    <message>
        <source>The rate rises high and then falls far below its start, all in one run. The large steps in the middle make training short.</source>
        <translation>Die Rate steigt hoch und fällt dann weit unter ihren Anfang, alles in einem Lauf. Die großen Schritte in der Mitte machen das Training kurz.</translation>
    </message>
    <message>
        <source>Reduce on plateau</source>
        <translation>Senken auf dem Plateau</translation>
    </message>
    <message>
        <source>The rate falls when validation has not improved for a while. It reacts to the run instead of following a plan.</source>
        <translation>Die Rate fällt, wenn die Validierung eine Weile nicht besser geworden ist. Sie richtet sich nach dem Lauf statt nach einem Plan.</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>The share of samples that the model gets right. If one class is much more frequent than the others, it says little: always choosing that class is then often right, too.</source>
        <translation>Der Anteil der Beispiele, bei denen das Modell richtig liegt. Wo eine Klasse viel häufiger ist als andere, sagt sie wenig: Immer diese Klasse zu wählen, ist dann auch oft richtig.</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Präzision</translation>
    </message>
    <message>
        <source>Of the samples that the model assigns to a class, the share that really belongs to it. High precision: few false alarms.</source>
        <translation>Von den Beispielen, die das Modell für eine Klasse hält, der Anteil, der wirklich dazugehört. Hohe Präzision: wenige Fehlalarme.</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>Trefferquote</translation>
    </message>
    <message>
        <source>Of the samples of a class, the share that the model finds. High recall: few are missed. It often rises when precision falls.</source>
        <translation>Von den Beispielen einer Klasse der Anteil, den das Modell findet. Hohe Trefferquote: Wenig wird übersehen. Sie steigt oft, wenn die Präzision sinkt.</translation>
    </message>
    <message>
        <source>F1</source>
        <translation>F1</translation>
    </message>
    <message>
        <source>Precision and recall in one number, their harmonic mean. It is high only if both are.</source>
        <translation>Präzision und Trefferquote in einer Zahl, ihr harmonisches Mittel. Sie ist nur hoch, wo beide es sind.</translation>
    </message>
    <message>
        <source>ROC curve</source>
        <translation>ROC-Kurve</translation>
    </message>
    <message>
        <source>Shows for every threshold how much of a class is found and how much of the rest is wrongly assigned to it. The area under it is 0.5 for guessing and 1 for a perfect model.</source>
        <translation>Zeigt zu jeder Schwelle, wie viel von einer Klasse gefunden und wie viel vom Rest fälschlich dafür gehalten wird. Die Fläche darunter ist 0,5 beim Raten und 1 bei einem perfekten Modell.</translation>
    </message>
    <message>
        <source>Calibration</source>
        <translation>Kalibrierung</translation>
    </message>
    <message>
        <source>Whether probabilities can be taken at face value: of all answers given with 80 %, eight in ten should be right. Models trained for a long time are often too sure.</source>
        <translation>Ob Wahrscheinlichkeiten beim Wort genommen werden können: Von allen Antworten mit 80 % sollten acht von zehn stimmen. Lange trainierte Modelle sind oft zu sicher.</translation>
    </message>
    <message>
        <source>Confusion matrix</source>
        <translation>Konfusionsmatrix</translation>
    </message>
    <message>
        <source>A table that counts the samples of each class (rows) by predicted class (columns). Right answers are on the diagonal; the other cells show which classes are confused.</source>
        <translation>Eine Tabelle, die die Beispiele jeder Klasse (Zeilen) nach der vorhergesagten Klasse (Spalten) zählt. Richtige Antworten liegen auf der Diagonale; die anderen Zellen zeigen, welche Klassen verwechselt werden.</translation>
    </message>
    <message>
        <source>Residual</source>
        <translation>Residuum</translation>
    </message>
    <message>
        <source>The error of a model that predicts numbers: predicted minus actual. A good model leaves residuals without a pattern; a bend or a funnel shows what it has not understood.</source>
        <translation>Der Fehler eines Modells, das Zahlen vorhersagt: vorhergesagt minus tatsächlich. Ein gutes Modell lässt Residuen ohne Muster; ein Bogen oder Trichter zeigt, was es nicht verstanden hat.</translation>
    </message>
    <message>
        <source>Saliency</source>
        <translation>Salienz</translation>
    </message>
    <message>
        <source>The gradient of an answer with respect to the input: which pixels or values matter most if they change a little. Quick, and often noisy.</source>
        <translation>Der Gradient einer Antwort nach ihrer Eingabe: welche Pixel oder Werte am meisten ausmachen, wenn sie sich etwas ändern. Schnell und oft verrauscht.</translation>
    </message>
    <message>
        <source>Occlusion</source>
        <translation>Verdeckung</translation>
    </message>
    <message>
        <source>Parts of a picture are covered one after the other: the answer relies most on those whose absence changes it most. Slower than saliency and easier to trust.</source>
        <translation>Teile eines Bilds werden nacheinander verdeckt: Die Antwort stützt sich am meisten auf die, deren Fehlen ihr am meisten schadet. Langsamer als Salienz und leichter zu glauben.</translation>
    </message>
    <message>
        <source>A graph of operators: tensors flow along its edges from the inputs to the outputs. In a forward model, parameters are tensors stored with it.</source>
        <translation>Ein Graph aus Operatoren: Tensoren fließen entlang seiner Kanten von den Eingängen zu den Ausgängen. Parameter sind in einem Vorwärtsmodell Tensoren, die mit ihm gespeichert sind.</translation>
    </message>
    <message>
        <source>Operator</source>
        <translation>Operator</translation>
    </message>
    <message>
        <source>One kind of computation in a model, such as Gemm, Conv or Relu. To train through it, its derivative has to be known; the report says where it is not.</source>
        <translation>Eine Art von Rechnung in einem Modell, etwa Gemm, Conv oder Relu. Um durch ihn zu trainieren, muss seine Ableitung bekannt sein; der Bericht sagt, wo das nicht so ist.</translation>
    </message>
    <message>
        <source>Opset</source>
        <translation>Opset</translation>
    </message>
    <message>
        <source>The version of the operator set that a model was written for. Operators change between versions; a model states which one it uses.</source>
        <translation>Die Version der Operatorenmenge, für die ein Modell geschrieben wurde. Operatoren ändern sich zwischen den Versionen; ein Modell sagt, welche es meint.</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>The sizes of a tensor along its dimensions: [32, 3, 28, 28] are 32 pictures with 3 colours and 28 by 28 pixels. A name instead of a number stands for any size, usually that of the batch.</source>
        <translation>Die Größen eines Tensors entlang seiner Dimensionen: [32, 3, 28, 28] sind 32 Bilder aus 3 Farben mit 28 mal 28 Pixeln. Ein Name statt einer Zahl kann jede Größe sein, meist der Batch.</translation>
    </message>
    <message>
        <source>Broadcasting</source>
        <translation>Broadcasting</translation>
    </message>
    <message>
        <source>A smaller tensor is repeated along missing dimensions to fit a larger one: a bias is added to every sample. In the backward pass, the gradients of all repetitions are summed.</source>
        <translation>Ein kleinerer Tensor wird entlang fehlender Dimensionen wiederholt, damit er zu einem größeren passt: Eine Verschiebung wird zu jedem Beispiel addiert. Im Rückwärtsdurchgang werden die Gradienten aller Wiederholungen summiert.</translation>
    </message>
    <message>
        <source>Gradient graph</source>
        <translation>Gradientengraph</translation>
    </message>
    <message>
        <source>The model and its backward pass, from the loss to the parameters, as one graph of operators. It is built once and then runs in every step.</source>
        <translation>Das Modell und sein Rückwärtsdurchgang, vom Verlust zu den Parametern, als ein Graph aus Operatoren. Er wird einmal gebaut und läuft dann in jedem Schritt.</translation>
    </message>
    <message>
        <source>Straight through</source>
        <translation>Durchlassen</translation>
    </message>
    <message>
        <source>Rounding has a derivative of zero and stops every gradient. Passing the gradient through unchanged is wrong in theory and works well in practice.</source>
        <translation>Runden hat die Ableitung null und hält jeden Gradienten auf. Ihn unverändert durchzulassen, ist in der Theorie falsch und bewährt sich in der Praxis.</translation>
    </message>
    <message>
        <source>Eval model</source>
        <translation>Auswertungsmodell</translation>
    </message>
    <message>
        <source>The model with its loss and without anything that is only for training, such as dropout. It is used for validation and predictions.</source>
        <translation>Das Modell mit seinem Verlust und ohne das, was nur dem Training dient, etwa Dropout. Validierung und Vorhersagen nutzen es.</translation>
    </message>
    <message>
        <source>Artifact</source>
        <translation>Artefakt</translation>
    </message>
    <message>
        <source>One of the files that make up a training: training model, eval model, optimizer model and checkpoint. ONNX Runtime can train with them, too.</source>
        <translation>Eine der Dateien, aus denen das Training besteht: Trainingsmodell, Auswertungsmodell, Optimierermodell und Prüfpunkt. Auch ONNX Runtime kann damit trainieren.</translation>
    </message>
    <message>
        <source>Writes the trained weights back into a forward model that any ONNX runtime can use. It is compared with the eval model before it counts as done.</source>
        <translation>Schreibt die trainierten Gewichte zurück in ein Vorwärtsmodell, das jede Laufzeit für ONNX benutzen kann. Es wird mit dem Auswertungsmodell verglichen, bevor es als fertig gilt.</translation>
    </message>
    <message>
        <source>up to %1</source>
        <translation>bis %1</translation>
    </message>
    <message>
        <source>above %1</source>
        <translation>über %1</translation>
    </message>
    <message>
        <source>Plugin %1 %2 is loaded: %3</source>
        <translation>Plugin %1 %2 ist geladen: %3</translation>
    </message>
    <message>
        <source>The plugin folder %1 is not searched</source>
        <translation>Der Plugin-Ordner %1 wird nicht durchsucht</translation>
    </message>
    <message>
        <source>The plugin %1 is not loaded</source>
        <translation>Das Plugin %1 ist nicht geladen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln plugins are not loaded</source>
        <translation>
            <numerusform>%Ln Plugin ist nicht geladen</numerusform>
            <numerusform>%Ln Plugins sind nicht geladen</numerusform>
        </translation>
    </message>
    <message>
        <source>The log says why.</source>
        <translation>Das Protokoll sagt, warum.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>The plugin returned nothing to show.</source>
        <translation>Das Plugin zeigt nichts an.</translation>
    </message>
    <message>
        <source>A metric does not fit the loss</source>
        <translation>Eine Metrik passt nicht zum Verlust</translation>
    </message>
    <message>
        <source>Copy the table</source>
        <translation>Tabelle kopieren</translation>
    </message>
    <message>
        <source>Loss reads %1</source>
        <translation>Verlust liest %1</translation>
    </message>
    <message>
        <source>Let the loss read %1</source>
        <translation>Verlust soll %1 lesen</translation>
    </message>
    <message>
        <source>The data could not be changed</source>
        <translation>Die Daten konnten nicht geändert werden</translation>
    </message>
    <message>
        <source>G001: an operator without a gradient</source>
        <translation>G001: ein Operator ohne Gradienten</translation>
    </message>
    <message>
        <source>Between these parameters and the loss is an operator without a known gradient, so they can&apos;t learn. Freeze the parameters before it and train the others, replace the operator in the program that exported the model, or add a plugin that knows its gradient.</source>
        <translation>Zwischen diesen Parametern und dem Verlust liegt ein Operator ohne bekannten Gradienten; darum können sie nicht lernen. Die Parameter davor einfrieren und die anderen trainieren, den Operator in dem Programm ersetzen, das das Modell exportiert hat, oder ein Plugin hinzufügen, das seinen Gradienten kennt.</translation>
    </message>
    <message>
        <source>G002: a gradient of zero</source>
        <translation>G002: ein Gradient von null</translation>
    </message>
    <message>
        <source>Rounding, comparisons and the like change in steps: their derivative is zero wherever it exists, and the parameters before them never learn. Freeze those, or pass the gradient straight through, as if the step were a straight line.</source>
        <translation>Runden, Vergleichen und Ähnliches ändern sich in Stufen: Ihre Ableitung ist null, wo es eine gibt, und die Parameter davor lernen nie. Sie einfrieren oder den Gradienten unverändert durchleiten, als wäre die Stufe eine gerade Linie.</translation>
    </message>
    <message>
        <source>G003: a parameter that the loss doesn&apos;t depend on</source>
        <translation>G003: ein Parameter, von dem der Verlust nicht abhängt</translation>
    </message>
    <message>
        <source>However this parameter changes, the loss stays the same: nothing reads it, or it only leads to another output. Freeze it, or let the loss read the output that it leads to.</source>
        <translation>Wie auch immer dieser Parameter geändert wird, der Verlust bleibt gleich: Nichts liest ihn, oder er führt nur zu einer anderen Ausgabe. Ihn einfrieren oder den Verlust die Ausgabe lesen lassen, zu der er führt.</translation>
    </message>
    <message>
        <source>G004: an operator without a gradient in this form</source>
        <translation>G004: ein Operator ohne Gradienten in dieser Form</translation>
    </message>
    <message>
        <source>The operator has a gradient, but not with these attributes or inputs: the message says which. Export the model with the form that it names, or freeze the parameters before the node.</source>
        <translation>Der Operator hat einen Gradienten, aber nicht mit diesen Attributen oder Eingaben: Die Meldung sagt, mit welchen. Das Modell in der Form exportieren, die sie nennt, oder die Parameter vor dem Knoten einfrieren.</translation>
    </message>
    <message>
        <source>G005: an integer parameter</source>
        <translation>G005: ein ganzzahliger Parameter</translation>
    </message>
    <message>
        <source>Training changes numbers by small fractions, which integers and booleans can&apos;t represent. Such tensors are usually shapes, indices or tables: freeze them.</source>
        <translation>Training ändert Zahlen um kleine Bruchteile, die ganze Zahlen und Wahrheitswerte nicht darstellen können. Solche Tensoren sind meist Formen, Indizes oder Tabellen: einfrieren.</translation>
    </message>
    <message>
        <source>G006: a path that ends at integers</source>
        <translation>G006: ein Weg, der bei ganzen Zahlen endet</translation>
    </message>
    <message>
        <source>The parameters only affect something that takes integers, such as the index of the largest value, and no gradient comes back from there. Let the loss read a value before that point, or freeze the parameters.</source>
        <translation>Die Parameter wirken nur auf etwas, das ganze Zahlen nimmt, etwa den Index des größten Werts, und von dort kommt kein Gradient zurück. Den Verlust einen Wert vor dieser Stelle lesen lassen oder die Parameter einfrieren.</translation>
    </message>
    <message>
        <source>T001: an unknown operator</source>
        <translation>T001: ein unbekannter Operator</translation>
    </message>
    <message>
        <source>The model uses an operator from another version of ONNX or a custom one. Temper can&apos;t run it, so the model can be viewed but not trained. Export the model with an older opset or with standard operators, or add a plugin that provides the operator.</source>
        <translation>Das Modell benutzt einen Operator aus einer anderen Version von ONNX oder einen eigenen. Temper kann ihn nicht ausführen; das Modell lässt sich ansehen, aber nicht trainieren. Es mit einem älteren Opset oder mit Standardoperatoren exportieren oder ein Plugin hinzufügen, das den Operator hat.</translation>
    </message>
    <message>
        <source>T002: a node that contradicts its operator</source>
        <translation>T002: ein Knoten, der seinem Operator widerspricht</translation>
    </message>
    <message>
        <source>Types or shapes of the node&apos;s inputs don&apos;t match, for example two matrices with different inner sizes. No runtime could run the model; it was exported wrongly or edited afterwards. The message names the sizes found and expected.</source>
        <translation>Typen oder Formen der Eingaben passen nicht zusammen, zum Beispiel zwei Matrizen mit verschiedenen inneren Größen. Keine Laufzeit könnte das Modell berechnen; es wurde falsch exportiert oder danach bearbeitet. Die Meldung nennt die Größen, die gefunden und erwartet wurden.</translation>
    </message>
    <message>
        <source>W001: a weight stored as a constant</source>
        <translation>W001: ein Gewicht als Konstante</translation>
    </message>
    <message>
        <source>The exporter stored a tensor as a constant, but a layer uses it as a weight. Constants stay frozen unless you select them. To train this one, tick it on the Parameters page.</source>
        <translation>Der Exporter hat einen Tensor als Konstante gespeichert, aber eine Schicht verwendet ihn als Gewicht. Konstanten bleiben eingefroren, solange sie nicht ausgewählt sind. Um diese zu trainieren, sie auf der Seite „Parameter“ ankreuzen.</translation>
    </message>
    <message>
        <source>W002: an integer weight</source>
        <translation>W002: ein ganzzahliges Gewicht</translation>
    </message>
    <message>
        <source>The model was quantized: its weights are small integers with a scale, and gradients can&apos;t move them. Train the original model, and quantize the result.</source>
        <translation>Das Modell wurde quantisiert: Seine Gewichte sind kleine ganze Zahlen mit einem Faktor, und Gradienten können sie nicht bewegen. Das ursprüngliche Modell trainieren und das Ergebnis quantisieren.</translation>
    </message>
    <message>
        <source>W003: weights inside a loop or a branch</source>
        <translation>W003: Gewichte in einer Schleife oder einem Zweig</translation>
    </message>
    <message>
        <source>W004: batch norms merged into convolutions</source>
        <translation>W004: Batch-Normalisierungen, in Faltungen verrechnet</translation>
    </message>
    <message>
        <source>For inference, exporters fold a batch norm into the convolution before it. Such a model trains, but without the benefit of the norm. If that matters, export again in training mode and without constant folding.</source>
        <translation>Für die Inferenz wird beim Export eine Batch-Normalisierung in die Faltung davor eingerechnet. Ein solches Modell trainiert, nur ohne den Nutzen der Normalisierung. Wenn das zählt, noch einmal im Trainingsmodus und ohne Zusammenfassen von Konstanten exportieren.</translation>
    </message>
    <message>
        <source>W005: statistics that would train</source>
        <translation>W005: Statistik, die trainieren würde</translation>
    </message>
    <message>
        <source>These tensors have names like the running mean or variance of a batch norm that was taken apart. They were measured from data; gradients would move them as if they were weights, and the model could get worse for no visible reason. Freeze them.</source>
        <translation>Diese Tensoren heißen wie laufendes Mittel oder laufende Varianz einer Batch-Normalisierung, die zerlegt wurde. Sie wurden an Daten gemessen; Gradienten würden sie wie Gewichte bewegen, und das Modell könnte ohne sichtbaren Grund schlechter werden. Sie einfrieren.</translation>
    </message>
    <message>
        <source>A001: a pattern that matches nothing</source>
        <translation>A001: ein Muster, das nichts trifft</translation>
    </message>
    <message>
        <source>A name or pattern in the list of trainable or frozen parameters, or in a parameter group, matches no parameter of this model. It may have been written for another model. Names are case-sensitive; * matches any characters.</source>
        <translation>Ein Name oder Muster in der Liste der trainierten oder eingefrorenen Parameter oder in einer Parametergruppe passt zu keinem Parameter dieses Modells. Es kann für ein anderes Modell geschrieben worden sein. Groß- und Kleinschreibung zählt; * steht für beliebige Zeichen.</translation>
    </message>
    <message>
        <source>A002: both trainable and frozen</source>
        <translation>A002: trainierbar und eingefroren zugleich</translation>
    </message>
    <message>
        <source>A parameter can&apos;t be trained and frozen at once. Remove its name from one of the two lists.</source>
        <translation>Ein Parameter kann nicht zugleich trainiert und eingefroren sein. Seinen Namen aus einer der beiden Listen nehmen.</translation>
    </message>
    <message>
        <source>A003: a tensor that can&apos;t be trained</source>
        <translation>A003: ein Tensor, der nicht trainiert werden kann</translation>
    </message>
    <message>
        <source>A tensor in the list of trainable parameters can&apos;t be trained. Batch-norm statistics are measured, not learned; constants, shapes and indices belong to the model&apos;s structure. Remove the tensor from the list.</source>
        <translation>Ein Tensor in der Liste der trainierten Parameter kann nicht trainiert werden. Batch-Norm-Statistiken werden gemessen, nicht gelernt; Konstanten, Formen und Indizes gehören zum Aufbau des Modells. Den Tensor aus der Liste entfernen.</translation>
    </message>
    <message>
        <source>A004: it is not clear what the loss reads</source>
        <translation>A004: unklar, was der Verlust liest</translation>
    </message>
    <message>
        <source>The loss compares one output of the model with the target. This model has several outputs, or none with the given name; choose one of them.</source>
        <translation>Der Verlust vergleicht eine Ausgabe des Modells mit dem Zielwert. Dieses Modell hat mehrere Ausgaben oder keine mit dem genannten Namen; eine davon auswählen.</translation>
    </message>
    <message>
        <source>A005: the target&apos;s name is taken</source>
        <translation>A005: der Name des Zielwerts ist vergeben</translation>
    </message>
    <message>
        <source>The targets become one more input of the training graph, and every value of a graph needs a unique name. The model already uses this one: choose another.</source>
        <translation>Die Zielwerte werden eine weitere Eingabe des Trainingsgraphen, und jeder Wert eines Graphen braucht einen eindeutigen Namen. Das Modell benutzt diesen schon: einen anderen wählen.</translation>
    </message>
    <message>
        <source>A006: an extra output that doesn&apos;t exist</source>
        <translation>A006: eine zusätzliche Ausgabe, die es nicht gibt</translation>
    </message>
    <message>
        <source>More values can be output besides the loss, but only those that the model computes, each only once.</source>
        <translation>Neben dem Verlust können weitere Werte ausgegeben werden, aber nur solche, die das Modell berechnet, und jeder davon einmal.</translation>
    </message>
    <message>
        <source>A007: nothing trains</source>
        <translation>A007: nichts trainiert</translation>
    </message>
    <message>
        <source>A008: the loss doesn&apos;t fit</source>
        <translation>A008: der Verlust passt nicht</translation>
    </message>
    <message>
        <source>The loss can&apos;t read its inputs: shape or type differs, a name is unknown, or a number is out of range. The message says what the loss expects; the list of losses says what each is for.</source>
        <translation>Der Verlust kann seine Eingaben nicht lesen: Form oder Typ weicht ab, ein Name ist unbekannt, oder eine Zahl liegt außerhalb ihres Bereichs. Die Meldung sagt, was der Verlust erwartet; die Liste der Verluste sagt, wofür jeder ist.</translation>
    </message>
    <message>
        <source>A009: a name reserved for training graphs</source>
        <translation>A009: ein Name, der Trainingsgraphen vorbehalten ist</translation>
    </message>
    <message>
        <source>In a training graph, gradients are named after their values: the gradient of x is x_grad. An input of the model with such a name would be confused with it. Rename the input in the program that exported the model.</source>
        <translation>In einem Trainingsgraphen heißen Gradienten nach ihren Werten: Der Gradient von x ist x_grad. Eine Eingabe des Modells, die schon so heißt, würde damit verwechselt. Die Eingabe in dem Programm umbenennen, das das Modell exportiert hat.</translation>
    </message>
    <message>
        <source>A010: nothing to pass straight through</source>
        <translation>A010: nichts zum Durchleiten</translation>
    </message>
    <message>
        <source>An operator or node was chosen to pass gradients through as if it were not there. The model has none with that name, or passing through makes no sense for its kind; it works only for steps such as Round, Floor or Sign.</source>
        <translation>Ein Operator oder Knoten wurde gewählt, der Gradienten durchlassen soll, als wäre er nicht da. Das Modell hat keinen dieses Namens, oder das Durchlassen hat für seine Art keinen Sinn; es geht nur bei Stufen wie Round, Floor oder Sign.</translation>
    </message>
    <message>
        <source>A012: a group&apos;s number is out of range</source>
        <translation>A012: eine Zahl einer Gruppe außerhalb ihres Bereichs</translation>
    </message>
    <message>
        <source>Parameter groups have their own learning-rate factor and weight decay. Both must be zero or more; a factor of zero stops learning.</source>
        <translation>Gruppen von Parametern haben einen eigenen Faktor für die Lernrate und einen eigenen Gewichtszerfall. Beide müssen null oder größer sein; ein Faktor von null beendet dort das Lernen.</translation>
    </message>
    <message>
        <source>A013: softmax or sigmoid is applied twice</source>
        <translation>A013: Softmax oder Sigmoid zweimal angewandt</translation>
    </message>
    <message>
        <source>The loss itself turns numbers into probabilities, and the model has already done so. Applied twice, the differences almost vanish: training is slow, and the model never gets sure. Let the loss read the value before, as the problem&apos;s button does; the exported model stays unchanged.</source>
        <translation>Der Verlust macht selbst Wahrscheinlichkeiten aus Zahlen, und das Modell hat es schon getan. Zweimal angewandt verschwinden die Unterschiede fast: Das Training ist langsam, und das Modell wird nie sicher. Den Verlust den Wert davor lesen lassen, wie es der Knopf beim Problem tut; das exportierte Modell bleibt unverändert.</translation>
    </message>
    <message>
        <source>D001: an input without data</source>
        <translation>D001: eine Eingabe ohne Daten</translation>
    </message>
    <message>
        <source>Each input of the model is fed from a column of the data. No column matches this one by name or shape; choose one on the data page.</source>
        <translation>Jede Eingabe des Modells wird aus einer Spalte der Daten gespeist. Für diese fand sich nach Name oder Form keine Spalte; sie auf der Datenseite auswählen.</translation>
    </message>
    <message>
        <source>D002: a column that doesn&apos;t fit its input</source>
        <translation>D002: eine Spalte, die nicht zu ihrer Eingabe passt</translation>
    </message>
    <message>
        <source>Type or shape of the column differs from what the input takes, for example pictures of another size. Choose another column, or change how the data is read, such as the size of pictures or the columns of a table.</source>
        <translation>Typ oder Form der Spalte weicht von dem ab, was die Eingabe nimmt, zum Beispiel Bilder einer anderen Größe. Eine andere Spalte wählen oder ändern, wie die Daten gelesen werden, etwa die Größe der Bilder oder die Spalten einer Tabelle.</translation>
    </message>
    <message>
        <source>D003: a label beyond the model&apos;s classes</source>
        <translation>D003: ein Label jenseits der Klassen des Modells</translation>
    </message>
    <message>
        <source>A model with n outputs knows the classes 0 to n − 1; the data contains a label outside this range. Number the classes from 0, or give the model a head with more classes.</source>
        <translation>Ein Modell mit n Ausgaben kennt die Klassen 0 bis n − 1; die Daten enthalten ein Label außerhalb davon. Die Klassen ab 0 zählen oder dem Modell einen Kopf mit mehr Klassen geben.</translation>
    </message>
    <message>
        <source>D004: a binding that names something unknown</source>
        <translation>D004: eine Verbindung, die Unbekanntes nennt</translation>
    </message>
    <message>
        <source>The project binds a column or an input that does not exist, probably because the model or the data was replaced. Bind it again on the data page.</source>
        <translation>Das Projekt verbindet eine Spalte oder eine Eingabe, die es nicht gibt, wahrscheinlich weil Modell oder Daten ausgetauscht wurden. Sie auf der Datenseite neu verbinden.</translation>
    </message>
    <message>
        <source>D101: values that are NaN or infinite</source>
        <translation>D101: Werte, die NaN oder unendlich sind</translation>
    </message>
    <message>
        <source>NaN and infinity spread through every sum: one such value in a batch makes the loss and then all weights NaN. Leave these samples out, or fix the data at its source.</source>
        <translation>NaN und Unendlich breiten sich in jeder Summe aus: Ein solcher Wert in einem Batch macht den Verlust und dann alle Gewichte zu NaN. Diese Beispiele auslassen oder die Daten an ihrer Quelle berichtigen.</translation>
    </message>
    <message>
        <source>D102: values that never change</source>
        <translation>D102: Werte, die sich nie ändern</translation>
    </message>
    <message>
        <source>A feature that is the same in all samples can&apos;t distinguish them. It does no harm; leaving it out makes the model smaller.</source>
        <translation>Ein Merkmal, das in allen Beispielen gleich ist, kann sie nicht unterscheiden. Es schadet nicht; ohne es wird das Modell kleiner.</translation>
    </message>
    <message>
        <source>D103: classes with hardly any samples</source>
        <translation>D103: Klassen mit kaum Beispielen</translation>
    </message>
    <message>
        <source>From a handful of samples, a model memorizes these samples rather than the class. Collect more of them, balance the classes in the loss, or leave the class out.</source>
        <translation>Bei einer Handvoll Beispiele lernt ein Modell eher diese Beispiele auswendig als die Klasse. Mehr davon sammeln, die Klassen im Verlust ausgleichen oder die Klasse auslassen.</translation>
    </message>
    <message>
        <source>D104: labels without a class</source>
        <translation>D104: Labels ohne Klasse</translation>
    </message>
    <message>
        <source>Some labels are not among the classes of the data; −1 and 255 often mean “unknown”. Leave these samples out, or name all classes.</source>
        <translation>Einige Labels gehören zu keiner Klasse der Daten; −1 und 255 bedeuten oft „unbekannt“. Diese Beispiele auslassen oder alle Klassen nennen.</translation>
    </message>
    <message>
        <source>D105: no samples</source>
        <translation>D105: keine Beispiele</translation>
    </message>
    <message>
        <source>The data was read without errors, but nothing is left to train with: the file is empty, or the choices on the data page left out every sample.</source>
        <translation>Die Daten wurden fehlerfrei gelesen, aber nichts ist zum Trainieren übrig: Die Datei ist leer, oder jedes Beispiel wurde durch die Auswahl auf der Datenseite ausgelassen.</translation>
    </message>
    <message>
        <source>D106: duplicate samples</source>
        <translation>D106: Beispiele, die doppelt sind</translation>
    </message>
    <message>
        <source>Copies count twice in the loss. If one copy is in the training and the other in the validation samples, validation rewards memorizing.</source>
        <translation>Kopien zählen im Verlust doppelt. Wenn eine Kopie im Training und die andere in der Validierung liegt, belohnt die Validierung das Auswendiglernen.</translation>
    </message>
    <message>
        <source>D107: validation samples used for training</source>
        <translation>D107: Validierungsbeispiele, mit denen trainiert wird</translation>
    </message>
    <message>
        <source>Validation should show how the model does on samples that it has never seen. Samples that are in both make it look better than it is. Leave them out of validation.</source>
        <translation>Die Validierung soll zeigen, wie gut das Modell bei Beispielen ist, die es nie gesehen hat. Beispiele in beiden lassen es besser aussehen, als es ist. Sie aus der Validierung nehmen.</translation>
    </message>
    <message>
        <source>D108: classes of very different size</source>
        <translation>D108: Klassen sehr verschiedener Größe</translation>
    </message>
    <message>
        <source>With many samples of one class, always guessing it is a good bet, and the loss hardly notices the rare ones. Class weights make every class count the same; accuracy says little here, so look at each class&apos;s recall.</source>
        <translation>Bei vielen Beispielen einer Klasse ist es eine gute Wette, immer sie zu raten, und der Verlust bemerkt die seltenen kaum. Mit Klassengewichten zählt jede Klasse gleich viel; die Genauigkeit allein sagt hier wenig, besser ist die Trefferquote jeder Klasse.</translation>
    </message>
    <message>
        <source>D110: missing values</source>
        <translation>D110: fehlende Werte</translation>
    </message>
    <message>
        <source>Cells of the table are empty. Their rows were left out or filled with the column&apos;s mean, as chosen; both distort the data, the more values are missing.</source>
        <translation>Zellen der Tabelle sind leer. Ihre Zeilen wurden ausgelassen oder mit dem Mittel der Spalte gefüllt, wie gewählt; beides verzerrt die Daten, umso mehr, je mehr fehlt.</translation>
    </message>
    <message>
        <source>D111: texts read as numbers</source>
        <translation>D111: Texte, als Zahlen gelesen</translation>
    </message>
    <message>
        <source>A text column is read as one number per different text, in alphabetical order. The model sees an order from small to large. If that means nothing, leave the column out or give it one column per text.</source>
        <translation>Eine Spalte mit Texten wird als eine Zahl je verschiedenem Text gelesen, in alphabetischer Reihenfolge. Das Modell sieht darin eine Ordnung von klein bis groß. Wenn die nichts bedeutet, die Spalte auslassen oder je Text eine Spalte anlegen.</translation>
    </message>
    <message>
        <source>D112: a folder without pictures</source>
        <translation>D112: ein Ordner ohne Bilder</translation>
    </message>
    <message>
        <source>In a folder of pictures, each subfolder is a class. This one has no file that can be read as PNG, JPEG, WebP or BMP, and was skipped.</source>
        <translation>In einem Ordner mit Bildern ist jeder Unterordner eine Klasse. Dieser enthält keine Datei, die sich als PNG, JPEG, WebP oder BMP lesen lässt, und wurde übergangen.</translation>
    </message>
    <message>
        <source>D113: samples were left out</source>
        <translation>D113: Beispiele wurden ausgelassen</translation>
    </message>
    <message>
        <source>The choices on the data page left samples out. The message says how many and why; the files stay unchanged.</source>
        <translation>Die Auswahl auf der Datenseite hat Beispiele ausgelassen. Die Meldung sagt, wie viele und warum; die Dateien bleiben unverändert.</translation>
    </message>
    <message>
        <source>P001: the training couldn&apos;t be prepared</source>
        <translation>P001: das Training ließ sich nicht vorbereiten</translation>
    </message>
    <message>
        <source>Something other than the model and the choices failed while the training was prepared, such as an unreadable file or too little memory. The message says what; the project is unchanged.</source>
        <translation>Etwas außerhalb des Modells und der Auswahl ging beim Vorbereiten des Trainings schief, etwa eine Datei, die sich nicht lesen lässt, oder zu wenig Speicher. Die Meldung sagt, was; das Projekt ist unverändert.</translation>
    </message>
    <message>
        <source>P002: the data couldn&apos;t be opened</source>
        <translation>P002: die Daten ließen sich nicht öffnen</translation>
    </message>
    <message>
        <source>The data of this project can&apos;t be read: it was moved, is damaged, or has an unknown format. Choose it again on the data page; nothing else is lost.</source>
        <translation>Die Daten dieses Projekts lassen sich nicht lesen: Sie wurden verschoben, sind beschädigt oder von einer unbekannten Art. Sie auf der Datenseite neu wählen; sonst ist nichts verloren.</translation>
    </message>
    <message>
        <source>No class weights</source>
        <translation>Keine Klassengewichte</translation>
    </message>
    <message>
        <source>Weight norm</source>
        <translation>Norm der Gewichte</translation>
    </message>
    <message>
        <source>Zero gradients</source>
        <translation>Null-Gradienten</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Metriken</translation>
    </message>
    <message>
        <source>Loss per step</source>
        <translation>Verlust jedes Schritts</translation>
    </message>
    <message>
        <source>Smoothed loss</source>
        <translation>Verlust, geglättet</translation>
    </message>
    <message>
        <source>Validation loss</source>
        <translation>Validierungsverlust</translation>
    </message>
    <message>
        <source>Smoothed gradient norm</source>
        <translation>Gradientennorm, geglättet</translation>
    </message>
    <message>
        <source>Seconds per step</source>
        <translation>Sekunden je Schritt</translation>
    </message>
    <message>
        <source>G007: parameters before a gradient stop</source>
        <translation>G007: Parameter vor einem Halt der Gradienten</translation>
    </message>
    <message>
        <source>You chose to stop gradients at this node. These parameters affect the loss only through it, so they get no gradient and are frozen. To train them, undo the choice.</source>
        <translation>Gradienten werden an diesem Knoten auf Wunsch angehalten. Diese Parameter beeinflussen den Verlust nur über ihn, bekommen also keinen Gradienten und sind eingefroren. Die Wahl zurücknehmen, um sie zu trainieren.</translation>
    </message>
    <message>
        <source>A014: no node to stop gradients at</source>
        <translation>A014: kein Knoten, an dem Gradienten anhalten könnten</translation>
    </message>
    <message>
        <source>Gradients should stop at a node or value that the model doesn&apos;t have, often because the choice was made for another model. Names are case-sensitive; * matches any characters.</source>
        <translation>Gradienten sollen an einem Knoten oder Wert anhalten, den das Modell nicht hat, oft weil die Wahl für ein anderes Modell getroffen wurde. Groß- und Kleinschreibung zählt; * steht für beliebige Zeichen.</translation>
    </message>
    <message>
        <source>D109: features far from 1 in size</source>
        <translation>D109: Merkmale weit von der Größe 1</translation>
    </message>
    <message>
        <source>Initial weights and learning rates are made for inputs of about 1. With much larger ones, the first steps are too large or the learning rate must be tiny; among features of different sizes, the largest drowns out the others. Normalize them on the data page; pictures can also be divided by 255.</source>
        <translation>Anfangsgewichte und Lernraten sind für Eingaben von etwa 1 gedacht. Bei viel größeren sind die ersten Schritte zu groß, oder die Lernrate muss winzig sein; von Merkmalen verschiedener Größe übertönt das größte die anderen. Sie auf der Datenseite normalisieren; Bilder lassen sich auch durch 255 teilen.</translation>
    </message>
    <message>
        <source>R001: a number that is NaN or infinite</source>
        <translation>R001: eine Zahl ist NaN oder unendlich</translation>
    </message>
    <message>
        <source>A step gave a loss or gradient that is NaN or infinite, and the run ended before it reached the parameters. Usually the learning rate is too high, or the data has such a value: the message names the node where it first appeared. Roll back and continue at a lower rate, clip the gradients, or fix the data.</source>
        <translation>Ein Schritt ergab einen Verlust oder Gradienten, der NaN oder unendlich ist, und der Lauf endete, bevor das die Parameter erreichte. Meist ist die Lernrate zu hoch, oder die Daten enthalten einen solchen Wert: Die Meldung nennt den Knoten, an dem er zuerst auftrat. Zurücksetzen und mit einer kleineren Rate weitermachen, die Gradienten begrenzen oder die Daten berichtigen.</translation>
    </message>
    <message>
        <source>R002: a diverging loss</source>
        <translation>R002: ein divergierender Verlust</translation>
    </message>
    <message>
        <source>The numbers are still finite, but the loss, smoothed by the median of 32 steps, stays far above its initial value, or has returned there after falling, and does not fall again. Usually the learning rate is too high. Roll back to a state before it rose, and continue at a lower rate, with clipping or a warm-up. If such losses are right, switch the guard off in the settings of the run.</source>
        <translation>Die Zahlen sind noch endlich, aber der Verlust, geglättet durch den Median von 32 Schritten, bleibt weit über seinem Anfangswert, oder er ist dorthin zurückgekehrt, nachdem er gefallen war, und sinkt nicht wieder. Meist ist die Lernrate zu hoch. Auf einen Stand zurücksetzen, bevor er stieg, und mit einer kleineren Rate weitermachen, mit Begrenzen oder Aufwärmen. Wenn solche Verluste richtig sind, die Wache in den Einstellungen des Laufs ausschalten.</translation>
    </message>
    <message>
        <source>A file with all parameters and the state of the optimizer at one step. Training continues from it exactly where it was, and you can return to it. A run keeps its last and its best one and, if you choose so, more of the best or one at each pause.</source>
        <translation>Eine Datei mit allen Parametern und dem Zustand des Optimierers nach einem Schritt. Von ihr aus geht das Training genau so weiter, und man kann zu ihr zurück. Ein Lauf behält seinen letzten und seinen besten und, wenn das gewählt ist, mehr der besten oder einen bei jeder Pause.</translation>
    </message>
    <message>
        <source>Stop gradient</source>
        <translation>Angehaltener Gradient</translation>
    </message>
    <message>
        <source>A place in the model where you chose to stop gradients. Its value counts as a constant, as with detach() in PyTorch. The model computes the same, but parameters that affect the loss only through this place stay frozen.</source>
        <translation>Eine Stelle im Modell, an der Gradienten auf Wunsch enden. Ihr Wert gilt als Konstante, wie mit detach() in PyTorch. Das Modell rechnet dasselbe, aber Parameter, die den Verlust nur über diese Stelle beeinflussen, bleiben eingefroren.</translation>
    </message>
    <message>
        <source>Dead unit</source>
        <translation>Tote Einheit</translation>
    </message>
    <message>
        <source>A neuron or channel whose activation, such as ReLU, is flat for every sample: it always outputs the same number and has gradients of exactly zero, so it never recovers. It counts as dead after ten checks in a row with only zeros. A few are usual; many come from a learning rate that is too high. A lower rate, LeakyReLU or normalization helps.</source>
        <translation>Ein Neuron oder Kanal, dessen Aktivierung, etwa ReLU, für jedes Beispiel flach ist: Es gibt immer dieselbe Zahl aus und hat Gradienten von genau null, sodass es sich nie erholt. Es gilt als tot, wenn zehn Prüfungen in Folge nur Nullen gezeigt haben. Einige sind üblich; viele kommen von einer zu hohen Lernrate. Eine kleinere Rate, LeakyReLU oder Normalisierung hilft.</translation>
    </message>
    <message>
        <source>Gradients stop here</source>
        <translation>Gradienten halten hier an</translation>
    </message>
    <message>
        <source>Normalize them</source>
        <translation>Normalisieren</translation>
    </message>
    <message>
        <source>Replace %1 by %2</source>
        <translation>%1 durch %2 ersetzen</translation>
    </message>
    <message>
        <source>Treat %1 as constant</source>
        <translation>%1 als Konstante behandeln</translation>
    </message>
    <message>
        <source>Let gradients through %1</source>
        <translation>Gradienten durch %1 lassen</translation>
    </message>
    <message>
        <source>Let gradients through</source>
        <translation>Gradienten durchlassen</translation>
    </message>
    <message>
        <source>Replace by %1</source>
        <translation>Ersetzen durch %1</translation>
    </message>
    <message>
        <source>Treat as constant</source>
        <translation>Als Konstante behandeln</translation>
    </message>
    <message>
        <source>W006: a constant with several definitions</source>
        <translation>W006: eine Konstante, die mehrmals definiert ist</translation>
    </message>
    <message>
        <source>Every value of a model should have a unique name, but this constant has several different definitions. ONNX Runtime uses the last one wherever the name is read, and so does Temper.</source>
        <translation>Jeder Wert eines Modells sollte einen eindeutigen Namen haben, aber diese Konstante hat mehrere verschiedene Definitionen. ONNX Runtime nimmt überall, wo der Name gelesen wird, die letzte, und Temper ebenso.</translation>
    </message>
    <message>
        <source>All parameters are frozen or none can be trained, so an optimizer has nothing to do. Choose parameters to train. If all weights are in the branches of an If, set the input that chooses the branch to a constant. If you only want gradients or the loss, choose no optimizer.</source>
        <translation>Alle Parameter sind eingefroren oder keiner lässt sich trainieren; ein Optimierer hat nichts zu tun. Parameter wählen, die trainieren. Wenn alle Gewichte in den Zweigen eines If liegen, die Eingabe, die den Zweig wählt, auf eine Konstante setzen. Wenn nur Gradienten oder der Verlust gewünscht sind, keinen Optimierer wählen.</translation>
    </message>
    <message>
        <source>W007: half-precision numbers</source>
        <translation>W007: Zahlen in halber Genauigkeit</translation>
    </message>
    <message>
        <source>Weights or inputs in the model file are float16 or bfloat16. Small training steps vanish in so few digits, so the model is read as float32. It is also exported as float32, unless the export asks for the types of the file.</source>
        <translation>Gewichte oder Eingaben der Modelldatei sind float16 oder bfloat16. In so wenigen Stellen verschwinden kleine Schritte des Trainings; darum wird das Modell als float32 gelesen. Auch exportiert wird es als float32, außer wenn der Export die Typen der Datei verlangt.</translation>
    </message>
    <message>
        <source>D114: samples that can&apos;t be read</source>
        <translation>D114: Beispiele, die sich nicht lesen lassen</translation>
    </message>
    <message>
        <source>The files of some samples are damaged, truncated, missing or not pictures. Training would end at the first of them. Repair or remove them, or leave these samples out; the message names the first.</source>
        <translation>Die Dateien einiger Beispiele sind beschädigt, abgeschnitten, verschwunden oder keine Bilder. Das Training würde beim ersten davon enden. Sie reparieren oder entfernen oder diese Beispiele weglassen; die Meldung nennt das erste.</translation>
    </message>
    <message>
        <source>D115: files that are not pictures</source>
        <translation>D115: Dateien, die keine Bilder sind</translation>
    </message>
    <message>
        <source>The folder of pictures has files that are not read: pictures in other formats such as GIF or TIFF, or no pictures at all. The message says how many of each kind. Convert those you want to train with.</source>
        <translation>Im Ordner mit den Bildern liegen Dateien, die nicht gelesen werden: Bilder anderer Formate wie GIF oder TIFF oder gar keine Bilder. Die Meldung sagt, wie viele es von jeder Art sind. Was mittrainiert werden soll, in ein lesbares Format umwandeln.</translation>
    </message>
    <message>
        <source>%1 as %2</source>
        <translation>%1 als %2</translation>
    </message>
    <message>
        <source>A015: no batch normalization to keep</source>
        <translation>A015: keine Batch-Normalisierung, die bleiben könnte</translation>
    </message>
    <message>
        <source>Some batch normalizations were chosen to keep their statistics in training, but the model has none with that name. Exporters often merge them into the convolutions before them; then nothing is left to keep.</source>
        <translation>Einige Batch-Normalisierungen sollen ihre Statistik beim Training behalten, aber das Modell hat keine, die so heißt. Beim Export werden sie oft in die Faltungen davor eingerechnet; dann gibt es nichts zu behalten.</translation>
    </message>
    <message>
        <source>D116: only part of the samples was checked</source>
        <translation>D116: nur ein Teil der Beispiele wurde geprüft</translation>
    </message>
    <message>
        <source>The samples take more than half of the memory. Checking all of them would mean reading them twice, so only a part was checked, spread evenly over the file. Training stops at a value that is not a number, wherever it is; leaving out invalid samples checks all of them first.</source>
        <translation>Die Beispiele belegen mehr als die Hälfte des Arbeitsspeichers. Um alle zu prüfen, müssten sie zweimal gelesen werden; darum wurde nur ein Teil geprüft, gleichmäßig über die Datei verteilt. Das Training hält bei einem Wert, der keine Zahl ist, wo immer er steht; ungültige Beispiele wegzulassen prüft vorher alle.</translation>
    </message>
    <message>
        <source>S001: copies of one parameter</source>
        <translation>S001: Kopien eines Parameters</translation>
    </message>
    <message>
        <source>The exporter wrote a parameter into the model several times, for example an embedding and its transpose for the last layer. As in the original network, they train as one: one tensor stays, and the model derives the others from it.</source>
        <translation>Der Exporter hat einen Parameter mehrmals ins Modell geschrieben, zum Beispiel eine Einbettung und ihre Transponierte für die letzte Schicht. Wie im ursprünglichen Netz werden sie als einer trainiert: Ein Tensor bleibt, und das Modell macht die anderen aus ihm.</translation>
    </message>
    <message>
        <source>S002: merged or missing parameters restored</source>
        <translation>S002: zusammengelegte oder fehlende Parameter wiederhergestellt</translation>
    </message>
    <message>
        <source>Parameters of new layers are often equal, and the exporter kept one tensor for all of them. Trained like that, they would stay equal. The exporter&apos;s metadata for each node shows which were meant: each has its own tensor again. Parameters that it left out, or of which it kept only a result such as exp(a), are restored if the metadata says how.</source>
        <translation>Parameter neuer Schichten sind oft gleich, und der Exporter hat für alle einen Tensor behalten. So trainiert blieben sie gleich. Die Metadaten des Exporters zu jedem Knoten zeigen, welche gemeint waren: Jeder hat wieder einen eigenen Tensor. Parameter, die er weggelassen hat oder von denen er nur ein Ergebnis wie exp(a) behalten hat, sind wiederhergestellt, wenn die Metadaten sagen, wie.</translation>
    </message>
    <message>
        <source>S003: parameters that the exporter folded away</source>
        <translation>S003: Parameter, die der Exporter weggerechnet hat</translation>
    </message>
    <message>
        <source>S004: tensors that may belong together</source>
        <translation>S004: Tensoren, die zusammengehören könnten</translation>
    </message>
    <message>
        <source>Several tensors hold the same numbers, or several layers read one tensor of ones or zeros, and the model does not say why. They may be one parameter, or several. The hint names the option for each case.</source>
        <translation>Mehrere Tensoren enthalten dieselben Zahlen, oder mehrere Schichten lesen einen Tensor aus Einsen oder Nullen, und das Modell sagt nicht, warum. Sie können ein Parameter sein oder mehrere. Der Hinweis nennt die Option für beides.</translation>
    </message>
    <message>
        <source>A020: tokens that can&apos;t be labels</source>
        <translation>A020: Token, die keine Labels sein können</translation>
    </message>
    <message>
        <source>A021: unused outputs</source>
        <translation>A021: ungenutzte Ausgänge</translation>
    </message>
    <message>
        <source>Language models output caches and hidden states besides their logits. The loss reads the logits; the others stay in the model and can be exported.</source>
        <translation>Sprachmodelle geben neben ihren Logits Zwischenspeicher und verborgene Zustände aus. Der Verlust liest die Logits; die anderen bleiben im Modell und können exportiert werden.</translation>
    </message>
    <message>
        <source>A022: labels derived from the tokens</source>
        <translation>A022: Labels aus den Token</translation>
    </message>
    <message>
        <source>The data needs no labels: each position should predict the next token. Positions where the attention mask is 0, or with the padding token if one is named, have no label.</source>
        <translation>Die Daten brauchen keine Labels: Jede Stelle soll das nächste Token voraussagen. Stellen mit der Aufmerksamkeitsmaske 0 oder dem Fülltoken, falls eines genannt ist, haben kein Label.</translation>
    </message>
    <message>
        <source>D120: inputs with a default value</source>
        <translation>D120: Eingänge mit Standardwert</translation>
    </message>
    <message>
        <source>Language models have inputs that data often lacks. They get their usual values: ones for an attention mask; 0, 1, 2 and so on for positions; nothing for caches. A bound column replaces them.</source>
        <translation>Sprachmodelle haben Eingänge, die in Daten oft fehlen. Sie bekommen ihre üblichen Werte: Einsen für eine Aufmerksamkeitsmaske; 0, 1, 2 und so weiter für Positionen; nichts für Zwischenspeicher. Eine verbundene Spalte ersetzt sie.</translation>
    </message>
    <message>
        <source>D121: sequences that are too short</source>
        <translation>D121: Folgen, die zu kurz sind</translation>
    </message>
    <message>
        <source>The labels are the next tokens, but each sequence of this data has only one token, so none has a next one. Put longer pieces of text into each sample.</source>
        <translation>Die Labels sind die nächsten Token, aber jede Folge dieser Daten hat nur ein Token, also keines ein nächstes. Längere Textstücke in jedes Beispiel nehmen.</translation>
    </message>
    <message>
        <source>Next token</source>
        <translation>Nächstes Token</translation>
    </message>
    <message>
        <source>The loss of language models: at each position, the cross entropy of the model&apos;s prediction for the next token. The texts are their own labels; padding is left out.</source>
        <translation>Der Verlust von Sprachmodellen: an jeder Stelle die Kreuzentropie der Vorhersage für das nächste Token. Die Texte sind ihre eigenen Labels; Füllung bleibt außen vor.</translation>
    </message>
    <message>
        <source>The labels should be the next tokens, but it is not clear which input of the model holds the tokens, or it has the wrong form. Tokens are integers, with an axis for the samples and one for at least two positions. Name the input after the output that the loss reads.</source>
        <translation>Die Labels sollen die nächsten Token sein, aber es ist nicht klar, welcher Eingang des Modells die Token enthält, oder er hat die falsche Form. Token sind ganze Zahlen, mit einer Achse für die Beispiele und einer für mindestens zwei Stellen. Den Eingang hinter dem Ausgang nennen, den der Verlust liest.</translation>
    </message>
    <message>
        <source>S005: batch normalization restored</source>
        <translation>S005: Batch-Normalisierung wieder eingesetzt</translation>
    </message>
    <message>
        <source>Batch normalizations that the exporter had merged into layers are restored, as you chose. Before the first step, the first training batches determine their running statistics; scale and shift are set so that the model predicts what it did. From then on they train.</source>
        <translation>Batch-Normalisierungen, die der Exporter mit Schichten verschmolzen hatte, sind wie gewählt wieder da. Vor dem ersten Schritt bestimmen die ersten Trainingsbatches ihre laufenden Statistiken; Skala und Verschiebung werden so gesetzt, dass das Modell dasselbe vorhersagt wie zuvor. Von da an lernen sie.</translation>
    </message>
    <message>
        <source>Train constants</source>
        <translation>Konstanten trainieren</translation>
    </message>
    <message>
        <source>Train it</source>
        <translation>Trainieren</translation>
    </message>
    <message>
        <source>Train the copies separately</source>
        <translation>Kopien getrennt trainieren</translation>
    </message>
    <message>
        <source>Leave as exported</source>
        <translation>Wie exportiert lassen</translation>
    </message>
    <message>
        <source>Train them as one</source>
        <translation>Als einen trainieren</translation>
    </message>
    <message>
        <source>Give each node its own tensor</source>
        <translation>Jedem Knoten einen eigenen Tensor geben</translation>
    </message>
    <message>
        <source>Leave them merged</source>
        <translation>Verschmolzen lassen</translation>
    </message>
    <message>
        <source>Put back batch normalization</source>
        <translation>Batch-Normalisierung wieder einsetzen</translation>
    </message>
    <message>
        <source>Restore the parameters</source>
        <translation>Parameter wiederherstellen</translation>
    </message>
    <message>
        <source>Tensors in the body of If, Loop or Scan belong to that body and can&apos;t be selected for training. If an input of the model chooses the branch, set this input to a constant: its row among the model&apos;s inputs offers that. For a loop, export the model with these tensors as initializers of the main graph: a loop can read them there.</source>
        <translation>Tensoren im Rumpf von If, Loop oder Scan gehören zu diesem Rumpf und lassen sich nicht zum Trainieren wählen. Wenn eine Eingabe des Modells den Zweig wählt, diese Eingabe auf eine Konstante setzen: Ihre Zeile unter den Eingaben des Modells bietet das an. Bei einer Schleife das Modell mit diesen Tensoren als Initialisierern des Hauptgraphen exportieren: Dort kann eine Schleife sie lesen.</translation>
    </message>
    <message>
        <source>A023: artifacts that ONNX Runtime can&apos;t load</source>
        <translation>A023: Artefakte, die ONNX Runtime nicht lädt</translation>
    </message>
    <message>
        <source>ONNX Runtime trains models up to opset 21. This one is newer and has a node that no older opset can express, so its artifacts train only in Temper.</source>
        <translation>ONNX Runtime trainiert Modelle bis Opset 21. Dieses ist neuer und hat einen Knoten, den kein älteres Opset ausdrücken kann; seine Artefakte trainieren deshalb nur in Temper.</translation>
    </message>
    <message>
        <source>The model has tensors that were computed from parameters of the original network, or it lost some of them. It computes the same; training changes the tensors that exist. The message names these tensors, and the parameters if the file lists them. The hint says how to export so that the parameters are kept.</source>
        <translation>Das Modell hat Tensoren, die aus Parametern des ursprünglichen Netzes berechnet wurden, oder es hat einige verloren. Es berechnet dasselbe; das Training bewegt, was da ist. Die Meldung nennt diese Tensoren, und die Parameter, wenn die Datei sie verrät. Der Hinweis sagt, wie man so exportiert, dass die Parameter bleiben.</translation>
    </message>
    <message>
        <source>D122: labels that fit two class axes</source>
        <translation>D122: Labels, die zu zwei Klassenachsen passen</translation>
    </message>
    <message>
        <source>The logits have as many classes as steps, so the shape of the labels does not show which axis holds the classes. Cross entropy uses axis 1, as PyTorch does, unless the loss says otherwise.</source>
        <translation>Die Logits haben so viele Klassen wie Schritte, daher zeigt die Form der Labels nicht, auf welcher Achse die Klassen liegen. Die Kreuzentropie nimmt Achse 1, wie PyTorch, wenn der Verlust nichts anderes sagt.</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>The checkpoint may not belong to this model</source>
        <translation>Der Prüfpunkt gehört vielleicht nicht zu diesem Modell</translation>
    </message>
    <message>
        <source>The model contradicts itself</source>
        <translation>Das Modell widerspricht sich</translation>
    </message>
    <message>
        <source>C001: a checkpoint of another model</source>
        <translation>C001: ein Prüfpunkt eines anderen Modells</translation>
    </message>
    <message>
        <source>The checkpoint names its parameters as this model does, but it was saved by a run of a model with other operators, another activation for example, so its numbers mean something else here. Open the model that it was trained with. If you only exported the same model again, train on: the next checkpoint belongs to this one.</source>
        <translation>Der Prüfpunkt benennt seine Parameter wie dieses Modell, wurde aber vom Lauf eines Modells mit anderen Operatoren gespeichert, zum Beispiel einer anderen Aktivierung; seine Zahlen bedeuten hier also etwas anderes. Das Modell öffnen, mit dem er trainiert wurde. Wurde nur dasselbe Modell noch einmal exportiert, einfach weitertrainieren: Der nächste Prüfpunkt gehört zu diesem.</translation>
    </message>
    <message>
        <source>M001: a value that nothing defines</source>
        <translation>M001: ein Wert, den nichts definiert</translation>
    </message>
    <message>
        <source>A node or the model itself reads a value that is neither an input nor an initializer nor the output of a node, as if a part of the model were missing. A node named Undefined stands in its place, so that you can look at the rest.</source>
        <translation>Ein Knoten oder das Modell selbst liest einen Wert, der weder Eingabe noch Initialisierer noch Ausgabe eines Knotens ist, als fehlte ein Teil des Modells. An seiner Stelle steht ein Knoten namens Undefined, damit sich der Rest ansehen lässt.</translation>
    </message>
    <message>
        <source>M002: a value with several definitions</source>
        <translation>M002: ein Wert mit mehreren Definitionen</translation>
    </message>
    <message>
        <source>In ONNX, each value is defined once, but several nodes write this one, or a node and an initializer. It is unclear which of them the others read. The graph shows each definition with a number, and a node named Ambiguous after them.</source>
        <translation>In ONNX wird jeder Wert einmal definiert, diesen aber schreiben mehrere Knoten, oder ein Knoten und ein Initialisierer. Es ist unklar, welchen davon die anderen lesen. Der Graph zeigt jede Definition mit einer Nummer und dahinter einen Knoten namens Ambiguous.</translation>
    </message>
    <message>
        <source>M003: a cycle</source>
        <translation>M003: ein Zyklus</translation>
    </message>
    <message>
        <source>Some nodes need each other&apos;s outputs, so none of them can be computed first. Loops are written with Loop or Scan in ONNX. The graph shows the cycle cut open: a node named Cycle stands for the value that comes from its end.</source>
        <translation>Einige Knoten brauchen die Ausgaben der jeweils anderen, also kann keiner als Erster berechnet werden. Schleifen schreibt man in ONNX mit Loop oder Scan. Der Graph zeigt den Zyklus aufgeschnitten: Ein Knoten namens Cycle steht für den Wert, der von seinem Ende kommt.</translation>
    </message>
    <message>
        <source>D123: targets without a meaning for the loss</source>
        <translation>D123: Zielwerte ohne Bedeutung für den Verlust</translation>
    </message>
    <message>
        <source>Each loss reads its targets in its own way: binary cross entropy takes 0 for no and 1 for yes, hinge takes -1 and 1, the Kullback-Leibler divergence takes probabilities. With other values, the loss can fall forever while nothing is learned. Change the labels, or choose a loss that fits them.</source>
        <translation>Jeder Verlust liest seine Zielwerte auf seine Weise: Die binäre Kreuzentropie nimmt 0 für nein und 1 für ja, Hinge nimmt -1 und 1, die Kullback-Leibler-Divergenz nimmt Wahrscheinlichkeiten. Mit anderen Werten kann der Verlust endlos fallen, ohne dass etwas gelernt wird. Die Labels ändern oder einen Verlust wählen, der zu ihnen passt.</translation>
    </message>
    <message>
        <source>D124: normalized as in training</source>
        <translation>D124: normalisiert wie im Training</translation>
    </message>
    <message>
        <source>A model expects inputs as in training, so samples are normalized with the means and deviations that the checkpoint keeps, not with their own.</source>
        <translation>Ein Modell erwartet Eingaben wie im Training. Deshalb werden Beispiele mit den Mittelwerten und Abweichungen normalisiert, die der Checkpoint behält, nicht mit ihren eigenen.</translation>
    </message>
    <message>
        <source>D125: a first row that looks like a sample</source>
        <translation>D125: eine erste Zeile, die wie ein Beispiel aussieht</translation>
    </message>
    <message>
        <source>The first row of a table usually names its columns. This one holds numbers, as a sample does. If it is one, it is lost unless the table is read without a header.</source>
        <translation>Die erste Zeile einer Tabelle benennt meist die Spalten. Diese enthält Zahlen wie ein Beispiel. Ist sie eines, geht es verloren, wenn die Tabelle nicht ohne Kopfzeile gelesen wird.</translation>
    </message>
    <message>
        <source>Save project: name a folder</source>
        <translation>Projekt speichern: einen Ordner benennen</translation>
    </message>
    <message>
        <source>Labels do not fit the loss</source>
        <translation>Labels passen nicht zum Verlust</translation>
    </message>
    <message>
        <source>Allow any batch size</source>
        <translation>Jede Batchgröße zulassen</translation>
    </message>
    <message>
        <source>W008: a fixed batch size</source>
        <translation>W008: eine feste Batchgröße</translation>
    </message>
    <message>
        <source>The file fixes how many samples the model takes at a time, usually one. Training is then slow and unsteady, because each step sees so little. If nothing in the model depends on that number, it can be made variable; this is first checked with made-up inputs.</source>
        <translation>Die Datei legt fest, wie viele Beispiele das Modell auf einmal nimmt, meist eines. Das Training ist dann langsam und unruhig, weil jeder Schritt so wenig sieht. Hängt nichts im Modell von der Zahl ab, kann sie variabel werden; vorher wird das mit eigens erzeugten Eingaben geprüft.</translation>
    </message>
    <message>
        <source>CTC</source>
        <translation>CTC</translation>
    </message>
    <message>
        <source>Connectionist temporal classification, for reading and listening: the labels are known in order, but not at which step each occurs. The loss adds up the probabilities of all alignments; one class, the blank, stands for no label.</source>
        <translation>Connectionist Temporal Classification, für Lesen und Hören: Die Labels sind in ihrer Reihenfolge bekannt, aber nicht, bei welchem Schritt jedes vorkommt. Der Verlust summiert die Wahrscheinlichkeiten aller Zuordnungen; eine Klasse, die Leerklasse, steht für kein Label.</translation>
    </message>
    <message>
        <source>%1, from the lesson</source>
        <translation>%1, aus der Lektion</translation>
    </message>
    <message>
        <source>%1, %2 % to train</source>
        <translation>%1, %2 % zum Trainieren</translation>
    </message>
    <message>
        <source>0 to 1</source>
        <translation>0 bis 1</translation>
    </message>
    <message>
        <source>Pixels are bytes; networks expect small numbers.</source>
        <translation>Pixel sind Bytes; Netze erwarten kleine Zahlen.</translation>
    </message>
    <message>
        <source>−1 to 1</source>
        <translation>−1 bis 1</translation>
    </message>
    <message>
        <source>Models of this kind were trained with it.</source>
        <translation>Modelle dieser Art wurden damit trainiert.</translation>
    </message>
    <message>
        <source>Mean and deviation of ImageNet</source>
        <translation>Mittelwert und Abweichung von ImageNet</translation>
    </message>
    <message>
        <source>Most networks for colour pictures were trained with it.</source>
        <translation>Die meisten Netze für Farbbilder wurden damit trainiert.</translation>
    </message>
    <message>
        <source>As chosen</source>
        <translation>Wie gewählt</translation>
    </message>
    <message>
        <source>It is part of the data&apos;s settings.</source>
        <translation>Sie gehört zu den Einstellungen der Daten.</translation>
    </message>
    <message>
        <source>Mean 0, deviation 1 for each column</source>
        <translation>Mittelwert 0, Abweichung 1 je Spalte</translation>
    </message>
    <message>
        <source>The columns have very different scales.</source>
        <translation>Die Spalten haben sehr verschiedene Größenordnungen.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln samples of their own</source>
        <translation>
            <numerusform>%Ln eigenes Beispiel</numerusform>
            <numerusform>%Ln eigene Beispiele</numerusform>
        </translation>
    </message>
    <message>
        <source>The data has them.</source>
        <translation>Die Daten bringen sie mit.</translation>
    </message>
    <message>
        <source>%1 % of the samples</source>
        <translation>%1 % der Beispiele</translation>
    </message>
    <message>
        <source>It is not trained on and shows whether the model learns or memorizes.</source>
        <translation>Damit wird nicht trainiert; es zeigt, ob das Modell lernt oder auswendig lernt.</translation>
    </message>
    <message>
        <source>Each class is divided in the same proportion.</source>
        <translation>Jede Klasse wird im selben Verhältnis geteilt.</translation>
    </message>
    <message>
        <source>Batch norms</source>
        <translation>Batch-Normen</translation>
    </message>
    <message>
        <source>Freeze statistics</source>
        <translation>Statistik einfrieren</translation>
    </message>
    <message>
        <source>A batch is too small to measure its own.</source>
        <translation>Ein Batch ist zu klein, um eine eigene zu messen.</translation>
    </message>
    <message>
        <source>The layers that they normalize do not change.</source>
        <translation>Die Schichten, die sie normalisieren, ändern sich nicht.</translation>
    </message>
    <message>
        <source>Update statistics</source>
        <translation>Statistik weiterführen</translation>
    </message>
    <message>
        <source>All layers change, and the batches are large enough to measure them.</source>
        <translation>Alle Schichten ändern sich, und die Batches sind groß genug, um sie zu messen.</translation>
    </message>
    <message>
        <source>Last layer</source>
        <translation>Letzte Schicht</translation>
    </message>
    <message numerus="yes">
        <source>New, with %Ln classes</source>
        <translation>
            <numerusform>Neu, mit %Ln Klasse</numerusform>
            <numerusform>Neu, mit %Ln Klassen</numerusform>
        </translation>
    </message>
    <message>
        <source>The model was made for other classes than the data has.</source>
        <translation>Das Modell ist für andere Klassen gemacht als die der Daten.</translation>
    </message>
    <message>
        <source>%1 of %2 numbers train.</source>
        <translation>%1 von %2 Zahlen trainieren.</translation>
    </message>
    <message>
        <source>What the model has learned stays; only the decision is new. Fast, and enough for few samples (%1).</source>
        <translation>Was das Modell gelernt hat, bleibt; nur die Entscheidung ist neu. Schnell und genug für wenige Beispiele (%1).</translation>
    </message>
    <message>
        <source>The last layers adapt, the general ones before them stay.</source>
        <translation>Die letzten Schichten passen sich an, die allgemeinen davor bleiben.</translation>
    </message>
    <message>
        <source>Few numbers, but in all layers: little memory, little risk.</source>
        <translation>Wenige Zahlen, aber in allen Schichten: wenig Speicher, wenig Risiko.</translation>
    </message>
    <message>
        <source>Everything adapts: the best result with enough samples (%1).</source>
        <translation>Alles passt sich an: das beste Ergebnis bei genügend Beispielen (%1).</translation>
    </message>
    <message>
        <source>It applies %1 itself, so it reads “%2”, before the model does.</source>
        <translation>Er wendet %1 selbst an und liest deshalb „%2“, bevor das Modell es tut.</translation>
    </message>
    <message>
        <source>“%1” has a number for each class of “%2”.</source>
        <translation>„%1“ hat eine Zahl für jede Klasse von „%2“.</translation>
    </message>
    <message>
        <source>softmax</source>
        <translation>Softmax</translation>
    </message>
    <message>
        <source>sigmoid</source>
        <translation>Sigmoid</translation>
    </message>
    <message>
        <source>“%1” is one number for the two classes of “%2”.</source>
        <translation>„%1“ ist eine Zahl für die zwei Klassen von „%2“.</translation>
    </message>
    <message>
        <source>“%1” holds only zeros and ones, one for each number of “%2”.</source>
        <translation>„%1“ enthält nur Nullen und Einsen, eine für jede Zahl von „%2“.</translation>
    </message>
    <message>
        <source>“%1” holds numbers, one for each number of “%2”.</source>
        <translation>„%1“ enthält Zahlen, eine für jede Zahl von „%2“.</translation>
    </message>
    <message>
        <source>The data has no target: the model learns to predict the next token from “%1”.</source>
        <translation>Die Daten haben kein Ziel: Das Modell lernt, aus „%1“ das nächste Token vorherzusagen.</translation>
    </message>
    <message>
        <source>The camera can&apos;t be opened. Another program may be using it: close that one and try again.</source>
        <translation>Die Kamera lässt sich nicht öffnen. Vielleicht verwendet sie ein anderes Programm: dieses schließen und erneut versuchen.</translation>
    </message>
    <message>
        <source>The microphone can&apos;t be opened. Another program may be using it: close that one and try again.</source>
        <translation>Das Mikrofon lässt sich nicht öffnen. Vielleicht verwendet es ein anderes Programm: dieses schließen und erneut versuchen.</translation>
    </message>
    <message>
        <source>Sample rate</source>
        <translation>Abtastrate</translation>
    </message>
    <message>
        <source>How many numbers stand for one second of a sound. They can hold tones up to half of it. A model knows sounds at the rate of its training data; at another rate, every tone would seem higher or lower to it.</source>
        <translation>Wie viele Zahlen für eine Sekunde Klang stehen. Darin haben Töne bis zur Hälfte davon Platz. Ein Modell kennt Klänge in der Rate seiner Trainingsdaten; bei einer anderen Rate käme ihm jeder Ton höher oder tiefer vor.</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>Einheit</translation>
    </message>
    <message>
        <source>Also called a neuron: it adds up its inputs, each times a weight, and passes the sum through an activation such as Relu. Each unit learns to respond to one pattern; a layer has many of them side by side, and the next layer combines what they find. A layer between the inputs and the outputs is called hidden.</source>
        <translation>Auch Neuron genannt: Sie addiert ihre Eingaben, jede mal einem Gewicht, und schickt die Summe durch eine Aktivierung wie Relu. Jede Einheit lernt, auf ein Muster zu antworten; eine Schicht hat viele davon nebeneinander, und die nächste Schicht verbindet, was sie finden. Eine Schicht zwischen den Eingaben und den Ausgaben heißt verborgen.</translation>
    </message>
    <message>
        <source>Mean sample</source>
        <translation>Mittleres Beispiel</translation>
    </message>
    <message>
        <source>The camera was unplugged. Plug it in and try again.</source>
        <translation>Die Kamera wurde getrennt. Wieder anschließen und noch einmal versuchen.</translation>
    </message>
    <message>
        <source>The camera does not work. Try another one.</source>
        <translation>Die Kamera funktioniert nicht. Eine andere versuchen.</translation>
    </message>
    <message>
        <source>The microphone was unplugged and the recording discarded. Plug it in and try again.</source>
        <translation>Das Mikrofon wurde getrennt, die Aufnahme verworfen. Wieder anschließen und noch einmal versuchen.</translation>
    </message>
    <message>
        <source>The microphone does not work. Try another one.</source>
        <translation>Das Mikrofon funktioniert nicht. Ein anderes versuchen.</translation>
    </message>
    <message>
        <source>Checkpoints (*.ckpt);;All files (*)</source>
        <translation>Prüfpunkte (*.ckpt);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Unchanged</source>
        <translation>Unverändert</translation>
    </message>
    <message>
        <source>The model scales its input itself.</source>
        <translation>Das Modell skaliert seine Eingabe selbst.</translation>
    </message>
    <message>
        <source>The last layer learns first, so that its first mistakes do not disturb what the others have learned; then everything adapts slowly.</source>
        <translation>Die letzte Schicht lernt zuerst, damit ihre anfänglichen Fehler nicht stören, was die anderen gelernt haben; dann passt sich langsam alles an.</translation>
    </message>
    <message>
        <source>The parameters of group &apos;%1&apos; never train: the group starts after %2 steps, but the run has only %3.</source>
        <translation>Die Parameter der Gruppe &apos;%1&apos; trainieren nie: Die Gruppe beginnt nach %2 Schritten, aber der Lauf hat nur %3.</translation>
    </message>
    <message>
        <source>Train longer, or let the group start earlier.</source>
        <translation>Trainiere länger, oder lass die Gruppe früher beginnen.</translation>
    </message>
    <message>
        <source>P003: a group that never trains</source>
        <translation>P003: eine Gruppe, die nie trainiert wird</translation>
    </message>
    <message>
        <source>The parameters of a group start to change after a number of optimizer steps, and the run ends before. Train for more epochs, use smaller batches, or lower the number under “Starts after” on the page Objective.</source>
        <translation>Die Parameter einer Gruppe ändern sich erst nach einer Zahl von Optimiererschritten, und der Lauf endet vorher. Trainiere mehr Epochen, nimm kleinere Batches, oder verringere die Zahl unter „Beginnt nach“ auf der Seite Ziel.</translation>
    </message>
    <message>
        <source>The inputs are already on a suitable scale.</source>
        <translation>Die Eingaben liegen schon in einem geeigneten Bereich.</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>Aufträge</translation>
    </message>
    <message numerus="yes">
        <source>%Ln validation samples (%1; the %2 % held out are not used)</source>
        <translation>
            <numerusform>%Ln Validierungsbeispiel (%1; die abgetrennten %2 % werden nicht benutzt)</numerusform>
            <numerusform>%Ln Validierungsbeispiele (%1; die abgetrennten %2 % werden nicht benutzt)</numerusform>
        </translation>
    </message>
    <message>
        <source>Use “%1”</source>
        <translation>„%1“ nehmen</translation>
    </message>
    <message>
        <source>The model accepts no other number of samples.</source>
        <translation>Das Modell nimmt keine andere Anzahl Beispiele an.</translation>
    </message>
    <message>
        <source>Small, as there are few samples: an epoch should have several steps.</source>
        <translation>Klein, weil es wenige Beispiele gibt: Eine Epoche sollte mehrere Schritte haben.</translation>
    </message>
    <message>
        <source>The usual one: enough samples for a steady gradient, and little memory.</source>
        <translation>Die übliche: genug Beispiele für einen ruhigen Gradienten, und wenig Speicher.</translation>
    </message>
    <message>
        <source>%1 samples are %2 steps an epoch; most fine-tuning is done after a few hundred steps.</source>
        <translation>%1 Beispiele sind %2 Schritte je Epoche; meist genügen einige Hundert Schritte.</translation>
    </message>
    <message>
        <source>The usual one for what trains.</source>
        <translation>Die übliche für das, was trainiert.</translation>
    </message>
    <message>
        <source>While the last layer learns, the layers that they normalize do not change.</source>
        <translation>Solange die letzte Schicht lernt, ändern sich die Schichten, die sie normalisieren, nicht.</translation>
    </message>
    <message>
        <source>Loss function</source>
        <translation>Verlustfunktion</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>Constant %1</source>
        <translation>Konstante %1</translation>
    </message>
    <message>
        <source>New name of %1</source>
        <translation>Neuer Name von %1</translation>
    </message>
    <message>
        <source>Column for %1</source>
        <translation>Spalte für %1</translation>
    </message>
    <message>
        <source>%1: rate × %2</source>
        <translation>%1: Rate × %2</translation>
    </message>
    <message>
        <source>, weight decay %1</source>
        <translation>, Gewichtszerfall %1</translation>
    </message>
    <message>
        <source>, after step %1</source>
        <translation>, nach Schritt %1</translation>
    </message>
    <message>
        <source>%1 (setting)</source>
        <translation>%1 (Einstellung)</translation>
    </message>
    <message>
        <source>D126: names of classes taken as numbers</source>
        <translation>D126: Namen von Klassen als Zahlen</translation>
    </message>
    <message>
        <source>A loss of numbers, such as the squared error, measures distances. Classes that have names are numbered 0, 1, 2 and so on, so that the first and the third are farther apart than the first and the second. If their order means nothing, choose a loss of classes, such as cross entropy.</source>
        <translation>Ein Verlust aus Zahlen, etwa der quadratische Fehler, misst Abstände. Klassen mit Namen werden als 0, 1, 2 und so weiter nummeriert, sodass die erste von der dritten weiter entfernt ist als von der zweiten. Wenn ihre Reihenfolge nichts bedeutet, wählen Sie einen Verlust für Klassen, etwa die Kreuzentropie.</translation>
    </message>
</context>
<context>
    <name>temper::ui::AppearanceActions</name>
    <message>
        <source>Colours as the desktop</source>
        <translation>Farben wie der Desktop</translation>
    </message>
    <message>
        <source>Light colours</source>
        <translation>Helle Farben</translation>
    </message>
    <message>
        <source>Dark colours</source>
        <translation>Dunkle Farben</translation>
    </message>
    <message>
        <source>Reduced motion</source>
        <translation>Weniger Bewegung</translation>
    </message>
</context>
<context>
    <name>temper::ui::ArtifactActions</name>
    <message>
        <source>Write training files…</source>
        <translation>Trainingsdateien schreiben …</translation>
    </message>
    <message>
        <source>Export model</source>
        <translation>Modell exportieren</translation>
    </message>
    <message>
        <source>Folder for training files</source>
        <translation>Ordner für Trainingsdateien</translation>
    </message>
    <message>
        <source>The training files need data</source>
        <translation>Die Trainingsdateien brauchen Daten</translation>
    </message>
    <message>
        <source>Running statistics of the batch normalizations that were put back are measured in the training samples.</source>
        <translation>Die laufenden Statistiken der wieder eingesetzten Batch-Normalisierungen werden in den Trainingsbeispielen gemessen.</translation>
    </message>
    <message>
        <source>Choose data first.</source>
        <translation>Zuerst Daten wählen.</translation>
    </message>
    <message>
        <source>Writing training files</source>
        <translation>Trainingsdateien werden geschrieben</translation>
    </message>
    <message>
        <source>The training files could not be written</source>
        <translation>Die Trainingsdateien konnten nicht geschrieben werden</translation>
    </message>
    <message>
        <source>Training files written to %1</source>
        <translation>Trainingsdateien nach %1 geschrieben</translation>
    </message>
</context>
<context>
    <name>temper::ui::AttachedRun</name>
    <message>
        <source>The job server does not answer</source>
        <translation>Der Auftragsserver antwortet nicht</translation>
    </message>
    <message>
        <source>The job refused the request</source>
        <translation>Der Auftrag hat die Anfrage abgelehnt</translation>
    </message>
</context>
<context>
    <name>temper::ui::Autosave</name>
    <message>
        <source>The choices could not be saved</source>
        <translation>Die Einstellungen konnten nicht gespeichert werden</translation>
    </message>
</context>
<context>
    <name>temper::ui::Banner</name>
    <message>
        <source>Close message</source>
        <translation>Meldung schließen</translation>
    </message>
    <message>
        <source>All details of the failure</source>
        <translation>Alle Einzelheiten zum Fehler</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>Einzelheiten kopieren</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
</context>
<context>
    <name>temper::ui::BindingModel</name>
    <message>
        <source>not bound</source>
        <translation>nicht verbunden</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>Zielwert</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>needs a column</source>
        <translation>braucht eine Spalte</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>passt</translation>
    </message>
    <message>
        <source>type or element count differs</source>
        <translation>Typ oder Anzahl der Elemente weicht ab</translation>
    </message>
    <message>
        <source>Model input</source>
        <translation>Eingabe des Modells</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Role</source>
        <translation>Rolle</translation>
    </message>
    <message>
        <source>Data column</source>
        <translation>Spalte der Daten</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>uses its default value</source>
        <translation>hat seinen Standardwert</translation>
    </message>
    <message>
        <source>values do not fit the loss</source>
        <translation>Werte passen nicht zum Verlust</translation>
    </message>
</context>
<context>
    <name>temper::ui::Breadcrumb</name>
    <message>
        <source>Location of the selection</source>
        <translation>Ort der Auswahl</translation>
    </message>
    <message>
        <source>Go to %1</source>
        <translation>Gehe zu %1</translation>
    </message>
</context>
<context>
    <name>temper::ui::CameraView</name>
    <message>
        <source>Take picture</source>
        <translation>Bild aufnehmen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Camera</source>
        <translation>Kamera</translation>
    </message>
    <message>
        <source>The camera sends no picture. Close other programs that use it, or plug it in again.</source>
        <translation>Die Kamera liefert kein Bild. Andere Programme schließen, die sie verwenden, oder sie neu anschließen.</translation>
    </message>
    <message>
        <source>No camera is connected. Plug one in to see its picture.</source>
        <translation>Keine Kamera ist angeschlossen. Sobald eine angeschlossen ist, erscheint ihr Bild.</translation>
    </message>
    <message>
        <source>Starting the camera…</source>
        <translation>Die Kamera startet …</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
</context>
<context>
    <name>temper::ui::CaptureModule</name>
    <message>
        <source>Install the package temper-studio-media to use a camera or a microphone.</source>
        <translation>Für Kamera und Mikrofon das Paket temper-studio-media installieren.</translation>
    </message>
    <message>
        <source>The package temper-studio-media belongs to another version of this program. Install the same version of both.</source>
        <translation>Das Paket temper-studio-media gehört zu einer anderen Version dieses Programms. Von beiden dieselbe Version installieren.</translation>
    </message>
    <message>
        <source>The package temper-studio-media could not be loaded: %1</source>
        <translation>Das Paket temper-studio-media konnte nicht geladen werden: %1</translation>
    </message>
</context>
<context>
    <name>temper::ui::CheckpointDialog</name>
    <message>
        <source>Reading…</source>
        <translation>Wird gelesen …</translation>
    </message>
    <message>
        <source>Checkpoint %1</source>
        <translation>Prüfpunkt %1</translation>
    </message>
    <message>
        <source>Parameters of the checkpoint</source>
        <translation>Parameter des Prüfpunkts</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Properties</source>
        <translation>Eigenschaften</translation>
    </message>
    <message>
        <source>Save properties</source>
        <translation>Eigenschaften speichern</translation>
    </message>
    <message>
        <source>Properties of the checkpoint</source>
        <translation>Eigenschaften des Prüfpunkts</translation>
    </message>
    <message>
        <source>Add property</source>
        <translation>Eigenschaft hinzufügen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Reading checkpoint</source>
        <translation>Prüfpunkt wird gelesen</translation>
    </message>
    <message>
        <source>The checkpoint could not be read</source>
        <translation>Der Prüfpunkt konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>no optimizer state</source>
        <translation>kein Zustand des Optimierers</translation>
    </message>
    <message>
        <source>optimizer state after step %1</source>
        <translation>Zustand des Optimierers nach Schritt %1</translation>
    </message>
    <message numerus="yes">
        <source>%n properties</source>
        <translation>
            <numerusform>%n Eigenschaft</numerusform>
            <numerusform>%n Eigenschaften</numerusform>
        </translation>
    </message>
    <message>
        <source>Saving checkpoint</source>
        <translation>Prüfpunkt wird gespeichert</translation>
    </message>
    <message>
        <source>The checkpoint could not be saved</source>
        <translation>Der Prüfpunkt konnte nicht gespeichert werden</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message numerus="yes">
        <source>%Ln trainable parameters</source>
        <translation>
            <numerusform>%Ln trainierbarer Parameter</numerusform>
            <numerusform>%Ln trainierbare Parameter</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln frozen parameters</source>
        <translation>
            <numerusform>%Ln eingefrorener Parameter</numerusform>
            <numerusform>%Ln eingefrorene Parameter</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::CheckpointDiffDialog</name>
    <message>
        <source>Reading…</source>
        <translation>Wird gelesen …</translation>
    </message>
    <message>
        <source>%1 → %2</source>
        <translation>%1 → %2</translation>
    </message>
    <message>
        <source>Differences of the parameters</source>
        <translation>Unterschiede der Parameter</translation>
    </message>
    <message>
        <source>Histogram of the differences</source>
        <translation>Histogramm der Unterschiede</translation>
    </message>
    <message>
        <source>How the values changed</source>
        <translation>Wie sich die Werte geändert haben</translation>
    </message>
    <message>
        <source>Share of the second checkpoint in the blend</source>
        <translation>Anteil des zweiten Prüfpunkts an der Mischung</translation>
    </message>
    <message>
        <source>&amp;Blend</source>
        <translation>&amp;Mischanteil</translation>
    </message>
    <message>
        <source>Save blend…</source>
        <translation>Mischung speichern …</translation>
    </message>
    <message numerus="yes">
        <source>%n parameters in both: %1 changed, %2 with a different type or shape · %3 only in the first · %4 only in the second</source>
        <translation>
            <numerusform>%n Parameter in beiden: %1 geändert, %2 mit anderem Typ oder anderer Form · %3 nur im ersten · %4 nur im zweiten</numerusform>
            <numerusform>%n Parameter in beiden: %1 geändert, %2 mit anderem Typ oder anderer Form · %3 nur im ersten · %4 nur im zweiten</numerusform>
        </translation>
    </message>
    <message>
        <source>Save blend</source>
        <translation>Mischung speichern</translation>
    </message>
    <message>
        <source>Saving blend</source>
        <translation>Mischung wird gespeichert</translation>
    </message>
    <message>
        <source>The blend could not be saved</source>
        <translation>Die Mischung konnte nicht gespeichert werden</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Gespeichert</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1 und %2</translation>
    </message>
    <message>
        <source>Compare weights</source>
        <translation>Gewichte vergleichen</translation>
    </message>
    <message>
        <source>Comparing weights</source>
        <translation>Gewichte werden verglichen</translation>
    </message>
    <message>
        <source>The weights could not be compared</source>
        <translation>Die Gewichte konnten nicht verglichen werden</translation>
    </message>
    <message>
        <source>The values are equal.</source>
        <translation>Die Werte sind gleich.</translation>
    </message>
</context>
<context>
    <name>temper::ui::CheckpointDiffModel</name>
    <message>
        <source>only in the first</source>
        <translation>nur im ersten</translation>
    </message>
    <message>
        <source>only in the second</source>
        <translation>nur im zweiten</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>Parameter</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>L2 of the change</source>
        <translation>L2 der Änderung</translation>
    </message>
    <message>
        <source>Relative</source>
        <translation>Relativ</translation>
    </message>
    <message>
        <source>Largest</source>
        <translation>Größte</translation>
    </message>
    <message>
        <source>Cosine</source>
        <translation>Kosinus</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Bemerkung</translation>
    </message>
</context>
<context>
    <name>temper::ui::CheckpointListModel</name>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
</context>
<context>
    <name>temper::ui::CheckpointPane</name>
    <message>
        <source>No checkpoints yet. Save the current state at any time, also while training.</source>
        <translation>Noch keine Prüfpunkte. Der aktuelle Stand lässt sich jederzeit speichern, auch während des Trainings.</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Prüfpunkte</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern …</translation>
    </message>
    <message>
        <source>Load…</source>
        <translation>Laden …</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Ansehen</translation>
    </message>
    <message>
        <source>Write the current state to a checkpoint file</source>
        <translation>Den aktuellen Stand in eine Prüfpunktdatei schreiben</translation>
    </message>
    <message>
        <source>Continue from the selected checkpoint, or from a file</source>
        <translation>Vom gewählten Prüfpunkt oder von einer Datei aus weitermachen</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Compare two selected checkpoints, or one with its predecessor</source>
        <translation>Zwei gewählte Prüfpunkte vergleichen, oder einen mit seinem Vorgänger</translation>
    </message>
    <message>
        <source>Keep last and best in a folder…</source>
        <translation>Letzten und besten behalten …</translation>
    </message>
    <message>
        <source>Checkpoints over time</source>
        <translation>Prüfpunkte im zeitlichen Verlauf</translation>
    </message>
    <message>
        <source>step %1 · epoch %2</source>
        <translation>Schritt %1 · Epoche %2</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>The checkpoints could not be compared</source>
        <translation>Die Prüfpunkte konnten nicht verglichen werden</translation>
    </message>
    <message>
        <source>This model</source>
        <translation>Dieses Modell</translation>
    </message>
    <message>
        <source>Save checkpoint</source>
        <translation>Prüfpunkt speichern</translation>
    </message>
    <message>
        <source>Load checkpoint</source>
        <translation>Prüfpunkt laden</translation>
    </message>
    <message>
        <source>Folder for run checkpoints</source>
        <translation>Ordner für die Prüfpunkte der Läufe</translation>
    </message>
    <message>
        <source>Choose checkpoint folder</source>
        <translation>Ordner für Prüfpunkte wählen</translation>
    </message>
    <message>
        <source>The checkpoint could not be saved</source>
        <translation>Der Prüfpunkt konnte nicht gespeichert werden</translation>
    </message>
    <message>
        <source>saved</source>
        <translation>gespeichert</translation>
    </message>
    <message>
        <source>The checkpoint can&apos;t be loaded yet</source>
        <translation>Der Prüfpunkt lässt sich noch nicht laden</translation>
    </message>
    <message>
        <source>A checkpoint can only be loaded into a model that is ready to train.</source>
        <translation>Ein Prüfpunkt lässt sich nur in ein Modell laden, das bereit zum Training ist.</translation>
    </message>
    <message>
        <source>The checkpoint could not be loaded</source>
        <translation>Der Prüfpunkt konnte nicht geladen werden</translation>
    </message>
    <message>
        <source>The checkpoint does not fit</source>
        <translation>Der Prüfpunkt passt nicht</translation>
    </message>
    <message>
        <source>loaded</source>
        <translation>geladen</translation>
    </message>
</context>
<context>
    <name>temper::ui::CheckpointParameterModel</name>
    <message>
        <source>trains</source>
        <translation>trainiert</translation>
    </message>
    <message>
        <source>frozen</source>
        <translation>eingefroren</translation>
    </message>
    <message>
        <source>with moments</source>
        <translation>mit Momenten</translation>
    </message>
    <message>
        <source>Parameter</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>Norm</source>
        <translation>Norm</translation>
    </message>
    <message>
        <source>Minimum</source>
        <translation>Minimum</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>Maximum</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
</context>
<context>
    <name>temper::ui::ChoiceEditor</name>
    <message>
        <source>Change %1</source>
        <translation>%1 ändern</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>&quot;%1&quot; can&apos;t be changed here.</source>
        <translation>„%1“ lässt sich hier nicht ändern.</translation>
    </message>
</context>
<context>
    <name>temper::ui::ClassBars</name>
    <message>
        <source>%1 + %2 for validation</source>
        <translation>%1 + %2 zur Validierung</translation>
    </message>
    <message>
        <source>Samples per class</source>
        <translation>Beispiele je Klasse</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>temper::ui::ClassReportModel</name>
    <message>
        <source>Macro average</source>
        <translation>Makro-Ø</translation>
    </message>
    <message>
        <source>Weighted average</source>
        <translation>Gewichteter Ø</translation>
    </message>
    <message>
        <source>Share of the predictions of this class that are correct</source>
        <translation>Anteil der Vorhersagen dieser Klasse, die richtig sind</translation>
    </message>
    <message>
        <source>Share of the samples of this class that were found</source>
        <translation>Anteil der Beispiele der Klasse, der gefunden wurde</translation>
    </message>
    <message>
        <source>Harmonic mean of precision and recall</source>
        <translation>Harmonisches Mittel aus Präzision und Trefferquote</translation>
    </message>
    <message>
        <source>Area under the ROC curve: 0.5 is guessing, 1 is perfect</source>
        <translation>Fläche unter der ROC-Kurve: 0,5 ist geraten, 1 ist vollkommen</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>Klasse</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Präzision</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>Trefferquote</translation>
    </message>
    <message>
        <source>F1</source>
        <translation>F1</translation>
    </message>
    <message>
        <source>AUC</source>
        <translation>AUC</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Beispiele</translation>
    </message>
</context>
<context>
    <name>temper::ui::ClassWeights</name>
    <message>
        <source>Balance classes automatically</source>
        <translation>Klassen automatisch ausgleichen</translation>
    </message>
    <message>
        <source>No weights</source>
        <translation>Keine Gewichte</translation>
    </message>
    <message>
        <source>Remove the class weights</source>
        <translation>Die Klassengewichte entfernen</translation>
    </message>
    <message>
        <source>The data has no class names.</source>
        <translation>Die Daten haben keine Klassennamen.</translation>
    </message>
    <message>
        <source>Choose data first, so that its classes can be counted.</source>
        <translation>Zuerst Daten wählen, damit ihre Klassen gezählt werden können.</translation>
    </message>
    <message>
        <source>%1 weights for %2 classes: training needs one per class.</source>
        <translation>%1 Gewichte für %2 Klassen: Das Training braucht eines je Klasse.</translation>
    </message>
</context>
<context>
    <name>temper::ui::CloseActions</name>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Stop training and close the project?</source>
        <translation>Training stoppen und das Projekt schließen?</translation>
    </message>
</context>
<context>
    <name>temper::ui::CommandPalette</name>
    <message>
        <source>%1   (%2)</source>
        <translation>%1   (%2)</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
    <message>
        <source>Type a command</source>
        <translation>Einen Befehl eingeben</translation>
    </message>
    <message>
        <source>No command matches “%1”. Try fewer letters.</source>
        <translation>Kein Befehl passt zu „%1“. Weniger Buchstaben finden mehr.</translation>
    </message>
</context>
<context>
    <name>temper::ui::CommandRegistry</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>&amp;Modell</translation>
    </message>
    <message>
        <source>&amp;Training</source>
        <translation>&amp;Training</translation>
    </message>
    <message>
        <source>&amp;Runs</source>
        <translation>&amp;Läufe</translation>
    </message>
    <message>
        <source>T&amp;ools</source>
        <translation>&amp;Extras</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
</context>
<context>
    <name>temper::ui::CompareActions</name>
    <message>
        <source>Compare weights with…</source>
        <translation>Gewichte vergleichen mit …</translation>
    </message>
    <message>
        <source>Compare weights…</source>
        <translation>Gewichte vergleichen …</translation>
    </message>
    <message>
        <source>Choose a model or a checkpoint to compare with</source>
        <translation>Modell oder Prüfpunkt wählen, mit dem verglichen wird</translation>
    </message>
    <message>
        <source>Models and checkpoints (*.onnx *.ort *.ckpt checkpoint);;All files (*)</source>
        <translation>Modelle und Prüfpunkte (*.onnx *.ort *.ckpt checkpoint);;Alle Dateien (*)</translation>
    </message>
</context>
<context>
    <name>temper::ui::CompareFilesDialog</name>
    <message>
        <source>Compare weights</source>
        <translation>Gewichte vergleichen</translation>
    </message>
    <message>
        <source>Two checkpoints or models, side by side. You can drop them here.</source>
        <translation>Zwei Prüfpunkte oder Modelle nebeneinander. Sie lassen sich auch hierher ziehen.</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>&amp;First</source>
        <translation>&amp;Erste Datei</translation>
    </message>
    <message>
        <source>&amp;Second</source>
        <translation>&amp;Zweite Datei</translation>
    </message>
    <message>
        <source>Checkpoint or model</source>
        <translation>Prüfpunkt oder Modell</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen …</translation>
    </message>
    <message>
        <source>Choose a checkpoint or a model</source>
        <translation>Prüfpunkt oder Modell wählen</translation>
    </message>
    <message>
        <source>File %1 not found.</source>
        <translation>Datei %1 nicht gefunden.</translation>
    </message>
    <message>
        <source>Choose the files to compare, one in each row.</source>
        <translation>Die zu vergleichenden Dateien wählen, eine je Zeile.</translation>
    </message>
</context>
<context>
    <name>temper::ui::ConfusionView</name>
    <message>
        <source>Confusion matrix</source>
        <translation>Konfusionsmatrix</translation>
    </message>
    <message>
        <source>%1 predicted as %2: %3</source>
        <translation>%1 als %2 vorhergesagt: %3</translation>
    </message>
    <message>
        <source>The confusion matrix appears after the first evaluation.</source>
        <translation>Die Konfusionsmatrix erscheint nach der ersten Auswertung.</translation>
    </message>
    <message>
        <source>Too many classes to draw.</source>
        <translation>Zu viele Klassen zum Zeichnen.</translation>
    </message>
</context>
<context>
    <name>temper::ui::ConnectDialog</name>
    <message>
        <source>Jobs of another machine</source>
        <translation>Aufträge eines anderen Rechners</translation>
    </message>
    <message>
        <source>&amp;Token</source>
        <translation>&amp;Token</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>Verbinden</translation>
    </message>
    <message>
        <source>Forward the server&apos;s socket to this machine, in a terminal that stays open:</source>
        <translation>Den Socket des Servers auf diesen Rechner weiterleiten, in einem Terminal, das offen bleibt:</translation>
    </message>
    <message>
        <source>far.socket, or a port of this machine</source>
        <translation>far.socket, oder ein Port dieses Rechners</translation>
    </message>
    <message>
        <source>content of the file &apos;token&apos; beside the socket there</source>
        <translation>Inhalt der Datei „token“ neben dem Socket dort</translation>
    </message>
    <message>
        <source>&amp;Socket</source>
        <translation>&amp;Socket</translation>
    </message>
</context>
<context>
    <name>temper::ui::CopyActions</name>
    <message>
        <source>Copy as command</source>
        <translation>Als Befehl kopieren</translation>
    </message>
    <message>
        <source>Copy as Python script</source>
        <translation>Als Python-Skript kopieren</translation>
    </message>
    <message>
        <source>The command is on the clipboard.</source>
        <translation>Der Befehl ist in der Zwischenablage.</translation>
    </message>
    <message>
        <source>The script is on the clipboard.</source>
        <translation>Das Skript ist in der Zwischenablage.</translation>
    </message>
    <message>
        <source>The lesson is not saved yet</source>
        <translation>Die Lektion ist noch nicht gespeichert</translation>
    </message>
    <message>
        <source>Its model and data are embedded in the program, where no command can find them.</source>
        <translation>Modell und Daten liegen im Programm, wo kein Befehl sie findet.</translation>
    </message>
    <message>
        <source>Save the project in a folder; the command then uses that folder.</source>
        <translation>Das Projekt in einem Ordner speichern; der Befehl verwendet dann diesen Ordner.</translation>
    </message>
</context>
<context>
    <name>temper::ui::CurvesView</name>
    <message>
        <source>ROC: true against false positives</source>
        <translation>ROC: richtig gegen falsch positive</translation>
    </message>
    <message>
        <source>False positives</source>
        <translation>Falsch positive</translation>
    </message>
    <message>
        <source>True positives</source>
        <translation>Richtig positive</translation>
    </message>
    <message>
        <source>Calibration: do the probabilities hold?</source>
        <translation>Kalibrierung: Treffen die Wahrscheinlichkeiten zu?</translation>
    </message>
    <message>
        <source>Predicted probability</source>
        <translation>Vorhergesagte Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>Share that is correct</source>
        <translation>Anteil der richtigen</translation>
    </message>
    <message>
        <source>Predicted against actual</source>
        <translation>Vorhersage gegen tatsächlichen Wert</translation>
    </message>
    <message>
        <source>Actual</source>
        <translation>Tatsächlich</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>Vorhergesagt</translation>
    </message>
    <message>
        <source>Residuals</source>
        <translation>Residuen</translation>
    </message>
    <message>
        <source>Predicted − actual</source>
        <translation>Vorhergesagt − tatsächlich</translation>
    </message>
    <message>
        <source>Class or output to draw</source>
        <translation>Gezeichnete Klasse oder Ausgabe</translation>
    </message>
    <message>
        <source>All classes</source>
        <translation>Alle Klassen</translation>
    </message>
    <message>
        <source>Output %1</source>
        <translation>Ausgabe %1</translation>
    </message>
    <message>
        <source>Evaluate first.</source>
        <translation>Zuerst auswerten.</translation>
    </message>
    <message>
        <source>%1: AUC %2</source>
        <translation>%1: AUC %2</translation>
    </message>
    <message>
        <source>Expected error %1</source>
        <translation>Erwarteter Fehler %1</translation>
    </message>
    <message>
        <source>R² %1</source>
        <translation>R² %1</translation>
    </message>
    <message>
        <source>Mean absolute error %1</source>
        <translation>Mittlerer absoluter Fehler %1</translation>
    </message>
</context>
<context>
    <name>temper::ui::DataPanel</name>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Samples to learn from, and which of their columns feed the model.</source>
        <translation>Beispiele, aus denen gelernt wird, und welche ihrer Spalten das Modell speisen.</translation>
    </message>
    <message>
        <source>Training samples</source>
        <translation>Trainingsbeispiele</translation>
    </message>
    <message>
        <source>Folder of pictures, CSV, JSONL, NPZ, NPY or IDX file</source>
        <translation>Bilderordner, CSV-, JSONL-, NPZ-, NPY- oder IDX-Datei</translation>
    </message>
    <message>
        <source>Validation samples</source>
        <translation>Validierungsbeispiele</translation>
    </message>
    <message>
        <source>Another file; if empty, the held-out part is used</source>
        <translation>Eine andere Datei; leer nimmt den abgetrennten Teil</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen …</translation>
    </message>
    <message>
        <source>Choose %1</source>
        <translation>%1 wählen</translation>
    </message>
    <message>
        <source>File…</source>
        <translation>Datei …</translation>
    </message>
    <message>
        <source>Folder…</source>
        <translation>Ordner …</translation>
    </message>
    <message>
        <source>What feeds the model</source>
        <translation>Was das Modell speist</translation>
    </message>
    <message>
        <source>Model inputs and what feeds them</source>
        <translation>Eingaben des Modells und was sie speist</translation>
    </message>
    <message>
        <source>Health</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Split and augment</source>
        <translation>Teilen und augmentieren</translation>
    </message>
    <message>
        <source>Show numbers</source>
        <translation>Zahlen zeigen</translation>
    </message>
    <message>
        <source>Choose a file or a folder and its first samples appear here.</source>
        <translation>Nach der Wahl einer Datei oder eines Ordners erscheinen hier die ersten Beispiele.</translation>
    </message>
    <message>
        <source>Choose data…</source>
        <translation>Daten wählen …</translation>
    </message>
    <message>
        <source>First samples</source>
        <translation>Erste Beispiele</translation>
    </message>
    <message>
        <source>Choose data</source>
        <translation>Daten wählen</translation>
    </message>
    <message>
        <source>Data (*.csv *.tsv *.jsonl *.npz *.npy *.idx *.gz *ubyte*);;All files (*)</source>
        <translation>Daten (*.csv *.tsv *.jsonl *.npz *.npy *.idx *.gz *ubyte*);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Choose a folder of data</source>
        <translation>Einen Ordner mit Daten wählen</translation>
    </message>
    <message>
        <source>This data can&apos;t be read</source>
        <translation>Das sind keine lesbaren Daten</translation>
    </message>
    <message>
        <source>Choose validation data</source>
        <translation>Validierungsdaten wählen</translation>
    </message>
    <message>
        <source>Choose training data</source>
        <translation>Trainingsdaten wählen</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>Wird gelesen …</translation>
    </message>
    <message>
        <source>Health (%1)</source>
        <translation>Zustand (%1)</translation>
    </message>
    <message>
        <source>Choose data first.</source>
        <translation>Zuerst Daten wählen.</translation>
    </message>
    <message>
        <source>The inputs appear once training is prepared.</source>
        <translation>Die Eingaben erscheinen, sobald das Training vorbereitet ist.</translation>
    </message>
    <message>
        <source>The data does not fit yet</source>
        <translation>Die Daten passen noch nicht</translation>
    </message>
    <message>
        <source>Worth a look</source>
        <translation>Ein Blick lohnt sich</translation>
    </message>
    <message>
        <source>Read again</source>
        <translation>Erneut lesen</translation>
    </message>
    <message>
        <source>Reading the first batch</source>
        <translation>Der erste Batch wird gelesen</translation>
    </message>
    <message>
        <source>The first batch could not be read</source>
        <translation>Der erste Batch konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>Bind %1</source>
        <translation>%1 verbinden</translation>
    </message>
    <message>
        <source>Could not be read</source>
        <translation>Nicht lesbar</translation>
    </message>
    <message numerus="yes">
        <source>%Ln samples</source>
        <translation>
            <numerusform>%Ln Beispiel</numerusform>
            <numerusform>%Ln Beispiele</numerusform>
        </translation>
    </message>
    <message>
        <source>If empty: the held-out part</source>
        <translation>Leer: der abgetrennte Teil</translation>
    </message>
    <message>
        <source>First batch</source>
        <translation>Erster Batch</translation>
    </message>
</context>
<context>
    <name>temper::ui::DesktopLink</name>
    <message>
        <source>%1 is trained</source>
        <translation>%1 ist trainiert</translation>
    </message>
    <message>
        <source>The training of %1 failed</source>
        <translation>Das Training von %1 ist fehlgeschlagen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln steps</source>
        <translation>
            <numerusform>%Ln Schritt</numerusform>
            <numerusform>%Ln Schritte</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, lowest validation loss %2</source>
        <translation>%1, kleinster Validierungsverlust %2</translation>
    </message>
    <message>
        <source>%1, loss %2</source>
        <translation>%1, Verlust %2</translation>
    </message>
</context>
<context>
    <name>temper::ui::DetailView</name>
    <message>
        <source>unknown type</source>
        <translation>Typ unbekannt</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Producer</source>
        <translation>Erzeuger</translation>
    </message>
    <message>
        <source>Opset</source>
        <translation>Opset</translation>
    </message>
    <message>
        <source>IR version</source>
        <translation>IR-Version</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>Eingaben</translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>Ausgaben</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>Operatoren</translation>
    </message>
    <message>
        <source>part of %1</source>
        <translation>Teil von %1</translation>
    </message>
    <message>
        <source>Attributes</source>
        <translation>Attribute</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
    <message>
        <source>Made by</source>
        <translation>Erzeugt von</translation>
    </message>
    <message>
        <source>Read by</source>
        <translation>Gelesen von</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message numerus="yes">
        <source>%n nodes</source>
        <translation>
            <numerusform>%n Knoten</numerusform>
            <numerusform>%n Knoten</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 equal parts</source>
        <translation>%1 gleiche Teile</translation>
    </message>
    <message>
        <source>%1 groups of this structure in the model</source>
        <translation>%1 Gruppen dieser Struktur im Modell</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>Minimum</source>
        <translation>Minimum</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>Maximum</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>Mittelwert</translation>
    </message>
    <message>
        <source>Deviation</source>
        <translation>Abweichung</translation>
    </message>
    <message>
        <source>Norm</source>
        <translation>Norm</translation>
    </message>
    <message>
        <source>Zeros</source>
        <translation>Nullen</translation>
    </message>
    <message>
        <source>NaN or infinite</source>
        <translation>NaN oder unendlich</translation>
    </message>
    <message>
        <source>First</source>
        <translation>Erste</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>%1 (F2 renames it)</source>
        <translation>%1 (F2 benennt um)</translation>
    </message>
    <message>
        <source>Constant inputs</source>
        <translation>Konstante Eingaben</translation>
    </message>
    <message>
        <source>Set to a constant…</source>
        <translation>Auf eine Konstante setzen …</translation>
    </message>
    <message>
        <source>Change the constant…</source>
        <translation>Konstante ändern …</translation>
    </message>
    <message>
        <source>Make it an input again</source>
        <translation>Wieder zur Eingabe machen</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>Module</source>
        <translation>Modul</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>Klasse</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>Code</translation>
    </message>
</context>
<context>
    <name>temper::ui::DrawingTools</name>
    <message>
        <source>New drawing</source>
        <translation>Neue Zeichnung</translation>
    </message>
    <message>
        <source>Undo stroke</source>
        <translation>Strich zurücknehmen</translation>
    </message>
    <message>
        <source>Open picture…</source>
        <translation>Bild öffnen …</translation>
    </message>
    <message>
        <source>Brush</source>
        <translation>Pinsel</translation>
    </message>
    <message>
        <source>Width of the brush</source>
        <translation>Breite des Pinsels</translation>
    </message>
    <message>
        <source>In the middle: as wide as the strokes of the training samples</source>
        <translation>In der Mitte: so breit wie die Striche der Trainingsbeispiele</translation>
    </message>
    <message>
        <source>Camera</source>
        <translation>Kamera</translation>
    </message>
</context>
<context>
    <name>temper::ui::EditActions</name>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
</context>
<context>
    <name>temper::ui::EvaluatePanel</name>
    <message>
        <source>Evaluate</source>
        <translation>Auswerten</translation>
    </message>
    <message>
        <source>How good the model is, where it fails, and why.</source>
        <translation>Wie gut das Modell ist, wo es sich irrt und warum.</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Metriken</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>Kurven</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>Try it</source>
        <translation>Ausprobieren</translation>
    </message>
    <message>
        <source>Samples to show</source>
        <translation>Betrachtete Beispiele</translation>
    </message>
    <message>
        <source>Validation samples</source>
        <translation>Validierung</translation>
    </message>
    <message>
        <source>Training samples</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>Progress of the evaluation</source>
        <translation>Fortschritt der Auswertung</translation>
    </message>
    <message>
        <source>See which classes are confused, and how high precision and recall are.</source>
        <translation>Hier steht, welche Klassen verwechselt werden und wie hoch Präzision und Trefferquote sind.</translation>
    </message>
    <message>
        <source>Rows are the true classes, columns the predicted ones. Choose a cell to see its samples.</source>
        <translation>Zeilen sind die wahren Klassen, Spalten die vorhergesagten. Eine Zelle wählen, um ihre Beispiele zu sehen.</translation>
    </message>
    <message>
        <source>Metrics of each class</source>
        <translation>Metriken jeder Klasse</translation>
    </message>
    <message>
        <source>Show the residuals</source>
        <translation>Die Residuen zeigen</translation>
    </message>
    <message>
        <source>Evaluating</source>
        <translation>Auswertung läuft</translation>
    </message>
    <message>
        <source>The evaluation failed</source>
        <translation>Die Auswertung ist gescheitert</translation>
    </message>
    <message>
        <source>%1 predictions with the weights after step %2 · loss %3</source>
        <translation>%1 Vorhersagen mit den Gewichten nach Schritt %2 · Verlust %3</translation>
    </message>
    <message>
        <source>%1 · accuracy %2 % · F1 %3</source>
        <translation>%1 · Genauigkeit %2 % · F1 %3</translation>
    </message>
    <message>
        <source>%1 · mean absolute error %2 · root mean square %3 · R² %4</source>
        <translation>%1 · mittlerer absoluter Fehler %2 · quadratisches Mittel %3 · R² %4</translation>
    </message>
    <message>
        <source>Choose data first</source>
        <translation>Zuerst Daten wählen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>Speichern als</translation>
    </message>
    <message>
        <source>Save the evaluation</source>
        <translation>Auswertung speichern</translation>
    </message>
    <message>
        <source>Predictions of the samples (CSV)…</source>
        <translation>Vorhersagen der Beispiele (CSV) …</translation>
    </message>
    <message>
        <source>Metrics of the classes (CSV)…</source>
        <translation>Metriken der Klassen (CSV) …</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>Tabellen (*.csv)</translation>
    </message>
    <message>
        <source>Saving the evaluation</source>
        <translation>Auswertung wird gespeichert</translation>
    </message>
    <message>
        <source>The evaluation could not be saved</source>
        <translation>Die Auswertung konnte nicht gespeichert werden</translation>
    </message>
    <message>
        <source>Saved as %1</source>
        <translation>Als %1 gespeichert</translation>
    </message>
    <message>
        <source>%1 · accuracy %2 %</source>
        <translation>%1 · Genauigkeit %2 %</translation>
    </message>
    <message>
        <source>Choose data</source>
        <translation>Daten wählen</translation>
    </message>
    <message>
        <source>Prepare training</source>
        <translation>Training vorbereiten</translation>
    </message>
    <message>
        <source>Look at predictions</source>
        <translation>Bereit</translation>
    </message>
</context>
<context>
    <name>temper::ui::ExplainDock</name>
    <message>
        <source>Find a term</source>
        <translation>Begriff suchen</translation>
    </message>
    <message>
        <source>Explanation</source>
        <translation>Erklärung</translation>
    </message>
    <message>
        <source>All terms</source>
        <translation>Alle Begriffe</translation>
    </message>
    <message>
        <source>Follow focus</source>
        <translation>Fokus folgen</translation>
    </message>
    <message>
        <source>See also:</source>
        <translation>Siehe auch:</translation>
    </message>
</context>
<context>
    <name>temper::ui::ExportPanel</name>
    <message>
        <source>Export</source>
        <translation>Export</translation>
    </message>
    <message>
        <source>A model for inference, with what training has learned.</source>
        <translation>Ein Modell für die Inferenz, mit allem, was das Training gelernt hat.</translation>
    </message>
    <message>
        <source>Nothing to export yet: train first, or load a checkpoint.</source>
        <translation>Noch gibt es nichts zu exportieren: zuerst trainieren oder einen Prüfpunkt laden.</translation>
    </message>
    <message>
        <source>Go to training</source>
        <translation>Zum Training</translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>Ausgaben</translation>
    </message>
    <message>
        <source>File to write</source>
        <translation>Zu schreibende Datei</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen …</translation>
    </message>
    <message>
        <source>Export and verify</source>
        <translation>Exportieren und prüfen</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Training files</source>
        <translation>Trainingsdateien</translation>
    </message>
    <message>
        <source>Training, eval and optimizer model and a checkpoint, as ONNX Runtime and the temper command load them.</source>
        <translation>Trainings-, Auswertungs- und Optimierermodell und ein Prüfpunkt, wie ONNX Runtime und der Befehl temper sie laden.</translation>
    </message>
    <message>
        <source>Also in ORT format (.ort)</source>
        <translation>Auch im ORT-Format (.ort)</translation>
    </message>
    <message>
        <source>Write training files…</source>
        <translation>Trainingsdateien schreiben …</translation>
    </message>
    <message>
        <source>Also write ORT format</source>
        <translation>Auch das ORT-Format schreiben</translation>
    </message>
    <message>
        <source>Write ONNX only</source>
        <translation>Nur ONNX schreiben</translation>
    </message>
    <message>
        <source>Exporting…</source>
        <translation>Wird exportiert …</translation>
    </message>
    <message>
        <source>Tick an output first</source>
        <translation>Zuerst eine Ausgabe ankreuzen</translation>
    </message>
    <message>
        <source>Export model</source>
        <translation>Modell exportieren</translation>
    </message>
    <message>
        <source>ONNX model (*.onnx);;Model in ORT format (*.ort)</source>
        <translation>ONNX-Modell (*.onnx);;Modell im ORT-Format (*.ort)</translation>
    </message>
    <message>
        <source>The model could not be exported</source>
        <translation>Das Modell konnte nicht exportiert werden</translation>
    </message>
    <message numerus="yes">
        <source>Verified: on %Ln samples, the file&apos;s outputs match the trained model&apos;s; largest difference %1.</source>
        <translation>
            <numerusform>Geprüft: Bei %Ln Beispiel stimmen die Ausgaben der Datei mit denen des trainierten Modells überein; größter Unterschied %1.</numerusform>
            <numerusform>Geprüft: Bei %Ln Beispielen stimmen die Ausgaben der Datei mit denen des trainierten Modells überein; größter Unterschied %1.</numerusform>
        </translation>
    </message>
    <message>
        <source>Written but not verified: no data to run it on.</source>
        <translation>Geschrieben, aber nicht geprüft: keine Daten dafür.</translation>
    </message>
    <message>
        <source>The file differs from the trained model by %1.</source>
        <translation>Die Datei weicht um %1 vom trainierten Modell ab.</translation>
    </message>
    <message>
        <source>The file differs from the trained model: its outputs have other shapes, or NaN or infinity in other places.</source>
        <translation>Die Datei weicht vom trainierten Modell ab: Ihre Ausgaben haben andere Formen oder an anderen Stellen NaN oder Unendlich.</translation>
    </message>
    <message>
        <source>%1 · %2 · %3 · opset %4</source>
        <translation>%1 · %2 · %3 · Opset %4</translation>
    </message>
    <message numerus="yes">
        <source>%Ln nodes</source>
        <translation>
            <numerusform>%Ln Knoten</numerusform>
            <numerusform>%Ln Knoten</numerusform>
        </translation>
    </message>
    <message>
        <source>Fold batch norm into weights</source>
        <translation>Batch-Normalisierung in die Gewichte einrechnen</translation>
    </message>
    <message>
        <source>Fewer nodes and faster; the numbers differ in the last digits. The result is harder to train further.</source>
        <translation>Weniger Knoten und schneller; die Zahlen unterscheiden sich in den letzten Stellen. Das Ergebnis lässt sich schlechter weitertrainieren.</translation>
    </message>
    <message>
        <source>Store weights in a separate file</source>
        <translation>Gewichte in einer eigenen Datei speichern</translation>
    </message>
    <message>
        <source>As in models above 2 GB: the file&apos;s name plus .data. Not for ORT format.</source>
        <translation>Wie bei Modellen über 2 GB: der Name der Datei plus .data. Nicht im ORT-Format.</translation>
    </message>
    <message numerus="yes">
        <source> · %Ln batch norms folded into weights</source>
        <translation>
            <numerusform> · %Ln Batch-Normalisierung in den Gewichten</numerusform>
            <numerusform> · %Ln Batch-Normalisierungen in den Gewichten</numerusform>
        </translation>
    </message>
    <message>
        <source>Opset</source>
        <translation>Opset</translation>
    </message>
    <message>
        <source>Opset of the file</source>
        <translation>Opset der Datei</translation>
    </message>
    <message>
        <source>The version of the ONNX operators in the file. Choose an older one for runtimes that don&apos;t support the model&apos;s own.</source>
        <translation>Die Version der ONNX-Operatoren in der Datei. Eine ältere wählen für Laufzeiten, die die des Modells nicht unterstützen.</translation>
    </message>
    <message>
        <source>The model&apos;s own</source>
        <translation>Die des Modells</translation>
    </message>
    <message>
        <source>The model&apos;s own (%1)</source>
        <translation>Die des Modells (%1)</translation>
    </message>
    <message>
        <source>Half precision, as in the original file</source>
        <translation>Halbe Genauigkeit, wie in der ursprünglichen Datei</translation>
    </message>
    <message>
        <source>Weights and inputs that were float16 or bfloat16 in the original file are written as such.</source>
        <translation>Gewichte und Eingaben, die in der ursprünglichen Datei float16 oder bfloat16 waren, werden wieder so geschrieben.</translation>
    </message>
    <message>
        <source>Train first</source>
        <translation>Zuerst trainieren</translation>
    </message>
    <message>
        <source>Ready to export</source>
        <translation>Bereit zum Export</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Exporting</source>
        <translation>Wird exportiert</translation>
    </message>
    <message>
        <source>%1, step %2</source>
        <translation>%1, Schritt %2</translation>
    </message>
    <message>
        <source>Normalize inputs in the model</source>
        <translation>Eingänge im Modell normalisieren</translation>
    </message>
    <message>
        <source>The model takes values as the data source has them, such as pixels from 0 to 255. Otherwise its metadata says how to normalize them.</source>
        <translation>Das Modell nimmt Werte so, wie die Datenquelle sie hat, etwa Pixel von 0 bis 255. Sonst steht in seinen Metadaten, wie sie zu normalisieren sind.</translation>
    </message>
    <message>
        <source>Try it</source>
        <translation>Ausprobieren</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Im Ordner zeigen</translation>
    </message>
    <message>
        <source>Open the exported model</source>
        <translation>Exportiertes Modell öffnen</translation>
    </message>
    <message>
        <source> · normalizes its inputs</source>
        <translation> · normalisiert seine Eingänge</translation>
    </message>
    <message>
        <source>Exported</source>
        <translation>Exportiert</translation>
    </message>
    <message>
        <source>Written but not verified. %1</source>
        <translation>Geschrieben, aber nicht geprüft. %1</translation>
    </message>
    <message>
        <source> · weights “%1”</source>
        <translation> · Gewichte „%1“</translation>
    </message>
    <message>
        <source>Exported, not verified</source>
        <translation>Exportiert, ungeprüft</translation>
    </message>
    <message>
        <source>Exported, but differs</source>
        <translation>Exportiert, weicht ab</translation>
    </message>
</context>
<context>
    <name>temper::ui::ExportWeights</name>
    <message>
        <source>Weights to export</source>
        <translation>Gewichte, die exportiert werden</translation>
    </message>
    <message>
        <source>The current weights</source>
        <translation>Die aktuellen Gewichte</translation>
    </message>
    <message>
        <source>Last: step %1</source>
        <translation>Letzte: Schritt %1</translation>
    </message>
    <message>
        <source>Averaged weights (EMA)</source>
        <translation>Gemittelte Gewichte (EMA)</translation>
    </message>
    <message>
        <source>From a checkpoint file…</source>
        <translation>Aus einer Prüfpunktdatei …</translation>
    </message>
    <message>
        <source>Best: step %1</source>
        <translation>Beste: Schritt %1</translation>
    </message>
    <message>
        <source>Step %1, %2</source>
        <translation>Schritt %1, %2</translation>
    </message>
    <message>
        <source>Weights of a checkpoint</source>
        <translation>Gewichte eines Prüfpunkts</translation>
    </message>
</context>
<context>
    <name>temper::ui::FigureTools</name>
    <message>
        <source>Show as table</source>
        <translation>Als Tabelle zeigen</translation>
    </message>
    <message>
        <source>Save image…</source>
        <translation>Bild speichern …</translation>
    </message>
    <message>
        <source>Save data as CSV…</source>
        <translation>Daten als CSV speichern …</translation>
    </message>
    <message>
        <source>Drag into a folder or another program: image and data</source>
        <translation>In einen Ordner oder ein anderes Programm ziehen: Bild und Daten</translation>
    </message>
    <message>
        <source>Drag the plot out</source>
        <translation>Diagramm herausziehen</translation>
    </message>
    <message>
        <source>Values of the plot %1</source>
        <translation>Werte des Diagramms %1</translation>
    </message>
    <message>
        <source>Save image</source>
        <translation>Bild speichern</translation>
    </message>
    <message>
        <source>PNG image (*.png);;SVG image (*.svg)</source>
        <translation>PNG-Bild (*.png);;SVG-Bild (*.svg)</translation>
    </message>
    <message>
        <source>The image could not be written.</source>
        <translation>Das Bild konnte nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>Save data</source>
        <translation>Daten speichern</translation>
    </message>
    <message>
        <source>CSV table (*.csv)</source>
        <translation>CSV-Tabelle (*.csv)</translation>
    </message>
    <message>
        <source>The data could not be written.</source>
        <translation>Die Daten konnten nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>The file could not be written.</source>
        <translation>Die Datei konnte nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>%1 could not be saved</source>
        <translation>%1 konnte nicht gespeichert werden</translation>
    </message>
</context>
<context>
    <name>temper::ui::FineTuneCommand</name>
    <message>
        <source>Fine-tune…</source>
        <translation>Feinabstimmen …</translation>
    </message>
    <message>
        <source>Proposes all settings for this model and this data</source>
        <translation>Schlägt alle Einstellungen für dieses Modell und diese Daten vor</translation>
    </message>
</context>
<context>
    <name>temper::ui::FineTuneSheet</name>
    <message>
        <source>Find a learning rate</source>
        <translation>Eine Lernrate suchen</translation>
    </message>
    <message>
        <source>Fine-tune</source>
        <translation>Feinabstimmen</translation>
    </message>
    <message>
        <source>Proposed from the model and the data</source>
        <translation>Aus Modell und Daten vorgeschlagen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln samples</source>
        <translation>
            <numerusform>%Ln Beispiel</numerusform>
            <numerusform>%Ln Beispiele</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%1 mit %2</translation>
    </message>
    <message>
        <source>The last layer</source>
        <translation>Die letzte Schicht</translation>
    </message>
    <message>
        <source>The last three layers</source>
        <translation>Die letzten drei Schichten</translation>
    </message>
    <message>
        <source>Biases and norms</source>
        <translation>Bias und Normen</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>&amp;Parameters to train</source>
        <translation>Trainierte &amp;Parameter</translation>
    </message>
    <message>
        <source>&amp;Epochs</source>
        <translation>&amp;Epochen</translation>
    </message>
    <message>
        <source>Learning &amp;rate</source>
        <translation>Lern&amp;rate</translation>
    </message>
    <message>
        <source>&amp;Batch size</source>
        <translation>&amp;Batchgröße</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>Start training</source>
        <translation>Training starten</translation>
    </message>
    <message>
        <source>Use these settings</source>
        <translation>Diese Einstellungen verwenden</translation>
    </message>
    <message>
        <source>Set up fine-tuning</source>
        <translation>Feinabstimmung einrichten</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>Ändern …</translation>
    </message>
    <message>
        <source>Change: %1</source>
        <translation>Ändern: %1</translation>
    </message>
    <message>
        <source>Preparing…</source>
        <translation>Wird vorbereitet …</translation>
    </message>
    <message>
        <source>Trying a few steps</source>
        <translation>Einige Schritte werden ausprobiert</translation>
    </message>
    <message>
        <source>The run could not be estimated</source>
        <translation>Der Lauf ließ sich nicht abschätzen</translation>
    </message>
    <message>
        <source>Less than a second</source>
        <translation>Weniger als eine Sekunde</translation>
    </message>
    <message>
        <source>About %1</source>
        <translation>Etwa %1</translation>
    </message>
    <message>
        <source>%1 for %2 steps, and %3 of memory.</source>
        <translation>%1 für %2 Schritte und %3 Speicher.</translation>
    </message>
    <message>
        <source>Looking for a learning rate</source>
        <translation>Eine Lernrate wird gesucht</translation>
    </message>
    <message>
        <source>No learning rate was found</source>
        <translation>Es wurde keine Lernrate gefunden</translation>
    </message>
    <message>
        <source>Trying rates on a copy of the model…</source>
        <translation>Raten werden an einer Kopie des Modells ausprobiert …</translation>
    </message>
    <message>
        <source>The loss did not fall at any rate. Check the data and the loss first.</source>
        <translation>Der Verlust sank bei keiner Rate. Zuerst Daten und Verlust prüfen.</translation>
    </message>
    <message>
        <source>Chosen here.</source>
        <translation>Hier gewählt.</translation>
    </message>
    <message>
        <source>The last layer, then everything</source>
        <translation>Letzte Schicht, dann alles</translation>
    </message>
    <message>
        <source>Read again</source>
        <translation>Erneut lesen</translation>
    </message>
    <message>
        <source>Prepare again</source>
        <translation>Erneut vorbereiten</translation>
    </message>
    <message>
        <source>Stop the search</source>
        <translation>Suche abbrechen</translation>
    </message>
    <message>
        <source>Found by trying growing rates on a copy of the model.</source>
        <translation>Durch Ausprobieren wachsender Raten an einer Kopie des Modells gefunden.</translation>
    </message>
</context>
<context>
    <name>temper::ui::Fold</name>
    <message>
        <source>Open; closes what is below</source>
        <translation>Offen; schließt, was darunter steht</translation>
    </message>
    <message>
        <source>Closed; opens what is below</source>
        <translation>Geschlossen; öffnet, was darunter steht</translation>
    </message>
</context>
<context>
    <name>temper::ui::FreezeActions</name>
    <message>
        <source>Freeze or train this</source>
        <translation>Einfrieren oder trainieren</translation>
    </message>
    <message>
        <source>Freeze or train this and everything before it</source>
        <translation>Mit allem davor einfrieren oder trainieren</translation>
    </message>
    <message>
        <source>Stop or allow gradients here</source>
        <translation>Gradienten hier anhalten oder wieder durchlassen</translation>
    </message>
    <message>
        <source>%1 has no trainable parameters.</source>
        <translation>%1 hat keine trainierbaren Parameter.</translation>
    </message>
    <message>
        <source>%1 and everything before it</source>
        <translation>%1 und alles davor</translation>
    </message>
    <message>
        <source>Freeze %1</source>
        <translation>%1 einfrieren</translation>
    </message>
    <message>
        <source>Train %1</source>
        <translation>%1 trainieren</translation>
    </message>
    <message>
        <source>Gradients can only be stopped at a single node. Open %1 and choose one.</source>
        <translation>Gradienten lassen sich nur an einem einzelnen Knoten anhalten. %1 öffnen und einen auswählen.</translation>
    </message>
    <message numerus="yes">
        <source>Freeze everything before this (%n parameters)</source>
        <translation>
            <numerusform>Alles davor einfrieren (%n Parameter)</numerusform>
            <numerusform>Alles davor einfrieren (%n Parameter)</numerusform>
        </translation>
    </message>
    <message>
        <source>Freeze everything before %1</source>
        <translation>Alles vor %1 einfrieren</translation>
    </message>
    <message numerus="yes">
        <source>Train everything from here on (%n parameters)</source>
        <translation>
            <numerusform>Alles ab hier trainieren (%n Parameter)</numerusform>
            <numerusform>Alles ab hier trainieren (%n Parameter)</numerusform>
        </translation>
    </message>
    <message>
        <source>Train everything from %1 on</source>
        <translation>Alles ab %1 trainieren</translation>
    </message>
    <message>
        <source>Stop gradients here</source>
        <translation>Gradienten hier anhalten</translation>
    </message>
</context>
<context>
    <name>temper::ui::GraphPane</name>
    <message>
        <source>Find in the graph…</source>
        <translation>Im Graphen suchen …</translation>
    </message>
    <message>
        <source>Go to node…</source>
        <translation>Gehe zu Knoten …</translation>
    </message>
    <message>
        <source>Next found node</source>
        <translation>Nächster gefundener Knoten</translation>
    </message>
    <message>
        <source>Previous found node</source>
        <translation>Voriger gefundener Knoten</translation>
    </message>
    <message>
        <source>Attributes</source>
        <translation>Attribute</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Names</source>
        <translation>Namen</translation>
    </message>
    <message>
        <source>Left to right</source>
        <translation>Von links nach rechts</translation>
    </message>
    <message>
        <source>Shape operations</source>
        <translation>Formoperationen</translation>
    </message>
    <message>
        <source>Open all groups</source>
        <translation>Alle Gruppen öffnen</translation>
    </message>
    <message>
        <source>Close all groups</source>
        <translation>Alle Gruppen schließen</translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation>Alles zeigen</translation>
    </message>
    <message>
        <source>Actual size</source>
        <translation>Tatsächliche Größe</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>Vergrößern</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Verkleinern</translation>
    </message>
    <message>
        <source>Save picture…</source>
        <translation>Bild speichern …</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>What the graph shows</source>
        <translation>Was der Graph zeigt</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>What the colours show</source>
        <translation>Was die Farben zeigen</translation>
    </message>
    <message>
        <source>Colours: operators</source>
        <translation>Operatoren</translation>
    </message>
    <message>
        <source>Colours: training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>Colours: weight norm</source>
        <translation>Gewichtsnorm</translation>
    </message>
    <message>
        <source>Colours: gradient norm</source>
        <translation>Gradientennorm</translation>
    </message>
    <message>
        <source>Colours: none</source>
        <translation>Ohne Farben</translation>
    </message>
    <message>
        <source>Laying out the graph</source>
        <translation>Der Graph wird angeordnet</translation>
    </message>
    <message>
        <source>The graph could not be drawn</source>
        <translation>Der Graph konnte nicht gezeichnet werden</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Close group</source>
        <translation>Gruppe schließen</translation>
    </message>
    <message>
        <source>Open group</source>
        <translation>Gruppe öffnen</translation>
    </message>
    <message numerus="yes">
        <source>Show %n shape operations</source>
        <translation>
            <numerusform>%n Formoperation zeigen</numerusform>
            <numerusform>%n Formoperationen zeigen</numerusform>
        </translation>
    </message>
    <message>
        <source>Show in table</source>
        <translation>In der Tabelle zeigen</translation>
    </message>
    <message>
        <source>Copy name</source>
        <translation>Namen kopieren</translation>
    </message>
    <message>
        <source>Hide shape operations</source>
        <translation>Formoperationen ausblenden</translation>
    </message>
</context>
<context>
    <name>temper::ui::GraphView</name>
    <message>
        <source>Graph of the model</source>
        <translation>Graph des Modells</translation>
    </message>
    <message>
        <source>The table of nodes has the same content.</source>
        <translation>Die Tabelle der Knoten hat denselben Inhalt.</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Open group</source>
        <translation>Gruppe öffnen</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Gruppe</translation>
    </message>
    <message>
        <source>%1 equal parts</source>
        <translation>%1 gleiche Teile</translation>
    </message>
    <message numerus="yes">
        <source>%n shape operations hidden</source>
        <translation>
            <numerusform>%n Formoperation ausgeblendet</numerusform>
            <numerusform>%n Formoperationen ausgeblendet</numerusform>
        </translation>
    </message>
    <message>
        <source>trains</source>
        <translation>trainiert</translation>
    </message>
    <message>
        <source>frozen</source>
        <translation>eingefroren</translation>
    </message>
    <message>
        <source>partly frozen</source>
        <translation>teils eingefroren</translation>
    </message>
    <message>
        <source>no gradient</source>
        <translation>kein Gradient</translation>
    </message>
    <message>
        <source>gradients stop here</source>
        <translation>Gradienten halten hier an</translation>
    </message>
</context>
<context>
    <name>temper::ui::GroupModel</name>
    <message>
        <source>from optimizer</source>
        <translation>vom Optimierer</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Rate ×</source>
        <translation>Rate ×</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>Gewichtszerfall</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message numerus="yes">
        <source>%Ln parameters train in this group.</source>
        <translation>
            <numerusform>%Ln Parameter dieser Gruppe trainiert.</numerusform>
            <numerusform>%Ln Parameter dieser Gruppe trainieren.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more are frozen; the settings of the group apply after you unfreeze them.</source>
        <translation>
            <numerusform>%Ln weiterer ist eingefroren; die Einstellungen der Gruppe gelten für ihn, sobald er trainiert.</numerusform>
            <numerusform>%Ln weitere sind eingefroren; die Einstellungen der Gruppe gelten für sie, sobald sie trainieren.</numerusform>
        </translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>immediately</source>
        <translation>sofort</translation>
    </message>
    <message numerus="yes">
        <source>They stay unchanged for the first %Ln steps.</source>
        <translation>
            <numerusform>Sie bleiben im ersten Schritt unverändert.</numerusform>
            <numerusform>Sie bleiben in den ersten %Ln Schritten unverändert.</numerusform>
        </translation>
    </message>
    <message>
        <source>Starts after</source>
        <translation>Beginnt nach</translation>
    </message>
</context>
<context>
    <name>temper::ui::GroupMoves</name>
    <message>
        <source>Remove %1 from its group</source>
        <translation>%1 aus seiner Gruppe nehmen</translation>
    </message>
    <message numerus="yes">
        <source>Remove %Ln parameters from their groups</source>
        <translation>
            <numerusform>%Ln Parameter aus seiner Gruppe nehmen</numerusform>
            <numerusform>%Ln Parameter aus ihren Gruppen nehmen</numerusform>
        </translation>
    </message>
    <message>
        <source>New group with %1</source>
        <translation>Neue Gruppe mit %1</translation>
    </message>
    <message numerus="yes">
        <source>New group with %Ln parameters</source>
        <translation>
            <numerusform>Neue Gruppe mit %Ln Parameter</numerusform>
            <numerusform>Neue Gruppe mit %Ln Parametern</numerusform>
        </translation>
    </message>
    <message>
        <source>Move %1 to group %2</source>
        <translation>%1 in Gruppe %2 verschieben</translation>
    </message>
    <message numerus="yes">
        <source>Move %Ln parameters to group %1</source>
        <translation>
            <numerusform>%Ln Parameter in Gruppe %1 verschieben</numerusform>
            <numerusform>%Ln Parameter in Gruppe %1 verschieben</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <comment>place and patterns of a parameter group</comment>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Move to group</source>
        <translation>In Gruppe verschieben</translation>
    </message>
    <message>
        <source>New group…</source>
        <translation>Neue Gruppe …</translation>
    </message>
    <message>
        <source>None</source>
        <comment>of the parameter groups</comment>
        <translation>Keine</translation>
    </message>
</context>
<context>
    <name>temper::ui::GroupsEditor</name>
    <message>
        <source>Also decay biases and norm scales</source>
        <translation>Auch Bias-Werte und Skalen von Normen zerfallen</translation>
    </message>
    <message>
        <source>Parameter groups</source>
        <translation>Parametergruppen</translation>
    </message>
    <message>
        <source>Decay biases and norms</source>
        <translation>Bias-Werte und Normen zerfallen lassen</translation>
    </message>
    <message>
        <source>Don&apos;t decay biases and norms</source>
        <translation>Bias-Werte und Normen nicht zerfallen lassen</translation>
    </message>
    <message>
        <source>Change a parameter group</source>
        <translation>Eine Parametergruppe ändern</translation>
    </message>
    <message>
        <source>A group sets the learning rate, as a factor of the run&apos;s, and the weight decay of all parameters whose names match its pattern. If several groups match, the first one applies.</source>
        <translation>Eine Gruppe legt Lernrate, als Faktor der Rate des Laufs, und Gewichtszerfall aller Parameter fest, deren Name zu ihrem Muster passt. Passen mehrere Gruppen, gilt die erste.</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>Nach oben</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Move the group up</source>
        <translation>Die Gruppe nach oben schieben</translation>
    </message>
    <message>
        <source>Remove the group</source>
        <translation>Die Gruppe entfernen</translation>
    </message>
    <message>
        <source>Add a parameter group</source>
        <translation>Eine Parametergruppe hinzufügen</translation>
    </message>
    <message>
        <source>Remove a parameter group</source>
        <translation>Eine Parametergruppe entfernen</translation>
    </message>
    <message>
        <source>Move a parameter group</source>
        <translation>Eine Parametergruppe verschieben</translation>
    </message>
    <message>
        <source>Separate patterns with commas. A pattern after ! excludes names: conv*, !conv1.bias</source>
        <translation>Muster durch Kommas trennen. Ein Muster nach ! schließt Namen aus: conv*, !conv1.bias</translation>
    </message>
    <message numerus="yes">
        <source>%Ln parameters in these groups are frozen. The group settings apply after you unfreeze them.</source>
        <translation>
            <numerusform>%Ln Parameter in diesen Gruppen ist eingefroren. Die Einstellungen seiner Gruppe gelten, sobald er trainiert.</numerusform>
            <numerusform>%Ln Parameter in diesen Gruppen sind eingefroren. Die Einstellungen ihrer Gruppe gelten, sobald sie trainieren.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::HealthModel</name>
    <message>
        <source>Finding</source>
        <translation>Befund</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>Abhilfe</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>Code</translation>
    </message>
</context>
<context>
    <name>temper::ui::HealthView</name>
    <message>
        <source>No problems found in the samples.</source>
        <translation>Keine Probleme in den Beispielen gefunden.</translation>
    </message>
    <message>
        <source>Findings about the data</source>
        <translation>Befunde zu den Daten</translation>
    </message>
    <message>
        <source>Samples per class</source>
        <translation>Beispiele je Klasse</translation>
    </message>
</context>
<context>
    <name>temper::ui::HeatMapView</name>
    <message>
        <source>Values as colours</source>
        <translation>Werte als Farben</translation>
    </message>
    <message>
        <source>Arrow keys move from cell to cell; the table has the same values.</source>
        <translation>Pfeiltasten führen von Zelle zu Zelle; die Tabelle hat dieselben Werte.</translation>
    </message>
</context>
<context>
    <name>temper::ui::HelpActions</name>
    <message>
        <source>Find a command…</source>
        <translation>Befehl suchen …</translation>
    </message>
    <message>
        <source>Explain this</source>
        <translation>Dies erklären</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Copy a report for developers</source>
        <translation>Bericht für Entwickler kopieren</translation>
    </message>
    <message>
        <source>About Temper</source>
        <translation>Über Temper</translation>
    </message>
    <message>
        <source>The report is on the clipboard.</source>
        <translation>Der Bericht ist in der Zwischenablage.</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Temper Studio %1&lt;/h3&gt;&lt;p&gt;Trains ONNX models on its own engine.&lt;/p&gt;&lt;p&gt;The window is free software under the GNU General Public License, version 3 or later; the engine is under the Apache License 2.0.&lt;/p&gt;&lt;p&gt;It uses Qt %2, QCustomPlot, oneDNN, ONNX, Protocol Buffers, FlatBuffers and SQLite.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Temper Studio %1&lt;/h3&gt;&lt;p&gt;Trainiert ONNX-Modelle mit einer eigenen Engine.&lt;/p&gt;&lt;p&gt;Das Fenster ist freie Software unter der GNU General Public License, Version 3 oder neuer; die Engine steht unter der Apache License 2.0.&lt;/p&gt;&lt;p&gt;Verwendet werden Qt %2, QCustomPlot, oneDNN, ONNX, Protocol Buffers, FlatBuffers und SQLite.&lt;/p&gt;</translation>
    </message>
</context>
<context>
    <name>temper::ui::HistogramView</name>
    <message>
        <source>Distribution of the values</source>
        <translation>Verteilung der Werte</translation>
    </message>
    <message>
        <source>Table, image, data</source>
        <translation>Tabelle, Bild, Daten</translation>
    </message>
    <message>
        <source>More options for this distribution</source>
        <translation>Weitere Optionen zu dieser Verteilung</translation>
    </message>
    <message>
        <source>No values.</source>
        <translation>Keine Werte.</translation>
    </message>
    <message>
        <source>%1 values from %2 to %3; most of them, %4, between %5 and %6.</source>
        <translation>%1 Werte von %2 bis %3; die meisten, %4, zwischen %5 und %6.</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>To</source>
        <translation>Bis</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
</context>
<context>
    <name>temper::ui::InterfaceEdits</name>
    <message>
        <source>The name can&apos;t be changed</source>
        <translation>Der Name lässt sich nicht ändern</translation>
    </message>
    <message>
        <source>Rename %1 to %2</source>
        <translation>%1 in %2 umbenennen</translation>
    </message>
    <message>
        <source>Constant input</source>
        <translation>Konstante Eingabe</translation>
    </message>
    <message>
        <source>Value of %1, instead of data:</source>
        <translation>Wert von %1 anstelle von Daten:</translation>
    </message>
    <message>
        <source>The input can&apos;t be a constant</source>
        <translation>Die Eingabe kann keine Konstante sein</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a number.</source>
        <translation>„%1“ ist keine Zahl.</translation>
    </message>
    <message>
        <source>Expected a number, such as 16000.</source>
        <translation>Erwartet wird eine Zahl, zum Beispiel 16000.</translation>
    </message>
    <message>
        <source>Set %1 to %2</source>
        <translation>%1 auf %2 setzen</translation>
    </message>
    <message>
        <source>Make %1 an input again</source>
        <translation>%1 wieder zur Eingabe machen</translation>
    </message>
</context>
<context>
    <name>temper::ui::JobAttacher</name>
    <message>
        <source>The project could not be copied from the server</source>
        <translation>Das Projekt konnte nicht vom Server kopiert werden</translation>
    </message>
    <message>
        <source>Copying the project</source>
        <translation>Projekt wird kopiert</translation>
    </message>
</context>
<context>
    <name>temper::ui::JobModel</name>
    <message>
        <source>%L1 of %L2</source>
        <translation>%L1 von %L2</translation>
    </message>
    <message>
        <source>Job</source>
        <translation>Auftrag</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Gestoppt</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Gescheitert</translation>
    </message>
    <message>
        <source>Given up</source>
        <translation>Aufgegeben</translation>
    </message>
</context>
<context>
    <name>temper::ui::JobsDock</name>
    <message>
        <source>Start the server</source>
        <translation>Server starten</translation>
    </message>
    <message>
        <source>Train as a job</source>
        <translation>Als Auftrag trainieren</translation>
    </message>
    <message>
        <source>Show in the window</source>
        <translation>Im Fenster zeigen</translation>
    </message>
    <message>
        <source>Leave the job</source>
        <translation>Auftrag verlassen</translation>
    </message>
    <message>
        <source>Pause the job</source>
        <translation>Auftrag anhalten</translation>
    </message>
    <message>
        <source>Stop the job</source>
        <translation>Auftrag stoppen</translation>
    </message>
    <message>
        <source>Run the job next</source>
        <translation>Auftrag als nächsten ausführen</translation>
    </message>
    <message>
        <source>Remove the job</source>
        <translation>Auftrag entfernen</translation>
    </message>
    <message>
        <source>Other machine…</source>
        <translation>Anderer Rechner …</translation>
    </message>
    <message>
        <source>Port %1</source>
        <translation>Port %1</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>Dieser Rechner</translation>
    </message>
    <message>
        <source>The jobs can&apos;t be listed</source>
        <translation>Die Aufträge können nicht aufgelistet werden</translation>
    </message>
    <message>
        <source>Starting the job server</source>
        <translation>Auftragsserver wird gestartet</translation>
    </message>
    <message>
        <source>The job server could not be started</source>
        <translation>Der Auftragsserver konnte nicht gestartet werden</translation>
    </message>
    <message>
        <source>The job server does not answer</source>
        <translation>Der Auftragsserver antwortet nicht</translation>
    </message>
    <message>
        <source>No job server runs on this machine.</source>
        <translation>Auf diesem Rechner läuft kein Auftragsserver.</translation>
    </message>
    <message>
        <source>Resume the job</source>
        <translation>Auftrag fortsetzen</translation>
    </message>
    <message>
        <source>The job could not be added</source>
        <translation>Der Auftrag konnte nicht hinzugefügt werden</translation>
    </message>
    <message>
        <source>The job could not be moved</source>
        <translation>Der Auftrag konnte nicht verschoben werden</translation>
    </message>
    <message>
        <source>The job could not be removed</source>
        <translation>Der Auftrag konnte nicht entfernt werden</translation>
    </message>
    <message>
        <source>No jobs. A job trains a project without the window, even after you close it.</source>
        <translation>Keine Aufträge. Ein Auftrag trainiert ein Projekt ohne das Fenster, auch nachdem es geschlossen wurde.</translation>
    </message>
    <message>
        <source>The job refused the request</source>
        <translation>Der Auftrag hat die Anfrage abgelehnt</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>Verbindung wird hergestellt …</translation>
    </message>
    <message>
        <source>The project has no folder yet</source>
        <translation>Das Projekt hat noch keinen Ordner</translation>
    </message>
    <message>
        <source>A job trains a project in a folder, also after the window is closed.</source>
        <translation>Ein Auftrag trainiert ein Projekt in einem Ordner, auch nachdem das Fenster geschlossen wurde.</translation>
    </message>
    <message>
        <source>Save the project, then train it as a job.</source>
        <translation>Erst das Projekt speichern, dann als Auftrag trainieren.</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Speichern unter …</translation>
    </message>
    <message>
        <source>The runs are not in the project&apos;s folder yet</source>
        <translation>Die Läufe sind noch nicht im Ordner des Projekts</translation>
    </message>
    <message>
        <source>The project was saved while it trained. Its runs move there once training ends.</source>
        <translation>Das Projekt wurde während des Trainings gespeichert. Nach dem Training werden seine Läufe dorthin verschoben.</translation>
    </message>
    <message>
        <source>Then train it as a job.</source>
        <translation>Dann als Auftrag trainieren.</translation>
    </message>
</context>
<context>
    <name>temper::ui::KernelGrid</name>
    <message>
        <source>Kernels as pictures</source>
        <translation>Faltungskerne als Bilder</translation>
    </message>
    <message>
        <source>The table has the same values.</source>
        <translation>Die Tabelle hat dieselben Werte.</translation>
    </message>
    <message>
        <source>Outputs downwards, inputs as red, green and blue</source>
        <translation>Ausgaben nach unten, Eingaben als Rot, Grün und Blau</translation>
    </message>
    <message>
        <source>Outputs downwards, inputs to the right</source>
        <translation>Ausgaben nach unten, Eingaben nach rechts</translation>
    </message>
    <message>
        <source>Output %1</source>
        <translation>Ausgabe %1</translation>
    </message>
    <message>
        <source>Output %1, input %2</source>
        <translation>Ausgabe %1, Eingabe %2</translation>
    </message>
</context>
<context>
    <name>temper::ui::KnownProjects</name>
    <message>
        <source>Reading the runs of other projects</source>
        <translation>Läufe anderer Projekte werden gelesen</translation>
    </message>
    <message>
        <source>The runs of other projects can&apos;t be read</source>
        <translation>Die Läufe anderer Projekte können nicht gelesen werden</translation>
    </message>
</context>
<context>
    <name>temper::ui::LanguageActions</name>
    <message>
        <source>Desktop language</source>
        <translation>Sprache des Desktops</translation>
    </message>
    <message>
        <source>Language: %1</source>
        <translation>Sprache: %1</translation>
    </message>
    <message>
        <source>The language changes at the next start</source>
        <translation>Die Sprache wechselt mit dem nächsten Start</translation>
    </message>
    <message>
        <source>Until then, everything open stays as it is.</source>
        <translation>Bis dahin bleibt alles Geöffnete, wie es ist.</translation>
    </message>
    <message>
        <source>Restart now</source>
        <translation>Jetzt neu starten</translation>
    </message>
</context>
<context>
    <name>temper::ui::LayerModel</name>
    <message>
        <source>not finite</source>
        <translation>nicht endlich</translation>
    </message>
    <message>
        <source>exploding: lower the rate</source>
        <translation>explodiert: Rate senken</translation>
    </message>
    <message>
        <source>dead: hardly any gradient</source>
        <translation>tot: kaum Gradient</translation>
    </message>
    <message>
        <source>vanishing gradient</source>
        <translation>verschwindender Gradient</translation>
    </message>
    <message>
        <source>fine</source>
        <translation>in Ordnung</translation>
    </message>
    <message>
        <source>all zero</source>
        <translation>alles null</translation>
    </message>
    <message>
        <source>mostly about 2^%1</source>
        <translation>meist um 2^%1</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Parameter</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Weight sizes</source>
        <translation>Größen der Gewichte</translation>
    </message>
    <message>
        <source>Gradient sizes</source>
        <translation>Größen der Gradienten</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Bemerkung</translation>
    </message>
    <message>
        <source>many dead units</source>
        <translation>viele tote Einheiten</translation>
    </message>
    <message>
        <source>%1 of %2 (%3 %)</source>
        <translation>%1 von %2 (%3 %)</translation>
    </message>
    <message>
        <source>Dead units</source>
        <translation>Tote Einheiten</translation>
    </message>
</context>
<context>
    <name>temper::ui::LayersDock</name>
    <message>
        <source>Weights and gradients of each layer appear here during training.</source>
        <translation>Gewichte und Gradienten jeder Schicht erscheinen hier während des Trainings.</translation>
    </message>
    <message>
        <source>Start training</source>
        <translation>Training starten</translation>
    </message>
    <message>
        <source>Step %1; powers of two from 2^%2 (left) to 2^%3 (right); line = first sample. Monitoring overhead %4 %.</source>
        <translation>Schritt %1; Zweierpotenzen von 2^%2 (links) bis 2^%3 (rechts); Linie = erste Messung. Die Messung kostet %4 % der Zeit.</translation>
    </message>
    <message>
        <source>Layers (%1)</source>
        <translation>Schichten (%1)</translation>
    </message>
</context>
<context>
    <name>temper::ui::LeaveGuard</name>
    <message>
        <source>Trained weights</source>
        <translation>Trainierte Gewichte</translation>
    </message>
    <message>
        <source>%1 has trained weights that are not saved as a project.</source>
        <translation>%1 hat trainierte Gewichte, die nicht als Projekt gespeichert sind.</translation>
    </message>
    <message numerus="yes">
        <source>It was trained for %Ln steps. If you keep it, it stays among the untitled documents on the start page, with its runs and checkpoints.</source>
        <translation>
            <numerusform>Es wurde %Ln Schritt lang trainiert. Wenn es behalten wird, bleibt es mit seinen Läufen und Prüfpunkten unter den unbenannten Dokumenten der Startseite.</numerusform>
            <numerusform>Es wurde %Ln Schritte lang trainiert. Wenn es behalten wird, bleibt es mit seinen Läufen und Prüfpunkten unter den unbenannten Dokumenten der Startseite.</numerusform>
        </translation>
    </message>
    <message>
        <source>Always keep them without asking</source>
        <translation>Immer behalten, ohne zu fragen</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Save as project…</source>
        <translation>Speichern …</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
</context>
<context>
    <name>temper::ui::LegendView</name>
    <message>
        <source>Legend: %1</source>
        <translation>Legende: %1</translation>
    </message>
</context>
<context>
    <name>temper::ui::LessonCard</name>
    <message>
        <source>Open lesson</source>
        <translation>Lektion öffnen</translation>
    </message>
    <message>
        <source>Open lesson %1</source>
        <translation>Lektion „%1“ öffnen</translation>
    </message>
</context>
<context>
    <name>temper::ui::LessonDock</name>
    <message>
        <source>Show %1</source>
        <translation>%1 zeigen</translation>
    </message>
    <message>
        <source>Go to %1</source>
        <translation>Zu %1</translation>
    </message>
    <message>
        <source>Progress of the lesson</source>
        <translation>Fortschritt der Lektion</translation>
    </message>
    <message>
        <source>Steps of the lesson</source>
        <translation>Schritte der Lektion</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Reset the choices of the lesson</source>
        <translation>Die Einstellungen der Lektion zurücksetzen</translation>
    </message>
    <message>
        <source>Restores the lesson&apos;s original choices. Undo brings yours back.</source>
        <translation>Stellt die ursprünglichen Einstellungen der Lektion wieder her. Rückgängig bringt die eigenen zurück.</translation>
    </message>
    <message>
        <source>Next lesson</source>
        <translation>Nächste Lektion</translation>
    </message>
    <message>
        <source>This project is not a lesson. Choose one to learn with.</source>
        <translation>Dieses Projekt ist keine Lektion. Hier eine zum Lernen wählen.</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>Lektionen</translation>
    </message>
    <message>
        <source>Data: %1</source>
        <translation>Daten: %1</translation>
    </message>
    <message>
        <source>All steps are done.</source>
        <translation>Alle Schritte sind erledigt.</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %Ln steps done</source>
        <translation>
            <numerusform>%1 von %Ln Schritt erledigt</numerusform>
            <numerusform>%1 von %Ln Schritten erledigt</numerusform>
        </translation>
    </message>
    <message>
        <source>Reset the lesson</source>
        <translation>Lektion zurücksetzen</translation>
    </message>
    <message>
        <source>Start again</source>
        <translation>Von vorn</translation>
    </message>
    <message>
        <source>Clears the ticks, e.g. for another person</source>
        <translation>Entfernt die Häkchen, z. B. für eine andere Person</translation>
    </message>
</context>
<context>
    <name>temper::ui::LessonStepCard</name>
    <message>
        <source>Done: %1</source>
        <translation>Erledigt: %1</translation>
    </message>
    <message>
        <source>%1. %2</source>
        <translation>%1. %2</translation>
    </message>
    <message>
        <source>%1, for step %2</source>
        <translation>%1, für Schritt %2</translation>
    </message>
    <message>
        <source>Ticked automatically once the step is done; you can also tick it yourself.</source>
        <translation>Wird automatisch abgehakt, sobald der Schritt erledigt ist; das geht auch von Hand.</translation>
    </message>
</context>
<context>
    <name>temper::ui::ListEdit</name>
    <message>
        <source>Numbers from %1 to %2, separated by commas.</source>
        <translation>Zahlen von %1 bis %2, durch Kommas getrennt.</translation>
    </message>
</context>
<context>
    <name>temper::ui::LivePicture</name>
    <message>
        <source>Picture of the camera</source>
        <translation>Bild der Kamera</translation>
    </message>
</context>
<context>
    <name>temper::ui::LogDock</name>
    <message>
        <source>Search the log</source>
        <translation>Protokoll durchsuchen</translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation>Alles kopieren</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
</context>
<context>
    <name>temper::ui::LogModel</name>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Event</source>
        <translation>Ereignis</translation>
    </message>
</context>
<context>
    <name>temper::ui::LossEntries</name>
    <message>
        <source>Let the loss read %1</source>
        <translation>Verlust soll %1 lesen</translation>
    </message>
</context>
<context>
    <name>temper::ui::LossInput</name>
    <message>
        <source>An output of the model, or any other tensor: type a part of its name</source>
        <translation>Eine Ausgabe des Modells oder ein anderer Tensor: einen Teil des Namens eintippen</translation>
    </message>
    <message>
        <source>A part of a tensor&apos;s name</source>
        <translation>Ein Teil eines Tensornamens</translation>
    </message>
</context>
<context>
    <name>temper::ui::LossTermsEditor</name>
    <message>
        <source>Terms of the loss</source>
        <translation>Terme des Verlusts</translation>
    </message>
    <message>
        <source>Change a term of the loss</source>
        <translation>Einen Term des Verlusts ändern</translation>
    </message>
    <message>
        <source>Weighted sum of terms</source>
        <translation>Gewichtete Summe von Termen</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Add a term</source>
        <translation>Einen Term hinzufügen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove the term</source>
        <translation>Den Term entfernen</translation>
    </message>
    <message>
        <source>Add a term of the loss</source>
        <translation>Einen Term des Verlusts hinzufügen</translation>
    </message>
    <message>
        <source>Remove a term of the loss</source>
        <translation>Einen Term des Verlusts entfernen</translation>
    </message>
</context>
<context>
    <name>temper::ui::LossTermsModel</name>
    <message>
        <source>default of the loss</source>
        <translation>Vorgabe des Verlusts</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>Gewicht</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Reads output</source>
        <translation>Liest Ausgabe</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>Zielwert</translation>
    </message>
</context>
<context>
    <name>temper::ui::MainWindow</name>
    <message>
        <source>Message</source>
        <translation>Meldung</translation>
    </message>
    <message>
        <source>The run was stopped because its model was changed</source>
        <translation>Der Lauf wurde gestoppt, weil sein Modell geändert wurde</translation>
    </message>
    <message>
        <source>Its last state is saved. To continue it with the model as it was, choose “Continue run” in the list of runs.</source>
        <translation>Sein letzter Stand ist gespeichert. Um ihn mit dem bisherigen Modell fortzusetzen, in der Liste der Läufe „Lauf fortsetzen“ wählen.</translation>
    </message>
    <message>
        <source>Only files on this computer can be opened</source>
        <translation>Nur Dateien auf diesem Rechner lassen sich öffnen</translation>
    </message>
</context>
<context>
    <name>temper::ui::Messages</name>
    <message>
        <source>Opened %1</source>
        <translation>%1 geöffnet</translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <translation>%1 – %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>Geschrieben: %1</translation>
    </message>
    <message>
        <source>Saved as %1</source>
        <translation>Als %1 gespeichert</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Im Ordner zeigen</translation>
    </message>
</context>
<context>
    <name>temper::ui::MetricTicks</name>
    <message>
        <source>No metric fits this loss.</source>
        <translation>Keine Metrik passt zu diesem Verlust.</translation>
    </message>
    <message>
        <source>%1: does not fit the loss</source>
        <translation>%1: passt nicht zum Verlust</translation>
    </message>
    <message>
        <source>Measure %1</source>
        <translation>%1 messen</translation>
    </message>
    <message>
        <source>If none is ticked, the default metrics of the loss are measured.</source>
        <translation>Ohne Haken werden die üblichen Metriken des Verlusts gemessen.</translation>
    </message>
</context>
<context>
    <name>temper::ui::Minimap</name>
    <message>
        <source>Overview of the graph</source>
        <translation>Übersicht über den Graphen</translation>
    </message>
    <message>
        <source>Overview: click to go there</source>
        <translation>Übersicht: ein Klick führt dorthin</translation>
    </message>
</context>
<context>
    <name>temper::ui::ModelPanel</name>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Forward model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Training model</source>
        <translation>Trainingsmodell</translation>
    </message>
    <message>
        <source>Evaluation model</source>
        <translation>Auswertungsmodell</translation>
    </message>
    <message>
        <source>Optimizer model</source>
        <translation>Optimierermodell</translation>
    </message>
    <message>
        <source>Graph to show</source>
        <translation>Gezeigter Graph</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>%1 · %2 · %3 parameter values · opset %4</source>
        <translation>%1 · %2 · %3 Parameterwerte · Opset %4</translation>
    </message>
    <message numerus="yes">
        <source>%Ln nodes</source>
        <translation>
            <numerusform>%Ln Knoten</numerusform>
            <numerusform>%Ln Knoten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n problems keep this model from training</source>
        <translation>
            <numerusform>Ein Problem verhindert das Training dieses Modells</numerusform>
            <numerusform>%n Probleme verhindern das Training dieses Modells</numerusform>
        </translation>
    </message>
    <message>
        <source>Show problems</source>
        <translation>Probleme zeigen</translation>
    </message>
    <message>
        <source>The gradient of the loss does not reach %1. It stops at the mark.</source>
        <translation>Der Gradient des Verlusts erreicht %1 nicht. Er endet an der Markierung.</translation>
    </message>
    <message numerus="yes">
        <source>The gradient of the loss reaches %1 through %n nodes.</source>
        <translation>
            <numerusform>Der Gradient des Verlusts erreicht %1 durch %n Knoten.</numerusform>
            <numerusform>Der Gradient des Verlusts erreicht %1 durch %n Knoten.</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation>%1 wird gelesen</translation>
    </message>
    <message>
        <source>The tensor could not be read</source>
        <translation>Der Tensor konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>Stop gradients at %1</source>
        <translation>Gradienten bei %1 anhalten</translation>
    </message>
    <message>
        <source>Let gradients through %1</source>
        <translation>Gradienten durch %1 lassen</translation>
    </message>
    <message>
        <source>Set %1 to a constant…</source>
        <translation>%1 auf eine Konstante setzen …</translation>
    </message>
    <message>
        <source>Open a model</source>
        <translation>Ein Modell öffnen</translation>
    </message>
    <message>
        <source>The graph of a model, its nodes and its weights appear here.</source>
        <translation>Hier erscheinen der Graph eines Modells, seine Knoten und seine Gewichte.</translation>
    </message>
    <message>
        <source>Open a model…</source>
        <translation>Modell öffnen …</translation>
    </message>
</context>
<context>
    <name>temper::ui::MoreSettings</name>
    <message>
        <source>More settings</source>
        <translation>Weitere Einstellungen</translation>
    </message>
    <message numerus="yes">
        <source>More settings (%Ln changed)</source>
        <translation>
            <numerusform>Weitere Einstellungen (%Ln geändert)</numerusform>
            <numerusform>Weitere Einstellungen (%Ln geändert)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::NetCanvas</name>
    <message>
        <source>Unit %1 of hidden layer %2</source>
        <translation>Einheit %1 der verborgenen Schicht %2</translation>
    </message>
    <message>
        <source>Output “%1”</source>
        <translation>Ausgabe „%1“</translation>
    </message>
    <message>
        <source>Output %1</source>
        <translation>Ausgabe %1</translation>
    </message>
    <message>
        <source>unit %1</source>
        <translation>Einheit %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1. Largest weights: %2</source>
        <translation>%1. Größte Gewichte: %2</translation>
    </message>
</context>
<context>
    <name>temper::ui::NetFollower</name>
    <message>
        <source>Computing the units</source>
        <translation>Einheiten werden berechnet</translation>
    </message>
    <message>
        <source>The units can&apos;t be shown</source>
        <translation>Die Einheiten können nicht gezeigt werden</translation>
    </message>
</context>
<context>
    <name>temper::ui::NetView</name>
    <message>
        <source>Units of the net</source>
        <translation>Einheiten des Netzes</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Remove the last hidden layer</source>
        <translation>Die letzte verborgene Schicht entfernen</translation>
    </message>
    <message>
        <source>Add a hidden layer</source>
        <translation>Eine verborgene Schicht hinzufügen</translation>
    </message>
    <message>
        <source>Remove a unit from hidden layer %1</source>
        <translation>Eine Einheit aus der verborgenen Schicht %1 entfernen</translation>
    </message>
    <message>
        <source>Add a unit to hidden layer %1</source>
        <translation>Der verborgenen Schicht %1 eine Einheit hinzufügen</translation>
    </message>
    <message>
        <source>Stop the run to change the layers.</source>
        <translation>Den Lauf anhalten, um die Schichten zu ändern.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden layers</source>
        <translation>
            <numerusform>%Ln verborgene Schicht</numerusform>
            <numerusform>%Ln verborgene Schichten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln units</source>
        <translation>
            <numerusform>%Ln Einheit</numerusform>
            <numerusform>%Ln Einheiten</numerusform>
        </translation>
    </message>
    <message>
        <source>Hidden layers</source>
        <translation>Verborgene Schichten</translation>
    </message>
    <message>
        <source>Lines are weights: blue is positive, orange negative; the thicker, the larger.</source>
        <translation>Linien sind Gewichte: Blau ist positiv, Orange negativ; je dicker, desto größer.</translation>
    </message>
    <message>
        <source>Each tile shows a unit&apos;s response over the range of the input.</source>
        <translation>Jede Kachel zeigt, was eine Einheit über den Bereich der Eingabe antwortet.</translation>
    </message>
    <message>
        <source>Each tile shows where in the plane a unit responds: blue where it is positive, orange where it is negative.</source>
        <translation>Jede Kachel zeigt, wo in der Ebene eine Einheit antwortet: blau, wo sie positiv ist, orange, wo sie negativ ist.</translation>
    </message>
    <message>
        <source>Each tile shows which pixels excite a unit: blue if bright ones do, orange if dark ones do.</source>
        <translation>Jede Kachel zeigt, welche Bildpunkte eine Einheit erregen: blau, wenn helle es tun, orange, wenn dunkle es tun.</translation>
    </message>
    <message>
        <source>Each tile shows which inputs excite a unit: blue if large values do, orange if small ones do.</source>
        <translation>Jede Kachel zeigt, welche Eingaben eine Einheit erregen: blau, wenn große Werte es tun, orange, wenn kleine es tun.</translation>
    </message>
    <message numerus="yes">
        <source>hidden layer %1 with %Ln units</source>
        <translation>
            <numerusform>verborgene Schicht %1 mit %Ln Einheit</numerusform>
            <numerusform>verborgene Schicht %1 mit %Ln Einheiten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln outputs</source>
        <translation>
            <numerusform>%Ln Ausgabe</numerusform>
            <numerusform>%Ln Ausgaben</numerusform>
        </translation>
    </message>
    <message>
        <source>After step %1: %2.</source>
        <translation>Nach Schritt %1: %2.</translation>
    </message>
</context>
<context>
    <name>temper::ui::NewGroupArea</name>
    <message>
        <source>Drag parameters onto a group, or drop them here to create one. The first matching group applies.</source>
        <translation>Parameter auf eine Gruppe ziehen oder hier ablegen, um eine neue anzulegen. Es gilt die erste passende Gruppe.</translation>
    </message>
</context>
<context>
    <name>temper::ui::NodeHitModel</name>
    <message>
        <source>%1   %2</source>
        <translation>%1   %2</translation>
    </message>
</context>
<context>
    <name>temper::ui::NodeModel</name>
    <message>
        <source>Operator</source>
        <translation>Operator</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>Reads</source>
        <translation>Liest</translation>
    </message>
    <message>
        <source>Makes</source>
        <translation>Erzeugt</translation>
    </message>
</context>
<context>
    <name>temper::ui::NumberEdit</name>
    <message>
        <source>A number from %1 to %2.</source>
        <translation>Eine Zahl von %1 bis %2.</translation>
    </message>
    <message>
        <source>A share from %1 to %2, such as 80 % or %3.</source>
        <translation>Ein Anteil von %1 bis %2, etwa 80 % oder %3.</translation>
    </message>
    <message>
        <source>“%1” is not valid. %2</source>
        <translation>„%1“ ist ungültig. %2</translation>
    </message>
    <message>
        <source>%1 %2: %3.</source>
        <translation>%1 %2: %3.</translation>
    </message>
</context>
<context>
    <name>temper::ui::ObjectivePanel</name>
    <message>
        <source>Objective</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>What training minimizes, how it takes its steps, and how many.</source>
        <translation>Was das Training minimiert, wie es seine Schritte macht und wie viele.</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Formula</source>
        <translation>Formel</translation>
    </message>
    <message>
        <source>Weighted sum of losses of outputs and targets: 0.4*mse(out1, target1) + 0.6*l1(out2, target2)</source>
        <translation>Gewichtete Summe von Verlusten von Ausgaben und Zielwerten: 0.4*mse(out1, target1) + 0.6*l1(out2, target2)</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>This can&apos;t be trained yet</source>
        <translation>Das lässt sich noch nicht trainieren</translation>
    </message>
    <message>
        <source>Training objective and settings</source>
        <translation>Ziel und Einstellungen des Trainings</translation>
    </message>
    <message>
        <source>Loss does not fit</source>
        <translation>Verlust passt nicht</translation>
    </message>
    <message>
        <source>Tensor that the loss reads</source>
        <translation>Tensor, den der Verlust liest</translation>
    </message>
    <message>
        <source>Reads tensor</source>
        <translation>Liest Tensor</translation>
    </message>
    <message>
        <source>This will train badly</source>
        <translation>So lernt das Modell schlecht</translation>
    </message>
    <message>
        <source>Reads tensor: %1</source>
        <translation>Liest Tensor: %1</translation>
    </message>
</context>
<context>
    <name>temper::ui::Offers</name>
    <message>
        <source>%1 was interrupted</source>
        <translation>%1 wurde unterbrochen</translation>
    </message>
    <message>
        <source>It reached step %1 of %2; its last checkpoint is from step %3.</source>
        <translation>Der Lauf kam bis Schritt %1 von %2; sein letzter Prüfpunkt stammt von Schritt %3.</translation>
    </message>
    <message>
        <source>Continue at step %1</source>
        <translation>Bei Schritt %1 weitermachen</translation>
    </message>
    <message>
        <source>%1 was changed by another program</source>
        <translation>%1 wurde von einem anderen Programm geändert</translation>
    </message>
    <message>
        <source>The window shows it as it was when opened.</source>
        <translation>Das Fenster zeigt den Stand beim Öffnen.</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>Stop training and reload the files?</source>
        <translation>Training stoppen und die Dateien neu laden?</translation>
    </message>
    <message>
        <source>Reading runs</source>
        <translation>Läufe werden gelesen</translation>
    </message>
    <message>
        <source>The history of runs could not be read</source>
        <translation>Der Verlauf der Läufe konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>The program ended during training, at step %1 of %2.</source>
        <translation>Das Programm endete während des Trainings, bei Schritt %1 von %2.</translation>
    </message>
    <message>
        <source>Its checkpoints and curves are kept.</source>
        <translation>Prüfpunkte und Kurven sind erhalten.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs are waiting for it to end.</source>
        <translation>
            <numerusform>%Ln Lauf wartet auf sein Ende.</numerusform>
            <numerusform>%Ln Läufe warten auf sein Ende.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs are waiting</source>
        <translation>
            <numerusform>%Ln Lauf wartet</numerusform>
            <numerusform>%Ln Läufe warten</numerusform>
        </translation>
    </message>
    <message>
        <source>They were put into the queue before the project was closed.</source>
        <translation>Sie kamen in die Warteschlange, bevor das Projekt geschlossen wurde.</translation>
    </message>
    <message>
        <source>Run the queue</source>
        <translation>Warteschlange starten</translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs finished.</source>
        <translation>
            <numerusform>%Ln Lauf ist fertig.</numerusform>
            <numerusform>%Ln Läufe sind fertig.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs finished, </source>
        <translation>
            <numerusform>%Ln Lauf ist fertig, </numerusform>
            <numerusform>%Ln Läufe sind fertig, </numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln failed.</source>
        <translation>
            <numerusform>%Ln ist fehlgeschlagen.</numerusform>
            <numerusform>%Ln sind fehlgeschlagen.</numerusform>
        </translation>
    </message>
    <message>
        <source>The queue is done</source>
        <translation>Die Warteschlange ist abgearbeitet</translation>
    </message>
    <message>
        <source>Compare runs</source>
        <translation>Läufe vergleichen</translation>
    </message>
    <message>
        <source>Model and data are open</source>
        <translation>Modell und Daten sind geöffnet</translation>
    </message>
    <message>
        <source>Loss, normalization, learning rate and the rest can be proposed from them.</source>
        <translation>Verlust, Normalisierung, Lernrate und alles Weitere lassen sich daraus vorschlagen.</translation>
    </message>
    <message>
        <source>Fine-tune…</source>
        <translation>Feinabstimmen …</translation>
    </message>
    <message>
        <source>The model accepts a fixed number of samples</source>
        <translation>Das Modell nimmt eine feste Anzahl Beispiele</translation>
    </message>
</context>
<context>
    <name>temper::ui::OpenActions</name>
    <message>
        <source>Open…</source>
        <translation>Öffnen …</translation>
    </message>
    <message>
        <source>Stop training and open the lesson?</source>
        <translation>Training stoppen und die Lektion öffnen?</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Models and projects (*.onnx *.ort *.json *.temper);;All files (*)</source>
        <translation>Modelle und Projekte (*.onnx *.ort *.json *.temper);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Stop training and open %1?</source>
        <translation>Training stoppen und %1 öffnen?</translation>
    </message>
    <message>
        <source>%1 is data, not a model</source>
        <translation>%1 sind Daten, kein Modell</translation>
    </message>
    <message>
        <source>Data needs a model.</source>
        <translation>Daten brauchen ein Modell.</translation>
    </message>
    <message>
        <source>Open a model first, then drop the data again.</source>
        <translation>Zuerst ein Modell öffnen, dann die Daten noch einmal ablegen.</translation>
    </message>
    <message>
        <source>Choose training data</source>
        <translation>Trainingsdaten wählen</translation>
    </message>
    <message>
        <source>This data can&apos;t be read</source>
        <translation>Diese Daten sind nicht lesbar</translation>
    </message>
</context>
<context>
    <name>temper::ui::OptimizerStateModel</name>
    <message>
        <source>Parameter</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Moment</source>
        <translation>Moment</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Norm</source>
        <translation>Norm</translation>
    </message>
    <message>
        <source>Minimum</source>
        <translation>Minimum</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>Maximum</translation>
    </message>
    <message>
        <source>Zeros</source>
        <translation>Nullen</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Gruppe</translation>
    </message>
</context>
<context>
    <name>temper::ui::OptimizerStateView</name>
    <message numerus="yes">
        <source>%1: step %2, initial learning rate %3, %Ln parameters</source>
        <translation>
            <numerusform>%1: Schritt %2, Lernrate am Anfang %3, %Ln Parameter</numerusform>
            <numerusform>%1: Schritt %2, Lernrate am Anfang %3, %Ln Parameter</numerusform>
        </translation>
    </message>
    <message>
        <source>No optimizer state: training from here starts with moments of zero.</source>
        <translation>Kein Zustand des Optimierers: Das Training beginnt von hier mit Momenten von null.</translation>
    </message>
    <message>
        <source>Moments of the optimizer</source>
        <translation>Momente des Optimierers</translation>
    </message>
</context>
<context>
    <name>temper::ui::OutputModel</name>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>model output</source>
        <translation>Ausgabe des Modells</translation>
    </message>
    <message>
        <source>intermediate (%1)</source>
        <translation>Zwischenwert (%1)</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Origin</source>
        <translation>Herkunft</translation>
    </message>
</context>
<context>
    <name>temper::ui::OwnPlot</name>
    <message>
        <source>Custom plot</source>
        <translation>Eigenes Diagramm</translation>
    </message>
    <message>
        <source>Tick curves to draw them together.</source>
        <translation>Kurven ankreuzen, um sie gemeinsam zu zeichnen.</translation>
    </message>
    <message>
        <source>Search curves</source>
        <translation>Kurven suchen</translation>
    </message>
    <message>
        <source>Curves to draw</source>
        <translation>Kurven zum Zeichnen</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
</context>
<context>
    <name>temper::ui::PageStack</name>
    <message>
        <source>Start</source>
        <translation>Start</translation>
    </message>
</context>
<context>
    <name>temper::ui::ParallelPage</name>
    <message>
        <source>Drag along an axis to keep the runs in a range; drag a title to move its axis, click it to colour by it.</source>
        <translation>Entlang einer Achse ziehen, um die Läufe eines Bereichs zu behalten; einen Titel ziehen, um seine Achse zu verschieben, oder anklicken, um nach ihr zu färben.</translation>
    </message>
    <message>
        <source>%1 of %2 runs are within the ranges and selected. Escape clears the ranges.</source>
        <translation>%1 von %2 Läufen liegen in den Bereichen und sind ausgewählt. Escape löscht die Bereiche.</translation>
    </message>
    <message>
        <source>%1 of %2 runs are within the ranges. Narrow them to select runs; Escape clears the ranges.</source>
        <translation>%1 von %2 Läufen liegen in den Bereichen. Engere Bereiche wählen Läufe aus; Escape löscht die Bereiche.</translation>
    </message>
</context>
<context>
    <name>temper::ui::ParallelView</name>
    <message>
        <source>Parallel axes</source>
        <translation>Parallele Achsen</translation>
    </message>
    <message>
        <source>%1 (a range is marked)</source>
        <translation>%1 (ein Bereich ist markiert)</translation>
    </message>
    <message>
        <source>The runs don&apos;t differ in anything that can be an axis.</source>
        <translation>Die Läufe unterscheiden sich in nichts, was eine Achse sein kann.</translation>
    </message>
    <message>
        <source>%1 of %2 runs within the marked ranges; axes: %3</source>
        <translation>%1 von %2 Läufen in den markierten Bereichen; Achsen: %3</translation>
    </message>
</context>
<context>
    <name>temper::ui::ParameterModel</name>
    <message>
        <source>Trains</source>
        <translation>Trainiert</translation>
    </message>
    <message>
        <source>Frozen</source>
        <translation>Eingefroren</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>Parameter</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>Klasse</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>Read by</source>
        <translation>Gelesen von</translation>
    </message>
    <message>
        <source>Frozen. The settings of the group apply after you unfreeze it.</source>
        <translation>Eingefroren. Die Einstellungen der Gruppe gelten, sobald er trainiert.</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Gruppe</translation>
    </message>
    <message>
        <source>Doesn&apos;t train</source>
        <translation>Trainiert nicht</translation>
    </message>
</context>
<context>
    <name>temper::ui::ParametersPanel</name>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Tick the parameters to train. All others stay frozen.</source>
        <translation>Die zu trainierenden Parameter ankreuzen. Alle anderen bleiben eingefroren.</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Trainieren</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>Klassen</translation>
    </message>
    <message>
        <source>Number of classes</source>
        <translation>Anzahl der Klassen</translation>
    </message>
    <message>
        <source>Stop the run to replace the last layer.</source>
        <translation>Den Lauf anhalten, um die letzte Schicht zu ersetzen.</translation>
    </message>
    <message>
        <source>Number of outputs of the last layer, %1. If you change it, a new, untrained layer replaces this one.</source>
        <translation>Anzahl der Ausgaben der letzten Schicht, %1. Wird sie geändert, ersetzt eine neue, untrainierte Schicht diese.</translation>
    </message>
    <message>
        <source>Filter by name: conv*.weight</source>
        <translation>Nach Namen filtern: conv*.weight</translation>
    </message>
    <message>
        <source>Train these</source>
        <translation>Diese trainieren</translation>
    </message>
    <message>
        <source>Freeze these</source>
        <translation>Diese einfrieren</translation>
    </message>
    <message>
        <source>Parameters of the model</source>
        <translation>Parameter des Modells</translation>
    </message>
    <message>
        <source>Some ticked parameters can&apos;t be trained</source>
        <translation>Einige angekreuzte Parameter lassen sich nicht trainieren</translation>
    </message>
    <message>
        <source>Worth a look</source>
        <translation>Ein Blick lohnt sich</translation>
    </message>
    <message>
        <source>Train: %1</source>
        <translation>Trainieren: %1</translation>
    </message>
    <message>
        <source>Train %1</source>
        <translation>%1 trainieren</translation>
    </message>
    <message>
        <source>Freeze %1</source>
        <translation>%1 einfrieren</translation>
    </message>
    <message>
        <source>Train parameters</source>
        <translation>Parameter trainieren</translation>
    </message>
    <message>
        <source>Freeze parameters</source>
        <translation>Parameter einfrieren</translation>
    </message>
    <message>
        <source>Filter parameters by name</source>
        <translation>Parameter nach Namen filtern</translation>
    </message>
    <message>
        <source>%1 of %2 tensors train · %3 of %4 values · %5 of %6</source>
        <translation>%1 von %2 Tensoren trainiert · %3 von %4 Werten · %5 von %6</translation>
    </message>
    <message>
        <source>Last layer (head)</source>
        <translation>Letzte Schicht</translation>
    </message>
    <message>
        <source>Biases only</source>
        <translation>Nur Bias-Werte</translation>
    </message>
    <message>
        <source>Norms only</source>
        <translation>Nur Normen</translation>
    </message>
    <message>
        <source>Regular expression</source>
        <translation>Regulärer Ausdruck</translation>
    </message>
    <message>
        <source>Use the filter as a regular expression: ^conv[12]\.weight$</source>
        <translation>Den Filter als regulären Ausdruck verwenden: ^conv[12]\.weight$</translation>
    </message>
    <message>
        <source>Train only these</source>
        <translation>Nur diese trainieren</translation>
    </message>
    <message>
        <source>Filter by regular expression: ^conv[12]\.weight$</source>
        <translation>Nach regulärem Ausdruck filtern: ^conv[12]\.weight$</translation>
    </message>
    <message>
        <source>Character %1, “%2”: %3.</source>
        <translation>Zeichen %1, „%2“: %3.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln trainable tensors shown · %1</source>
        <translation>
            <numerusform>%Ln trainierbarer Tensor gezeigt · %1</numerusform>
            <numerusform>%Ln trainierbare Tensoren gezeigt · %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Filter parameters by operator</source>
        <translation>Parameter nach Operator filtern</translation>
    </message>
    <message>
        <source>Shows only the parameters of one layer type.</source>
        <translation>Zeigt nur die Parameter einer Art von Schichten.</translation>
    </message>
    <message>
        <source>All operators</source>
        <translation>Alle Operatoren</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message numerus="yes">
        <source>New last layer with %n classes</source>
        <translation>
            <numerusform>Neue letzte Schicht mit %n Klasse</numerusform>
            <numerusform>Neue letzte Schicht mit %n Klassen</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing to train</source>
        <translation>Nichts zu trainieren</translation>
    </message>
    <message>
        <source>%1 of %2 train</source>
        <translation>%1 von %2 trainiert</translation>
    </message>
</context>
<context>
    <name>temper::ui::PictureActions</name>
    <message>
        <source>Save a picture…</source>
        <translation>Bild speichern …</translation>
    </message>
    <message>
        <source>Save a picture of the window</source>
        <translation>Bild des Fensters speichern</translation>
    </message>
    <message>
        <source>Pictures (*.png)</source>
        <translation>Bilder (*.png)</translation>
    </message>
    <message>
        <source>Writing the picture</source>
        <translation>Das Bild wird geschrieben</translation>
    </message>
    <message>
        <source>The picture could not be written</source>
        <translation>Das Bild konnte nicht geschrieben werden</translation>
    </message>
</context>
<context>
    <name>temper::ui::PictureInput</name>
    <message>
        <source>As the model sees it</source>
        <translation>Wie das Modell es sieht</translation>
    </message>
    <message>
        <source>The picture as the model sees it</source>
        <translation>Das Bild, wie das Modell es sieht</translation>
    </message>
    <message>
        <source>Reading the picture</source>
        <translation>Das Bild wird gelesen</translation>
    </message>
    <message>
        <source>The picture could not be read</source>
        <translation>Das Bild konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>Open picture</source>
        <translation>Bild öffnen</translation>
    </message>
    <message>
        <source>Pictures (*.png *.jpg *.jpeg *.webp *.bmp)</source>
        <translation>Bilder (*.png *.jpg *.jpeg *.webp *.bmp)</translation>
    </message>
</context>
<context>
    <name>temper::ui::PictureSaver</name>
    <message>
        <source>Save picture</source>
        <translation>Bild speichern</translation>
    </message>
    <message>
        <source>Drawings (*.svg);;Pictures (*.png)</source>
        <translation>Zeichnungen (*.svg);;Bilder (*.png)</translation>
    </message>
    <message>
        <source>Saving the picture</source>
        <translation>Das Bild wird gespeichert</translation>
    </message>
    <message>
        <source>The picture could not be saved</source>
        <translation>Das Bild konnte nicht gespeichert werden</translation>
    </message>
</context>
<context>
    <name>temper::ui::PlaneFollower</name>
    <message>
        <source>Computing the plane</source>
        <translation>Die Ebene wird berechnet</translation>
    </message>
    <message>
        <source>The plane can&apos;t be shown</source>
        <translation>Die Ebene kann nicht gezeigt werden</translation>
    </message>
</context>
<context>
    <name>temper::ui::PlanePlot</name>
    <message>
        <source>Show everything</source>
        <translation>Alles zeigen</translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation>Bild kopieren</translation>
    </message>
    <message>
        <source>Save image…</source>
        <translation>Bild speichern …</translation>
    </message>
    <message>
        <source>Save image</source>
        <translation>Bild speichern</translation>
    </message>
    <message>
        <source>PNG image (*.png)</source>
        <translation>PNG-Bild (*.png)</translation>
    </message>
    <message>
        <source>The image could not be written.</source>
        <translation>Das Bild konnte nicht geschrieben werden.</translation>
    </message>
</context>
<context>
    <name>temper::ui::PlaneReportModel</name>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>All classes</source>
        <translation>Alle Klassen</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>Klasse</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>Validierung</translation>
    </message>
</context>
<context>
    <name>temper::ui::PlaneView</name>
    <message>
        <source>Feature plane</source>
        <translation>Merkmalsebene</translation>
    </message>
    <message>
        <source>The model&apos;s decisions appear here.</source>
        <translation>Hier erscheint, wie das Modell entscheidet.</translation>
    </message>
    <message>
        <source>%1 could not be saved</source>
        <translation>%1 konnte nicht gespeichert werden</translation>
    </message>
    <message>
        <source>Description of the plane</source>
        <translation>Beschreibung der Ebene</translation>
    </message>
    <message>
        <source>Classes in the plane</source>
        <translation>Klassen in der Ebene</translation>
    </message>
    <message>
        <source>The background shows what the model decides; the stronger the colour, the surer it is. Solid points are training samples, hollow ones validation samples.</source>
        <translation>Der Hintergrund zeigt, wie das Modell entscheidet, je kräftiger die Farbe, desto sicherer. Volle Punkte sind Trainingsbeispiele, hohle Validierungsbeispiele.</translation>
    </message>
    <message>
        <source>After step %1, %2 of the %3 training samples are where the model predicts their class.</source>
        <translation>Nach Schritt %1 liegen %2 der %3 Trainingsbeispiele dort, wo das Modell ihre Klasse wählt.</translation>
    </message>
    <message>
        <source>Of the %1 validation samples, %2 are.</source>
        <translation>Von den %1 Validierungsbeispielen sind es %2.</translation>
    </message>
    <message>
        <source>%1, %2 %</source>
        <translation>%1, %2 %</translation>
    </message>
    <message>
        <source>%1 %2, %3 %4: %5</source>
        <translation>%1 %2, %3 %4: %5</translation>
    </message>
</context>
<context>
    <name>temper::ui::PlotPresenter</name>
    <message>
        <source>Plot to show</source>
        <translation>Gezeigtes Diagramm</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>number and title</comment>
        <translation>%1 %2</translation>
    </message>
</context>
<context>
    <name>temper::ui::PlotView</name>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation>Alles zeigen</translation>
    </message>
    <message>
        <source>Logarithmic values</source>
        <translation>Werte logarithmisch</translation>
    </message>
    <message>
        <source>More options for this plot</source>
        <translation>Weitere Optionen zu diesem Diagramm</translation>
    </message>
    <message>
        <source>Logarithmic steps</source>
        <translation>Schritte logarithmisch</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>Schritt %1</translation>
    </message>
</context>
<context>
    <name>temper::ui::PredictionBars</name>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation>Vorhersage</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>temper::ui::PreparationTask</name>
    <message>
        <source>Preparing training</source>
        <translation>Training wird vorbereitet</translation>
    </message>
    <message>
        <source>Training can&apos;t be prepared</source>
        <translation>Das Training lässt sich nicht vorbereiten</translation>
    </message>
</context>
<context>
    <name>temper::ui::PrepareView</name>
    <message>
        <source>Split</source>
        <translation>Teilung</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>Class shares</source>
        <translation>Anteile der Klassen</translation>
    </message>
    <message>
        <source>the same in both parts</source>
        <translation>in beiden Teilen gleich</translation>
    </message>
    <message>
        <source>random</source>
        <translation>zufällig</translation>
    </message>
    <message>
        <source>Normalization</source>
        <translation>Normalisierung</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>Augmentation in each epoch</source>
        <translation>Augmentierung in jeder Epoche</translation>
    </message>
    <message>
        <source>Mirror</source>
        <translation>Spiegeln</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>left and right</source>
        <translation>links und rechts</translation>
    </message>
    <message>
        <source>up and down</source>
        <translation>oben und unten</translation>
    </message>
    <message>
        <source>both ways</source>
        <translation>in beide Richtungen</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Shift by up to (pixels)</source>
        <translation>Verschieben um bis zu (Pixel)</translation>
    </message>
    <message>
        <source>Rotate by up to (degrees)</source>
        <translation>Drehen um bis zu (Grad)</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>Rauschen</translation>
    </message>
    <message>
        <source>Brightness ±</source>
        <translation>Helligkeit ±</translation>
    </message>
    <message>
        <source>Contrast ±</source>
        <translation>Kontrast ±</translation>
    </message>
    <message>
        <source>Saturation ±</source>
        <translation>Sättigung ±</translation>
    </message>
    <message>
        <source>One sample in eight epochs</source>
        <translation>Ein Beispiel in acht Epochen</translation>
    </message>
    <message>
        <source>Another sample</source>
        <translation>Anderes Beispiel</translation>
    </message>
    <message>
        <source>Variations of one sample</source>
        <translation>Variationen eines Beispiels</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>%1 ändern</translation>
    </message>
    <message>
        <source>%1: minus %2, divided by %3; measured on the training samples only</source>
        <translation>%1: minus %2, geteilt durch %3; nur an den Trainingsbeispielen gemessen</translation>
    </message>
    <message>
        <source>Augmenting a sample</source>
        <translation>Ein Beispiel wird augmentiert</translation>
    </message>
    <message>
        <source>The sample could not be read</source>
        <translation>Das Beispiel konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>Augmented pictures appear here once a field on the left asks for them.</source>
        <translation>Variierte Bilder erscheinen hier, sobald eines der Felder links es verlangt.</translation>
    </message>
    <message>
        <source>Each epoch gets its own version; validation and predictions always use the original sample.</source>
        <translation>Jede Epoche bekommt ihre eigene Fassung; Validierung und Vorhersagen nutzen immer das ursprüngliche Beispiel.</translation>
    </message>
    <message>
        <source>Split and augmentation of the samples</source>
        <translation>Teilung und Augmentierung der Beispiele</translation>
    </message>
    <message>
        <source>Training share</source>
        <translation>Trainingsanteil</translation>
    </message>
    <message>
        <source>no split</source>
        <translation>keine Aufteilung</translation>
    </message>
    <message>
        <source>Change the normalization</source>
        <translation>Normalisierung ändern</translation>
    </message>
    <message>
        <source>%1: minus %2, divided by %3</source>
        <translation>%1: minus %2, geteilt durch %3</translation>
    </message>
</context>
<context>
    <name>temper::ui::ProblemModel</name>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>Operator</source>
        <translation>Operator</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problem</translation>
    </message>
</context>
<context>
    <name>temper::ui::ProblemsDock</name>
    <message>
        <source>Open…</source>
        <translation>Öffnen …</translation>
    </message>
    <message>
        <source>Problems (%1)</source>
        <translation>Probleme (%1)</translation>
    </message>
    <message>
        <source>No problems: gradients reach everything that trains.</source>
        <translation>Keine Probleme: Gradienten erreichen alles, was trainiert werden soll.</translation>
    </message>
    <message>
        <source>Open a model to see what keeps it from training.</source>
        <translation>Ein Modell öffnen, um zu sehen, was sein Training verhindert.</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>What is %1?</source>
        <translation>Was ist %1?</translation>
    </message>
</context>
<context>
    <name>temper::ui::ProjectData</name>
    <message>
        <source>Reading data</source>
        <translation>Daten werden gelesen</translation>
    </message>
    <message>
        <source>The data could not be read</source>
        <translation>Die Daten konnten nicht gelesen werden</translation>
    </message>
    <message>
        <source>Checking the samples</source>
        <translation>Beispiele werden geprüft</translation>
    </message>
    <message>
        <source>The samples could not be checked</source>
        <translation>Die Beispiele konnten nicht geprüft werden</translation>
    </message>
</context>
<context>
    <name>temper::ui::ProjectFolder</name>
    <message>
        <source>The project &apos;%1&apos; can&apos;t be locked.</source>
        <translation>Das Projekt „%1“ lässt sich nicht sperren.</translation>
    </message>
    <message>
        <source>Check that you may write to the folder.</source>
        <translation>Prüfen, ob Schreibrechte für den Ordner bestehen.</translation>
    </message>
    <message>
        <source>The project &apos;%1&apos; is already open: %2, process %3 on %4.</source>
        <translation>Das Projekt „%1“ ist bereits geöffnet: %2, Prozess %3 auf %4.</translation>
    </message>
    <message>
        <source>Close it there first, or save a copy there under another name.</source>
        <translation>Es zuerst dort schließen oder dort eine Kopie unter anderem Namen speichern.</translation>
    </message>
</context>
<context>
    <name>temper::ui::ProjectStore</name>
    <message>
        <source>Saving</source>
        <translation>Wird gespeichert</translation>
    </message>
    <message>
        <source>The project could not be saved</source>
        <translation>Das Projekt konnte nicht gespeichert werden</translation>
    </message>
    <message>
        <source>Moving runs</source>
        <translation>Läufe werden verschoben</translation>
    </message>
    <message>
        <source>The runs could not be moved into the project</source>
        <translation>Die Läufe konnten nicht in das Projekt verschoben werden</translation>
    </message>
    <message>
        <source>Packing the project</source>
        <translation>Projekt wird gepackt</translation>
    </message>
    <message>
        <source>The project could not be saved as one file</source>
        <translation>Das Projekt konnte nicht als eine Datei gespeichert werden</translation>
    </message>
    <message>
        <source>The choices could not be saved</source>
        <translation>Die Einstellungen konnten nicht gespeichert werden</translation>
    </message>
</context>
<context>
    <name>temper::ui::PropertyModel</name>
    <message>
        <source>integer</source>
        <translation>ganze Zahl</translation>
    </message>
    <message>
        <source>number</source>
        <translation>Zahl</translation>
    </message>
    <message>
        <source>text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Property</source>
        <translation>Eigenschaft</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>A property needs a name.</source>
        <translation>Eine Eigenschaft braucht einen Namen.</translation>
    </message>
    <message>
        <source>Property &quot;%1&quot; already exists.</source>
        <translation>Eine Eigenschaft „%1“ gibt es schon.</translation>
    </message>
    <message>
        <source>A property is an integer, a number or text.</source>
        <translation>Eine Eigenschaft ist eine ganze Zahl, eine Zahl oder ein Text.</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not an integer.</source>
        <translation>„%1“ ist keine ganze Zahl.</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not a number.</source>
        <translation>„%1“ ist keine Zahl.</translation>
    </message>
</context>
<context>
    <name>temper::ui::QueueCommands</name>
    <message>
        <source>Add to the queue</source>
        <translation>In die Warteschlange</translation>
    </message>
    <message>
        <source>Vary a setting…</source>
        <translation>Einstellung variieren …</translation>
    </message>
    <message>
        <source>Run the queue</source>
        <translation>Warteschlange starten</translation>
    </message>
    <message>
        <source>Hold the queue</source>
        <translation>Warteschlange anhalten</translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs are waiting.</source>
        <translation>
            <numerusform>%Ln Lauf wartet.</numerusform>
            <numerusform>%Ln Läufe warten.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs are waiting; each starts when the previous one has ended.</source>
        <translation>
            <numerusform>%Ln Lauf wartet; er beginnt nach dem Ende des laufenden.</numerusform>
            <numerusform>%Ln Läufe warten; jeder beginnt nach dem Ende des vorigen.</numerusform>
        </translation>
    </message>
    <message>
        <source>The last run of the queue is active.</source>
        <translation>Der letzte Lauf der Warteschlange ist aktiv.</translation>
    </message>
</context>
<context>
    <name>temper::ui::QuitActions</name>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Stop training and quit?</source>
        <translation>Training stoppen und beenden?</translation>
    </message>
    <message>
        <source>Stop training and restart?</source>
        <translation>Training stoppen und neu starten?</translation>
    </message>
</context>
<context>
    <name>temper::ui::RecentMenu</name>
    <message>
        <source>Open recent</source>
        <translation>Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>Clear list</source>
        <translation>Liste leeren</translation>
    </message>
</context>
<context>
    <name>temper::ui::RehearsalCard</name>
    <message>
        <source>Try it first</source>
        <translation>Zuerst ausprobieren</translation>
    </message>
    <message>
        <source>A few steps on a copy; the model stays as it is.</source>
        <translation>Ein paar Schritte an einer Kopie; das Modell bleibt, wie es ist.</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>Übernehmen</translation>
    </message>
    <message>
        <source>Use the suggested learning rate</source>
        <translation>Die vorgeschlagene Lernrate übernehmen</translation>
    </message>
    <message>
        <source>Loss while the rate grows</source>
        <translation>Verlust bei wachsender Rate</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Batch</translation>
    </message>
    <message>
        <source>Smoothed</source>
        <translation>Geglättet</translation>
    </message>
    <message>
        <source>Find a learning rate</source>
        <translation>Lernrate suchen</translation>
    </message>
    <message>
        <source>Estimate time and memory</source>
        <translation>Zeit und Speicher schätzen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Looking for a learning rate</source>
        <translation>Eine Lernrate wird gesucht</translation>
    </message>
    <message>
        <source>No learning rate was found</source>
        <translation>Keine Lernrate gefunden</translation>
    </message>
    <message>
        <source>Trying a few steps</source>
        <translation>Einige Schritte werden ausprobiert</translation>
    </message>
    <message>
        <source>The run could not be estimated</source>
        <translation>Der Lauf konnte nicht geschätzt werden</translation>
    </message>
    <message>
        <source>The loss did not fall at any rate. Check the data and the loss first.</source>
        <translation>Der Verlust sank bei keiner Rate. Zuerst Daten und Verlust prüfen.</translation>
    </message>
    <message>
        <source>About %1 for %2 steps of %3 ms each, without evaluations. Memory: %4 for activations and scratch, %5 for parameters, gradients and optimizer.</source>
        <translation>Etwa %1 für %2 Schritte von je %3 ms, ohne Auswertungen. Speicher: %4 für Aktivierungen und Zwischenwerte, %5 für Parameter, Gradienten und Optimierer.</translation>
    </message>
    <message>
        <source>Find the largest batch</source>
        <translation>Größten Batch suchen</translation>
    </message>
    <message>
        <source>Memory limit for training, in GB</source>
        <translation>Speichergrenze für das Training, in GB</translation>
    </message>
    <message>
        <source>Use the largest batch</source>
        <translation>Größten Batch verwenden</translation>
    </message>
    <message>
        <source>Looking for the largest batch</source>
        <translation>Größter Batch wird gesucht</translation>
    </message>
    <message>
        <source>No batch size was found</source>
        <translation>Keine Batchgröße gefunden</translation>
    </message>
    <message>
        <source>Not even one sample fits into %1: it takes %2.</source>
        <translation>Nicht einmal ein Beispiel hat in %1 Platz: Es braucht %2.</translation>
    </message>
    <message>
        <source>All %1 training samples fit into one batch: it takes %2.</source>
        <translation>Alle %1 Trainingsbeispiele haben in einem Batch Platz: Er braucht %2.</translation>
    </message>
    <message>
        <source>Batches of up to %1 fit into %2: they take %3.</source>
        <translation>Batches bis zur Größe %1 haben in %2 Platz: Sie brauchen %3.</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Suggested: %1</source>
        <translation>Vorschlag: %1</translation>
    </message>
    <message numerus="yes">
        <source>Tried from %1 to %2 in %n steps: a good learning rate is about %3.</source>
        <translation>
            <numerusform>Versucht von %1 bis %2 in %n Schritt: Eine gute Lernrate ist etwa %3.</numerusform>
            <numerusform>Versucht von %1 bis %2 in %n Schritten: Eine gute Lernrate ist etwa %3.</numerusform>
        </translation>
    </message>
    <message>
        <source>that fits into %1 GB</source>
        <translation>der in %1 GB Platz hat</translation>
    </message>
</context>
<context>
    <name>temper::ui::RowModel</name>
    <message>
        <source>Column</source>
        <translation>Spalte</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Influence</source>
        <translation>Einfluss</translation>
    </message>
</context>
<context>
    <name>temper::ui::RunController</name>
    <message>
        <source>The run could not be rolled back</source>
        <translation>Der Lauf konnte nicht zurückgesetzt werden</translation>
    </message>
    <message>
        <source>The session could not be created</source>
        <translation>Die Sitzung konnte nicht angelegt werden</translation>
    </message>
</context>
<context>
    <name>temper::ui::RunFailure</name>
    <message>
        <source>The last good state is from step %1. %2</source>
        <translation>Der letzte gute Stand ist der von Schritt %1. %2</translation>
    </message>
    <message>
        <source>Choose the data again</source>
        <translation>Daten neu wählen</translation>
    </message>
    <message>
        <source>Continue at step %1</source>
        <translation>Bei Schritt %1 fortsetzen</translation>
    </message>
    <message>
        <source>Open node</source>
        <translation>Knoten öffnen</translation>
    </message>
    <message>
        <source>Explain %1</source>
        <translation>%1 erklären</translation>
    </message>
    <message>
        <source>Its data could not be read and has been chosen again.</source>
        <translation>Seine Daten konnten nicht gelesen werden und wurden neu gewählt.</translation>
    </message>
    <message>
        <source>Continue, or start again.</source>
        <translation>Weitermachen oder von vorn beginnen.</translation>
    </message>
</context>
<context>
    <name>temper::ui::RunFigures</name>
    <message>
        <source>Training loss</source>
        <translation>Trainingsverlust</translation>
    </message>
    <message>
        <source>Validation loss</source>
        <translation>Validierungsverlust</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Metrik</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Samples/s</source>
        <translation>Beispiele/s</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>Restzeit</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>last %1</source>
        <translation>zuletzt %1</translation>
    </message>
    <message numerus="yes">
        <source>on %Ln samples</source>
        <translation>
            <numerusform>an %Ln Beispiel</numerusform>
            <numerusform>an %Ln Beispielen</numerusform>
        </translation>
    </message>
    <message>
        <source>of %1 · epoch %2</source>
        <translation>von %1 · Ep. %2</translation>
    </message>
    <message>
        <source>data wait %1 %</source>
        <translation>Datenwarten %1 %</translation>
    </message>
    <message>
        <source>up to %1</source>
        <translation>bis zu %1</translation>
    </message>
    <message>
        <source>planned %1</source>
        <translation>geplant %1</translation>
    </message>
    <message>
        <source>lowest %1</source>
        <translation>niedrigster %1</translation>
    </message>
    <message>
        <source>min. %1</source>
        <translation>min. %1</translation>
    </message>
    <message numerus="yes">
        <source>%Ln samples</source>
        <translation>
            <numerusform>%Ln Beispiel</numerusform>
            <numerusform>%Ln Beispiele</numerusform>
        </translation>
    </message>
    <message>
        <source>of %1 · ep. %2</source>
        <translation>von %1 · Ep. %2</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>von %1</translation>
    </message>
    <message>
        <source>wait %1 %</source>
        <translation>Warten %1 %</translation>
    </message>
    <message>
        <source>≤ %1</source>
        <translation>≤ %1</translation>
    </message>
    <message>
        <source>plan %1</source>
        <translation>Plan %1</translation>
    </message>
</context>
<context>
    <name>temper::ui::RunFiles</name>
    <message>
        <source>Import a run log</source>
        <translation>Das Protokoll eines Laufs importieren</translation>
    </message>
    <message>
        <source>Run logs (*.jsonl);;All files (*)</source>
        <translation>Protokolle von Läufen (*.jsonl);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>The file could not be written</source>
        <translation>Die Datei konnte nicht geschrieben werden</translation>
    </message>
    <message>
        <source>Save a report of the run</source>
        <translation>Bericht über den Lauf speichern</translation>
    </message>
    <message>
        <source>Pages for a browser (*.html);;Pages to print (*.pdf)</source>
        <translation>Seiten für einen Browser (*.html);;Seiten zum Drucken (*.pdf)</translation>
    </message>
    <message>
        <source>Writing the report</source>
        <translation>Der Bericht wird geschrieben</translation>
    </message>
    <message>
        <source>Folder that TensorBoard reads</source>
        <translation>Ordner, den TensorBoard liest</translation>
    </message>
    <message>
        <source>Writing the event file</source>
        <translation>Die Ereignisdatei wird geschrieben</translation>
    </message>
</context>
<context>
    <name>temper::ui::RunFolderModel</name>
    <message>
        <source>All runs</source>
        <translation>Alle Läufe</translation>
    </message>
    <message>
        <source>No folder</source>
        <translation>Kein Ordner</translation>
    </message>
    <message numerus="yes">
        <source>%n runs</source>
        <translation>
            <numerusform>%n Lauf</numerusform>
            <numerusform>%n Läufe</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::RunFolders</name>
    <message>
        <source>Folders of runs</source>
        <translation>Ordner der Läufe</translation>
    </message>
    <message>
        <source>Move runs to another folder</source>
        <translation>Läufe in einen anderen Ordner legen</translation>
    </message>
    <message>
        <source>Rename folder of runs</source>
        <translation>Ordner der Läufe umbenennen</translation>
    </message>
    <message>
        <source>Folder %1</source>
        <translation>Ordner %1</translation>
    </message>
</context>
<context>
    <name>temper::ui::RunForm</name>
    <message>
        <source>float32</source>
        <translation>float32</translation>
    </message>
    <message>
        <source>bfloat16</source>
        <translation>bfloat16</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>%1 ändern</translation>
    </message>
    <message>
        <source>Change the metrics</source>
        <translation>Metriken ändern</translation>
    </message>
    <message>
        <source>Change “%1”</source>
        <translation>„%1“ ändern</translation>
    </message>
    <message>
        <source>%1 in minutes</source>
        <translation>%1 in Minuten</translation>
    </message>
    <message>
        <source>The model accepts no other number of samples.</source>
        <translation>Das Modell nimmt keine andere Anzahl Beispiele an.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
</context>
<context>
    <name>temper::ui::RunGuard</name>
    <message>
        <source>Training is running</source>
        <translation>Das Training läuft</translation>
    </message>
    <message>
        <source>The run stops after the current step.</source>
        <translation>Der Lauf endet nach dem aktuellen Schritt.</translation>
    </message>
    <message>
        <source>Stop training</source>
        <translation>Training stoppen</translation>
    </message>
    <message>
        <source>Keep training</source>
        <translation>Weiter trainieren</translation>
    </message>
</context>
<context>
    <name>temper::ui::RunHistory</name>
    <message>
        <source>The run can&apos;t be recorded</source>
        <translation>Der Lauf lässt sich nicht aufzeichnen</translation>
    </message>
    <message>
        <source>Reading runs</source>
        <translation>Läufe werden gelesen</translation>
    </message>
    <message>
        <source>The history of runs could not be read</source>
        <translation>Der Verlauf der Läufe konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>Reading checkpoint</source>
        <translation>Prüfpunkt wird gelesen</translation>
    </message>
    <message>
        <source>The last checkpoint could not be read</source>
        <translation>Der letzte Prüfpunkt konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>Reading run</source>
        <translation>Lauf wird gelesen</translation>
    </message>
    <message>
        <source>The log of the run could not be read</source>
        <translation>Das Protokoll des Laufs konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>Writing notes</source>
        <translation>Notizen werden geschrieben</translation>
    </message>
    <message>
        <source>The history of runs could not be changed</source>
        <translation>Der Verlauf der Läufe konnte nicht geändert werden</translation>
    </message>
    <message>
        <source>The log could not be imported</source>
        <translation>Das Protokoll konnte nicht importiert werden</translation>
    </message>
    <message>
        <source>Importing run</source>
        <translation>Lauf wird importiert</translation>
    </message>
    <message>
        <source>Use settings of %1</source>
        <translation>Einstellungen von %1 übernehmen</translation>
    </message>
    <message>
        <source>The settings can&apos;t be used</source>
        <translation>Die Einstellungen lassen sich nicht übernehmen</translation>
    </message>
    <message>
        <source>The checkpoint could not be loaded</source>
        <translation>Der Prüfpunkt konnte nicht geladen werden</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Gestoppt</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Gescheitert</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>Unterbrochen</translation>
    </message>
    <message>
        <source>The runs can&apos;t be kept</source>
        <translation>Die Läufe können nicht aufbewahrt werden</translation>
    </message>
    <message>
        <source>Writing runs</source>
        <translation>Läufe schreiben</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Wartet</translation>
    </message>
</context>
<context>
    <name>temper::ui::RunModel</name>
    <message>
        <source>last checkpoint</source>
        <translation>letzter Prüfpunkt</translation>
    </message>
    <message>
        <source>checkpoint</source>
        <translation>Prüfpunkt</translation>
    </message>
    <message>
        <source>best %1</source>
        <translation>bester %1</translation>
    </message>
    <message>
        <source>Training begins at step %1 of %2</source>
        <translation>Das Training beginnt bei Schritt %1 von %2</translation>
    </message>
    <message>
        <source>Epoch %1: mean loss %2 in %3</source>
        <translation>Epoche %1: mittlerer Verlust %2 in %3</translation>
    </message>
    <message>
        <source>Step %1: validation loss %2</source>
        <translation>Schritt %1: Validierungsverlust %2</translation>
    </message>
    <message>
        <source>Checkpoint of step %1: %2</source>
        <translation>Prüfpunkt von Schritt %1: %2</translation>
    </message>
    <message>
        <source>rate by schedule</source>
        <translation>Rate nach Plan</translation>
    </message>
    <message>
        <source>rate %1</source>
        <translation>Rate %1</translation>
    </message>
    <message>
        <source>Step %1: the learning rate follows the schedule again</source>
        <translation>Schritt %1: Die Lernrate folgt wieder dem Plan</translation>
    </message>
    <message>
        <source>Step %1: the learning rate was set to %2</source>
        <translation>Schritt %1: Die Lernrate wurde auf %2 gesetzt</translation>
    </message>
    <message>
        <source>back from %1</source>
        <translation>zurück von %1</translation>
    </message>
    <message>
        <source>Rolled back from step %1 to step %2</source>
        <translation>Von Schritt %1 auf Schritt %2 zurückgesetzt</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>Training could not start: %1</source>
        <translation>Das Training konnte nicht beginnen: %1</translation>
    </message>
    <message>
        <source>Training failed at step %1: %2</source>
        <translation>Das Training scheiterte bei Schritt %1: %2</translation>
    </message>
    <message>
        <source>Training ended after step %1</source>
        <translation>Das Training endete nach Schritt %1</translation>
    </message>
    <message>
        <source>Training could not start</source>
        <translation>Das Training konnte nicht beginnen</translation>
    </message>
    <message>
        <source>Training stopped at step %1</source>
        <translation>Das Training stoppte bei Schritt %1</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 h %2 min</translation>
    </message>
    <message>
        <source>Checkpoint no longer kept: %1</source>
        <translation>Prüfpunkt nicht mehr behalten: %1</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
</context>
<context>
    <name>temper::ui::RunOverlay</name>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Metric to compare</source>
        <translation>Verglichene Metrik</translation>
    </message>
    <message>
        <source>Select runs to see their curves together.</source>
        <translation>Läufe auswählen, um ihre Kurven zu vergleichen.</translation>
    </message>
    <message>
        <source>Reading runs</source>
        <translation>Läufe werden gelesen</translation>
    </message>
    <message>
        <source>The log of a run could not be read</source>
        <translation>Das Protokoll eines Laufs konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>Smoothing of the curves</source>
        <translation>Glättung der Kurven</translation>
    </message>
    <message>
        <source>The weight of past values, from 0 to 1, as on the page Train.</source>
        <translation>Das Gewicht vergangener Werte, von 0 bis 1, wie auf der Seite „Training“.</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>Glättung</translation>
    </message>
    <message>
        <source>Values of the runs at a step, best first</source>
        <translation>Werte der Läufe bei einem Schritt, der beste zuerst</translation>
    </message>
    <message>
        <source>The first %1 of %2 chosen runs are shown.</source>
        <translation>Gezeigt werden die ersten %1 von %2 gewählten Läufen.</translation>
    </message>
    <message>
        <source>Smoothing curves</source>
        <translation>Kurven werden geglättet</translation>
    </message>
    <message>
        <source>The curves can&apos;t be smoothed</source>
        <translation>Die Kurven können nicht geglättet werden</translation>
    </message>
    <message>
        <source>At step %1</source>
        <translation>Bei Schritt %1</translation>
    </message>
</context>
<context>
    <name>temper::ui::RunQueue</name>
    <message>
        <source>Preparing %1</source>
        <translation>%1 vorbereiten</translation>
    </message>
    <message>
        <source>%1 can&apos;t train</source>
        <translation>%1 kann nicht trainieren</translation>
    </message>
</context>
<context>
    <name>temper::ui::RunScope</name>
    <message>
        <source>Whose runs are shown</source>
        <translation>Wessen Läufe gezeigt werden</translation>
    </message>
    <message>
        <source>This project</source>
        <translation>Dieses Projekt</translation>
    </message>
    <message>
        <source>All projects</source>
        <translation>Alle Projekte</translation>
    </message>
</context>
<context>
    <name>temper::ui::RunTableFeed</name>
    <message>
        <source>Preparing the table of runs</source>
        <translation>Die Tabelle der Läufe wird vorbereitet</translation>
    </message>
    <message>
        <source>The runs can&apos;t be shown</source>
        <translation>Die Läufe lassen sich nicht zeigen</translation>
    </message>
</context>
<context>
    <name>temper::ui::RunTableModel</name>
    <message>
        <source>best %1 at step %2, last %3 at step %4</source>
        <translation>bester %1 bei Schritt %2, letzter %3 bei Schritt %4</translation>
    </message>
    <message>
        <source>lowest mean of a part of the run %1, last batch %2 at step %3</source>
        <translation>niedrigstes Mittel eines Teils des Laufs %1, letzter Batch %2 bei Schritt %3</translation>
    </message>
</context>
<context>
    <name>temper::ui::RunTagCommands</name>
    <message>
        <source>Change tags of run</source>
        <translation>Schlagwörter des Laufs ändern</translation>
    </message>
    <message>
        <source>Add tags</source>
        <translation>Schlagwörter hinzufügen</translation>
    </message>
    <message>
        <source>Tags, separated by commas</source>
        <translation>Schlagwörter, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>Add tags to runs</source>
        <translation>Läufen Schlagwörter hinzufügen</translation>
    </message>
</context>
<context>
    <name>temper::ui::RunValueModel</name>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Smoothed</source>
        <translation>Geglättet</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
</context>
<context>
    <name>temper::ui::RunsDock</name>
    <message>
        <source>Import a log…</source>
        <translation>Protokoll importieren …</translation>
    </message>
    <message>
        <source>Use its settings</source>
        <translation>Einstellungen übernehmen</translation>
    </message>
    <message>
        <source>Continue run</source>
        <translation>Lauf fortsetzen</translation>
    </message>
    <message>
        <source>Report…</source>
        <translation>Bericht …</translation>
    </message>
    <message>
        <source>TensorBoard file…</source>
        <translation>TensorBoard-Datei …</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>In den Papierkorb</translation>
    </message>
    <message>
        <source>Search runs</source>
        <translation>Läufe durchsuchen</translation>
    </message>
    <message>
        <source>Best values</source>
        <translation>Beste Werte</translation>
    </message>
    <message>
        <source>Last values</source>
        <translation>Letzte Werte</translation>
    </message>
    <message>
        <source>Lowest values</source>
        <translation>Kleinste Werte</translation>
    </message>
    <message>
        <source>Which value of a metric</source>
        <translation>Welcher Wert einer Metrik</translation>
    </message>
    <message>
        <source>Differences only</source>
        <translation>Nur Unterschiede</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>Papierkorb</translation>
    </message>
    <message>
        <source>Restore from trash</source>
        <translation>Aus dem Papierkorb holen</translation>
    </message>
    <message>
        <source>Runs (%1)</source>
        <translation>Läufe (%1)</translation>
    </message>
    <message numerus="yes">
        <source>%n runs are in the trash</source>
        <translation>
            <numerusform>Ein Lauf ist im Papierkorb</numerusform>
            <numerusform>%n Läufe sind im Papierkorb</numerusform>
        </translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Rename run</source>
        <translation>Lauf umbenennen</translation>
    </message>
    <message>
        <source>Move run to another folder</source>
        <translation>Lauf in einen anderen Ordner legen</translation>
    </message>
    <message>
        <source>Change notes of run</source>
        <translation>Notizen des Laufs ändern</translation>
    </message>
    <message>
        <source>Pin runs</source>
        <translation>Läufe anheften</translation>
    </message>
    <message>
        <source>Unpin runs</source>
        <translation>Läufe lösen</translation>
    </message>
    <message>
        <source>Runs as columns</source>
        <translation>Läufe als Spalten</translation>
    </message>
    <message numerus="yes">
        <source>%Ln more runs: search, or select some of the rows.</source>
        <translation>
            <numerusform>Ein weiterer Lauf: suchen oder einige unter den Zeilen auswählen.</numerusform>
            <numerusform>%Ln weitere Läufe: suchen oder einige unter den Zeilen auswählen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Runs as rows</source>
        <translation>Läufe als Zeilen</translation>
    </message>
    <message>
        <source>Parallel axes</source>
        <translation>Parallele Achsen</translation>
    </message>
    <message>
        <source>How runs are shown</source>
        <translation>Wie Läufe gezeigt werden</translation>
    </message>
    <message>
        <source>Put into a new folder</source>
        <translation>In einen neuen Ordner legen</translation>
    </message>
    <message>
        <source>Add tags…</source>
        <translation>Schlagwörter hinzufügen …</translation>
    </message>
    <message>
        <source>Open its project</source>
        <translation>Sein Projekt öffnen</translation>
    </message>
    <message>
        <source>No runs yet. Every training run of this project is kept here. Runs of other projects and of untitled documents are under “All projects”.</source>
        <translation>Noch keine Läufe. Jeder Trainingslauf dieses Projekts wird hier aufgehoben. Läufe anderer Projekte und unbenannter Dokumente stehen unter „Alle Projekte“.</translation>
    </message>
</context>
<context>
    <name>temper::ui::SampleModel</name>
    <message>
        <source>%1 ✗</source>
        <translation>%1 ✗</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1, wrong</source>
        <translation>%1, falsch</translation>
    </message>
    <message>
        <source>Sample</source>
        <translation>Beispiel</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>Label</translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation>Vorhersage</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Position</source>
        <translation>Stelle</translation>
    </message>
</context>
<context>
    <name>temper::ui::SampleView</name>
    <message>
        <source>Show all samples</source>
        <translation>Alle Beispiele zeigen</translation>
    </message>
    <message>
        <source>Samples and predictions</source>
        <translation>Beispiele und Vorhersagen</translation>
    </message>
    <message>
        <source>Evaluate to see the samples that the model gets wrong.</source>
        <translation>Eine Auswertung zeigt die Beispiele, bei denen das Modell sich irrt.</translation>
    </message>
    <message>
        <source>Evaluate</source>
        <translation>Auswerten</translation>
    </message>
    <message>
        <source>Press Enter or double-click to try the sample.</source>
        <translation>Mit der Eingabetaste oder einem Doppelklick das Beispiel ausprobieren.</translation>
    </message>
    <message>
        <source>Worst first</source>
        <translation>Schlechteste zuerst</translation>
    </message>
    <message>
        <source>Best first</source>
        <translation>Beste zuerst</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>Zufällig</translation>
    </message>
    <message>
        <source>Order of the samples</source>
        <translation>Reihenfolge der Beispiele</translation>
    </message>
    <message>
        <source>%1, predicted as %2</source>
        <translation>%1, als %2 vorhergesagt</translation>
    </message>
    <message>
        <source>Looking up samples</source>
        <translation>Beispiele werden nachgeschlagen</translation>
    </message>
    <message>
        <source>The samples could not be read</source>
        <translation>Die Beispiele konnten nicht gelesen werden</translation>
    </message>
</context>
<context>
    <name>temper::ui::SaveActions</name>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Speichern unter …</translation>
    </message>
    <message>
        <source>Save choices only…</source>
        <translation>Nur die Einstellungen speichern …</translation>
    </message>
    <message>
        <source>Save as one file…</source>
        <translation>Als eine Datei speichern …</translation>
    </message>
    <message>
        <source>Export for students…</source>
        <translation>Für Lernende exportieren …</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern …</translation>
    </message>
    <message>
        <source>Save choices</source>
        <translation>Einstellungen speichern</translation>
    </message>
    <message>
        <source>Choices (*.json)</source>
        <translation>Einstellungen (*.json)</translation>
    </message>
    <message>
        <source>Save the project as one file</source>
        <translation>Das Projekt als eine Datei speichern</translation>
    </message>
    <message>
        <source>Export the project for students</source>
        <translation>Das Projekt für Lernende exportieren</translation>
    </message>
    <message>
        <source>Projects (*.temper)</source>
        <translation>Projekte (*.temper)</translation>
    </message>
    <message>
        <source>The project is in %1 (%2).</source>
        <translation>Das Projekt liegt in %1 (%2).</translation>
    </message>
    <message>
        <source>%1 does not contain the data</source>
        <translation>%1 enthält die Daten nicht</translation>
    </message>
    <message>
        <source>%1 is too large, or has files elsewhere.</source>
        <translation>%1 ist zu groß oder hat Dateien an anderen Orten.</translation>
    </message>
    <message>
        <source>Pass on the data, too; whoever opens the project chooses it again.</source>
        <translation>Die Daten müssen mitgegeben werden; wer das Projekt öffnet, wählt sie neu.</translation>
    </message>
    <message>
        <source>%1 was already unpacked: this is the project as you left it, in %2.</source>
        <translation>%1 wurde schon entpackt: Das ist das Projekt, wie es verlassen wurde, in %2.</translation>
    </message>
    <message>
        <source>%1 was unpacked into %2.</source>
        <translation>%1 wurde nach %2 entpackt.</translation>
    </message>
    <message>
        <source>The project is saved in %1; its runs and checkpoints are kept there, too.</source>
        <translation>Das Projekt ist in %1 gespeichert, mit seinen Läufen und Prüfpunkten.</translation>
    </message>
</context>
<context>
    <name>temper::ui::ScaleEdit</name>
    <message>
        <source>Normalization</source>
        <translation>Normalisierung</translation>
    </message>
    <message>
        <source>Pixels to −1…1</source>
        <translation>Pixel auf −1…1</translation>
    </message>
    <message>
        <source>Unchanged</source>
        <translation>Unverändert</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>Mittelwert</translation>
    </message>
    <message>
        <source>Deviation</source>
        <translation>Abweichung</translation>
    </message>
    <message>
        <source>One number, or one for each column, separated by commas.</source>
        <translation>Eine Zahl oder eine je Spalte, durch Kommas getrennt.</translation>
    </message>
    <message>
        <source>Pixels to 0…1</source>
        <translation>Pixel auf 0…1</translation>
    </message>
    <message>
        <source>Custom</source>
        <translation>Eigene</translation>
    </message>
    <message>
        <source>One number, or one for each channel, separated by commas, for pixel values between 0 and 1.</source>
        <translation>Eine Zahl oder eine je Kanal, durch Kommas getrennt, für Pixelwerte zwischen 0 und 1.</translation>
    </message>
    <message>
        <source>ImageNet statistics</source>
        <translation>ImageNet-Statistik</translation>
    </message>
    <message>
        <source>Mean 0, deviation 1</source>
        <translation>Mittel 0, Abweichung 1</translation>
    </message>
    <message>
        <source>For each channel, as measured on the training samples</source>
        <translation>Für jeden Kanal, gemessen an den Trainingsbeispielen</translation>
    </message>
    <message>
        <source>For each column, as measured on the training samples</source>
        <translation>Für jede Spalte, gemessen an den Trainingsbeispielen</translation>
    </message>
    <message>
        <source>ImageNet&apos;s mean and deviation for each channel</source>
        <translation>Mittel und Abweichung von ImageNet je Kanal</translation>
    </message>
</context>
<context>
    <name>temper::ui::SchedulePreview</name>
    <message>
        <source>Planned learning rate</source>
        <translation>Geplante Lernrate</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>It falls when evaluations stop improving.</source>
        <translation>Sie sinkt, wenn die Auswertungen nicht mehr besser werden.</translation>
    </message>
    <message numerus="yes">
        <source>Drawn for %Ln steps; without data, their number is not known yet.</source>
        <translation>
            <numerusform>Für %Ln Schritt gezeichnet; ohne Daten ist die Anzahl noch nicht bekannt.</numerusform>
            <numerusform>Für %Ln Schritte gezeichnet; ohne Daten ist die Anzahl noch nicht bekannt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln steps in this run. Rings can be dragged.</source>
        <translation>
            <numerusform>%Ln Schritt in diesem Lauf. Ringe lassen sich ziehen.</numerusform>
            <numerusform>%Ln Schritte in diesem Lauf. Ringe lassen sich ziehen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Drag the schedule to %1</source>
        <translation>Lernratenplan ziehen auf %1</translation>
    </message>
</context>
<context>
    <name>temper::ui::SearchBar</name>
    <message>
        <source>Found nodes</source>
        <translation>Gefundene Knoten</translation>
    </message>
    <message>
        <source>op:Conv k=3 name:layer1</source>
        <translation>op:Conv k=3 name:layer1</translation>
    </message>
    <message>
        <source>Name or number</source>
        <translation>Name oder Nummer</translation>
    </message>
    <message>
        <source>Find nodes</source>
        <translation>Knoten suchen</translation>
    </message>
    <message>
        <source>Go to node</source>
        <translation>Gehe zu Knoten</translation>
    </message>
    <message>
        <source>Searching</source>
        <translation>Suche läuft</translation>
    </message>
    <message>
        <source>The search failed</source>
        <translation>Die Suche ist gescheitert</translation>
    </message>
    <message>
        <source>Operators, names, tensors, or op: name: tensor: k=3 stride&gt;1</source>
        <translation>Operatoren, Namen, Tensoren, oder op: name: tensor: k=3 stride&gt;1</translation>
    </message>
    <message>
        <source>The node&apos;s name, a part of it, or its number</source>
        <translation>Der Name des Knotens, ein Teil davon oder seine Nummer</translation>
    </message>
    <message>
        <source>No node found.</source>
        <translation>Kein Knoten gefunden.</translation>
    </message>
    <message numerus="yes">
        <source>%n nodes</source>
        <translation>
            <numerusform>%n Knoten</numerusform>
            <numerusform>%n Knoten</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::SelectedParameters</name>
    <message>
        <source>Move parameters to group…</source>
        <translation>Parameter in Gruppe verschieben …</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Trainieren</translation>
    </message>
    <message>
        <source>Freeze</source>
        <translation>Einfrieren</translation>
    </message>
</context>
<context>
    <name>temper::ui::SeriesTableModel</name>
    <message>
        <source>level</source>
        <translation>gleichbleibend</translation>
    </message>
    <message>
        <source>falling</source>
        <translation>fallend</translation>
    </message>
    <message>
        <source>rising</source>
        <translation>steigend</translation>
    </message>
    <message>
        <source>Curve</source>
        <translation>Kurve</translation>
    </message>
    <message>
        <source>Points</source>
        <translation>Punkte</translation>
    </message>
    <message>
        <source>First</source>
        <translation>Erster</translation>
    </message>
    <message>
        <source>Last</source>
        <translation>Letzter</translation>
    </message>
    <message>
        <source>Minimum</source>
        <translation>Minimum</translation>
    </message>
    <message>
        <source>at step</source>
        <translation>bei Schritt</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>Maximum</translation>
    </message>
    <message>
        <source>%1 goes from %2 to %3 between steps %4 and %5 and is %6; its lowest value is %7 at step %8, its highest %9.</source>
        <translation>%1 geht von %2 bis %3 zwischen den Schritten %4 und %5 und ist %6; der kleinste Wert ist %7 bei Schritt %8, der größte %9.</translation>
    </message>
    <message>
        <source>%1: nothing is drawn yet.</source>
        <translation>%1: Noch ist nichts gezeichnet.</translation>
    </message>
    <message>
        <source>%1. %2</source>
        <translation>%1. %2</translation>
    </message>
</context>
<context>
    <name>temper::ui::ShortcutDialog</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Search commands and keys</source>
        <translation>Befehle und Tasten durchsuchen</translation>
    </message>
    <message>
        <source>Restore all defaults</source>
        <translation>Alle Vorgaben wiederherstellen</translation>
    </message>
    <message>
        <source>New keys</source>
        <translation>Neue Tasten</translation>
    </message>
    <message>
        <source>No keys</source>
        <translation>Keine Tasten</translation>
    </message>
    <message>
        <source>Restore default</source>
        <translation>Vorgabe wiederherstellen</translation>
    </message>
    <message>
        <source>Click into the field and press the new keys.</source>
        <translation>In das Feld klicken und die neuen Tasten drücken.</translation>
    </message>
    <message>
        <source>Select a command to change its keys.</source>
        <translation>Einen Befehl auswählen, um seine Tasten zu ändern.</translation>
    </message>
    <message>
        <source>“%1” had these keys and has none now.</source>
        <translation>„%1“ hatte diese Tasten und hat jetzt keine.</translation>
    </message>
</context>
<context>
    <name>temper::ui::ShortcutModel</name>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>Menü</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
</context>
<context>
    <name>temper::ui::SliceChooser</name>
    <message>
        <source>Down</source>
        <translation>Nach unten</translation>
    </message>
    <message>
        <source>Across</source>
        <translation>Nach rechts</translation>
    </message>
    <message>
        <source>Axis %1</source>
        <translation>Achse %1</translation>
    </message>
    <message>
        <source>Index of axis %1</source>
        <translation>Index der Achse %1</translation>
    </message>
    <message>
        <source>axis %1 (%2)</source>
        <translation>Achse %1 (%2)</translation>
    </message>
</context>
<context>
    <name>temper::ui::SoundBar</name>
    <message>
        <source>The microphone sends no sound. Close other programs that use it, or plug it in again.</source>
        <translation>Das Mikrofon liefert keinen Ton. Andere Programme schließen, die es verwenden, oder es neu anschließen.</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>Aufnehmen</translation>
    </message>
    <message>
        <source>Level of the microphone</source>
        <translation>Pegel des Mikrofons</translation>
    </message>
    <message>
        <source>Microphone</source>
        <translation>Mikrofon</translation>
    </message>
    <message>
        <source>Open sound…</source>
        <translation>Klang öffnen …</translation>
    </message>
    <message>
        <source>Sample rate (Hz)</source>
        <translation>Abtastrate (Hz)</translation>
    </message>
    <message>
        <source>As loud as the training sounds</source>
        <translation>So laut wie die Trainingsklänge</translation>
    </message>
    <message>
        <source>The model gets the loudest %1 s of a sound: %2 numbers.</source>
        <translation>Das Modell erhält die lautesten %1 s eines Klangs: %2 Zahlen.</translation>
    </message>
    <message>
        <source>No microphone is connected. Plug one in and record again.</source>
        <translation>Kein Mikrofon ist angeschlossen. Eines anschließen und erneut aufnehmen.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stoppen</translation>
    </message>
    <message>
        <source>Nothing was recorded yet.</source>
        <translation>Es wurde noch nichts aufgenommen.</translation>
    </message>
    <message>
        <source>The recording is silent. The microphone may be muted.</source>
        <translation>Die Aufnahme ist still. Vielleicht ist das Mikrofon stummgeschaltet.</translation>
    </message>
    <message>
        <source>Open sound</source>
        <translation>Klang öffnen</translation>
    </message>
    <message>
        <source>Sounds (*.wav)</source>
        <translation>Klänge (*.wav)</translation>
    </message>
    <message>
        <source>The sample rate of the training sounds. The data does not include it, so it is a guess.</source>
        <translation>Die Abtastrate der Trainingsklänge. Die Daten enthalten sie nicht; sie ist geschätzt.</translation>
    </message>
</context>
<context>
    <name>temper::ui::SoundnessCard</name>
    <message>
        <source>Does it learn at all?</source>
        <translation>Lernt es überhaupt?</translation>
    </message>
    <message>
        <source>A model that can&apos;t memorize one batch will not learn all the data either.</source>
        <translation>Ein Modell, das nicht einmal einen Batch auswendig lernen kann, lernt auch nicht alle Daten.</translation>
    </message>
    <message>
        <source>Loss of one batch</source>
        <translation>Verlust eines Batches</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Learn one batch</source>
        <translation>Einen Batch lernen</translation>
    </message>
    <message>
        <source>Check the gradients</source>
        <translation>Gradienten prüfen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Learning one batch</source>
        <translation>Ein Batch wird gelernt</translation>
    </message>
    <message>
        <source>The batch could not be tried</source>
        <translation>Der Batch konnte nicht probiert werden</translation>
    </message>
    <message>
        <source>Checking the gradients</source>
        <translation>Gradienten werden geprüft</translation>
    </message>
    <message>
        <source>The gradients could not be checked</source>
        <translation>Die Gradienten konnten nicht geprüft werden</translation>
    </message>
    <message>
        <source>The first loss is not a number. Check the data for NaN, infinity or labels outside the classes.</source>
        <translation>Der erste Verlust ist keine Zahl. Der Grund liegt oft in den Daten: NaN, unendlich oder Labels außerhalb der Klassen.</translation>
    </message>
    <message numerus="yes">
        <source>In %Ln steps the loss of one batch fell from %1 to %2.</source>
        <translation>
            <numerusform>In %Ln Schritt fiel der Verlust eines Batches von %1 auf %2.</numerusform>
            <numerusform>In %Ln Schritten fiel der Verlust eines Batches von %1 auf %2.</numerusform>
        </translation>
    </message>
    <message>
        <source>It is learned by heart: model, labels and loss fit together.</source>
        <translation>Er ist auswendig gelernt: Modell, Labels und Verlust passen zusammen.</translation>
    </message>
    <message>
        <source>It learns, but slowly: try a higher learning rate or train more layers.</source>
        <translation>Es lernt, aber langsam: eine höhere Lernrate versuchen oder mehr Schichten trainieren.</translation>
    </message>
    <message>
        <source>It hardly learns. Check the learning rate, what trains, the labels, and whether the loss reads the right output.</source>
        <translation>Es lernt kaum. Zu prüfen sind die Lernrate, was trainiert wird, die Labels und ob der Verlust den richtigen Ausgang liest.</translation>
    </message>
    <message>
        <source>Nothing to train.</source>
        <translation>Nichts zu trainieren.</translation>
    </message>
    <message numerus="yes">
        <source>The gradients of %Ln parameters agree with finite differences of the loss; the largest relative error is %1.</source>
        <translation>
            <numerusform>Der Gradient von %Ln Parameter stimmt mit finiten Differenzen des Verlusts überein; der relative Fehler ist %1.</numerusform>
            <numerusform>Die Gradienten von %Ln Parametern stimmen mit finiten Differenzen des Verlusts überein; der größte relative Fehler ist %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The gradients of %Ln parameters do not agree with finite differences of the loss; the worst is %1 (relative error %2).</source>
        <translation>
            <numerusform>Der Gradient von %Ln Parameter stimmt nicht mit finiten Differenzen des Verlusts überein: %1 (relativer Fehler %2).</numerusform>
            <numerusform>Die Gradienten von %Ln Parametern stimmen nicht mit finiten Differenzen des Verlusts überein, am wenigsten bei %1 (relativer Fehler %2).</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::StageRail</name>
    <message>
        <source>Stages</source>
        <translation>Arbeitsschritte</translation>
    </message>
</context>
<context>
    <name>temper::ui::StartPage</name>
    <message>
        <source>Welcome to Temper</source>
        <translation>Willkommen bei Temper</translation>
    </message>
    <message>
        <source>Open an ONNX model, choose what to train, watch it learn, export the result.</source>
        <translation>Ein ONNX-Modell öffnen, wählen, was trainiert wird, ihm beim Lernen zusehen, das Ergebnis exportieren.</translation>
    </message>
    <message>
        <source>Open model…</source>
        <translation>Modell öffnen …</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>Lektionen</translation>
    </message>
    <message>
        <source>Recent files</source>
        <translation>Zuletzt geöffnete Dateien</translation>
    </message>
    <message>
        <source>Models that you open appear here. You can also drop a model, a checkpoint or data anywhere on this window.</source>
        <translation>Geöffnete Modelle erscheinen hier. Ein Modell, ein Prüfpunkt oder Daten lassen sich auch irgendwo auf diesem Fenster ablegen.</translation>
    </message>
    <message>
        <source>Lessons and recent files</source>
        <translation>Lektionen und zuletzt geöffnete Dateien</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Remove from list</source>
        <translation>Aus der Liste entfernen</translation>
    </message>
</context>
<context>
    <name>temper::ui::StatisticsBox</name>
    <message>
        <source>In training, batch normalization uses the mean and variance of each batch and updates running averages of them for inference. If batches are small or only the last layers train, freeze the running averages: the model then computes the same in training as after export.</source>
        <translation>Beim Training verwendet eine Batch-Normalisierung Mittelwert und Varianz jedes Batches und führt laufende Mittel davon für die Inferenz nach. Bei kleinen Batches, oder wenn nur die letzten Schichten trainieren, die laufenden Mittel einfrieren: Das Modell rechnet dann beim Training dasselbe wie nach dem Export.</translation>
    </message>
    <message numerus="yes">
        <source>Freeze batch-norm statistics (%Ln layers)</source>
        <translation>
            <numerusform>Batch-Norm-Statistik einfrieren (%Ln Schicht)</numerusform>
            <numerusform>Batch-Norm-Statistik einfrieren (%Ln Schichten)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Freeze batch-norm statistics (%1 of %Ln layers)</source>
        <translation>
            <numerusform>Batch-Norm-Statistik einfrieren (%1 von %Ln Schicht)</numerusform>
            <numerusform>Batch-Norm-Statistik einfrieren (%1 von %Ln Schichten)</numerusform>
        </translation>
    </message>
    <message>
        <source>Freeze batch-norm statistics</source>
        <translation>Batch-Statistik behalten</translation>
    </message>
    <message>
        <source>Unfreeze batch-norm statistics</source>
        <translation>Batch-Norm-Statistik auftauen</translation>
    </message>
</context>
<context>
    <name>temper::ui::StatusStrip</name>
    <message>
        <source>%1 M</source>
        <translation>%1 Mio.</translation>
    </message>
    <message>
        <source>No model is open</source>
        <translation>Kein Modell geöffnet</translation>
    </message>
    <message>
        <source>%1 train · %2 frozen</source>
        <translation>%1 trainieren · %2 eingefroren</translation>
    </message>
    <message>
        <source>Trained and frozen parameter values</source>
        <translation>Trainierte und eingefrorene Parameterwerte</translation>
    </message>
    <message>
        <source>%1 · CPU %2 %</source>
        <translation>%1 · CPU %2 %</translation>
    </message>
    <message>
        <source>Memory and CPU share of the program</source>
        <translation>Speicher und Anteil am Prozessor des Programms</translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>Schritt %1 von %2</translation>
    </message>
    <message>
        <source>%1 · %2 to %3 left</source>
        <translation>%1 · noch %2 bis %3</translation>
    </message>
    <message>
        <source>Progress of training</source>
        <translation>Fortschritt des Trainings</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stoppen</translation>
    </message>
    <message>
        <source>Stop training</source>
        <translation>Training stoppen</translation>
    </message>
    <message>
        <source>%1…</source>
        <translation>%1 …</translation>
    </message>
    <message>
        <source>Work in progress</source>
        <translation>Arbeit läuft</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancel: %1</source>
        <translation>Abbrechen: %1</translation>
    </message>
    <message>
        <source>%1 · %2 left</source>
        <translation>%1 · noch %2</translation>
    </message>
</context>
<context>
    <name>temper::ui::SteeringBar</name>
    <message>
        <source>Learning &amp;rate</source>
        <translation>Lern&amp;rate</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>Learning rate, by powers of ten</source>
        <translation>Lernrate, in Zehnerpotenzen</translation>
    </message>
    <message>
        <source>S&amp;moothing</source>
        <translation>&amp;Glättung</translation>
    </message>
    <message>
        <source>Smoothing of the curves</source>
        <translation>Glättung der Kurven</translation>
    </message>
    <message>
        <source>Change learning rate</source>
        <translation>Lernrate ändern</translation>
    </message>
    <message>
        <source>Spee&amp;d</source>
        <translation>&amp;Tempo</translation>
    </message>
    <message>
        <source>Steps per second</source>
        <translation>Schritte je Sekunde</translation>
    </message>
    <message>
        <source>Slows training down, so that you can watch it. The results are the same.</source>
        <translation>Bremst das Training, damit man zusehen kann. Die Ergebnisse sind dieselben.</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>full</source>
        <translation>voll</translation>
    </message>
</context>
<context>
    <name>temper::ui::StudioProject</name>
    <message>
        <source>Opening %1</source>
        <translation>%1 wird geöffnet</translation>
    </message>
    <message>
        <source>Opening lesson %1</source>
        <translation>Lektion %1 wird geöffnet</translation>
    </message>
    <message>
        <source>The file could not be opened</source>
        <translation>Die Datei konnte nicht geöffnet werden</translation>
    </message>
    <message>
        <source>Reloading %1</source>
        <translation>%1 wird neu geladen</translation>
    </message>
    <message>
        <source>Changing the model</source>
        <translation>Modell wird geändert</translation>
    </message>
    <message>
        <source>The model could not be changed</source>
        <translation>Das Modell konnte nicht geändert werden</translation>
    </message>
    <message>
        <source>The choices could not be saved</source>
        <translation>Die Einstellungen konnten nicht gespeichert werden</translation>
    </message>
    <message>
        <source>Keep the model</source>
        <translation>Modell behalten</translation>
    </message>
</context>
<context>
    <name>temper::ui::SweepDialog</name>
    <message>
        <source>Vary a setting</source>
        <translation>Einstellung variieren</translation>
    </message>
    <message>
        <source>One run for each value; everything else stays as it is now.</source>
        <translation>Ein Lauf je Wert; alles andere bleibt, wie es jetzt ist.</translation>
    </message>
    <message>
        <source>&amp;Setting</source>
        <translation>&amp;Einstellung</translation>
    </message>
    <message>
        <source>&amp;Values</source>
        <translation>&amp;Werte</translation>
    </message>
    <message>
        <source>Add to the queue</source>
        <translation>In die Warteschlange</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Numbers with commas between them, or a range: 0.001..0.1:5 are five values.</source>
        <translation>Zahlen mit Kommas dazwischen, oder ein Bereich: 0.001..0.1:5 sind fünf Werte.</translation>
    </message>
    <message>
        <source>Names with commas between them.</source>
        <translation>Namen mit Kommas dazwischen.</translation>
    </message>
    <message>
        <source>Type at least one value.</source>
        <translation>Mindestens einen Wert eingeben.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs: %1</source>
        <translation>
            <numerusform>%Ln Lauf: %1</numerusform>
            <numerusform>%Ln Läufe: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::TableMaker</name>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>Begonnen</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>this one</source>
        <translation>dieses</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
</context>
<context>
    <name>temper::ui::TagDelegate</name>
    <message>
        <source>Tags, separated by commas</source>
        <translation>Schlagwörter, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
</context>
<context>
    <name>temper::ui::TaskRunner</name>
    <message>
        <source>Cancelled.</source>
        <translation>Abgebrochen.</translation>
    </message>
</context>
<context>
    <name>temper::ui::TensorMimeData</name>
    <message>
        <source>The tensor could not be saved</source>
        <translation>Der Tensor konnte nicht gespeichert werden</translation>
    </message>
</context>
<context>
    <name>temper::ui::TensorModel</name>
    <message>
        <source>literal</source>
        <translation>Literal</translation>
    </message>
    <message>
        <source>initializer</source>
        <translation>Initialisierer</translation>
    </message>
    <message>
        <source>input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>intermediate</source>
        <translation>Zwischenwert</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Role</source>
        <translation>Rolle</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
</context>
<context>
    <name>temper::ui::TensorTable</name>
    <message>
        <source>Values of the tensor</source>
        <translation>Werte des Tensors</translation>
    </message>
    <message>
        <source>Place in the tensor</source>
        <translation>Stelle im Tensor</translation>
    </message>
</context>
<context>
    <name>temper::ui::TensorValueModel</name>
    <message>
        <source>Sorting values</source>
        <translation>Werte werden sortiert</translation>
    </message>
    <message>
        <source>The values could not be sorted</source>
        <translation>Die Werte konnten nicht sortiert werden</translation>
    </message>
    <message>
        <source>Reading values</source>
        <translation>Werte werden gelesen</translation>
    </message>
    <message>
        <source>The values could not be read</source>
        <translation>Die Werte konnten nicht gelesen werden</translation>
    </message>
    <message>
        <source>Position</source>
        <translation>Stelle</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Magnitude</source>
        <translation>Betrag</translation>
    </message>
</context>
<context>
    <name>temper::ui::TensorView</name>
    <message>
        <source>Choose a tensor with values to inspect it.</source>
        <translation>Einen Tensor mit Werten wählen, um ihn anzusehen.</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>Statistik</translation>
    </message>
    <message>
        <source>Heat map</source>
        <translation>Heatmap</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>Faltungskerne</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Save the tensor</source>
        <translation>Den Tensor speichern</translation>
    </message>
    <message>
        <source>NPY…</source>
        <translation>NPY …</translation>
    </message>
    <message>
        <source>CSV…</source>
        <translation>CSV …</translation>
    </message>
    <message>
        <source>Statistics of the values</source>
        <translation>Statistik der Werte</translation>
    </message>
    <message>
        <source>Logarithmic counts</source>
        <translation>Anzahlen logarithmisch</translation>
    </message>
    <message>
        <source>Three inputs as one coloured picture</source>
        <translation>Drei Eingaben als ein farbiges Bild</translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation>%1 wird gelesen</translation>
    </message>
    <message>
        <source>The tensor could not be read</source>
        <translation>Der Tensor konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>Minimum</source>
        <translation>Minimum</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>Maximum</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>Mittelwert</translation>
    </message>
    <message>
        <source>Standard deviation</source>
        <translation>Standardabweichung</translation>
    </message>
    <message>
        <source>L2 norm</source>
        <translation>L2-Norm</translation>
    </message>
    <message>
        <source>Zeros</source>
        <translation>Nullen</translation>
    </message>
    <message>
        <source>NaN</source>
        <translation>NaN</translation>
    </message>
    <message>
        <source>Infinite</source>
        <translation>Unendlich</translation>
    </message>
    <message>
        <source>The slice could not be read</source>
        <translation>Die Scheibe konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>Point at a cell to see its value.</source>
        <translation>Auf eine Zelle zeigen, um ihren Wert zu sehen.</translation>
    </message>
    <message>
        <source>Each cell shows the largest of %1 × %2 values.</source>
        <translation>Jede Zelle zeigt den größten von %1 × %2 Werten.</translation>
    </message>
    <message>
        <source>Row %1, column %2: %3</source>
        <translation>Zeile %1, Spalte %2: %3</translation>
    </message>
    <message>
        <source>Arrays (*.npy);;Tables (*.csv)</source>
        <translation>Arrays (*.npy);;Tabellen (*.csv)</translation>
    </message>
    <message>
        <source>Saving %1</source>
        <translation>%1 wird gespeichert</translation>
    </message>
    <message>
        <source>The tensor could not be saved</source>
        <translation>Der Tensor konnte nicht gespeichert werden</translation>
    </message>
    <message>
        <source>Saved as %1</source>
        <translation>Als %1 gespeichert</translation>
    </message>
    <message>
        <source>Drag into a folder to save the tensor there as NPY</source>
        <translation>In einen Ordner ziehen, um den Tensor dort als NPY zu speichern</translation>
    </message>
    <message>
        <source>Drag the tensor</source>
        <translation>Tensor ziehen</translation>
    </message>
</context>
<context>
    <name>temper::ui::ThumbnailView</name>
    <message>
        <source>First samples</source>
        <translation>Erste Beispiele</translation>
    </message>
</context>
<context>
    <name>temper::ui::TrainPanel</name>
    <message>
        <source>Train</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>Progress of training</source>
        <translation>Fortschritt des Trainings</translation>
    </message>
    <message>
        <source>Show differences</source>
        <translation>Unterschiede zeigen</translation>
    </message>
    <message>
        <source>Load what fits</source>
        <translation>Laden, was passt</translation>
    </message>
    <message>
        <source>Checkpoint loaded</source>
        <translation>Prüfpunkt geladen</translation>
    </message>
    <message>
        <source>Training continues after step %1.</source>
        <translation>Das Training geht nach Schritt %1 weiter.</translation>
    </message>
    <message>
        <source>Back at step %1</source>
        <translation>Zurück bei Schritt %1</translation>
    </message>
    <message>
        <source>Later steps are discarded.</source>
        <translation>Spätere Schritte sind verworfen.</translation>
    </message>
    <message>
        <source>Continue, or change something first.</source>
        <translation>Weitermachen oder zuerst etwas ändern.</translation>
    </message>
    <message>
        <source>Ways to stop and to start over</source>
        <translation>Möglichkeiten, zu stoppen und neu zu beginnen</translation>
    </message>
    <message>
        <source>Rows are the true classes, columns the predicted ones.</source>
        <translation>Zeilen sind die wahren Klassen, Spalten die vorhergesagten.</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Prüfpunkte</translation>
    </message>
    <message>
        <source>Confusion</source>
        <translation>Konfusion</translation>
    </message>
    <message>
        <source>Everything is ready.</source>
        <translation>Alles ist bereit.</translation>
    </message>
    <message>
        <source>Preparing the first step…</source>
        <translation>Der erste Schritt wird vorbereitet …</translation>
    </message>
    <message>
        <source>Paused after step %1.</source>
        <translation>Nach Schritt %1 angehalten.</translation>
    </message>
    <message>
        <source>Stopping after this step…</source>
        <translation>Stoppt nach diesem Schritt …</translation>
    </message>
    <message>
        <source>Stopped after step %1.</source>
        <translation>Nach Schritt %1 gestoppt.</translation>
    </message>
    <message>
        <source>Training failed.</source>
        <translation>Das Training ist gescheitert.</translation>
    </message>
    <message numerus="yes">
        <source>Finished %Ln steps in %1.</source>
        <translation>
            <numerusform>%Ln Schritt in %1 beendet.</numerusform>
            <numerusform>%Ln Schritte in %1 beendet.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Finished %Ln steps in %1; the best, from step %2, is kept.</source>
        <translation>
            <numerusform>%Ln Schritt in %1 beendet; der beste Stand, von Schritt %2, bleibt erhalten.</numerusform>
            <numerusform>%Ln Schritte in %1 beendet; der beste Stand, von Schritt %2, bleibt erhalten.</numerusform>
        </translation>
    </message>
    <message>
        <source>Stops at the end of this epoch.</source>
        <translation>Stoppt am Ende dieser Epoche.</translation>
    </message>
    <message>
        <source>Before the first step</source>
        <translation>Vor dem ersten Schritt</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>No checkpoint up to here</source>
        <translation>Kein Prüfpunkt bis hier</translation>
    </message>
    <message>
        <source>Go back to the checkpoint of step %1</source>
        <translation>Zum Prüfpunkt von Schritt %1 zurückgehen</translation>
    </message>
    <message numerus="yes">
        <source>Ends early after %Ln evaluations without improvement; so far %1.</source>
        <translation>
            <numerusform>Endet früh nach %Ln Auswertung ohne Verbesserung; bisher %1.</numerusform>
            <numerusform>Endet früh nach %Ln Auswertungen ohne Verbesserung; bisher %1.</numerusform>
        </translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>Kurven</translation>
    </message>
    <message>
        <source>Plane</source>
        <translation>Ebene</translation>
    </message>
    <message>
        <source>%1 could not be saved</source>
        <translation>%1 konnte nicht gespeichert werden</translation>
    </message>
    <message>
        <source>Custom plot</source>
        <translation>Eigenes Diagramm</translation>
    </message>
    <message numerus="yes">
        <source>Training %1 of %2 values on %Ln samples.</source>
        <translation>
            <numerusform>Trainiert %1 von %2 Werten an %Ln Beispiel.</numerusform>
            <numerusform>Trainiert %1 von %2 Werten an %Ln Beispielen.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 % done</source>
        <translation>%1 % fertig</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Training failed</source>
        <translation>Training gescheitert</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Gestoppt</translation>
    </message>
    <message>
        <source>Ready to start</source>
        <translation>Startbereit</translation>
    </message>
    <message>
        <source>Nothing is measured: all samples are used for training. On the page Data, set a training share such as 80 %, or choose validation samples.</source>
        <translation>Es wird nichts gemessen: Alle Beispiele dienen dem Training. Auf der Seite „Daten“ einen Trainingsanteil festlegen, etwa 80 %, oder Validierungsbeispiele wählen.</translation>
    </message>
    <message numerus="yes">
        <source>Measured every %Ln steps.</source>
        <translation>
            <numerusform>Gemessen bei jedem Schritt.</numerusform>
            <numerusform>Gemessen alle %Ln Schritte.</numerusform>
        </translation>
    </message>
    <message>
        <source>Measured after each epoch.</source>
        <translation>Nach jeder Epoche gemessen.</translation>
    </message>
    <message>
        <source>The weights are under Checkpoints. Next: evaluate or export the model.</source>
        <translation>Die Gewichte stehen unter „Prüfpunkte“. Weiter mit Auswerten oder Export.</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Metriken</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>Gradientennorm</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>Einheiten</translation>
    </message>
</context>
<context>
    <name>temper::ui::TrainPlots</name>
    <message>
        <source>%1 could not be saved</source>
        <translation>%1 konnte nicht gespeichert werden</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>The loss appears here with the first step.</source>
        <translation>Der Verlust erscheint hier mit dem ersten Schritt.</translation>
    </message>
    <message>
        <source>Each step</source>
        <translation>Jeder Schritt</translation>
    </message>
    <message>
        <source>Smoothed</source>
        <translation>Geglättet</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>Validierung</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>Gradientennorm</translation>
    </message>
    <message>
        <source>How steep the loss is.</source>
        <translation>Wie steil der Verlust ist.</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>How far each step goes.</source>
        <translation>Wie weit jeder Schritt geht.</translation>
    </message>
    <message>
        <source>Expected</source>
        <translation>Erwartet</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Metriken</translation>
    </message>
</context>
<context>
    <name>temper::ui::TrainingActions</name>
    <message>
        <source>Start training</source>
        <translation>Training starten</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Einzelschritt</translation>
    </message>
    <message>
        <source>Stop and save</source>
        <translation>Stoppen und speichern</translation>
    </message>
    <message>
        <source>Stop after this epoch</source>
        <translation>Nach dieser Epoche stoppen</translation>
    </message>
    <message>
        <source>Stop without saving</source>
        <translation>Stoppen ohne zu speichern</translation>
    </message>
    <message>
        <source>Start over</source>
        <translation>Neu beginnen</translation>
    </message>
    <message>
        <source>Follow the schedule again</source>
        <translation>Wieder dem Plan folgen</translation>
    </message>
    <message>
        <source>Roll back</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Lower rate ×0.1</source>
        <translation>Rate ×0,1 senken</translation>
    </message>
    <message>
        <source>Lower learning rate</source>
        <translation>Lernrate senken</translation>
    </message>
    <message>
        <source>Continue training</source>
        <translation>Training fortsetzen</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Weiter</translation>
    </message>
</context>
<context>
    <name>temper::ui::TryCanvas</name>
    <message>
        <source>Drawing</source>
        <translation>Zeichnung</translation>
    </message>
    <message>
        <source>Draw with the mouse, drop a picture, or press Delete to start again.</source>
        <translation>Mit der Maus zeichnen, ein Bild ablegen oder mit Entf neu beginnen.</translation>
    </message>
    <message>
        <source>Draw here, or drop a picture.</source>
        <translation>Hier zeichnen oder ein Bild ablegen.</translation>
    </message>
</context>
<context>
    <name>temper::ui::TryView</name>
    <message>
        <source>Previous sample</source>
        <translation>Voriges Beispiel</translation>
    </message>
    <message>
        <source>Next sample</source>
        <translation>Nächstes Beispiel</translation>
    </message>
    <message>
        <source>Values of the input</source>
        <translation>Werte der Eingabe</translation>
    </message>
    <message>
        <source>Draw something.</source>
        <translation>Etwas zeichnen.</translation>
    </message>
    <message>
        <source>What the model says</source>
        <translation>Was das Modell sagt</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>Explanation of the prediction</source>
        <translation>Erklärung der Vorhersage</translation>
    </message>
    <message>
        <source>No explanation</source>
        <translation>Keine Erklärung</translation>
    </message>
    <message>
        <source>Input gradient</source>
        <translation>Gradient nach der Eingabe</translation>
    </message>
    <message>
        <source>Occlusion, part by part</source>
        <translation>Teile nacheinander verdeckt</translation>
    </message>
    <message>
        <source>Highlighted is what the likeliest answer relies on: where a small change matters most, or where covering the input changes it most.</source>
        <translation>Hervorgehoben ist, worauf sich die wahrscheinlichste Antwort stützt: wo eine kleine Änderung am meisten bewirkt, oder wo Verdecken sie am meisten ändert.</translation>
    </message>
    <message>
        <source>Follow training</source>
        <translation>Dem Training folgen</translation>
    </message>
    <message>
        <source>The sample could not be read</source>
        <translation>Das Beispiel konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>Sample %1 of %2</source>
        <translation>Beispiel %1 von %2</translation>
    </message>
    <message>
        <source>The picture can&apos;t be used</source>
        <translation>Das Bild lässt sich nicht verwenden</translation>
    </message>
    <message>
        <source>Your own picture</source>
        <translation>Eigenes Bild</translation>
    </message>
    <message>
        <source>Your own values</source>
        <translation>Eigene Werte</translation>
    </message>
    <message>
        <source>Preparing predictions</source>
        <translation>Vorhersagen werden vorbereitet</translation>
    </message>
    <message>
        <source>Predictions are not possible</source>
        <translation>Vorhersagen sind nicht möglich</translation>
    </message>
    <message>
        <source>Predicting</source>
        <translation>Vorhersage läuft</translation>
    </message>
    <message>
        <source>The prediction failed</source>
        <translation>Die Vorhersage ist gescheitert</translation>
    </message>
    <message>
        <source>With the weights after step %1.</source>
        <translation>Mit den Gewichten nach Schritt %1.</translation>
    </message>
    <message>
        <source>Correct answer: %1.</source>
        <translation>Richtige Antwort: %1.</translation>
    </message>
    <message>
        <source>Integers, such as tokens, can&apos;t be changed slightly: what the answer relies on is not shown.</source>
        <translation>Ganze Zahlen wie Tokens lassen sich nicht ein wenig ändern: Worauf die Antwort beruht, wird nicht gezeigt.</translation>
    </message>
    <message>
        <source>The token after position %1 of %2; choose a row to see what follows it.</source>
        <translation>Das Token hinter Stelle %1 von %2; eine Zeile wählen, um zu sehen, was auf sie folgt.</translation>
    </message>
    <message>
        <source>Reading the sound</source>
        <translation>Der Klang wird gelesen</translation>
    </message>
    <message>
        <source>The sound could not be read</source>
        <translation>Der Klang konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>Preparing the sound</source>
        <translation>Der Klang wird vorbereitet</translation>
    </message>
    <message>
        <source>The sound can&apos;t be used</source>
        <translation>Der Klang ist nicht verwendbar</translation>
    </message>
    <message>
        <source>Your own sound</source>
        <translation>Eigener Klang</translation>
    </message>
</context>
<context>
    <name>temper::ui::UntitledBanner</name>
    <message>
        <source>Untitled document</source>
        <translation>Unbenanntes Dokument</translation>
    </message>
    <message>
        <source>Found trained weights of %1 from %2</source>
        <translation>Trainierte Gewichte von %1 vom %2 gefunden</translation>
    </message>
    <message>
        <source>Found unsaved choices for %1 from %2</source>
        <translation>Nicht gespeicherte Einstellungen zu %1 vom %2 gefunden</translation>
    </message>
    <message>
        <source>They are in their own untitled document.</source>
        <translation>Sie liegen in einem eigenen unbenannten Dokument.</translation>
    </message>
    <message>
        <source>Open it</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
</context>
<context>
    <name>temper::ui::UntitledDocuments</name>
    <message>
        <source>Looking for untitled documents</source>
        <translation>Unbenannte Dokumente werden gesucht</translation>
    </message>
    <message>
        <source>The untitled documents could not be read</source>
        <translation>Die unbenannten Dokumente konnten nicht gelesen werden</translation>
    </message>
    <message>
        <source>Discarding a document</source>
        <translation>Ein Dokument wird verworfen</translation>
    </message>
    <message>
        <source>The document could not be discarded</source>
        <translation>Das Dokument konnte nicht verworfen werden</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Unbenannt</translation>
    </message>
</context>
<context>
    <name>temper::ui::UntitledList</name>
    <message>
        <source>open</source>
        <translation>geöffnet</translation>
    </message>
    <message>
        <source>open in another window</source>
        <translation>in einem anderen Fenster geöffnet</translation>
    </message>
    <message>
        <source>choices</source>
        <translation>Einstellungen</translation>
    </message>
    <message numerus="yes">
        <source>trained weights, %Ln steps</source>
        <translation>
            <numerusform>trainierte Gewichte, %Ln Schritt</numerusform>
            <numerusform>trainierte Gewichte, %Ln Schritte</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, interrupted</source>
        <translation>%1, unterbrochen</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Discard %1 and its trained weights?</source>
        <translation>%1 und seine trainierten Gewichte verwerfen?</translation>
    </message>
    <message numerus="yes">
        <source>Its %Ln runs and their checkpoints are permanently deleted.</source>
        <translation>
            <numerusform>Sein %Ln Lauf und dessen Prüfpunkte werden endgültig gelöscht.</numerusform>
            <numerusform>Seine %Ln Läufe und deren Prüfpunkte werden endgültig gelöscht.</numerusform>
        </translation>
    </message>
    <message>
        <source>Untitled documents</source>
        <translation>Unbenannte Dokumente</translation>
    </message>
    <message>
        <source>kept here until you save or discard them</source>
        <translation>hier aufbewahrt, bis sie gespeichert oder verworfen werden</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
</context>
<context>
    <name>temper::ui::ViewActions</name>
    <message>
        <source>Start page</source>
        <translation>Startseite</translation>
    </message>
    <message>
        <source>Layout: inspect</source>
        <translation>Anordnung: Untersuchen</translation>
    </message>
    <message>
        <source>Layout: train</source>
        <translation>Anordnung: Trainieren</translation>
    </message>
    <message>
        <source>Layout: teach</source>
        <translation>Anordnung: Lehren</translation>
    </message>
    <message>
        <source>Presenter mode</source>
        <translation>Vortragsmodus</translation>
    </message>
</context>
<context>
    <name>temper::ui::WaveView</name>
    <message>
        <source>The sound over time</source>
        <translation>Der Klang im Zeitverlauf</translation>
    </message>
    <message>
        <source>Record a sound, or drop a WAV file.</source>
        <translation>Einen Klang aufnehmen oder eine WAV-Datei ablegen.</translation>
    </message>
</context>
<context>
    <name>temper::ui::WayBar</name>
    <message>
        <source>Clear the path</source>
        <translation>Den Weg entfernen</translation>
    </message>
    <message>
        <source>Path from here…</source>
        <translation>Weg von hier …</translation>
    </message>
    <message>
        <source>Path to here from %1</source>
        <translation>Weg bis hier von %1</translation>
    </message>
    <message>
        <source>Gradient path to %1</source>
        <translation>Weg des Gradienten zu %1</translation>
    </message>
    <message>
        <source>Path from %1: choose “Path to here” where it should end.</source>
        <translation>Weg von %1: „Weg bis hier“ wählen, wo er enden soll.</translation>
    </message>
    <message>
        <source>No path connects %1 and %2.</source>
        <translation>Kein Weg verbindet %1 und %2.</translation>
    </message>
    <message numerus="yes">
        <source>%n nodes between %1 and %2.</source>
        <translation>
            <numerusform>%n Knoten zwischen %1 und %2.</numerusform>
            <numerusform>%n Knoten zwischen %1 und %2.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>temper::ui::WeightNorms</name>
    <message>
        <source>Computing norms of weights</source>
        <translation>Normen der Gewichte werden berechnet</translation>
    </message>
    <message>
        <source>The norms could not be computed</source>
        <translation>Die Normen konnten nicht berechnet werden</translation>
    </message>
</context>
<context>
    <name>temper::ui::WeightSource</name>
    <message>
        <source>Step %1, %2</source>
        <translation>Schritt %1, %2</translation>
    </message>
    <message>
        <source>Weights to use</source>
        <translation>Verwendete Gewichte</translation>
    </message>
    <message>
        <source>Current weights</source>
        <translation>Aktuelle Gewichte</translation>
    </message>
    <message>
        <source>The weights could not be read</source>
        <translation>Die Gewichte konnten nicht gelesen werden</translation>
    </message>
    <message>
        <source>Training is not prepared yet.</source>
        <translation>Das Training ist noch nicht vorbereitet.</translation>
    </message>
    <message>
        <source>Choose data first.</source>
        <translation>Zuerst Daten wählen.</translation>
    </message>
    <message>
        <source>Reading weights</source>
        <translation>Gewichte werden gelesen</translation>
    </message>
    <message>
        <source>Averaged weights (EMA)</source>
        <translation>Gemittelte Gewichte (EMA)</translation>
    </message>
</context>
<context>
    <name>temper::ui::WeightsFollower</name>
    <message>
        <source>The weights could not be read</source>
        <translation>Die Gewichte konnten nicht gelesen werden</translation>
    </message>
</context>
<context>
    <name>temper::ui::WindowDocks</name>
    <message>
        <source>Open, but not on this page</source>
        <translation>Geöffnet, aber nicht auf dieser Seite</translation>
    </message>
    <message>
        <source>Not on this page</source>
        <translation>Nicht auf dieser Seite</translation>
    </message>
</context>
<context>
    <name>temper::ui::WindowTitle</name>
    <message>
        <source>Temper Studio</source>
        <translation>Temper Studio</translation>
    </message>
    <message>
        <source>%1%2 – %3</source>
        <translation>%1%2 – %3</translation>
    </message>
</context>
<context>
    <name>temper::ui::XyPlot</name>
    <message>
        <source>%1 over %2: %3</source>
        <translation>%1 über %2: %3</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>leer</translation>
    </message>
    <message>
        <source>Table, image, data</source>
        <translation>Tabelle, Bild, Daten</translation>
    </message>
    <message>
        <source>More options for the plot %1</source>
        <translation>Weitere Optionen zum Diagramm %1</translation>
    </message>
    <message>
        <source>Curve</source>
        <translation>Kurve</translation>
    </message>
</context>
</TS>

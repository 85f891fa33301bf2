"""Writes reference.json: what the caption evaluation of coco-caption gives for the captions of this folder,
with the programs that it calls (CoreNLP 3.4.1 and METEOR 1.5).

    python3 make_reference.py        needs pycocoevalcap and Java

The METEOR of coco-caption has a table of paraphrases, which saccade does not have by default, so it is run
with the modules exact, stem and synonym.
"""
import json
import os
import subprocess

from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.rouge.rouge import Rouge
from pycocoevalcap.tokenizer import ptbtokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(ptbtokenizer.__file__)))


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return json.load(file)


def tokenize(lines):
    """PTB tokens of the lines of one file."""
    path = os.path.join(HERE, "lines.tmp")
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write("\n".join(lines))
    command = ["java", "-Dfile.encoding=UTF-8", "-cp", f"{PACKAGE}/tokenizer/stanford-corenlp-3.4.1.jar",
               "edu.stanford.nlp.process.PTBTokenizer", "-preserveLines", "-lowerCase", path]
    output = subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8")
    os.remove(path)
    return output.split("\n")[:len(lines)]


def words(tokens):
    return " ".join(word for word in tokens.rstrip().split(" ") if word not in ptbtokenizer.PUNCTUATIONS)


class Meteor:
    def __init__(self):
        command = ["java", "-Dfile.encoding=UTF-8", "-jar", "-Xmx2G", "meteor-1.5.jar", "-", "-", "-stdio", "-l", "en",
                   "-norm", "-m", "exact stem synonym"]
        self.process = subprocess.Popen(command, cwd=f"{PACKAGE}/meteor", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, encoding="utf-8")

    def ask(self, parts):
        self.process.stdin.write(" ||| ".join(parts) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def scores(self, pairs):
        """The statistics and scores of (hypothesis, references), and the score of all."""
        statistics = [self.ask(["SCORE", *references, hypothesis]) for hypothesis, references in pairs]
        scores = [float(self.ask(["EVAL", *statistics]))]
        scores += [float(self.process.stdout.readline()) for _ in pairs]
        return [[float(x) for x in s.split()] for s in statistics], scores[:-1], scores[-1]


def corpus(meteor):
    """The scores of references.json and results.json."""
    references = read("references.json")
    results = {one["image_id"]: one["caption"] for one in read("results.json")}
    images = [image["id"] for image in references["images"]]
    of_image = {i: [a["caption"] for a in references["annotations"] if a["image_id"] == i] for i in images}
    candidates = dict(zip(images, ([words(t)] for t in tokenize([results[i] for i in images]))))
    flat = [words(t) for t in tokenize([caption for i in images for caption in of_image[i]])]
    tokens = {}
    for i in images:
        tokens[i], flat = flat[:len(of_image[i])], flat[len(of_image[i]):]
    whole, each = {}, [{"image_id": i} for i in images]

    def add(name, score, scores):
        whole[name] = float(score)
        for image, value in zip(each, scores):
            image[name] = float(value)

    score, scores = Bleu(4).compute_score(tokens, candidates, verbose=0)
    for n in range(4):
        add(f"Bleu_{n + 1}", score[n], scores[n])
    add("ROUGE_L", *Rouge().compute_score(tokens, candidates))
    add("CIDEr", *Cider().compute_score(tokens, candidates))
    _, scores, score = meteor.scores([(candidates[i][0], tokens[i]) for i in images])
    add("METEOR", score, scores)
    return {"corpus": whole, "images": each}


def main():
    with open(os.path.join(HERE, "sentences.txt"), encoding="utf-8", newline="") as file:
        lines = file.read().split("\n")[:-1]
    meteor = Meteor()
    pairs = read("pairs.json")
    statistics, scores, score = meteor.scores(pairs)
    out = corpus(meteor)
    tokens = tokenize(lines)
    out["sentences"] = [{"line": line, "ptb": t, "words": words(t)} for line, t in zip(lines, tokens)]
    out["pairs"] = [{"hypothesis": h, "references": r, "statistics": s, "score": x}
                    for (h, r), s, x in zip(pairs, statistics, scores)]
    out["pairs_score"] = score
    with open(os.path.join(HERE, "reference.json"), "w", encoding="utf-8") as file:
        # One entry per line.
        line = lambda value: json.dumps(value, ensure_ascii=False)
        parts = [f"{line(key)}: " + ("[\n  " + ",\n  ".join(map(line, value)) + "]" if isinstance(value, list) else line(value))
                 for key, value in out.items()]
        file.write("{" + ",\n ".join(parts) + "}\n")


main()

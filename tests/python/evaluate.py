"""How people use pycocoevalcap: evaluate.py OUT ANNOTATIONS RESULTS ... writes scores, their types and times."""

import contextlib
import io
import json
import sys
import time

import pycocoevalcap.eval as evaluation
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.meteor.meteor import Meteor
from pycocoevalcap.rouge.rouge import Rouge
from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer
from pycocotools.coco import COCO


class NoSpice:
    """In the place of SPICE, whose models may not be there."""

    def method(self):
        return "SPICE"

    def compute_score(self, gts, res):
        return 0.0, [0.0 for _ in gts]


def shape(value):
    """The types of an answer, to the depth of its first elements."""
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, len(value)] + [shape(one) for one in value[:1]]
    return [type(value).__module__ + "." + type(value).__name__, str(getattr(value, "dtype", ""))]


def plain(value):
    if hasattr(value, "tolist"):
        return value.tolist()
    return [plain(one) for one in value] if isinstance(value, (list, tuple)) else value


evaluation.Spice = NoSpice
out = {"sets": [], "seconds": 0.0}
files = sys.argv[2:]
with contextlib.redirect_stdout(io.StringIO()) as printed:
    for annotations, results in zip(files[::2], files[1::2]):
        coco = COCO(annotations)
        found = coco.loadRes(results)
        begin = time.perf_counter()
        whole = evaluation.COCOEvalCap(coco, found)
        whole.params["image_id"] = found.getImgIds()
        whole.evaluate()
        out["seconds"] += time.perf_counter() - begin
        one = {"eval": {k: plain(v) for k, v in whole.eval.items() if k != "SPICE"}, "answers": {}}
        one["images"] = {
            str(k): {m: plain(v) for m, v in s.items() if m != "SPICE"} for k, s in whole.imgToEval.items()
        }
        one["evalImgs"] = len(whole.evalImgs)
        tokenizer = PTBTokenizer()
        gts = tokenizer.tokenize({i: coco.imgToAnns[i] for i in found.getImgIds()})
        res = tokenizer.tokenize({i: found.imgToAnns[i] for i in found.getImgIds()})
        one["tokens"] = [[str(k), v] for k, v in list(gts.items()) + list(res.items())]
        scorers = {"Bleu": Bleu(4), "Bleu2": Bleu(2), "Rouge": Rouge(), "Cider": Cider(), "Meteor": Meteor()}
        scorers["Cider3"] = Cider(sigma=3.0)  # with another n it fails
        for name, scorer in scorers.items():
            answer = scorer.compute_score(gts, res)
            one["answers"][name] = {"method": scorer.method(), "shape": [shape(a) for a in answer]}
            one["answers"][name]["values"] = [plain(a) for a in answer]
        first = next(iter(gts))
        one["calc_score"] = float(Rouge().calc_score(res[first], gts[first]))
        out["sets"].append(one)
out["printed"] = [line for line in printed.getvalue().split("\n") if "reflen" in line or "ratio" in line]
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(out, file)

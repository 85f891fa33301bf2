"""COCOEvalCap as pycocoevalcap.eval has it."""

from __future__ import annotations

from typing import Any, Dict, Hashable, Iterable, List, Tuple, Union

from .bleu.bleu import Bleu
from .cider.cider import Cider
from .meteor.meteor import Meteor
from .rouge.rouge import Rouge
from .spice.spice import Spice
from .tokenizer.ptbtokenizer import PTBTokenizer


class COCOEvalCap:
    """Scores the results `cocoRes` on `coco`: COCO objects of pycocotools, or of saccade.metrics.

    SPICE, which needs Java, is computed only where `spice` asks for it.
    """

    def __init__(self, coco: Any, cocoRes: Any, spice: bool = False) -> None:
        self.evalImgs: List[Dict[str, Any]] = []
        self.eval: Dict[str, Any] = {}
        self.imgToEval: Dict[Hashable, Dict[str, Any]] = {}
        self.coco = coco
        self.cocoRes = cocoRes
        self.params: Dict[str, Any] = {"image_id": coco.getImgIds()}
        self._spice = spice

    def evaluate(self) -> None:
        """Fills eval, imgToEval and evalImgs for the images of params['image_id']."""
        images = self.params["image_id"]
        print("tokenization...")
        tokenizer = PTBTokenizer()
        gts = tokenizer.tokenize({i: self.coco.imgToAnns[i] for i in images})
        res = tokenizer.tokenize({i: self.cocoRes.imgToAnns[i] for i in images})
        print("setting up scorers...")
        scorers: List[Tuple[Any, Union[str, List[str]]]] = [
            (Bleu(4), ["Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4"]),
            (Meteor(), "METEOR"),
            (Rouge(), "ROUGE_L"),
            (Cider(), "CIDEr"),
        ]
        if self._spice:
            scorers.append((Spice(), "SPICE"))
        for scorer, method in scorers:
            print("computing %s score..." % scorer.method())
            score, scores = scorer.compute_score(gts, res)
            if isinstance(method, list):
                for one, images_of_one, name in zip(score, scores, method):
                    self._take(one, images_of_one, gts.keys(), name)
            else:
                self._take(score, scores, gts.keys(), method)
        if not self._spice:
            print("SPICE: not computed (COCOEvalCap(coco, cocoRes, spice=True) asks for it)")
        self.setEvalImgs()

    def _take(self, score: Any, scores: Iterable[Any], images: Iterable[Hashable], name: str) -> None:
        self.setEval(score, name)
        self.setImgToEvalImgs(scores, images, name)
        print("%s: %0.3f" % (name, score))

    def setEval(self, score: Any, method: str) -> None:
        """Keeps the score of the corpus."""
        self.eval[method] = score

    def setImgToEvalImgs(
        self, scores: Iterable[Any], imgIds: Iterable[Hashable], method: str
    ) -> None:
        """Keeps the scores of the images."""
        for image, score in zip(imgIds, scores):
            self.imgToEval.setdefault(image, {"image_id": image})[method] = score

    def setEvalImgs(self) -> None:
        """Lists the scores of the images in evalImgs."""
        self.evalImgs = list(self.imgToEval.values())

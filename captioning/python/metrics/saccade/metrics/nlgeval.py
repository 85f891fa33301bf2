"""The overlap metrics of nlg-eval: compute_metrics and its relatives.

Its SkipThoughtCS and GloVe measures need networks and are not here.
"""

from __future__ import annotations

from typing import Any, Collection, Dict, List, Optional, Sequence, Tuple, Union

from ._captions import warn
from .bleu.bleu import Bleu
from .cider.cider import Cider
from .meteor.meteor import Meteor
from .rouge.rouge import Rouge

_DELIMITER = "||<|>||"  # between references that are one text
_NETWORKS = {
    "SkipThoughtCS",
    "EmbeddingAverageCosineSimilarity",
    "EmbeddingAverageCosineSimilairty",
    "VectorExtremaCosineSimilarity",
    "GreedyMatchingScore",
}
_OVERLAP = ["Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4", "METEOR", "ROUGE_L", "CIDEr"]


class NLGEval:
    """Scores lists of texts. The arguments are those of nlg-eval; networks are never used."""

    valid_metrics = set(_OVERLAP) | _NETWORKS

    def __init__(
        self,
        no_overlap: bool = False,
        no_skipthoughts: bool = False,
        no_glove: bool = False,
        metrics_to_omit: Optional[Collection[str]] = None,
    ) -> None:
        omitted = set(metrics_to_omit or ())
        unknown = omitted - self.valid_metrics
        assert not unknown, f"Invalid metrics to omit: {unknown}"
        wanted = ([] if no_skipthoughts else ["SkipThoughtCS"]) + ([] if no_glove else ["GloVe"])
        if wanted and not _NETWORKS <= omitted:
            warn(f"{' and '.join(wanted)}: not computed here; no_skipthoughts=True, no_glove=True")
        self._scorers: List[Tuple[Any, List[str]]] = []
        if no_overlap:
            return
        orders = next((k for k in range(4) if f"Bleu_{k + 1}" in omitted), 4)
        if orders:
            self._scorers.append((Bleu(orders), _OVERLAP[:orders]))
        for name, scorer in (("METEOR", Meteor), ("ROUGE_L", Rouge), ("CIDEr", Cider)):
            if name not in omitted:
                self._scorers.append((scorer(), [name]))

    def compute_individual_metrics(self, ref: Sequence[str], hyp: str) -> Dict[str, float]:
        """The scores of one text against its references."""
        assert isinstance(hyp, str), f"hyp must be a str, got {type(hyp).__name__}"
        return self._scores({0: [text.strip() for text in ref]}, {0: [hyp.strip()]})

    def compute_metrics(
        self, ref_list: Sequence[Sequence[str]], hyp_list: Sequence[str]
    ) -> Dict[str, float]:
        """The scores of texts. `ref_list` has one list for each reference *position*, as long as
        `hyp_list`."""
        refs = {i: [text.strip() for text in own] for i, own in enumerate(zip(*ref_list))}
        hyps = {i: [text.strip()] for i, text in enumerate(hyp_list)}
        assert len(refs) == len(hyps), f"{len(hyps)} texts, but references for {len(refs)}"
        return self._scores(refs, hyps)

    def _scores(self, refs: Dict[int, List[str]], hyps: Dict[int, List[str]]) -> Dict[str, float]:
        out: Dict[str, float] = {}
        for scorer, names in self._scorers:
            if isinstance(scorer, Bleu):
                out.update(zip(names, scorer.compute_score(refs, hyps, verbose=0)[0]))
            else:
                out[names[0]] = scorer.compute_score(refs, hyps)[0]
        return out


def compute_metrics(
    hypothesis: str,
    references: Sequence[str],
    no_overlap: bool = False,
    no_skipthoughts: bool = False,
    no_glove: bool = False,
) -> Dict[str, float]:
    """Scores the lines of a file against those of files of references, and prints the scores."""

    def read(path: str) -> List[str]:
        with open(path, encoding="utf-8") as file:
            return file.readlines()

    evaluator = NLGEval(no_overlap, no_skipthoughts, no_glove)
    scores = evaluator.compute_metrics([read(path) for path in references], read(hypothesis))
    for name, score in scores.items():
        print("%s: %0.6f" % (name, score))
    return scores


def compute_individual_metrics(
    ref: Union[str, Sequence[str]],
    hyp: str,
    no_overlap: bool = False,
    no_skipthoughts: bool = False,
    no_glove: bool = False,
) -> Dict[str, float]:
    """The scores of one text; `ref` may be one text with ||<|>|| between the references."""
    refs = ref.split(_DELIMITER) if isinstance(ref, str) else ref
    return NLGEval(no_overlap, no_skipthoughts, no_glove).compute_individual_metrics(refs, hyp)

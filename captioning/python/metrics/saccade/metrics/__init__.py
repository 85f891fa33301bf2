"""The caption metrics of pycocoevalcap without Java: the same modules, classes, numbers.

    from saccade.metrics.bleu.bleu import Bleu        # for pycocoevalcap.bleu.bleu
    from saccade.metrics.eval import COCOEvalCap      # for pycocoevalcap.eval

Scorers take `gts` and `res`, which map an image to tokenised captions; PTBTokenizer makes them.
"""

from .bleu.bleu import Bleu
from .cider.cider import Cider
from .ciderD.ciderD import CiderD
from .coco import COCO
from .errors import DataError, Error, IoError, MetricWarning, UsageError
from .eval import COCOEvalCap
from .meteor.meteor import Meteor
from .rouge.rouge import Rouge
from .tokenizer.ptbtokenizer import PTBTokenizer

__all__ = [
    "Bleu",
    "COCO",
    "COCOEvalCap",
    "Cider",
    "CiderD",
    "DataError",
    "Error",
    "IoError",
    "Meteor",
    "MetricWarning",
    "PTBTokenizer",
    "Rouge",
    "UsageError",
]

"""COCO captions and results, with the part of pycocotools.coco that evaluating captions needs."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any, DefaultDict, Dict, Hashable, List, Optional, Sequence, Union

Annotation = Dict[str, Any]


def _read(path: Union[str, Path]) -> Any:
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class COCO:
    """Annotations of captions: a file, or None for an empty one."""

    def __init__(self, annotation_file: Optional[Union[str, Path]] = None) -> None:
        self.dataset: Dict[str, Any] = {}
        self.anns: Dict[Hashable, Annotation] = {}
        self.imgs: Dict[Hashable, Dict[str, Any]] = {}
        self.imgToAnns: DefaultDict[Hashable, List[Annotation]] = defaultdict(list)
        if annotation_file is not None:
            self.dataset = _read(annotation_file)
            assert isinstance(self.dataset, dict), (
                f"{annotation_file}: annotations are an object, got a {type(self.dataset).__name__}"
            )
            self.createIndex()

    def createIndex(self) -> None:
        """Takes what `dataset` holds into anns, imgs and imgToAnns."""
        self.imgs = {image["id"]: image for image in self.dataset.get("images", [])}
        self.anns, self.imgToAnns = {}, defaultdict(list)
        for annotation in self.dataset.get("annotations", []):
            self.anns[annotation["id"]] = annotation
            self.imgToAnns[annotation["image_id"]].append(annotation)

    def getImgIds(self) -> List[Hashable]:
        """The ids of all images."""
        return list(self.imgs)

    def loadRes(self, resFile: Union[str, Path, Sequence[Annotation]]) -> "COCO":
        """Results, from a file or a list of {'image_id', 'caption'}, which stays as it is."""
        given = _read(resFile) if isinstance(resFile, (str, Path)) else resFile
        assert isinstance(given, list), "results in not an array of objects"
        assert given, "results are an empty list: no captions"
        others = [one["image_id"] for one in given if one["image_id"] not in self.imgs]
        assert not others, (
            f"Results do not correspond to current coco set: image {others[0]!r} is not in it"
            + (" (ids 1 and '1' differ)" if any(str(i) == str(others[0]) for i in self.imgs) else "")
        )
        out = COCO()
        captioned = {one["image_id"] for one in given}
        out.dataset = {
            "images": [image for id, image in self.imgs.items() if id in captioned],
            "annotations": [{**one, "id": number} for number, one in enumerate(given, 1)],
        }
        out.createIndex()
        return out

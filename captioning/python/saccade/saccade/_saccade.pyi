from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

Given = Union[str, bytes, npt.NDArray[np.uint8]]
Weights = npt.NDArray[np.float32]
Pixels = npt.NDArray[np.uint8]
Tell = Callable[[bool, str], None]

class Asked:
    def __init__(
        self, set: Sequence[str], regime: str, alternatives: int, layers: bool
    ) -> None: ...

class Spoken:
    @property
    def text(self) -> str: ...
    @property
    def log_probability(self) -> float: ...
    @property
    def finished(self) -> bool: ...
    @property
    def height(self) -> int: ...
    @property
    def width(self) -> int: ...
    def words(
        self,
    ) -> List[
        Tuple[str, float, Optional[float], Optional[float], Optional[Tuple[int, int]]]
    ]: ...
    def maps(self) -> Optional[Weights]: ...
    def layer_maps(self) -> Optional[Weights]: ...
    def word_maps(self) -> Optional[Weights]: ...
    def alternatives(self) -> List[Spoken]: ...
    def map_on_photo(self, word: int) -> Weights: ...
    def draw(
        self,
        photo: Given,
        word: Optional[int],
        style: str,
        scale: str,
        colours: str,
        measure: str,
        columns: int,
        panel_width: int,
        font: str,
    ) -> Pixels: ...

class Opened:
    def __init__(
        self,
        checkpoints: Sequence[str],
        set: Sequence[str],
        folders: Sequence[str],
        threads: int,
        tell: Tell,
    ) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def reads_text(self) -> bool: ...
    @property
    def has_attention(self) -> bool: ...
    @property
    def grid(self) -> Tuple[int, int]: ...
    @property
    def vocabulary(self) -> List[str]: ...
    @property
    def config(self) -> str: ...
    def captions(self, photos: List[Given], asked: Asked, say: str) -> List[Spoken]: ...
    def samples(self, photo: Given, asked: Asked, count: int) -> List[Spoken]: ...
    def features(self, photo: Given) -> Weights: ...
    def encoder_maps(self, photo: Given) -> Dict[str, Any]: ...
    def picture(self, photo: Given) -> Pixels: ...

def png(pixels: Pixels) -> bytes: ...
def train(
    config: str,
    yaml: str,
    set: Sequence[str],
    directory: str,
    resume: bool,
    threads: int,
    models: Sequence[str],
    paraphrases: str,
    cache: str,
    on_update: Optional[Callable[[Any], Optional[bool]]],
    on_validation: Optional[Callable[[int, Dict[str, float]], None]],
    tell: Tell,
) -> Dict[str, Any]: ...

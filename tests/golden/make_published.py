"""Writes published/: tiny networks as model hubs publish them, with what their packages compute, to
which published_test.cpp compares; and files of tensors in the containers of PyTorch.

    python3 make_published.py        needs torch, torchvision, transformers 5, timm, open_clip_torch

All weights are random, from fixed seeds. In published/hub/NAME: `grid` [rows, cols, D] for `pixels`
(`pixels_conv`) of inputs.npz, `grid_wide` for other extents, and the gradients of sum(grid cotangent)
by the pixels and by the small parameters of the last stage.
"""
import json
import os
import shutil
from functools import partial
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import open_clip
import timm
import torch
import torchvision.models as V
import transformers as T
from safetensors.torch import save_file
from timm.models._hub import save_for_hf

torch.set_num_threads(1)
ROOT = Path(__file__).resolve().parent / "published"
VIT = dict(hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=12, image_size=12, patch_size=4)


def inputs():
    def normal(seed, rows, cols):
        return np.random.RandomState(seed).standard_normal((1, 3, rows, cols)).astype(np.float32)

    return {"pixels": normal(1, 12, 12), "pixels_wide": normal(2, 8, 20), "pixels_conv": normal(3, 32, 32), "pixels_conv_wide": normal(4, 32, 64)}


def restart(model, seed):
    """Gives every number a value that shows where it is left out."""
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, value in list(model.named_parameters()) + list(model.named_buffers()):
            if not value.is_floating_point() or "index" in name or "mask" in name:
                continue
            noise = torch.randn(value.shape, generator=draw)
            last = name.rsplit(".", 1)[-1]
            if last == "running_var":
                value.copy_(0.5 + noise.abs())
            elif (last == "weight" and value.ndim == 1) or last in ("lambda1", "gamma", "layer_scale", "layer_scale_parameter"):
                value.copy_(1 + 0.2 * noise)
            elif value.ndim < 2 or "token" in name or "embed" in name:
                value.copy_((0.1 if value.ndim < 2 else 0.4) * noise)
            else:
                value.copy_(noise / max(value[0].numel(), 1) ** 0.5)
    return model.eval()


def measure(name, model, run, last, conv=False, wide=None, start=""):
    """run(pixels) gives the grid, or the grid and others; wide is another run, False for none."""
    data = inputs()
    pixels = torch.from_numpy(data["pixels_conv" if conv else "pixels"]).requires_grad_(True)
    out = run(pixels)
    arrays = out if isinstance(out, dict) else {"grid": out}
    arrays["cotangent"] = torch.from_numpy(np.random.RandomState(99).standard_normal(arrays["grid"].shape).astype(np.float32))
    small = {n: p for n, p in model.named_parameters() if n.startswith(last) and p.numel() <= 150}
    grads = torch.autograd.grad((arrays["grid"] * arrays["cotangent"]).sum(), [pixels, *small.values()], allow_unused=True)
    key, step = ("grad_pixels_every_third", 3) if conv else ("grad_pixels", 1)
    arrays[key] = grads[0][:, :, ::step, ::step]
    for parameter, grad in zip(small, grads[1:]):
        if grad is not None and grad.abs().max() > 0:
            arrays["grad/" + start + parameter] = grad
    if wide is not False:
        with torch.no_grad():
            made = (wide or run)(torch.from_numpy(data["pixels_conv_wide" if conv else "pixels_wide"]))
        arrays["grid_wide"] = made["grid"] if isinstance(made, dict) else made
    np.savez(ROOT / "hub" / name / "expected.npz", **{k: np.ascontiguousarray(v.detach().numpy()) for k, v in arrays.items()})


def folder_of(name):
    folder = ROOT / "hub" / name
    folder.mkdir(parents=True)
    return folder


def grid_of(tokens, skip, pixels, patch=4):
    return tokens[0, skip:].reshape(pixels.shape[2] // patch, pixels.shape[3] // patch, -1)


def transformers_vits():
    def case(name, model, base, skip, last, wide=True, post=None, keep=None):
        restart(model, len(name))
        model.save_pretrained(folder_of(name))

        def run(pixels, **options):
            tokens = base(pixels, **options).last_hidden_state
            out = {"grid": grid_of(tokens, skip, pixels)}
            if post:
                out["grid_post_norm"] = grid_of(post(tokens), skip, pixels)
            return out

        dino = "dinov2" in name
        measure(name, model, run, last, wide=run if dino else partial(run, interpolate_pos_encoding=True))

    vit = T.ViTForImageClassification(T.ViTConfig(**VIT, num_labels=2))
    case("hf-vit", vit, vit.vit, 1, "vit.layers.1.")
    deit = T.DeiTForImageClassificationWithTeacher(T.DeiTConfig(**VIT, num_labels=2))
    case("hf-deit-distilled", deit, deit.deit, 2, "deit.layers.1.")
    dino = {k: v for k, v in VIT.items() if k != "intermediate_size"}
    model = T.Dinov2Model(T.Dinov2Config(**dino, mlp_ratio=2))
    case("hf-dinov2", model, model, 1, "encoder.layer.1.")
    model = T.Dinov2WithRegistersModel(T.Dinov2WithRegistersConfig(**dino, mlp_ratio=2, num_register_tokens=3, use_swiglu_ffn=True))
    case("hf-dinov2-registers", model, model, 4, "encoder.layer.1.")
    text = dict(hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, vocab_size=6, max_position_embeddings=4)
    clip = T.CLIPModel(T.CLIPConfig(text_config=dict(text, eos_token_id=5, bos_token_id=4, pad_token_id=0), vision_config=VIT, projection_dim=4))
    case("hf-clip", clip, clip.vision_model, 1, "vision_model.encoder.layers.1.", post=clip.vision_model.post_layernorm)
    siglip = T.SiglipModel(T.SiglipConfig(text_config=text, vision_config=VIT))
    case("hf-siglip", siglip, siglip.vision_model, 0, "vision_model.encoder.layers.1.")


def transformers_convs():
    def case(name, model, base, last):
        restart(model, len(name))
        model.save_pretrained(folder_of(name))
        measure(name, model, lambda pixels: base(pixels).last_hidden_state[0].permute(1, 2, 0), last, conv=True)

    sizes = dict(hidden_sizes=[4, 4, 6, 8], depths=[1, 1, 1, 1], num_labels=2)
    model = T.ConvNextV2ForImageClassification(T.ConvNextV2Config(**sizes))
    case("hf-convnextv2", model, model.convnextv2, "convnextv2.encoder.stages.3.")
    model = T.ConvNextForImageClassification(T.ConvNextConfig(**sizes))
    case("hf-convnext", model, model.convnext, "convnext.encoder.stages.3.")
    for kind, widths in ("bottleneck", [8, 12, 16, 20]), ("basic", [4, 6, 6, 8]):
        model = T.ResNetForImageClassification(T.ResNetConfig(embedding_size=4, hidden_sizes=widths, depths=[1, 1, 2, 1], layer_type=kind, num_labels=2))
        case("hf-resnet-" + kind, model, model.resnet, "resnet.encoder.stages.3.")
    config = T.EfficientNetConfig(width_coefficient=0.1, depth_coefficient=0.5, hidden_dim=128, image_size=32, num_labels=2, in_channels=[8, 8, 8], out_channels=[8, 8, 16],
                                  kernel_sizes=[3, 5, 3], strides=[1, 2, 2], num_block_repeats=[1, 3, 1], expand_ratios=[1, 2, 2], depthwise_padding=[1])
    model = T.EfficientNetForImageClassification(config)
    case("hf-efficientnet", model, model.efficientnet, "efficientnet.encoder.top_")


def timm_networks():
    def vit(name, kind, **extra):
        options = dict(img_size=12, patch_size=4, embed_dim=8, depth=2, num_heads=2, mlp_ratio=1.5, num_classes=2, **extra)
        model = restart(timm.create_model(kind, **options), len(name))
        save_for_hf(model, folder_of(name), safe_serialization=True)
        wide = restart(timm.create_model(kind, dynamic_img_size=True, **options), len(name))
        run = lambda network: lambda pixels: grid_of(network.forward_features(pixels), network.num_prefix_tokens, pixels)
        measure(name, model, run(model), "blocks.1.", wide=run(wide))

    vit("timm-vit", "vit_tiny_patch16_224")
    vit("timm-deit-distilled", "deit_tiny_distilled_patch16_224")
    vit("timm-dinov2-reg4", "vit_small_patch14_reg4_dinov2", init_values=1.0)
    vit("timm-clip-quickgelu", "vit_base_patch16_clip_quickgelu_224")
    vit("timm-siglip", "vit_base_patch16_siglip_224")

    def conv(name, model, last):
        restart(model, len(name))
        save_for_hf(model, folder_of(name), safe_serialization=True)
        measure(name, model, lambda pixels: model.forward_features(pixels)[0].permute(1, 2, 0), last, conv=True)

    conv("timm-convnext", timm.create_model("convnext_tiny", depths=(1, 1, 1, 1), dims=(4, 4, 6, 8), num_classes=2), "stages.3.")
    resnet = timm.models.resnet.ResNet(timm.models.resnet.Bottleneck, [1, 1, 2, 1], num_classes=2, channels=(2, 3, 4, 5), stem_width=4, stem_type="deep", avg_down=True)
    resnet.pretrained_cfg = dict(timm.get_pretrained_cfg("resnet50d.ra2_in1k").to_dict(), architecture="resnet50d")
    conv("timm-resnet-bottleneck-deep-stem", resnet, "layer4.")
    for name, kind, make, scale, last in (("timm-tf-efficientnet", "tf_efficientnet_b0", timm.models.efficientnet._gen_efficientnet, 0.05, "bn2"),
                                          ("timm-mobilenetv3", "mobilenetv3_small_100", timm.models.mobilenetv3._gen_mobilenet_v3, 0.05, "blocks.5.")):
        tf = {"pad_type": "same", "norm_layer": partial(torch.nn.BatchNorm2d, eps=1e-3)} if "tf" in name else {}
        extra = {"depth_multiplier": 0.2} if "efficient" in name else {}
        model = make(kind, num_classes=2, channel_multiplier=scale, **extra, **tf)
        end = model.conv_head
        model.conv_head = torch.nn.Conv2d(end.in_channels, 12, 1, bias=end.bias is not None)
        if "efficient" in name:
            model.bn2 = type(model.bn2)(12, eps=1e-3, act_layer=torch.nn.SiLU)
        model.classifier = torch.nn.Linear(12, 2)
        conv(name, model, last)
    options = dict(img_size=12, patch_size=2, embed_dim=8, depths=(2, 2), num_heads=(1, 2), window_size=2, mlp_ratio=1, num_classes=2)
    model = restart(timm.create_model("swin_tiny_patch4_window7_224", **options), 9)
    save_for_hf(model, folder_of("timm-swin"), safe_serialization=True)
    wide = restart(timm.create_model("swin_tiny_patch4_window7_224", **dict(options, img_size=(8, 20))), 9)  # whose shifts fit to it
    measure("timm-swin", model, lambda p: model.forward_features(p)[0], "layers.1.", wide=lambda p: wide.forward_features(p)[0])


def transformers_swin():
    config = T.SwinConfig(image_size=12, patch_size=2, embed_dim=8, depths=[2, 2], num_heads=[1, 2], window_size=2, mlp_ratio=1.0, num_labels=2)
    model = restart(T.SwinForImageClassification(config), 10)
    model.save_pretrained(folder_of("hf-swin"))
    measure("hf-swin", model, lambda pixels: grid_of(model.swin(pixels).last_hidden_state, 0, pixels), "swin.encoder.layers.1.")


def torchvision_networks():
    def case(name, model, run, last, **options):
        restart(model, len(name))
        save_file({k: v.contiguous() for k, v in model.state_dict().items()}, folder_of(name) / "model.safetensors")
        measure(name, model, run(model), last, **options)

    def vit(model):
        return lambda pixels: grid_of(model.encoder(torch.cat([model.class_token, model._process_input(pixels)], 1)), 1, pixels)

    case("torchvision-vit", V.VisionTransformer(image_size=12, patch_size=4, num_layers=2, num_heads=2, hidden_dim=8, mlp_dim=12, num_classes=2), vit,
         "encoder.layers.encoder_layer_1.", wide=False)

    class Narrow(V.ResNet):
        def _make_layer(self, block, planes, blocks, **options):
            return super()._make_layer(block, planes // 32, blocks, **options)

    narrow = Narrow(V.resnet.BasicBlock, [1, 1, 2, 1], num_classes=2)
    narrow.fc = torch.nn.Linear(16, 2)
    run = lambda m: lambda p: m.layer4(m.layer3(m.layer2(m.layer1(m.maxpool(m.relu(m.bn1(m.conv1(p))))))))[0].permute(1, 2, 0)
    case("torchvision-resnet-basic", narrow, run, "layer4.", conv=True)
    features = lambda m: lambda pixels: m.features(pixels)[0].permute(1, 2, 0)
    from torchvision.models.convnext import CNBlockConfig as C
    case("torchvision-convnext", V.ConvNeXt([C(4, 6, 1), C(6, 8, 1), C(8, None, 1)], num_classes=2), features, "features.5.", conv=True)
    from torchvision.models.efficientnet import MBConvConfig
    M = partial(MBConvConfig, width_mult=0.25, depth_mult=0.34)
    case("torchvision-efficientnet", V.EfficientNet([M(1, 3, 1, 16, 8, 1), M(2, 3, 2, 8, 8, 2), M(2, 5, 2, 8, 16, 4)], dropout=0.0, stochastic_depth_prob=0.0, num_classes=2, last_channel=12),
         features, "features.4.", conv=True)
    from torchvision.models.mobilenetv3 import InvertedResidualConfig
    I = partial(InvertedResidualConfig, width_mult=0.5)
    case("torchvision-mobilenetv3", V.MobileNetV3([I(16, 3, 16, 16, True, "RE", 2, 1), I(16, 3, 32, 24, False, "RE", 2, 1), I(24, 5, 40, 40, True, "HS", 2, 1)], last_channel=12, num_classes=2),
         features, "features.4.", conv=True)
    case("torchvision-swin", V.SwinTransformer([2, 2], 8, [2, 2], [1, 2], [2, 2], mlp_ratio=1.0, num_classes=2, stochastic_depth_prob=0.0), lambda m: lambda p: m.norm(m.features(p))[0], "features.3.")


def openclip_networks():
    vision = {"image_size": 12, "layers": 2, "width": 8, "head_width": 4, "patch_size": 4, "mlp_ratio": 1.5}
    text = {"context_length": 4, "vocab_size": 6, "width": 8, "heads": 2, "layers": 1}
    config = {"embed_dim": 4, "vision_cfg": vision, "text_cfg": text, "quick_gelu": True}
    model = restart(open_clip.CLIP(**config), 11)
    folder = folder_of("openclip-quickgelu")
    save_file({k: v.contiguous() for k, v in model.state_dict().items()}, folder / "open_clip_model.safetensors")
    pixels_of = {"mean": [0.48145466, 0.4578275, 0.40821073], "std": [0.26862954, 0.26130258, 0.27577711], "interpolation": "bicubic", "resize_mode": "shortest"}
    json.dump({"model_cfg": config, "preprocess_cfg": pixels_of}, open(folder / "open_clip_config.json", "w"), indent=1)
    visual = model.visual

    def run(pixels):
        tokens = visual.transformer(visual._embeds(pixels))
        return {"grid": grid_of(tokens, 1, pixels), "grid_post_norm": grid_of(visual.ln_post(tokens), 1, pixels)}

    measure("openclip-quickgelu", model, run, "visual.transformer.resblocks.1.", wide=False)
    visual = restart(open_clip.modified_resnet.ModifiedResNet(layers=[1, 1, 1, 1], output_dim=4, heads=2, image_size=32, width=2), 12)
    folder = folder_of("openclip-resnet")
    save_file({"visual." + k: v.contiguous() for k, v in visual.state_dict().items()}, folder / "open_clip_model.safetensors")
    measure("openclip-resnet", visual, lambda p: visual.layer4(visual.layer3(visual.layer2(visual.layer1(visual.stem(p)))))[0].permute(1, 2, 0), "layer4.", conv=True, wide=False, start="visual.")


def pictures():
    """preprocess/NAME: the levels that PIL gives two pictures, behind resizing and cutting."""
    from PIL import Image
    from timm.data import create_transform

    rng = np.random.RandomState(5)
    photos = {}
    for name, rows, cols in ("photo", 37, 52), ("tall", 45, 31):
        y, x = np.mgrid[0:rows, 0:cols]
        levels = np.stack([255 * x / cols, 255 * y / rows, 127 + 127 * np.sin((x + 2 * y) / 3)], -1) + rng.uniform(-20, 20, (rows, cols, 3))
        photos[name] = Image.fromarray(np.clip(levels, 0, 255).astype(np.uint8))
        photos[name].save(ROOT / (name + ".png"))
    clip = dict(image_mean=[0.48145466, 0.4578275, 0.40821073], image_std=[0.26862954, 0.26130258, 0.27577711], do_convert_rgb=True)
    for name, kind, options in (("vit", T.ViTImageProcessorPil, dict(size={"height": 16, "width": 16}, resample=2)),
                                ("deit", T.DeiTImageProcessorPil, dict(size={"height": 20, "width": 20}, crop_size={"height": 15, "width": 15}, resample=3)),
                                ("clip", T.CLIPImageProcessorPil, dict(size={"shortest_edge": 17}, crop_size={"height": 16, "width": 16}, resample=3, **clip)),
                                ("clip-grows", T.CLIPImageProcessorPil, dict(size={"shortest_edge": 60}, crop_size={"height": 44, "width": 44}, resample=3, **clip)),
                                ("convnext", T.ConvNextImageProcessorPil, dict(size={"shortest_edge": 16}, crop_pct=0.875, resample=3)),
                                ("efficientnet", T.EfficientNetImageProcessorPil, dict(size={"height": 16, "width": 16}, resample=0, include_top=False))):
        folder = ROOT / "preprocess" / name
        processor = kind(**options)
        processor.save_pretrained(folder)
        levels = {f"{p}_levels": processor(image, return_tensors="np", do_rescale=False, do_normalize=False)["pixel_values"][0].transpose(1, 2, 0) for p, image in photos.items()}
        np.savez(folder / "expected.npz", **{k: np.ascontiguousarray(np.asarray(v).astype(np.float32)) for k, v in levels.items()})
    for name, options in ("timm", dict(crop_pct=0.9, interpolation="bicubic")), ("timm-lanczos", dict(crop_pct=0.8, interpolation="lanczos")):
        folder = ROOT / "preprocess" / name
        folder.mkdir()
        settings = dict(input_size=(3, 15, 15), mean=[0.0] * 3, std=[1.0] * 3, crop_mode="center", **options)
        json.dump({"pretrained_cfg": settings}, open(folder / "config.json", "w"))
        transform = create_transform(**settings, is_training=False)
        np.savez(folder / "expected.npz", **{f"{p}_levels": np.ascontiguousarray((255 * transform(image).numpy()).round().transpose(1, 2, 0).astype(np.float32)) for p, image in photos.items()})


def containers():
    folder = ROOT / "containers"
    folder.mkdir()
    base = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    state = {"whole": base, "transposed": base.t(), "part": base[1:3, ::2], "scalar": torch.tensor(2.5), "count": torch.tensor(7), "empty": torch.zeros(0, 3),
             "half": base[0].half(), "brain": base[1].bfloat16(), "double": base[2].double(), "parameter": torch.nn.Parameter(base[:2].clone())}
    torch.save(state, folder / "views.pth")
    torch.save(state, folder / "views-legacy.pth", _use_new_zipfile_serialization=False)
    torch.save({"state_dict": {"module." + k: v for k, v in state.items()}, "epoch": 3, "args": {"lr": 0.1}}, folder / "nested.pth")

    class Trap:
        def __init__(self, function, *arguments):
            self.call = (function, arguments)

        def __reduce__(self):
            return self.call

    torch.save({"weight": base, "trap": Trap(os.system, "touch THIS-MUST-NOT-RUN")}, folder / "trap.pth")
    torch.save({"weight": base, "trap": Trap(getattr, base, "data")}, folder / "trap-builtin.pth")
    torch.save({"weight": base, "trap": Trap(os.system, "touch THIS-MUST-NOT-RUN")}, folder / "trap-legacy.pth", _use_new_zipfile_serialization=False)
    torch.save({"weight": base.to(torch.complex64)}, folder / "complex.pth")
    torch.save({"weight": torch.zeros(1).expand(1 << 20)}, folder / "repeated.pth")


def main():
    if ROOT.exists():
        shutil.rmtree(ROOT)
    (ROOT / "hub").mkdir(parents=True)
    np.savez(ROOT / "inputs.npz", **inputs())
    for make in transformers_vits, transformers_convs, transformers_swin, timm_networks, torchvision_networks, openclip_networks, pictures, containers:
        make()


main()

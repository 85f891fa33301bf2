"""Writes published/captioners/: tiny captioners as model hubs publish them, with what transformers
makes of them, to which captioners_test.cpp compares.

    python3 make_captioners.py        needs torch, tokenizers, transformers 5

Weights are random, from fixed seeds, and fitted for a moment to four drawn pictures, so that captions
end and beams differ. Pictures are wider than words in BLIP, as in BLIP large, and in GIT. In each folder:
`pixels<i>` [1, 3, 12, 12], `forced<i>` (tokens, from the one that begins), `logits<i>` [words, V],
`encoder<i>` [tokens, D], the class token first, `cross_attention<i>` and `self_attention<i>` [layers,
heads, words, ...], of GIT in their place `attention<i>` [layers, heads, all, all] of the tokens of the
picture, then the words, behind all of which it has logits; texts that the tokenizer cut; and captions by several searches.
"""
import json
import os
import shutil
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import torch
import transformers as T
from tokenizers import ByteLevelBPETokenizer

torch.set_num_threads(1)
ROOT = Path(__file__).resolve().parent / "published" / "captioners"
VIT = dict(hidden_size=12, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16, image_size=12, patch_size=4)
CAPTIONS = ["a red square on a white ground", "a blue circle above a green line", "two yellow circles near the left side", "there isn't anything but grey, is there?"]
TEXTS = CAPTIONS + [
    "A Red Square.", "two  spaces and\ta tab", " leading space", "trailing space ", "  \n\n x\n ", "café naïve Ångström ǅ İstanbul ΣΑΣ ß", "猫和狗 ねこ 고양이", "it's 2,000 km²! Ⅻ ½ ٣",
    "emoji 🐈\u200d⬛ ok\u200b\u00adsoft", "new\nline\r\n\x0b\x0cfeed\x1c\x85next\u2028line", "", "<|endoftext|>a<|endoftext|> b", "[SEP] red[CLS][MASK]", "x'll we've I'm he'd they're 'S 'twas don''t",
    "hyphen-ated_word #tag $5 `a` ~b~ “quoted” …—", "\u00a0nbsp\u3000wide", "1234567 89a b9", "a" * 101 + " b", "e\u0301 \u0301 \ufffd\x00\x07", "\U000e0001tag \ue000private \u0378none",
]
HALF = ([0.5] * 3, [0.5] * 3)
CLIP = ([0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711])


def pictures(mean, deviation):
    """Four drawn pictures, and a mixture of two of them."""
    y, x = np.mgrid[0:12, 0:12]
    scenes = np.ones((5, 12, 12, 3), np.float32)
    scenes[0][(abs(x - 6) < 3) & (abs(y - 6) < 3)] = [0.9, 0.1, 0.1]
    scenes[1][(x - 6) ** 2 + (y - 3) ** 2 < 8] = [0.1, 0.2, 0.9]
    scenes[1][abs(y - 9) < 2] = [0.1, 0.7, 0.2]
    scenes[2][(x < 4) & (y % 6 < 3)] = [0.9, 0.9, 0.1]
    scenes[3][:] = 0.5
    scenes[4] = (scenes[0] + scenes[2]) / 2
    return torch.tensor((scenes - np.array(mean)) / np.array(deviation)).permute(0, 3, 1, 2).float()


def restart(model, seed):
    """Gives every number a value that shows where it is left out."""
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, value in model.named_parameters():
            noise = torch.randn(value.shape, generator=draw)
            if name.rsplit(".", 1)[-1] == "weight" and value.ndim == 1:
                value.copy_(1 + 0.2 * noise)
            elif value.ndim < 2 or "token" in name or "embed" in name or "wte" in name or "wpe" in name:
                value.copy_((0.1 if value.ndim < 2 else 0.4) * noise)
            else:
                value.copy_(noise / max(value[0].numel(), 1) ** 0.5)


def fit(model, loss_of, steps):
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = 1e-2 * (1 - step / steps)
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        optimizer.step()
    model.eval()


def padded(rows, filler):
    length = max(map(len, rows))
    return torch.tensor([r + [filler] * (length - len(r)) for r in rows])


def save_texts(folder, tokenizer):
    cases = [{"text": text, "ids": (ids := tokenizer(text)["input_ids"]), "decoded": tokenizer.decode(ids), "decoded_skipping_specials": tokenizer.decode(ids, skip_special_tokens=True)} for text in TEXTS]
    json.dump(cases, open(folder / "tokenizer_cases.json", "w"), separators=(",", ":"))


SEARCHES = {
    "greedy": dict(num_beams=1), "beam3": dict(num_beams=3), "beam3_length_penalty_0": dict(num_beams=3, length_penalty=0.0),
    "beam3_early_stopping": dict(num_beams=3, early_stopping=True), "beam4_short": dict(num_beams=4, max_length=6),
    "beam3_rules": dict(num_beams=3, no_repeat_ngram_size=2, min_length=8), "greedy_short": dict(num_beams=1, max_length=5),
}


def searches(generate, tokenizer):
    out = {}
    for name, options in SEARCHES.items():
        with torch.no_grad():
            made = generate(**{"max_length": 16, "do_sample": False, "return_dict_in_generate": True, "output_scores": True, **options})
        ids = made.sequences[0].tolist()
        out[name] = {"ids": ids, "text": tokenizer.decode(ids, skip_special_tokens=True)}
        if getattr(made, "sequences_scores", None) is not None:
            out[name]["score"] = float(made.sequences_scores[0])
    return out


def finish(folder, arrays, texts):
    np.savez(folder / "expected.npz", **{k: np.ascontiguousarray(v.detach().numpy().astype(np.float32)) for k, v in arrays.items()})
    json.dump(texts, open(folder / "expected_captions.json", "w"), separators=(",", ":"))


def blip():
    folder = ROOT / "blip"
    folder.mkdir(parents=True)
    words = sorted({w for c in CAPTIONS for w in c.replace("'", " ' ").replace(",", " , ").replace("?", " ?").split()} - {"circles", "anything", "yellow"})
    pieces = ["##s", "##thing", "any", "##ow", "yell", "##ing", "caf", "##e", ".", "!", "-", "2", "##0", "picture", "of", "猫", "i", "##̇"]
    letters = [chr(c) for c in range(ord("a"), ord("t"))]
    vocabulary = list(dict.fromkeys(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + words + pieces + letters + ["##" + c for c in letters[::2]]))
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    tokenizer = T.BertTokenizer(vocab=str(folder / "vocab.txt"), do_lower_case=True)
    tokenizer.save_pretrained(folder)
    # As published, [DEC] and [ENC] have embeddings and no entry in the tokenizer's files.
    begin, end = len(tokenizer), tokenizer.sep_token_id
    text = dict(hidden_size=8, encoder_hidden_size=12, num_hidden_layers=2, num_attention_heads=2, intermediate_size=20, vocab_size=begin + 2, max_position_embeddings=20, bos_token_id=begin,
                eos_token_id=2, pad_token_id=0, sep_token_id=end, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, label_smoothing=0.0)
    config = T.BlipConfig(text_config=text, vision_config=dict(VIT), projection_dim=8)
    config._attn_implementation = "eager"
    model = T.BlipForConditionalGeneration(config)
    restart(model, 1)
    pixels = pictures(*CLIP)
    rows = [[begin] + tokenizer(c, add_special_tokens=False)["input_ids"] + [end] for c in CAPTIONS]
    ids = padded(rows, 0)
    mask = (ids != 0).long()
    fit(model, lambda: model(pixel_values=pixels[:4], input_ids=ids, attention_mask=mask, labels=ids.masked_fill(ids == 0, -100)).loss, 90)
    model.save_pretrained(folder)
    T.BlipImageProcessor(size={"height": 12, "width": 12}, image_mean=CLIP[0], image_std=CLIP[1], resample=3).save_pretrained(folder)
    save_texts(folder, tokenizer)
    arrays, texts = {}, {}
    for i in (0, 4):
        forced = torch.tensor([rows[i % 4][:-1]])
        with torch.no_grad():
            states = model.vision_model(pixels[i : i + 1]).last_hidden_state
            out = model.text_decoder(input_ids=forced, encoder_hidden_states=states, output_attentions=True, use_cache=False)
        arrays |= {f"pixels{i}": pixels[i : i + 1], f"forced{i}": forced[0], f"logits{i}": out.logits[0], f"encoder{i}": states[0],
                   f"cross_attention{i}": torch.stack([a[0] for a in out.cross_attentions]), f"self_attention{i}": torch.stack([a[0] for a in out.attentions])}
        texts[str(i)] = searches(lambda **k: model.generate(pixels[i : i + 1], **k), tokenizer)
        prompt = tokenizer("a picture of", return_tensors="pt")["input_ids"]
        texts[f"{i} prompted"] = searches(lambda **k: model.generate(pixels[i : i + 1], prompt.clone(), **k), tokenizer)
    finish(folder, arrays, texts)


def vit_gpt2():
    folder = ROOT / "vit-gpt2"
    folder.mkdir(parents=True)
    learner = ByteLevelBPETokenizer()
    learner.train_from_iterator(CAPTIONS * 3, vocab_size=256 + 40, min_frequency=2, show_progress=False)
    learner.save_model(str(folder))
    vocabulary = json.load(open(folder / "vocab.json"))
    vocabulary["<|endoftext|>"] = len(vocabulary)
    json.dump(vocabulary, open(folder / "vocab.json", "w"), ensure_ascii=False, separators=(",", ":"))
    tokenizer = T.GPT2Tokenizer(vocab=str(folder / "vocab.json"), merges=str(folder / "merges.txt"), unk_token="<|endoftext|>", bos_token="<|endoftext|>", eos_token="<|endoftext|>")
    tokenizer.save_pretrained(folder)
    end = tokenizer.eos_token_id
    decoder = T.GPT2Config(n_embd=8, n_layer=2, n_head=2, n_inner=20, vocab_size=len(tokenizer), n_positions=40, bos_token_id=end, eos_token_id=end, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)
    config = T.VisionEncoderDecoderConfig.from_encoder_decoder_configs(T.ViTConfig(**VIT), decoder)
    config.decoder_start_token_id = config.pad_token_id = end
    config._attn_implementation = "eager"
    model = T.VisionEncoderDecoderModel(config)
    restart(model, 2)
    pixels = pictures(*HALF)
    rows = [tokenizer(c)["input_ids"] + [end] for c in CAPTIONS]
    labels = padded(rows, -100)
    fit(model, lambda: model(pixel_values=pixels[:4], labels=labels).loss, 120)
    model.generation_config = T.GenerationConfig(decoder_start_token_id=end, eos_token_id=end, pad_token_id=end, bos_token_id=end, max_length=16, num_beams=4)
    model.save_pretrained(folder)
    T.ViTImageProcessor(size={"height": 12, "width": 12}, image_mean=HALF[0], image_std=HALF[1], resample=2).save_pretrained(folder)
    save_texts(folder, tokenizer)
    arrays, texts = {}, {}
    for i in (0, 4):
        forced = torch.tensor([[end] + rows[i % 4][:-1]])
        with torch.no_grad():
            out = model(pixel_values=pixels[i : i + 1], decoder_input_ids=forced, output_attentions=True)
        arrays |= {f"pixels{i}": pixels[i : i + 1], f"forced{i}": forced[0], f"logits{i}": out.logits[0], f"encoder{i}": out.encoder_last_hidden_state[0],
                   f"cross_attention{i}": torch.stack([a[0] for a in out.cross_attentions]), f"self_attention{i}": torch.stack([a[0] for a in out.decoder_attentions])}
        texts[str(i)] = searches(lambda **k: model.generate(pixels[i : i + 1], **k), tokenizer)
    finish(folder, arrays, texts)


def git():
    folder = ROOT / "git"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "blip" / "vocab.txt", folder)
    tokenizer = T.BertTokenizer(vocab=str(folder / "vocab.txt"), do_lower_case=True)
    tokenizer.save_pretrained(folder)
    config = T.GitConfig(vision_config=dict(VIT), hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=20, vocab_size=len(tokenizer), max_position_embeddings=20,
                         bos_token_id=tokenizer.cls_token_id, eos_token_id=tokenizer.sep_token_id, pad_token_id=0, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    config._attn_implementation = "eager"
    model = T.GitForCausalLM(config)
    restart(model, 3)
    pixels = pictures(*CLIP)
    rows = [tokenizer(c)["input_ids"] for c in CAPTIONS]
    ids = padded(rows, 0)
    fit(model, lambda: model(pixel_values=pixels[:4], input_ids=ids, attention_mask=(ids != 0).long(), labels=ids.masked_fill(ids == 0, -100)).loss, 120)
    model.save_pretrained(folder)
    T.CLIPImageProcessor(size={"shortest_edge": 12}, crop_size={"height": 12, "width": 12}, image_mean=CLIP[0], image_std=CLIP[1], resample=3).save_pretrained(folder)
    save_texts(folder, tokenizer)
    arrays, texts = {}, {}
    for i in (0, 4):
        forced = torch.tensor([rows[i % 4][:-1]])
        with torch.no_grad():
            out = model(pixel_values=pixels[i : i + 1], input_ids=forced, output_attentions=True, use_cache=False)
            states = model.git.image_encoder(pixels[i : i + 1]).last_hidden_state
        arrays |= {f"pixels{i}": pixels[i : i + 1], f"forced{i}": forced[0], f"logits{i}": out.logits[0], f"encoder{i}": states[0],
                   f"attention{i}": torch.stack([a[0] for a in out.attentions])}
        texts[str(i)] = searches(lambda **k: model.generate(pixel_values=pixels[i : i + 1], **k), tokenizer)
    finish(folder, arrays, texts)


def main():
    if ROOT.exists():
        shutil.rmtree(ROOT)
    for make in blip, vit_gpt2, git:
        make()
        for file in (ROOT / make.__name__.replace("_", "-")).glob("tokenizer.json"):  # without indents
            file.write_text(json.dumps(json.load(open(file)), ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


main()

"""The Python package saccade: captions, arrays, training, what the program measures, errors."""

import copy
import gc
import io
import json
import logging
import os
import pickle
import signal
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy as np
from PIL import Image

import saccade
import saccade.metrics

PHOTOS = Path(os.environ["SACCADE_PHOTOS"])
DOGS = PHOTOS / "dogs.jpg"
TINY = {
    "data": {
        "type": "scenes",
        "min_count": 1,
        "captions_per_image": 3,
        "scenes": {"train": 24, "val": 6, "test": 6, "size": 32},
    },
    "encoder": {"type": "cnn", "image_size": 32, "channels": [8, 8, 8, 8], "positions": "coordinates"},
    "attention": {"score": "additive", "gate": "scalar", "hidden": 16},
    "decoder": {"type": "lstm", "hidden": 24, "embedding": 16, "init_hidden": 16, "dropout": 0.2},
    "objective": {"doubly_stochastic": 0},
    "optimizer": {"type": "adam", "lr": np.float64(5e-3)},
    "train": {"batch": 8, "shard": 4, "stop": "6u", "validate_every": "3u", "checkpoint_every": "2u"},
    "search": {"beam": 2, "max_length": 6, "min_length": 2},
}
HEADS = {
    "attention": {"score": "scaled_dot", "heads": 2, "hidden": 16},
    "decoder": {"type": "transformer", "hidden": 16, "embedding": 16, "layers": 2, "heads": 2},
    "encoder": {
        "type": "vit",
        "image_size": 32,
        "positions": "learned",
        "vit": {"patch": 8, "width": 16, "layers": 3, "heads": 2, "class_token": True},
    },
}


def tiny(**sections):
    return {**copy.deepcopy(TINY), **sections}


class Messages(logging.Handler):
    """What the library says while it is entered."""

    def __init__(self):
        super().__init__()
        self.texts = []

    def emit(self, record):
        self.texts.append(record.getMessage())

    def __enter__(self):
        logging.getLogger("saccade").addHandler(self)
        logging.getLogger("saccade").propagate = False
        return self

    def __exit__(self, *_):
        logging.getLogger("saccade").removeHandler(self)
        logging.getLogger("saccade").propagate = True


class Base(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.soft = saccade.load("soft")

    def same(self, one, other):
        self.assertEqual(one.text, other.text)
        self.assertEqual(one.log_probability, other.log_probability)
        np.testing.assert_array_equal(one.maps, other.maps)


class Captions(Base):
    def test_captions_say_what_they_must(self):
        caption = self.soft.caption(DOGS, must=["tree|trees", "grass"])
        words = caption.text.split()
        self.assertIn("grass", words)
        self.assertTrue({"tree", "trees"} & set(words))
        self.assertNotEqual(caption.text, self.soft.caption(DOGS).text)
        with self.assertRaisesRegex(saccade.UsageError, "zzgrb"):
            self.soft.caption(DOGS, must=["zzgrb"])

    def test_every_form_of_a_photo_has_the_same_caption(self):
        with Image.open(DOGS) as image:
            pixels = np.asarray(image)
            forms = [str(DOGS), DOGS.read_bytes(), bytearray(DOGS.read_bytes()), pixels, image]
            forms += [np.asfortranarray(pixels), pixels[::-1][::-1], image.convert("RGBA")]
            wanted = self.soft.caption(DOGS)
            for form in forms:
                self.same(self.soft.caption(form), wanted)
            for mode in ("L", "P", "CMYK", "1", "I;16", "LA"):
                with self.subTest(mode):
                    other = Image.new("L", (40, 30), 80) if mode == "I;16" else image.resize((40, 30))
                    self.assertTrue(self.soft.caption(other.convert(mode)).words)
        np.testing.assert_array_equal(self.soft.caption(pixels).photo, pixels)

    def test_photos_of_pil_stand_upright(self):
        with Image.open(DOGS) as image:
            exif = image.getexif()
            exif[0x0112] = 6
            file = io.BytesIO()
            image.save(file, "JPEG", exif=exif, quality=95)
        turned = Image.open(io.BytesIO(file.getvalue()))
        self.assertEqual(self.soft.caption(turned).photo.shape[:2], turned.size)
        self.assertEqual(self.soft.caption(file.getvalue()).photo.shape[:2], turned.size)

    def test_lists_have_the_captions_of_single_photos(self):
        photos = sorted(PHOTOS.glob("*.jpg"))
        many = self.soft.caption(photos * 5)
        self.assertEqual(len(many), 5 * len(photos))
        for i, photo in enumerate(photos):
            one = self.soft.caption(photo)  # sums of a block of photos have another order
            self.assertEqual(many[i].text, one.text)
            np.testing.assert_allclose(many[i].maps, one.maps, atol=1e-4)
            np.testing.assert_allclose(many[i].maps, many[4 * len(photos) + i].maps, atol=1e-4)
        self.assertEqual(self.soft.caption([]), [])
        self.assertEqual(len(self.soft.caption((DOGS, DOGS.read_bytes()))), 2)

    def test_words(self):
        caption = self.soft.caption(DOGS)
        self.assertEqual(caption.text, " ".join(word.text for word in caption.words))
        self.assertEqual(str(caption), caption.text)
        self.assertIn(caption.text, repr(caption))
        for word in caption.words:
            self.assertAlmostEqual(word.probability, np.exp(word.log_probability))
            self.assertLessEqual(word.probability, 1)
        self.assertLess(caption.log_probability, sum(w.log_probability for w in caption.words) + 1e-9)
        self.assertTrue(caption.finished)
        self.assertIn("dog", self.soft.vocabulary)

    def test_maps(self):
        caption = self.soft.caption(DOGS)
        maps = caption.maps
        self.assertEqual(maps.shape, (len(caption.words), *self.soft.grid))
        self.assertEqual(maps.dtype, np.float32)
        self.assertFalse(maps.flags.owndata, "the numbers were copied")
        sentinels = np.array([word.sentinel or 0 for word in caption.words])
        np.testing.assert_allclose(maps.sum((1, 2)) + sentinels, 1, atol=1e-4)
        height, width, _ = caption.photo.shape
        for i in (0, -1):
            on_photo = caption.map_on_photo(i)
            self.assertEqual(on_photo.shape, (height, width))
            # The heat is where the weights are, to a region.
            at = np.array(np.unravel_index(on_photo.argmax(), on_photo.shape)) / (height, width)
            cell = (np.array(np.unravel_index(maps[i].argmax(), maps[i].shape)) + 0.5) / maps[i].shape
            self.assertLess(np.abs(at - cell).max(), 0.35)
        for wrong in (len(maps), -len(maps) - 1):
            self.assertRaises(saccade.ShapeError, caption.map_on_photo, wrong)

    def test_overlays(self):
        caption = self.soft.caption(DOGS)
        sheet = caption.overlay()
        self.assertEqual((sheet.ndim, sheet.dtype, sheet.shape[2]), (3, np.uint8, 3))
        self.assertFalse(sheet.flags.owndata)
        panel = caption.overlay(1)
        self.assertEqual(panel.shape, caption.photo.shape)
        self.assertTrue((panel != caption.overlay(1, style="alpha")).any())
        self.assertTrue((panel != caption.overlay(1, colours="viridis")).any())
        with Image.open(io.BytesIO(caption._repr_png_())) as shown:
            np.testing.assert_array_equal(np.asarray(shown), sheet)
        for wrong in ({"style": "heath"}, {"colours": "red"}, {"scale": "x"}, {"measure": "y"}):
            with self.assertRaisesRegex(saccade.UsageError, f"{next(iter(wrong))}: there is no"):
                caption.overlay(**wrong)

    def test_a_photo_that_changed_is_not_drawn_on(self):
        with tempfile.TemporaryDirectory() as folder:
            photo = Path(folder, "photo.png")
            Image.new("RGB", (40, 30), (200, 30, 30)).save(photo)
            caption = self.soft.caption(photo)
            Image.new("RGB", (30, 40)).save(photo)
            with self.assertRaisesRegex(saccade.ShapeError, "caption it again"):
                caption.overlay(0)

    def test_said(self):
        searched = self.soft.caption(DOGS)
        said = self.soft.say(DOGS, searched.text)
        self.assertEqual(said.text, searched.text)
        self.assertAlmostEqual(said.log_probability, searched.log_probability, delta=1e-3)
        np.testing.assert_allclose(said.maps, searched.maps, atol=1e-4)
        with Messages() as messages:
            self.assertIn("<unk>", self.soft.say(DOGS, "a zebra-xyzzy runs").text)
        self.assertIn("soft does not know xyzzy", " ".join(messages.texts))
        for text in ("", "  ", "!?", "xyzzy qwertz"):
            self.assertRaises(saccade.UsageError, self.soft.say, DOGS, text)
        two = self.soft.say([DOGS, PHOTOS / "cat.jpg"], "a dog runs")
        self.assertGreater(two[0].words[1].probability, two[1].words[1].probability)

    def test_search(self):
        greedy = self.soft.caption(DOGS, mode="greedy")
        self.same(self.soft.caption(DOGS, beam=1), greedy)
        best = self.soft.caption(DOGS, beam=5, alternatives=4)
        self.assertEqual(len(best.alternatives), 3)
        values = [best.log_probability] + [one.log_probability for one in best.alternatives]
        self.assertEqual(len({best.text, *(one.text for one in best.alternatives)}), 4)
        self.assertTrue(all(one.maps.shape[0] == len(one.words) for one in best.alternatives))
        self.assertTrue(all(value < 0 for value in values))
        self.assertNotIn("dog", self.soft.caption(DOGS, forbidden=["dog", "dogs"]).text.split())
        self.assertLessEqual(len(self.soft.caption(DOGS, max_length=3).words), 3)
        self.assertEqual(self.soft.caption(DOGS, regime="expectation").text, self.soft.caption(DOGS).text)
        for wrong, message in (
            ({"baem": 3}, "beam"),
            ({"beam": 0}, "beam"),
            ({"beam": "many"}, "beam"),
            ({"mode": "bean"}, "beam"),
            ({"alternatives": 9}, "alternatives"),
            ({"alternatives": 0}, "alternatives"),
            ({"regime": "sampl"}, "regime"),
            ({"temperature": 2}, "temperature"),
        ):
            with self.subTest(wrong), self.assertRaisesRegex(saccade.UsageError, message):
                self.soft.caption(DOGS, **wrong)

    def test_samples(self):
        drawn = self.soft.sample(DOGS, 6, seed=3)
        self.assertEqual(len(drawn), 6)
        self.assertGreater(len({one.text for one in drawn}), 1)
        for one, other in zip(drawn, self.soft.sample(DOGS, 6, seed=3)):
            self.same(one, other)
        self.assertNotEqual([o.text for o in drawn], [o.text for o in self.soft.sample(DOGS, 6, seed=4)])
        cold = {one.text for one in self.soft.sample(DOGS, 4, temperature=0.01)}
        self.assertEqual(cold, {self.soft.caption(DOGS, mode="greedy").text})
        self.assertRaises(saccade.UsageError, self.soft.sample, DOGS, 0)

    def test_features_outlive_their_model(self):
        model = saccade.load("soft")
        features = model.features(DOGS)
        self.assertEqual(features.shape[:2], model.grid)
        self.assertFalse(features.flags.owndata or features.flags.writeable)
        kept = features.copy()
        del model
        gc.collect()
        np.testing.assert_array_equal(features, kept)
        caption = saccade.load("soft").caption(DOGS)
        gc.collect()
        self.same(caption, self.soft.caption(DOGS))
        self.assertEqual(caption.overlay(0).shape, caption.photo.shape)

    def test_ensembles(self):
        twice = saccade.load(["soft", "soft"])
        self.assertEqual(twice.checkpoints, ("soft", "soft"))
        both, one = twice.caption(DOGS), self.soft.caption(DOGS)
        self.assertEqual(both.text, one.text)
        np.testing.assert_allclose(both.maps, one.maps, atol=1e-5)
        self.assertRaises(saccade.UsageError, twice.caption, DOGS, layers=True)
        self.assertRaises(saccade.UsageError, twice.encoder_attention, DOGS)

    def test_hard_attention_names_its_regions(self):
        caption = saccade.load("hard", set={"search.beam": 1}).caption(DOGS)
        for i, word in enumerate(caption.words):
            if word.chosen is not None:
                self.assertEqual(word.chosen, np.unravel_index(caption.maps[i].argmax(), caption.maps[i].shape))
        self.assertTrue(any(word.chosen is not None for word in caption.words))


class Threads(Base):
    def test_threads_share_a_model(self):
        photos = sorted(PHOTOS.glob("*.jpg"))
        wanted = [self.soft.caption(photo).text for photo in photos]
        got = [None] * len(photos)

        def work(i):
            got[i] = self.soft.caption(photos[i]).text

        workers = [threading.Thread(target=work, args=(i,)) for i in range(len(photos))]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(got, wanted)

    def test_other_threads_run_meanwhile(self):
        counts = []
        end = threading.Event()

        def count():
            while not end.is_set():
                counts.append(time.perf_counter())
                time.sleep(0.001)

        counter = threading.Thread(target=count)
        counter.start()
        begin = time.perf_counter()
        self.soft.caption([DOGS] * 8)
        stop = time.perf_counter()
        end.set()
        counter.join()
        self.assertGreater(sum(begin < at < stop for at in counts), 10)

    def test_interrupts(self):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        begin = time.perf_counter()
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            self.soft.caption([DOGS] * 4000)
        self.assertLess(time.perf_counter() - begin, 60)
        self.assertTrue(self.soft.caption(DOGS).text)


class Errors(Base):
    def test_hierarchy(self):
        for name, kind in (
            ("UsageError", ValueError),
            ("DataError", ValueError),
            ("ShapeError", ValueError),
            ("IoError", OSError),
            ("DivergedError", ArithmeticError),
            ("InternalError", RuntimeError),
            ("CheckpointError", saccade.Error),
            ("BusyError", saccade.Error),
        ):
            self.assertTrue(issubclass(getattr(saccade, name), (saccade.Error,)))
            self.assertTrue(issubclass(getattr(saccade, name), kind))
        self.assertIs(saccade.DataError, saccade.metrics.DataError)

    def test_models_that_cannot_be_loaded(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "bad.h5").write_bytes(b"no checkpoint")
            for checkpoint in ("softt", f"{folder}/none.h5", f"{folder}/bad.h5"):
                self.assertRaises(saccade.CheckpointError, saccade.load, checkpoint)
        self.assertRaises(saccade.UsageError, saccade.load, [])
        for wrong in ({"search.baem": 3}, {"decoder.hidden": 3}, {"search.beam": "x"}):
            self.assertRaises(saccade.Error, saccade.load, "soft", set=wrong)
        self.assertRaises(TypeError, pickle.dumps, self.soft)

    def test_photos_that_cannot_be_read(self):
        with tempfile.TemporaryDirectory() as folder:
            text = Path(folder, "text.jpg")
            text.write_text("no picture")
            for photo in (text, Path(folder, "none.jpg"), b"", b"no picture", DOGS.read_bytes()[:900]):
                self.assertRaises(saccade.DataError, self.soft.caption, photo)
            with self.assertRaisesRegex(saccade.DataError, "none.jpg"):
                self.soft.caption([DOGS, Path(folder, "none.jpg")])
        for wrong in (np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3)), np.zeros((4, 4, 4), np.uint8)):
            with self.assertRaisesRegex(saccade.DataError, "uint8"):
                self.soft.caption(wrong)
        self.assertRaises(saccade.ShapeError, self.soft.caption, np.zeros((0, 4, 3), np.uint8))
        for wrong in (None, 3, {"photo": 1}):
            self.assertRaises(saccade.UsageError, self.soft.caption, wrong)

    def test_damaged_photos_are_captioned_with_a_warning(self):
        data = DOGS.read_bytes()
        with Messages() as messages:
            self.soft.caption(data[:-2] + b"\0\1\2" + data[-2:])
        self.assertTrue(any("bytes" in text for text in messages.texts), messages.texts)


class Training(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)

    def test_train_evaluate_compare_list(self):
        updates, validations = [], []
        trained = saccade.train(
            tiny(),
            self.place / "one",
            callback=updates.append,
            on_validation=lambda update, scores: validations.append((update, scores)),
        )
        self.assertEqual([one["update"] for one in updates], [1, 2, 3, 4, 5, 6])
        self.assertEqual(trained["updates"], 6)
        self.assertFalse(trained["stopped"])
        self.assertTrue(0 < updates[0]["done"] < updates[-1]["done"] <= 1)
        self.assertEqual([update for update, _ in validations], [3, 6])
        self.assertIn("CIDEr", validations[0][1])
        model = saccade.load(self.place / "one")
        self.assertIn("type: scenes", model.config)
        # A map goes through the centres of the regions.
        rows, columns = model.grid
        pixels = np.random.default_rng(1).integers(0, 255, (3 * rows, 3 * columns, 3), np.uint8)
        caption = model.caption(pixels)
        np.testing.assert_allclose(caption.map_on_photo(1)[1::3, 1::3], caption.maps[1], atol=1e-6)
        self.assertIsNotNone(caption.words[0].gate)

        config = self.place / "tiny.yaml"
        config.write_text(model.config)
        saccade.train(config, self.place / "two", set={"seed": 2, "train.stop": "4u"})
        scores = saccade.evaluate(model, split="val", images=4, no_ablations=True)
        self.assertEqual(scores["n_images"], 4)
        same = saccade.evaluate(self.place / "one", split="val", images=4, no_ablations=True)
        self.assertEqual(scores, same)
        self.assertRaises(saccade.UsageError, saccade.evaluate, model, splitt="val")
        self.assertRaises(saccade.CheckpointError, saccade.evaluate, self.place / "three")
        both = saccade.compare([self.place / "one", self.place / "two"], force=True)
        self.assertEqual(len(both["arms"]), 2)

        arms = {"compare": {"arms": {"soft": {}, "hard": {"attention.selection": "hard"}}}}
        config.write_text(json.dumps({**tiny(optimizer={"lr": 5e-3}), **arms}))
        trained = saccade.compare(config, self.place / "both", set={"train.stop": "2u"}, report_images=0)
        self.assertEqual([arm["name"] for arm in trained["arms"]], ["soft", "hard"])
        listed = saccade.runs(self.place / "both")
        self.assertEqual([run["updates"] for run in listed], [2, 2])
        self.assertEqual(saccade.runs(self.place / "one" / "checkpoints"), [])

    def test_a_callback_stops_and_the_run_goes_on(self):
        out = self.place / "run"
        stopped = saccade.train(tiny(), out, callback=lambda update: update["update"] < 3)
        self.assertTrue(stopped["stopped"])
        self.assertLess(stopped["updates"], 6)
        self.assertRaises(saccade.BusyError, saccade.train, tiny(), out)
        self.assertEqual(saccade.train(tiny(), out, resume=True)["updates"], 6)

    def test_interrupts_save_the_run(self):
        out = self.place / "run"

        def interrupt(update):
            if update["update"] == 2:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.01)

        with self.assertRaises(KeyboardInterrupt):
            saccade.train(tiny(), out, callback=interrupt)
        updates = []
        saccade.train(tiny(), out, resume=True, callback=updates.append)
        self.assertIn(updates[0]["update"], (3, 4))

    def test_interrupts_end_the_program(self):
        config = {**tiny(optimizer={"lr": 5e-3}), "compare": {"arms": {"soft": {}}}}
        config["train"] = {**config["train"], "stop": "100000u"}
        place = self.place / "study.yaml"
        place.write_text(json.dumps(config))
        begin = time.perf_counter()
        threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            saccade.compare(place, self.place / "both", report_images=0)
        self.assertLess(time.perf_counter() - begin, 60)
        self.assertRaises(ChildProcessError, os.waitpid, -1, os.WNOHANG)  # nothing still runs

    def test_what_a_callback_raises_is_passed_on(self):
        def fail(update):
            raise LookupError("here")

        with self.assertRaisesRegex(LookupError, "here"):
            saccade.train(tiny(), self.place / "run", callback=fail)

    def test_configs_that_are_not_valid(self):
        for config, message in (
            ({"train": {"bacth": 3}}, "batch"),
            ({"decoder": {"type": "lsmt"}}, "lstm"),
            ({"base": "x.yaml"}, "base"),
            (self.place / "none.yaml", "none.yaml"),
        ):
            with self.subTest(config), self.assertRaisesRegex(saccade.Error, message):
                saccade.train(config, self.place / "run")
        self.assertFalse((self.place / "run").exists())

    def test_layers_heads_and_encoders(self):
        out = self.place / "run"
        saccade.train(tiny(**HEADS), out, set={"train.stop": "2u"})
        model = saccade.load(out)
        photo = np.random.default_rng(2).integers(0, 255, (32, 32, 3), np.uint8)
        caption = model.caption(photo, layers=True)
        words, (rows, columns) = len(caption.words), model.grid
        self.assertEqual(caption.layer_maps.shape, (words, 2, 2, rows, columns))
        np.testing.assert_allclose(caption.layer_maps[:, -1].mean(1), caption.maps, atol=1e-6)
        self.assertEqual(caption.word_maps.shape, (2, 2, words, words))
        np.testing.assert_allclose(caption.word_maps.sum(3), 1, atol=1e-5)
        self.assertTrue((np.triu(caption.word_maps, 1) == 0).all())
        with self.assertRaisesRegex(saccade.UsageError, "layers=True"):
            model.caption(photo).layer_maps
        encoder = model.encoder_attention(photo)
        tokens = 1 + rows * columns
        self.assertEqual(encoder.tokens.shape, (3, 2, tokens, tokens))
        np.testing.assert_allclose(encoder.tokens.sum(3), 1, atol=1e-5)
        self.assertEqual((encoder.placeless, encoder.class_token, encoder.regions), (1, True, None))

    def test_models_without_maps(self):
        out = self.place / "run"
        saccade.train(tiny(attention={"score": "none"}), out, set={"train.stop": "1u"})
        model = saccade.load(out)
        self.assertFalse(model.has_attention)
        caption = model.caption(np.zeros((32, 32, 3), np.uint8), layers=True)
        self.assertIsNone(caption._repr_png_())
        for ask in (caption.overlay, lambda: caption.maps, lambda: caption.layer_maps):
            with self.assertRaisesRegex(saccade.UsageError, "no maps"):
                ask()

    def test_models_of_texts(self):
        task = {"task": "reverse", "train": 24, "val": 6, "test": 6, "symbols": 4, "shortest": 2, "longest": 6}
        out = self.place / "run"
        saccade.train(
            tiny(
                data={"type": "sequences", "min_count": 1, "max_length": 8, "sequences": task},
                encoder={"type": "bigru", "text": {"length": 6, "width": 12}},
            ),
            out,
            set={"train.stop": "1u", "train.best_metric": "token_accuracy"},
        )
        model = saccade.load(out)
        self.assertTrue(model.reads_text)
        text = model.vocabulary[4]
        caption = model.caption([f"{text} {text}"])[0]
        self.assertEqual(caption.maps.shape[1:], model.grid)
        self.assertEqual(caption.overlay(0).shape, caption.photo.shape)
        self.assertRaises(saccade.DataError, model.caption, " ")
        self.assertRaises(saccade.UsageError, model.caption, np.zeros((8, 8, 3), np.uint8))


if __name__ == "__main__":
    unittest.main()

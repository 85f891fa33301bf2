"""The Python package saccade: training, what is handed over for it, what the program measures."""

import io
import json
import os
import signal
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
from PIL import Image

import saccade
from support import HEADS, tiny

COLOURS = ("red", "green", "blue")


def picture(i):
    """A square of one of three colours on grey."""
    pixels = np.full((32, 40, 3), 90, np.uint8)
    pixels[8:20, 4 + i : 16 + i] = np.eye(3, dtype=np.uint8)[i % 3] * 250
    return pixels


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
        [listed] = saccade.runs(self.place)
        self.assertEqual((listed["state"], listed["updates"], listed["stop"]), ("finished", 6, "6u"))
        self.assertEqual(listed["best"], trained["best"][listed["metric"]])
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
        study = {**tiny(optimizer={"lr": 5e-3}), **arms}
        config.write_text(json.dumps(study))
        options = {"out": self.place / "both", "set": {"train.stop": "2u"}, "report_images": 0}
        trained = saccade.compare(config, **options)
        self.assertEqual([arm["name"] for arm in trained["arms"]], ["soft", "hard"])
        self.assertEqual(saccade.compare(study, **options), trained)
        listed = saccade.runs(self.place / "both")
        self.assertEqual([run["updates"] for run in listed], [2, 2])
        self.assertEqual(saccade.runs(self.place / "one" / "checkpoints"), [])

    def test_meteor_has_the_table_of_this_python(self):
        # A kernel of a notebook: its packages are not those of PYTHONPATH or an activated environment.
        table = self.place / "packages/pycocoevalcap/meteor/data/paraphrase-en.gz"
        table.parent.mkdir(parents=True)
        table.write_text("0.4\non a calm lake\non the water\n")
        (self.place / "packages/pycocoevalcap/__init__.py").touch()
        saccade.train(tiny(), self.place / "one", set={"train.stop": "1u"})
        places = {"SACCADE_PARAPHRASES": "", "XDG_CACHE_HOME": str(self.place / "cache")}
        packages = [str(self.place / "packages"), *sys.path]
        with mock.patch.dict(os.environ, places), mock.patch.object(sys, "path", packages):
            scores = saccade.evaluate(self.place / "one", split="val", images=2, no_ablations=True)
        self.assertIn(f"paraphrase {table} (", scores["meteor_tables"])

    def test_a_callback_stops_and_the_run_goes_on(self):
        out = self.place / "run"
        stopped = saccade.train(tiny(), out, callback=lambda update: update["update"] < 3)
        self.assertTrue(stopped["stopped"])
        self.assertLess(stopped["updates"], 6)
        self.assertRaises(saccade.BusyError, saccade.train, tiny(), out)
        self.assertEqual(saccade.train(tiny(), out, resume=True)["updates"], 6)
        loss = np.float32(np.inf)
        stopped = saccade.train(tiny(), self.place / "other", callback=lambda update: update["loss"] > loss)
        self.assertEqual((stopped["stopped"], stopped["updates"]), (True, 1))

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

    def test_data_of_python(self):
        given = [(picture(i), [f"a {COLOURS[i % 3]} square", "a square"]) for i in range(24)]
        config = tiny(data={"min_count": 1})

        def pairs():  # every form of a photo, one caption or several
            for i, (pixels, captions) in enumerate(given):
                file = io.BytesIO()
                Image.fromarray(pixels).save(file, "PNG")
                yield [pixels, Image.fromarray(pixels), file.getvalue()][i % 3], captions

        runs = []
        for threads in (1, 2):
            losses = []
            saccade.train(
                config,
                self.place / str(threads),
                data=pairs(),
                validation=[(picture(i), f"a {COLOURS[i % 3]} square") for i in range(4)],
                callback=lambda update: losses.append(update["loss"]),
                threads=threads,
            )
            runs.append(losses)
        self.assertEqual(len(runs[0]), 6)
        self.assertEqual(runs[0], runs[1])
        out = self.place / "1"
        with Image.open(out / "data" / "0000005.png") as kept:
            np.testing.assert_array_equal(np.asarray(kept), given[5][0])
        self.assertIn("square", saccade.load(out).vocabulary)
        scores = saccade.evaluate(out, split="val", no_ablations=True)
        self.assertEqual(scores["n_images"], 4)
        more = saccade.train(config, out, set={"train.stop": "7u"}, data=pairs(), resume=True,
                             validation=[(picture(i), f"a {COLOURS[i % 3]} square") for i in range(4)])
        self.assertEqual(more["updates"], 7)
        # Without data of one's own for validation, a share of the images is kept for it.
        saccade.train(tiny(data={"min_count": 1, "split": {"val": 0.25}}), self.place / "share", data=given)
        shared = saccade.evaluate(self.place / "share", split="val", no_ablations=True)["n_images"]
        self.assertTrue(0 < shared < 16, shared)

    def test_data_that_are_not_valid(self):
        pixels = picture(0)
        config = tiny(data={"min_count": 1})

        def broken():
            yield pixels, "a square"
            raise LookupError("here")

        for data, error, message in (
            ([], saccade.DataError, "no example"),
            ([(pixels, "a"), pixels[0]], saccade.DataError, "data: example 1 is not a pair"),
            ([pixels], saccade.DataError, "data: example 0 is not a pair"),
            ([(pixels, [])], saccade.DataError, "data: example 0 has no captions"),
            ([(pixels, [3])], saccade.DataError, "data: example 0 has no captions"),
            ([(pixels / 2, "a")], saccade.DataError, "data: example 0: pixels are an array"),
            ([(self.place / "none.png", "a")], saccade.DataError, "none.png"),
            ([(None, "a")], saccade.UsageError, "data: example 0: a photo is"),
            (broken(), LookupError, "here"),
        ):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                saccade.train(config, self.place / "run", data=data)
            self.assertFalse((self.place / "run").exists())
        with self.assertRaisesRegex(saccade.UsageError, "data.type names data"):
            saccade.train(tiny(), self.place / "run", data=[(pixels, "a")])
        with self.assertRaisesRegex(saccade.UsageError, "validation"):
            saccade.train(config, self.place / "run", validation=[(pixels, "a")])
        self.assertFalse((self.place / "run").exists())

    def test_a_reward_of_python(self):
        config = tiny()
        config["objective"] = {"doubly_stochastic": 0, "self_critical": {"start": "2u", "lr": 1e-3}}
        runs = []
        for threads, kind in ((1, list), (2, np.array)):
            asked, losses = [], []

            def reward(captions, references):
                self.assertIs(threading.current_thread(), threading.main_thread())
                self.assertEqual((len(captions), len(references)), (40, 40))
                self.assertIn(len(references[0]), (1, 2, 3))
                self.assertEqual(references[0], references[4])
                asked.append(captions)
                return kind([float(caption.split().count("a")) for caption in captions])

            out = self.place / str(threads)
            saccade.train(config, out, reward=reward, threads=threads, callback=lambda u: losses.append(u["loss"]))
            runs.append((asked, losses))
            self.assertEqual(len(asked), 4)
        self.assertEqual(runs[0], runs[1])
        again = saccade.train(config, out, reward=reward, set={"train.stop": "7u"}, resume=True)
        self.assertEqual(again["updates"], 7)
        with self.assertRaisesRegex(saccade.UsageError, "has none; give it"):
            saccade.train(out / "config.yaml", out, set={"train.stop": "8u"}, resume=True)

    def test_rewards_that_are_not_valid(self):
        config = tiny()
        config["objective"] = {"doubly_stochastic": 0, "self_critical": {"start": "1u", "lr": 1e-3}}

        def fail(captions, references):
            raise LookupError("here")

        for reward, error, message in (
            (fail, LookupError, "here"),
            (lambda captions, references: [1.0], saccade.UsageError, "1 reward for 40 captions"),
            (lambda captions, references: [np.nan] * 40, saccade.UsageError, "nan for '"),
            (lambda captions, references: None, saccade.UsageError, "NoneType"),
            (lambda captions, references: ["much"] * 40, saccade.UsageError, "list"),
            (lambda captions: [1.0] * 40, TypeError, "argument"),
        ):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                saccade.train(config, self.place / message, reward=reward)
        with self.assertRaisesRegex(saccade.UsageError, "self_critical.start"):
            saccade.train(tiny(), self.place / "run", reward=fail)

    def test_an_interrupt_in_a_reward_saves_the_run(self):
        config = tiny()
        config["objective"] = {"doubly_stochastic": 0, "self_critical": {"start": "1u", "lr": 1e-3}}
        calls = []

        def reward(captions, references):
            calls.append(captions)
            if len(calls) == 2:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.01)
            return [float(len(caption)) for caption in captions]

        out = self.place / "run"
        with self.assertRaises(KeyboardInterrupt):
            saccade.train(config, out, reward=reward)
        self.assertEqual(len(calls), 3)  # the second update was asked again
        self.assertEqual(calls[1], calls[2])
        updates = []
        saccade.train(config, out, reward=reward, resume=True, callback=updates.append)
        self.assertEqual(updates[0]["update"], 4)

    def test_a_plugin(self):
        file = os.environ.get("SACCADE_TEST_PLUGIN")
        if not file:
            self.skipTest("no plugin was built")
        with self.assertRaisesRegex(saccade.UsageError, "belongs to the plugin 'mine', which is not loaded"):
            saccade.train(tiny(), self.place / "run", set={"attention.score": "mine.tanh"})
        self.assertRaises(saccade.DataError, saccade.plugin, self.place / "none.so")
        self.assertEqual(saccade.plugin(file), "mine")
        self.assertEqual(saccade.plugin(Path(file)), "mine")
        saccade.train(tiny(), self.place / "run", set={"attention.score": "mine.tanh"})
        caption = saccade.load(self.place / "run").caption(np.zeros((32, 32, 3), np.uint8))
        np.testing.assert_allclose(caption.maps.sum((1, 2)), 1, atol=1e-4)
        self.assertEqual(saccade.evaluate(self.place / "run", split="val", no_ablations=True)["n_images"], 6)

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

    def test_models_of_regions_from_elsewhere(self):
        folder = self.place / "features"
        folder.mkdir()
        random = np.random.default_rng(5)

        def store(name, count):  # boxes in pixels of the picture [32, 40]
            corner = random.uniform(0, 16, (count, 2))
            boxes = np.hstack([corner, corner + random.uniform(4, 16, (count, 2))]).astype(np.float32)
            features = random.normal(size=(count, 6)).astype(np.float32)
            np.savez(name, feat=features, boxes=boxes, image_h=32, image_w=40)
            return boxes

        given = [(picture(i), f"a {COLOURS[i % 3]} square") for i in range(18)]
        boxes = [store(folder / f"{i:07}.npz", 3 + i % 3) for i in range(18)]
        encoder = {"type": "features", "features": {"path": folder}}
        out = self.place / "run"
        saccade.train(tiny(data={"min_count": 1}, encoder=encoder), out, data=given)
        model = saccade.load(out)
        with self.assertRaisesRegex(saccade.DataError, "no features of"):
            model.caption(self.place / "run" / "data" / "0000001.png", features=self.place)
        for i in (1, 2):
            caption = model.caption(out / "data" / f"000000{i}.png", layers=True)
            words = len(caption.words)
            self.assertEqual(caption.maps.shape, (words, 3 + i))
            np.testing.assert_allclose(caption.maps.sum(1), 1, atol=1e-5)
            self.assertEqual(caption.layer_maps.shape, (words, 1, 1, 3 + i))
            wanted = np.hstack([boxes[i][:, :2], boxes[i][:, 2:] - boxes[i][:, :2]])
            np.testing.assert_allclose(caption.boxes, wanted, atol=1e-3)
            on_photo = caption.map_on_photo(0)
            left, top, right, bottom = boxes[i][caption.maps[0].argmax()]
            self.assertAlmostEqual(on_photo[int((top + bottom) / 2), int((left + right) / 2)], caption.maps[0].max())
            self.assertEqual(caption.overlay().ndim, 3)
            self.assertIn("<iframe", caption._repr_html_())
        other = store(self.place / "one.npz", 4)
        caption = model.caption(given[0][0], features=self.place / "one.npz")
        self.assertEqual(caption.maps.shape[1:], (4,))
        self.assertEqual(model.features(given[0][0], features=self.place / "one.npz").shape[2], 6)
        np.testing.assert_allclose(caption.boxes[:, :2], other[:, :2], atol=1e-3)
        with self.assertRaisesRegex(saccade.UsageError, "features of one photo, and 2"):
            model.caption([given[0][0], given[1][0]], features=self.place / "one.npz")
        with self.assertRaisesRegex(saccade.DataError, "one.npz"):
            saccade.load("soft").caption(given[0][0], features=self.place / "one.npz")
        self.check_features_alone(model, out, folder)

    def check_features_alone(self, model, out, folder):
        captions = model.caption(features=folder, layers=True)
        self.assertEqual([caption.name for caption in captions], [f"{i:07}" for i in range(18)])
        photo = str(out / "data" / "0000001.png")
        with_photo = model.caption(photo, layers=True)
        self.assertEqual(with_photo.name, photo)
        alone = captions[1]
        self.assertEqual(alone.text, with_photo.text)
        self.assertAlmostEqual(alone.log_probability, with_photo.log_probability, places=5)
        for array in ("maps", "layer_maps", "boxes"):
            np.testing.assert_allclose(getattr(alone, array), getattr(with_photo, array), atol=1e-5)
        self.assertEqual(alone.photo.shape, (32, 40, 3))
        np.testing.assert_allclose(alone.map_on_photo(0), with_photo.map_on_photo(0), atol=1e-5)
        self.assertEqual(alone.overlay(0).shape, alone.photo.shape)
        self.assertEqual(alone.overlay().shape, with_photo.overlay().shape)
        self.assertIn("<iframe", alone._repr_html_())
        one = self.place / "one.npz"
        said = model.say(None, "a red square", features=one)
        self.assertEqual([caption.text for caption in said], ["a red square"])
        self.assertEqual(len(model.sample(None, 3, features=one)), 3)
        self.assertEqual(model.features(features=one).shape[2], 6)
        with self.assertRaisesRegex(saccade.UsageError, "has the features of 18 photos"):
            model.sample(None, 3, features=folder)
        with self.assertRaisesRegex(saccade.UsageError, "no photo is given"):
            model.caption()
        with self.assertRaisesRegex(saccade.UsageError, "soft needs the pictures, too"):
            saccade.load("soft").caption(features=folder / "0000000.npz")

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

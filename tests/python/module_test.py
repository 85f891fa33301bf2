"""The Python package saccade: captions, arrays, threads, errors."""

import gc
import html
import io
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy as np
from PIL import Image

import saccade
import saccade.metrics
from support import DOGS, PHOTOS, Messages


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
            np.testing.assert_array_equal(np.asarray(shown), caption.overlay(panel_width=160))
        for wrong in ({"style": "heath"}, {"colours": "red"}, {"scale": "x"}, {"measure": "y"}):
            with self.assertRaisesRegex(saccade.UsageError, f"{next(iter(wrong))}: there is no"):
                caption.overlay(**wrong)

    def shown(self, caption):
        """What the card of a caption is made from."""
        frame = re.fullmatch(r'<iframe title="([^"]*)" srcdoc="([^"]*)" [^>]*></iframe>', caption._repr_html_())
        self.assertEqual(html.unescape(frame[1]), caption.text)
        page = html.unescape(frame[2])
        self.assertTrue(page.startswith("<!doctype html>"))
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1])

    def test_a_notebook_shows_the_explorers_card(self):
        caption = self.soft.caption(DOGS, beam=3, alternatives=3)
        data = self.shown(caption)
        self.assertTrue(data["embedded"])
        self.assertEqual([model["name"] for model in data["models"]], ["soft"])
        [image] = data["images"]
        self.assertEqual((image["id"], image["height"], image["width"]), (DOGS.name, *caption.photo.shape[:2]))
        self.assertTrue(image["photo"].startswith("data:image/jpeg;base64,"))
        [(regime, shown)] = image["models"][0]["regimes"].items()
        self.assertEqual((regime, shown["caption"]), ("expectation", caption.text))
        self.assertEqual([word["text"] for word in shown["words"]], [word.text for word in caption.words])
        self.assertEqual(len(shown["alternatives"]), 2)
        with tempfile.TemporaryDirectory() as folder:
            named = Path(folder, "a<b>&quot;.jpg")
            named.write_bytes(DOGS.read_bytes())
            self.assertEqual(self.shown(self.soft.caption(named))["images"][0]["id"], named.name)
        self.assertEqual(self.shown(self.soft.caption(DOGS.read_bytes()))["images"][0]["id"], "photo")
        both = self.shown(saccade.load(["soft", "hard"]).caption(DOGS))
        self.assertEqual(both["title"], "soft, hard")
        sampled = self.soft.sample(DOGS, 2, seed=1)[1]
        self.assertEqual(self.shown(sampled)["images"][0]["models"][0]["regimes"]["expectation"]["caption"], sampled.text)

    def test_a_photo_that_changed_is_not_drawn_on(self):
        with tempfile.TemporaryDirectory() as folder:
            photo = Path(folder, "photo.png")
            Image.new("RGB", (40, 30), (200, 30, 30)).save(photo)
            caption = self.soft.caption(photo)
            Image.new("RGB", (30, 40)).save(photo)
            with self.assertRaisesRegex(saccade.ShapeError, "caption it again"):
                caption.overlay(0)
            self.assertRaises(saccade.ShapeError, caption._repr_html_)

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

    def test_features_of_the_models_own_encoder(self):
        with tempfile.TemporaryDirectory() as place:
            command = [os.environ["SACCADE_PROGRAM"], "features", "soft", "--photos", DOGS, "--out", place]
            subprocess.run(command, capture_output=True, check=True)
            caption = self.soft.caption(DOGS, name_objects=0)
            given = self.soft.caption(DOGS, features=place)
            self.assertEqual(given.text, caption.text)
            np.testing.assert_allclose(given.maps, caption.maps, atol=1e-4)
            np.testing.assert_allclose(
                self.soft.features(DOGS, features=place), self.soft.features(DOGS), atol=1e-3
            )
            self.assertEqual(self.soft.sample(DOGS, 2, features=place)[0].maps.shape[1:], (10, 10))
            with self.assertRaisesRegex(saccade.UsageError, "soft needs the pictures, too"):
                self.soft.caption(features=place)

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
        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell starts this in the background
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        begin = time.perf_counter()
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            self.soft.caption([DOGS] * 4000)
        self.assertLess(time.perf_counter() - begin, 60)
        self.assertTrue(self.soft.caption(DOGS).text)


class Errors(Base):
    def test_other_processors(self):
        fake = "import sys, types; one = types.ModuleType('saccade._processor'); one.missing = lambda: 'avx2, fma'; "
        fake += "sys.modules['saccade._processor'] = one; import saccade"
        done = subprocess.run([sys.executable, "-c", fake], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("ImportError: this saccade was built for processors that have avx2, fma, which this", done.stderr)

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


if __name__ == "__main__":
    unittest.main()

"""saccade.metrics, installed in an environment of its own: what its users complained about elsewhere."""

import gc
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from collections import defaultdict
from pathlib import Path
from unittest import mock

import numpy as np

import saccade.metrics as metrics
from saccade.metrics.bleu.bleu import Bleu
from saccade.metrics.cider.cider import Cider
from saccade.metrics.ciderD.ciderD import CiderD
from saccade.metrics.coco import COCO
from saccade.metrics.eval import COCOEvalCap
from saccade.metrics.meteor.meteor import Meteor
from saccade.metrics.nlgeval import NLGEval, compute_individual_metrics, compute_metrics
from saccade.metrics.rouge.rouge import Rouge
from saccade.metrics.tokenizer.ptbtokenizer import PTBTokenizer

GOLDEN = Path(os.environ["SACCADE_GOLDEN"])
GTS = {
    7: ["a brown dog runs on grass", "the dog is running"],
    "b": ["two boats on a lake", "small boats float"],
    (1, 2): ["a cat below a shelf"],
}
RES = {"b": ["two boats on the water"], 7: ["a dog runs"], (1, 2): ["a cat on a shelf"]}


def scorers():
    return [Bleu(4), Meteor(), Rouge(), Cider()]


def quiet(scorer, gts, res):
    return scorer.compute_score(gts, res, 0) if isinstance(scorer, Bleu) else scorer.compute_score(gts, res)


def golden():
    with open(GOLDEN / "reference.json", encoding="utf-8") as file:
        return json.load(file)


def evaluated(results=None, **options):
    coco = COCO(GOLDEN / "references.json")
    whole = COCOEvalCap(coco, coco.loadRes(results or str(GOLDEN / "results.json")), **options)
    whole.evaluate()
    return whole


class Metrics(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", metrics.MetricWarning)
        self.addCleanup(warnings.resetwarnings)

    def near(self, ours, theirs):
        self.assertLessEqual(abs(ours - theirs), 1e-9)

    # Numbers, shapes and types.

    def test_scores_equal_the_reference_packages(self):
        whole, gold = evaluated(), golden()
        self.assertEqual(list(whole.eval), ["Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4", "METEOR", "ROUGE_L", "CIDEr"])
        for name, score in whole.eval.items():
            self.near(score, gold["corpus"][name])
        self.assertEqual(len(whole.evalImgs), len(gold["images"]))
        for theirs in gold["images"]:
            ours = whole.imgToEval[theirs["image_id"]]
            self.assertEqual(ours["image_id"], theirs["image_id"])
            for name in whole.eval:
                self.near(ours[name], theirs[name])

    def test_tokens_equal_the_reference_packages(self):
        lines = golden()["sentences"]
        ours = PTBTokenizer().tokenize({0: [{"caption": one["line"]} for one in lines]})[0]
        self.assertEqual(ours, [one["words"] for one in lines])

    def test_answers_have_the_shapes_and_types(self):
        total, images = Bleu(3).compute_score(GTS, RES, verbose=0)
        self.assertEqual([type(total), len(total), type(images), len(images)], [list, 3, list, 3])
        self.assertEqual([type(total[0]), type(images[0]), len(images[0])], [float, list, 3])
        for scorer in (Rouge(), Cider()):
            score, each = scorer.compute_score(GTS, RES)
            self.assertIs(type(score), np.float64)
            self.assertEqual((each.dtype, each.shape), (np.float64, (3,)))
        score, each = Meteor().compute_score(GTS, RES)
        self.assertEqual([type(score), type(each), type(each[0])], [float, list, float])
        self.assertIs(type(Rouge().calc_score(["a dog"], ["a dog runs"])), float)
        names = [scorer.method() for scorer in scorers()] + [CiderD().method()]
        self.assertEqual(names, ["Bleu", "METEOR", "Rouge", "CIDEr", "CIDEr-D"])

    def test_answers_are_in_the_order_of_gts_and_keyed_by_id(self):
        # tylin 11, 12, 56: scores on the wrong image
        back = dict(reversed(list(GTS.items())))
        for scorer in scorers():
            score, each = quiet(scorer, GTS, RES)
            other, turned = quiet(scorer, back, RES)
            np.testing.assert_allclose(np.array(each)[..., ::-1], np.array(turned), rtol=0, atol=1e-15)
        results = json.loads((GOLDEN / "results.json").read_text())
        self.assertEqual(evaluated(results).imgToEval, evaluated(results[::-1]).imgToEval)

    def test_bleu_prints_what_the_original_prints(self):
        script = "from saccade.metrics import Bleu; Bleu(2).compute_score({1: ['a dog']}, {1: ['a dog']}"
        said = [self.run_python(script + end).stdout for end in (")", ", 0)", ", verbose=2)")]
        self.assertEqual(said[0].split("\n")[0], "{'testlen': 2, 'reflen': 2, 'guess': [2, 1], 'correct': [2, 1]}")
        self.assertTrue(said[0].split("\n")[1].startswith("ratio: 0.9999"))
        self.assertEqual(said[1], "")
        self.assertIn("{'reflen': [2], 'testlen': 2, 'guess': [2, 1, 0, 0], 'correct': [2, 1, 0, 0]} 2", said[2])

    # What is refused, and how.

    def test_bad_captions_are_assertion_errors_that_name_the_image(self):
        # CASIA-IVA-Lab/VALOR 15
        for bad in ({7: ["a", "b"]}, {7: []}, {7: ("a dog",)}, {7: "a dog"}):
            for scorer in scorers():
                with self.assertRaisesRegex(AssertionError, "image 7"):
                    quiet(scorer, {7: ["a dog"]}, bad)
        for bad in ({7: []}, {7: ("a dog",)}, {7: "a dog"}):
            for scorer in scorers():
                with self.assertRaisesRegex(AssertionError, "image 7"):
                    quiet(scorer, bad, {7: ["a dog"]})
        with self.assertRaisesRegex(AssertionError, "image 7: needs exactly one caption, got 2"):
            Bleu().compute_score({7: ["a"]}, {7: ["a", "b"]})

    def test_other_ids_are_an_assertion_error_that_names_them(self):
        for scorer in scorers():
            with self.assertRaisesRegex(AssertionError, "1 has no caption, '1' has no references"):
                quiet(scorer, {1: ["a"]}, {"1": ["a"]})

    def test_no_captions(self):
        # xiadingZ/video-caption.pytorch 15; karpathy/neuraltalk2 64
        self.assertEqual(Bleu().compute_score({}, {}, 0), ([0.0] * 4, [[]] * 4))
        score, each = Rouge().compute_score({}, {})
        self.assertTrue(np.isnan(score) and each.shape == (0,))
        for scorer in (Meteor(), Cider()):
            with self.assertRaisesRegex(ValueError, "no captions"):
                scorer.compute_score({}, {})
        with self.assertRaisesRegex(AssertionError, "no captions"):
            COCO(GOLDEN / "references.json").loadRes([])

    def test_references_without_a_word(self):
        with self.assertRaisesRegex(ValueError, "no reference has a word"):
            Cider().compute_score({1: [""], 2: [" "]}, {1: ["a"], 2: ["b"]})

    def test_empty_captions_score_0_and_warn(self):
        # Maluuba/nlg-eval 100
        gts, res = {1: ["a dog"], 2: ["a cat"]}, {1: [""], 2: ["a cat"]}
        for scorer in scorers():
            with self.assertWarnsRegex(metrics.MetricWarning, "images 1"):
                _, each = quiet(scorer, gts, res)
            self.near(np.array(each).reshape(-1, 2)[0][0], 0)
        self.assertEqual(Rouge().compute_score({1: [""]}, {1: [""]})[0], 1)
        for scorer in (Bleu(), Meteor()):
            self.near(np.array(quiet(scorer, {1: [""]}, {1: [""]})[0]).max(), 0)

    def test_one_image_has_cider_0_and_a_warning(self):
        # tylin 9; salaniz 18; Maluuba/nlg-eval 86, 108
        with self.assertWarnsRegex(metrics.MetricWarning, "one image"):
            self.assertEqual(Cider().compute_score({1: ["a dog"]}, {1: ["a dog"]})[0], 0)

    def test_cider_above_1_is_said_to_be_right(self):
        # tylin 2, 5
        self.assertGreater(Cider().compute_score(GTS, RES)[0], 1)
        self.assertIn("0..10", Cider.__doc__)

    def test_captions_may_be_dicts_or_strings(self):
        # yaoli/arctic-capgen-vid 1; salaniz 21
        as_dicts = {1: [{"caption": "A dog's bowl."}, {"caption": "Two, dogs!"}], 2: []}
        as_texts = {1: ["A dog's bowl.", "Two, dogs!"], 2: []}
        words = {1: ["a dog 's bowl", "two dogs"]}  # an empty list is left out
        self.assertEqual(PTBTokenizer().tokenize(as_dicts), words)
        self.assertEqual(PTBTokenizer().tokenize(as_texts), words)
        with self.assertRaisesRegex(TypeError, "image 1: expected {'caption': str}"):
            PTBTokenizer().tokenize({1: [5]})
        for scorer in scorers():
            with self.assertWarnsRegex(metrics.MetricWarning, "tokenise first"):
                answer = quiet(scorer, {1: [{"caption": "a dog"}], 2: ["b"]}, {1: ["a dog"], 2: ["b"]})
            np.testing.assert_equal(answer, quiet(scorer, {1: ["a dog"], 2: ["b"]}, {1: ["a dog"], 2: ["b"]}))
            with self.assertRaisesRegex(TypeError, "image 1"):
                quiet(scorer, {1: [5]}, {1: ["a dog"]})

    def test_what_is_no_unicode_is_told_with_its_image(self):
        for bad in ("a \ud800", {"caption": "a \ud800"}):
            with self.assertRaisesRegex(metrics.DataError, "image 7: .* is not Unicode text"):
                PTBTokenizer().tokenize({7: [bad]})
            for scorer in scorers():
                with self.assertRaisesRegex(metrics.DataError, "image 7: .* is not Unicode text"):
                    quiet(scorer, {7: ["a"]}, {7: [bad]})

    def test_line_ends_are_spaces(self):
        # Maluuba/nlg-eval 91; MarcusNerva/HMN 7; stanfordnlp/CoreNLP 619
        for end in ("\n", "\r", "\r\n", "\u2028", "\u2029", "\u0085", "\v", "\f"):
            tokens = PTBTokenizer().tokenize({1: [f"a dog{end}runs"], 2: ["a cat"], 3: [f"b{end}"]})
            self.assertEqual(tokens, {1: ["a dog runs"], 2: ["a cat"], 3: ["b"]})
            score, each = Meteor().compute_score({1: [f"a dog{end}runs"], 2: ["a cat"]}, {1: ["a dog runs"], 2: ["a cat"]})
            self.assertEqual(each, [1.0, 1.0])

    # How it runs.

    def run_python(self, script, **environment):
        run = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, env={**os.environ, **environment}
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        return run

    EVERYTHING = (
        "import sys, saccade.metrics as m\n"
        "g = {1: ['a dog runs', 'the dog is running'], 2: ['two boats']}; r = {1: ['a dog'], 2: ['a boat']}\n"
        "m.PTBTokenizer().tokenize(g)\n"
        "print([s.compute_score(g, r)[0] for s in (m.Bleu(), m.Meteor(), m.Rouge(), m.Cider())])\n"
    )

    def test_needs_no_java_and_starts_no_process(self):
        # tylin 22, 46, 14, PR 16, 17; salaniz 16; fawazsammani/show-edit-tell 7
        self.run_python(
            "import os, subprocess\n"
            "def no(*a, **k): raise SystemExit('a process was started')\n"
            "subprocess.Popen = os.fork = os.system = os.posix_spawn = no\n" + self.EVERYTHING,
            PATH="/none",
        )

    def test_any_path_also_one_with_a_space(self):
        # elliottd/satyrid 2
        with tempfile.TemporaryDirectory(prefix="with space ") as folder:
            os.symlink(Path(metrics.__path__[0]).parent, Path(folder) / "saccade")
            self.run_python(self.EVERYTHING + f"assert {folder!r} in m.__path__[0]", PYTHONPATH=folder)

    def test_the_locale_changes_nothing(self):
        # Maluuba/nlg-eval 32; GEM-benchmark/GEM-metrics 18; Labbeti/aac-metrics 9; salaniz 15
        plain = self.run_python(self.EVERYTHING).stdout
        known = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.split()
        commas = next((name for name in known if name.startswith(("de_DE", "fr_FR"))), None)
        for name in filter(None, (commas, "C", "C.UTF-8")):
            script = f"import locale; locale.setlocale(locale.LC_ALL, {name!r})\n" + self.EVERYTHING
            self.assertEqual(self.run_python(script, LC_ALL=name).stdout, plain)

    def test_writes_nothing_beside_itself(self):
        # tylin 48; microsoft/SwinBERT 51
        place = Path(metrics.__path__[0])
        before = {path: path.stat().st_mtime_ns for path in place.rglob("*") if "__pycache__" not in path.parts}
        evaluated()
        after = {path: path.stat().st_mtime_ns for path in place.rglob("*") if "__pycache__" not in path.parts}
        self.assertEqual(before, after)

    def test_nothing_is_torn_down(self):
        # sgrvinod/a-PyTorch-Tutorial-to-Image-Captioning 92
        for scorer in scorers():
            self.assertFalse(hasattr(type(scorer), "__del__"))
        script = "from saccade.metrics import Meteor\ntry: Meteor('/none')\nexcept Exception as e: print(type(e).__name__, e)"
        run = self.run_python(script)
        self.assertIn("DataError /none: cannot be opened", run.stdout)
        self.assertEqual(run.stderr, "")

    def test_threads_share_scorers(self):
        shared, wanted = scorers(), [quiet(scorer, GTS, RES) for scorer in scorers()]
        failures = []

        def work():
            for _ in range(30):
                for scorer, right in zip(shared, wanted):
                    try:
                        np.testing.assert_equal(quiet(scorer, GTS, RES), right)
                    except BaseException as error:  # noqa: BLE001
                        failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_other_threads_run_meanwhile(self):
        gts = {i: ["a dog runs over the wide green field and the cat sees it " * 12] * 5 for i in range(400)}
        ticks, done = [0], threading.Event()

        def tick():
            while not done.is_set():
                ticks[0] += 1
                time.sleep(0.0005)

        thread = threading.Thread(target=tick)
        thread.start()
        before = ticks[0]
        metrics._metrics.rouge_l([refs[0] for refs in gts.values()], list(gts.values()))
        metrics._metrics.cider([refs[0] for refs in gts.values()], list(gts.values()), 4, 6.0, None)
        counted = ticks[0] - before
        done.set()
        thread.join()
        self.assertGreater(counted, 3)

    def test_a_forked_process_scores(self):
        wanted = quiet(Cider(), GTS, RES)[0]
        with multiprocessing.get_context("fork").Pool(2) as pool:
            answers = pool.starmap_async(quiet, [(Cider(), GTS, RES)] * 4).get(timeout=60)
        self.assertEqual([float(score) for score, _ in answers], [float(wanted)] * 4)

    def test_memory_does_not_grow(self):
        def resident():
            return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

        def round_():
            for _ in range(60):
                for scorer in scorers():
                    quiet(scorer, GTS, RES)
            gc.collect()

        round_()
        before = resident()
        round_()
        self.assertLess(resident() - before, 8_000_000)

    # SPICE.

    def test_spice_is_left_out_and_its_absence_said(self):
        # salaniz 17, 25, 20; Labbeti/aac-metrics 1; tylin 59
        script = (
            "from saccade.metrics import COCO, COCOEvalCap\n"
            f"c = COCO({str(GOLDEN / 'references.json')!r}); e = COCOEvalCap(c, c.loadRes({str(GOLDEN / 'results.json')!r}))\n"
            "e.evaluate(); assert 'SPICE' not in e.eval and 'CIDEr' in e.eval"
        )
        self.assertIn("SPICE: not computed", self.run_python(script).stdout)
        with self.assertRaisesRegex(metrics.DataError, "SPICE: needs pycocoevalcap and Java"):
            evaluated(spice=True)

    # METEOR's paraphrases.

    def table(self, folder):
        path = Path(folder) / "paraphrase-en.gz"
        path.write_text("0.4\non a calm lake\non the water\n")
        return path

    def test_meteor_says_which_it_is_and_how_to_get_the_table(self):
        # nltk 2655; huggingface/evaluate 115
        self.assertIn("no paraphrases", Meteor("none").tables)
        with tempfile.TemporaryDirectory() as folder:
            home = {"HOME": folder, "XDG_CACHE_HOME": "", "SACCADE_PARAPHRASES": ""}
            script = "from saccade.metrics import Meteor; print(Meteor().tables)"
            run = self.run_python(script, **home)
            self.assertIn("pip install pycocoevalcap", run.stderr)
            for place in (".cache/saccade", "packages/pycocoevalcap/meteor/data"):
                (Path(folder) / place).mkdir(parents=True, exist_ok=True)
                table = self.table(Path(folder) / place)
                (Path(folder) / "packages/pycocoevalcap").mkdir(parents=True, exist_ok=True)
                (Path(folder) / "packages/pycocoevalcap/__init__.py").write_text("raise SystemExit('imported')")
                run = self.run_python(script, PYTHONPATH=str(Path(folder) / "packages"), **home)
                self.assertIn(f"paraphrase {table} (", run.stdout)
                self.assertEqual(run.stderr, "")
                run = self.run_python(script, **{**home, "SACCADE_PARAPHRASES": "none"})
                self.assertIn("no paraphrases", run.stdout)
                self.assertEqual(run.stderr, "")
                table.unlink()
        with mock.patch.dict(os.environ, SACCADE_PARAPHRASES="/none"):
            with self.assertRaisesRegex(metrics.DataError, "SACCADE_PARAPHRASES: /none: no such file"):
                Meteor()

    def test_the_table_is_read_once(self):
        # salaniz 11
        with tempfile.TemporaryDirectory() as folder:
            script = (
                "from saccade.metrics import Meteor\n"
                "from saccade.metrics.meteor.meteor import cache_folder\n"
                f"m = Meteor({str(self.table(folder))!r})\n"
                "print(m.compute_score({1: ['boats on a calm lake']}, {1: ['boats on the water']})[0])\n"
                "print(*cache_folder().iterdir())"
            )
            first = self.run_python(script, XDG_CACHE_HOME=folder).stdout.split("\n")
            index = Path(first[1])
            changed = index.stat().st_mtime_ns
            self.assertEqual(self.run_python(script, XDG_CACHE_HOME=folder).stdout.split("\n"), first)
            self.assertEqual(index.stat().st_mtime_ns, changed)
            index.write_bytes(index.read_bytes()[:-9])
            self.assertEqual(self.run_python(script, XDG_CACHE_HOME=folder).stdout.split("\n"), first)
            self.assertGreater(float(first[0]), Meteor("none").compute_score(
                {1: ["boats on a calm lake"]}, {1: ["boats on the water"]})[0])

    # COCO objects, CiderD, nlg-eval.

    def test_any_object_with_ids_and_annotations_is_coco(self):
        class Own:
            def __init__(self, captions):
                self.imgToAnns = defaultdict(list)
                for image, caption in captions:
                    self.imgToAnns[image].append({"image_id": image, "caption": caption})

            def getImgIds(self):
                return list(self.imgToAnns)

        references = Own([(1, "A dog runs."), (1, "The dog is running"), (2, "Two boats")])
        whole = COCOEvalCap(references, Own([(1, "a dog"), (2, "a boat")]))
        whole.evaluate()
        self.assertEqual([one["image_id"] for one in whole.evalImgs], [1, 2])
        for results, said in (([(1, "a dog")], "2 has no caption"), ([(1, "a"), (1, "b"), (2, "c")], "image 1")):
            with self.assertRaisesRegex(AssertionError, said):
                COCOEvalCap(references, Own(results)).evaluate()

    def test_results_stay_as_they_are(self):
        coco = COCO(GOLDEN / "references.json")
        given = json.loads((GOLDEN / "results.json").read_text())
        found = coco.loadRes(given)
        self.assertNotIn("id", given[0])
        self.assertEqual(sorted(found.getImgIds()), sorted(one["image_id"] for one in given))
        with self.assertRaisesRegex(AssertionError, "Results do not correspond to current coco set.*differ"):
            coco.loadRes([{"image_id": "1", "caption": "a"}])

    def test_cider_d_of_samples(self):
        gts = {0: ["1 2 3 0", "1 2 0"], 1: ["4 5 6 0"], 2: ["7 2 0"]}
        res = [{"image_id": i % 3, "caption": [text]} for i, text in enumerate(["1 2 0", "4 5 0", "7 0", "2 3 0"])]
        score, each = CiderD(df="corpus").compute_score(gts, res)
        self.assertIs(type(score), np.float64)
        self.assertEqual(each.shape, (4,))
        as_images = Cider().compute_score(
            {i: gts[one["image_id"]] for i, one in enumerate(res)}, {i: one["caption"] for i, one in enumerate(res)}
        )
        np.testing.assert_array_equal(each, as_images[1])

    def test_cider_d_with_given_frequencies(self):
        gts = {0: ["1 2 3 0"], 1: ["4 5 6 0"], 2: ["1 2 0"]}
        res = [{"image_id": i, "caption": [text]} for i, text in enumerate(["1 2 0", "4 6 0", "1 9 0"])]
        frequencies = defaultdict(float)
        for refs in gts.values():
            words = [ref.split() for ref in refs]
            grams = {tuple(w[i : i + n]) for w in words for n in range(1, 5) for i in range(len(w) - n + 1)}
            for gram in grams:
                frequencies[gram] += 1
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(Path(folder) / "data")
            path = Path(folder) / "data" / "coco-train-idxs.p"
            path.write_bytes(pickle.dumps({"ref_len": 3.0, "document_frequency": frequencies}))
            here = os.getcwd()
            os.chdir(folder)
            try:
                given = CiderD(df="coco-train-idxs")
            finally:
                os.chdir(here)
            np.testing.assert_allclose(
                given.compute_score(gts, res)[1], CiderD().compute_score(gts, res)[1], rtol=0, atol=1e-12
            )
            path.write_bytes(pickle.dumps({"ref_len": 3.0, "document_frequency": Path}))
            with self.assertRaisesRegex(metrics.DataError, "holds no document frequencies"):
                CiderD(df=str(path))
        with self.assertRaises(FileNotFoundError):
            CiderD(df="nowhere")

    def test_nlg_eval(self):
        hyps, first, second = ["a dog runs", "two boats"], ["the dog runs", "two boats sail"], ["a dog is running", "boats"]
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for name, lines in (("hyp", hyps), ("one", first), ("two", second)):
                files.append(str(Path(folder) / name))
                Path(files[-1]).write_text("".join(line + " \n" for line in lines))
            scores = compute_metrics(files[0], files[1:], no_skipthoughts=True, no_glove=True)
        self.assertEqual(list(scores), ["Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4", "METEOR", "ROUGE_L", "CIDEr"])
        gts, res = {i: [first[i], second[i]] for i in range(2)}, {i: [hyps[i]] for i in range(2)}
        self.near(scores["CIDEr"], Cider().compute_score(gts, res)[0])
        self.near(scores["Bleu_3"], Bleu(4).compute_score(gts, res, 0)[0][2])
        evaluator = NLGEval(no_skipthoughts=True, no_glove=True)
        self.assertEqual(evaluator.compute_metrics([first, second], hyps), scores)
        one = evaluator.compute_individual_metrics([first[0], second[0]], hyps[0])
        self.assertEqual(one, compute_individual_metrics(first[0] + "||<|>||" + second[0], hyps[0], False, True, True))
        some = NLGEval(no_skipthoughts=True, no_glove=True, metrics_to_omit=["Bleu_3", "METEOR"])
        self.assertEqual(list(some.compute_metrics([first], hyps)), ["Bleu_1", "Bleu_2", "ROUGE_L", "CIDEr"])
        with self.assertRaisesRegex(AssertionError, "Invalid metrics to omit"):
            NLGEval(metrics_to_omit=["BLEU"])
        with self.assertWarnsRegex(metrics.MetricWarning, "SkipThoughtCS and GloVe"):
            NLGEval()
        with self.assertRaisesRegex(AssertionError, "2 texts, but references for 1"):
            evaluator.compute_metrics([first[:1]], hyps)

    def test_arguments_that_mean_nothing_are_refused(self):
        for make in (lambda: Bleu(0), lambda: Bleu(5), lambda: Cider(n=5), lambda: Cider(sigma=0), lambda: CiderD(n=0)):
            with self.assertRaises(ValueError):
                make()

    def test_errors_are_pythons_own_too(self):
        self.assertTrue(issubclass(metrics.DataError, ValueError) and issubclass(metrics.DataError, metrics.Error))
        self.assertTrue(issubclass(metrics.IoError, OSError) and issubclass(metrics.UsageError, ValueError))
        with tempfile.TemporaryDirectory() as folder:
            broken = Path(folder) / "broken"
            broken.write_text("0.4\nowl\n")
            with self.assertRaisesRegex(metrics.DataError, "broken:2: the table ends"):
                Meteor(str(broken))


if __name__ == "__main__":
    os.environ.setdefault("XDG_CACHE_HOME", tempfile.mkdtemp(prefix="saccade-cache-"))
    os.environ["SACCADE_PARAPHRASES"] = "none"
    unittest.main()

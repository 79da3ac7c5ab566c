"""A swap's report: its numbers are the summary's, and what is not defined is a dash."""

import copy

import pytest

from research.reporting.figure_style import style
from research.reporting.figure_surgery import draw_drift, draw_similarity
from research.reporting.surgery_document import surgery_document


def estimate(value, half=0.01):
    return {"value": value, "ci_low": value - half, "ci_high": value + half}


def arm(name, shift, *, swapped=(0, 1)):
    told = {
        "name": name,
        "formula": "",
        "swapped": list(swapped),
        "mean_similarity": estimate(0.4 + shift),
        "zeros": estimate(shift, shift / 10),
        "zeros_by_layer": [estimate(shift, shift / 10)] * 2,
        "dead": shift / 4,
        "dead_by_layer": [0.0, shift / 2],
    }
    if not swapped:
        return told
    return told | {
        "cosine": estimate(0.9 - shift, 0.001),
        "neighbour_kept": estimate(0.8 - shift, 0.05),
        "spearman": estimate(0.95 - shift),
        "drift_by_layer": [estimate(shift), estimate(2 * shift)],
    }


SUMMARY = {
    "mode": "surgery",
    "checkpoint": "tiny",
    "title": "BERT 2×16",
    "depth": 2,
    "hidden_act": "gelu_new",
    "reference": "gelu_tanh",
    "layers": "all",
    "confidence": 0.95,
    "sentences": 101,
    "tokens": 2000,
    "remarks": ["the sentences are mine"],
    "skipped": ["pooler.dense.bias"],
    "arms": {
        "gelu_tanh": arm("gelu_tanh", 0.0, swapped=()),
        "relu": arm("relu", 0.2),
    },
    "warnings": [],
    "total_seconds": 2.0,
}


def test_the_tables_hold_the_summarys_numbers():
    document = surgery_document(SUMMARY)
    table, drifts = (section.table for section in document.sections)
    assert table is not None
    assert drifts is not None
    reference, relu = (dict(zip(table.header, row, strict=True)) for row in table.rows)
    assert relu["neighbour kept, %"] == "60.0 [55.0, 65.0]"
    assert relu["cosine to before"] == "0.7000 [0.6990, 0.7010]"
    assert relu["at exactly 0, %"] == "20.0 [18.0, 22.0]"
    assert relu["dead, %"] == "5"
    assert reference["neighbour kept, %"] == "–"
    assert reference["mean similarity"] == "0.400 [0.390, 0.410]"
    assert drifts.rows == (("ReLU", "20.0 [19.0, 21.0]", "40.0 [39.0, 41.0]"),)


def test_the_sentences_tell_the_similarity_before_and_what_chance_gives():
    document = surgery_document(SUMMARY)
    assert "ReLU in all 2 layers: 60.0 [55.0, 65.0] % of the sentences" in document.lede
    assert "by chance 1 %" in document.lede
    assert "different sentences now have 0.600" in document.lede
    assert "drifts by 40 % of its size" in document.lede
    assert "0.400 [0.390, 0.410] in the model as trained" in document.findings[1]
    assert "no number varies with a seed" in document.findings[2]
    assert "trained with gelu_tanh, as config.json's gelu_new is read" in document.facts


def test_layers_swapped_one_at_a_time_are_named():
    arms = {f"relu-layer{n}": arm("relu", 0.1 + n / 10, swapped=(n,)) for n in (0, 1)}
    told = SUMMARY | {
        "layers": "each",
        "arms": {"gelu_tanh": SUMMARY["arms"]["gelu_tanh"], **arms},
    }
    document = surgery_document(told)
    assert [row[0] for row in document.shown.rows] == [
        "GELU-tanh",
        "ReLU in 0",
        "ReLU in 1",
    ]
    assert "most with layer 1 swapped, by 40 % of its size" in document.lede
    assert "least with layer 0, by 20 %" in document.lede
    with style():
        draw_drift(told)
        assert len(draw_similarity(told).axes) == 4


@pytest.mark.parametrize("key", ["spearman", "cosine"])
def test_what_is_not_defined_is_a_dash(key):
    told = copy.deepcopy(SUMMARY)
    told["arms"]["relu"][key] = {"value": None, "ci_low": None, "ci_high": None}
    assert "–" in surgery_document(told).shown.rows[1]
    with style():
        draw_similarity(told)

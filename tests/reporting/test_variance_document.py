"""What the sources add: the numbers are the components', and pairing is told apart."""

import fake_run

from research.reporting.variance_document import variance_document


def test_deviations_are_roots_of_the_variances_in_points():
    told = fake_run.variance_summary()
    sections = variance_document(told).sections
    deviations, shares = (section.table for section in sections)
    assert deviations is not None
    assert shares is not None
    init = told["arms"]["relu"]["components"]["sources"]["init"]
    low, middle, high = (
        f"{100 * init[key] ** 0.5:.2f}" for key in ("ci_low", "variance", "ci_high")
    )
    assert deviations.header == ("of", "init", "order", "together")
    assert deviations.rows[0][:2] == ("ReLU", f"{middle} [{low}, {high}]")
    assert [row[0] for row in deviations.rows] == ["ReLU", "GELU", "GELU − ReLU"]
    assert shares.rows[0][1].startswith(f"{100 * init['share']:.0f} % [")


def test_the_sentences_say_what_adds_most_and_what_pairing_removes():
    summary = fake_run.variance_summary()
    told = variance_document(summary).findings
    assert "init adds most" in told[2]
    assert told[2].endswith("Order hardly matters: under 10 %.")
    alone = [arm["components"]["total"] for arm in summary["arms"].values()]
    paired = summary["differences"]["arm"]["total"]["variance"]
    removed = 1 - paired / sum(part["variance"] for part in alone)
    assert removed > 0.8
    assert f"removes {100 * removed:.0f} % of the variance of unpaired runs" in told[3]
    assert "100 % of order's" in told[3]
    assert "python launch.py report --workdir=…/init-0" in told[4]


def test_scores_that_never_vary_are_no_error():
    told = fake_run.variance_summary()
    still = {"variance": 0.0, "ci_low": 0.0, "ci_high": 0.0, "share": None}
    for each in (
        *(a["components"] for a in told["arms"].values()),
        *told["differences"].values(),
    ):
        each |= {
            "sources": dict.fromkeys(("init", "order"), still),
            "total": still,
            "interaction": still,
        }
    document = variance_document(told)
    assert "together they change no score" in document.lede
    assert "nothing to remove" in document.findings[3]

"""report.html and report.md: complete, escaped, self-contained, and readable offline."""

import errno
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import fake_run
import pytest

from research.reporting import write_report

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=5000",
)
EVIL = '<script>alert("x")</script>&'
VOID = {"meta", "link", "img", "br", "wbr", "hr", "input"}


class Page(HTMLParser):
    """Notes what a page would load, its text, and whether its tags are balanced."""

    def __init__(self, markup: str):
        super().__init__()
        self.loads: list[str] = []
        self.tags: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(markup)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        self.loads += [
            value for key, value in attrs if key in ("src", "href", "srcset")
        ]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "title"):
            self.text += data


def report(tmp_path: Path, told: dict) -> tuple[str, str]:
    workdir = fake_run.write(tmp_path / "run", told)
    write_report(workdir)
    return tuple(
        (workdir / name).read_text("utf-8") for name in ("report.html", "report.md")
    )


RUNS = {
    "two": lambda: fake_run.summary(),
    "five": lambda: fake_run.summary(
        {"gelu": 0.0, "relu": -0.0003, "tanh": 0.0, "identity": -0.09, "mish": 0.002},
        seeds=8,
        verdicts={"identity": "worse", "mish": "undecided"},
    ),
    "one": lambda: fake_run.summary(seeds=1),
    "diverged": lambda: fake_run.summary(diverged={"gelu": 3}),
    "loss": lambda: fake_run.loss_summary(),
}


@pytest.mark.parametrize("run", RUNS)
def test_the_page_loads_nothing_and_is_well_formed(run, tmp_path):
    markup, _ = report(tmp_path, RUNS[run]())
    page = Page(markup)
    assert page.open == []
    assert page.loads
    assert all(address.startswith("data:") for address in page.loads)
    assert "script" not in page.tags
    assert "@import" not in markup
    assert "url(" not in markup
    assert "nan" not in page.text.lower().split()
    assert "None" not in page.text


def test_the_verdict_comes_first_and_the_numbers_follow(tmp_path):
    markup, told = report(tmp_path, fake_run.summary())
    text = Page(markup).text.replace("\u00a0", " ")
    assert '<h1 class="equivalent">GELU and ReLU are equivalent here</h1>' in markup
    for piece in (
        "the difference over 64 paired seeds is real",
        "97.1 ± 0.3 %",
        "[+0.02, +0.14]",
        "One seed alone would have named",
        "The smallest p that this run can give is 0.00001",
    ):
        assert piece.lower() in text.lower()
        assert piece.lower() in told.replace("\\", "").lower()
    assert text.index("are equivalent here") < text.index("One seed alone")


def test_step_times_are_explained(tmp_path):
    for text in report(tmp_path, fake_run.summary()):
        assert (
            "time of one optimiser step of one seed, in the fastest round, against the "
            "reference"
        ) in " ".join(text.split())
        assert "1.4×" in text
        assert "120 µs" in text.replace("\u00a0", " ")


def test_step_times_of_trainings_shorter_than_a_second_are_not_shown(tmp_path):
    told = fake_run.summary()
    told["arms"]["relu"]["train_seconds"] = 0.99
    for text in report(tmp_path, told):
        assert "1.4×" not in text
        assert "120 µs" not in text.replace("\u00a0", " ")


def test_seeds_needed_are_explained_where_a_number_is_shown(tmp_path):
    told = fake_run.summary(verdicts={"gelu": "undecided"})
    assert "Colas" not in report(tmp_path / "without", told)[1]
    told["comparisons"][0]["seeds_needed"] = 90
    assert "Colas" in report(tmp_path / "with", told)[1]


@pytest.mark.parametrize(
    ("arms", "told"),
    [
        (["gelu"], "With one seed there is no verdict.\n"),
        (
            ["gelu", "tanh"],
            "A difference can be shown with 2 arms against the reference from 7 seeds "
            "on.\n",
        ),
    ],
)
def test_the_method_says_how_many_seeds_a_difference_takes(arms, told, tmp_path):
    summary = fake_run.summary(dict.fromkeys(["relu", *arms], 0.0))
    assert told in report(tmp_path, summary)[1]


def test_exploratory_numbers_are_labelled_and_have_no_p(tmp_path):
    markup, told = report(tmp_path, fake_run.summary())
    for text in (markup, told):
        part = text[text.rindex("Exploratory") :]
        assert "test loss" in part
        assert "no p" in part


def test_names_are_escaped(tmp_path):
    told = fake_run.summary(warnings=[f"odd {EVIL}"], task=f"moons{EVIL}")
    told["arms"]["gelu"] |= {"name": EVIL, "formula": EVIL}
    markup, text = report(tmp_path, told)
    assert "<script" not in markup
    assert EVIL in Page(markup).text.replace("\u00a0", " ")
    assert "<script" not in text.replace("\\<", "")


def test_dollars_in_a_name_survive_the_template(tmp_path):
    told = fake_run.summary()
    told["arms"]["gelu"]["name"] = "a$title$$b"
    markup, _ = report(tmp_path, told)
    assert "a$title$$b" in Page(markup).text


def test_one_seed_shows_no_verdict_and_no_interval(tmp_path):
    markup, told = report(tmp_path, fake_run.summary(seeds=1))
    assert "No verdict from one seed" in markup
    assert "[+" not in Page(markup).text
    assert "no verdict" in told


def test_diverged_trainings_are_explained(tmp_path):
    markup, told = report(tmp_path, fake_run.summary(diverged={"gelu": 3}))
    for text in (Page(markup).text.replace("\u00a0", " "), told):
        assert "How often it fails" in text
        assert "McNemar" in text
        assert "3 of 64" in text


def test_a_figure_that_cannot_be_drawn_becomes_a_warning(tmp_path):
    workdir = fake_run.write(tmp_path / "run", fake_run.summary())
    (workdir / "results/curves.npz").write_bytes(b"broken")
    figures = write_report(workdir)
    assert "validation_loss" not in figures
    assert "activations" in figures
    for name in ("report.html", "report.md"):
        assert "curves.npz could not be read" in (workdir / name).read_text("utf-8")


def test_markdown_links_to_figures_that_exist(tmp_path):
    _, told = report(tmp_path, fake_run.summary())
    links = re.findall(r"\]\(([^)]+)\)", told)
    assert len(links) == 8
    assert all((tmp_path / "run" / link).is_file() for link in links)


def test_markdown_tables_have_as_many_cells_in_every_row(tmp_path):
    told = fake_run.summary()
    told["arms"]["gelu"]["name"] = "a|b"
    _, text = report(tmp_path, told)
    for table in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
        counts = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
        assert len(counts) == 1


def test_a_run_without_results_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_report(tmp_path)


def browse(page: Path, profile: Path) -> str:
    """Returns the page's markup after a headless browser has opened it."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        pytest.skip(f"no {', '.join(BROWSERS)} on PATH to open the report with")
    told = subprocess.run(
        [browser, *FLAGS, f"--user-data-dir={profile}", "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return told.stdout


PROBE = """<script>
addEventListener("load", () => {
  const images = [...document.images];
  const root = document.documentElement;
  document.title = [
    images.length,
    images.filter((image) => image.naturalWidth > 250).length,
    root.scrollWidth <= root.clientWidth,
    document.querySelector("h1").getBoundingClientRect().height > 20,
  ].join(" ");
});
</script>"""


def test_a_browser_shows_every_figure_and_nothing_is_wider_than_the_page(tmp_path):
    told = fake_run.summary()
    told["arms"]["gelu"]["name"] = EVIL
    workdir = fake_run.write(tmp_path / "run", told)
    figures = write_report(workdir)
    # The report itself holds no script: a copy of it is measured.
    page = workdir / "probed.html"
    markup = (workdir / "report.html").read_text("utf-8")
    page.write_text(markup.replace("</body>", f"{PROBE}</body>"), "utf-8")
    dom = browse(page, tmp_path / "profile")
    count = len(figures)
    assert f"<title>{count} {count} true true</title>" in dom
    assert "&lt;script&gt;" in dom


def test_a_disk_that_takes_no_more_leaves_the_report_that_was(tmp_path, monkeypatch):
    fake_run.write(tmp_path, fake_run.summary())
    write_report(tmp_path)
    before = (tmp_path / "report.html").read_bytes()

    def full(path: Path, content: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left") as refusal:
        write_report(tmp_path)
    assert str(refusal.value.filename).endswith("report.html")
    assert (tmp_path / "report.html").read_bytes() == before

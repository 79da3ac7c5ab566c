import subprocess
import sys
from pathlib import Path


def test_importing_the_statistics_leaves_jax_out():
    program = (
        "import sys, research.statistics; "
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'jax', 'flax'}))"
    )
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == "[]"

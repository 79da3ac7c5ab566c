"""What the command line answers with one line on stderr and an exit code of its own."""


class Refusal(Exception):
    """Something that cannot be done, told in one line, without a traceback."""

    exit_code = 1


class ConfigError(Refusal, ValueError):
    """A flag or field that cannot be used: its name, its value and what is allowed."""

    exit_code = 2


class DataError(Refusal):
    """Data or a run folder that cannot be read, or does not hold what it should."""

    exit_code = 3


class InvalidComparison(Refusal):
    """The arms were not trained under equal conditions, so no verdict may be given."""

    exit_code = 4


class AllDiverged(Refusal):
    """Every lane of an arm stopped being finite."""

    exit_code = 5


class Stopped(Refusal):
    """A signal stopped the run."""

    exit_code = 75

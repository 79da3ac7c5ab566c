"""This engine beside its peers, in one run."""

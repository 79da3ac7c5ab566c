"""The same training by others: each file has `run(seeds, epochs) -> Curves`."""

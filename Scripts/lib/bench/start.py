"""B12: how long the program takes to say its version."""

from bench.measure import measure, median

RUNS = 30


def run(setting):
    command = setting.haul.command("--version")
    samples = [measure(command, setting.haul.environment, setting.folder) for _ in range(RUNS + 2)][2:]
    setting.at_most("B12", f"`haul --version`, median of {RUNS}", median(samples, "wall") * 1000, 15, " ms")

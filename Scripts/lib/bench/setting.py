"""What all measurements share: the programs, the folder, the numbers asked for, and the verdicts."""

from dataclasses import dataclass, field
from pathlib import Path

from common.certificate import Certificate
from common.haul import Haul


@dataclass
class Verdicts:
    """What was measured, each beside its bar."""

    verdicts: list = field(default_factory=list, kw_only=True)

    def at_least(self, bar, work, measured, limit, unit=""):
        self._judge(bar, work, measured, f"at least {limit}{unit}", measured >= limit, unit)

    def at_most(self, bar, work, measured, limit, unit=""):
        self._judge(bar, work, measured, f"at most {limit}{unit}", measured <= limit, unit)

    def _judge(self, bar, work, measured, wanted, met, unit):
        shown = f"{measured}" if isinstance(measured, int) else f"{measured:.2f}"
        self.verdicts.append([bar, work, shown + unit, wanted, "met" if met else "NOT MET"])


@dataclass
class Setting(Verdicts):
    """One run of the benchmark."""

    haul: Haul
    folder: Path
    certificate: Certificate
    runs: int
    size: int
    queue: int
    previous: str | None

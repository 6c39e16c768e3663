"""`Report`: the results of checks."""

from collections.abc import Callable
from dataclasses import dataclass, field

#: The maximum number of findings kept per check.
_SHOWN = 3


@dataclass(frozen=True)
class Check:
    """The result of one check: whether it passed, the number of cases, and the first failures.

    `decided` is False if there was nothing to check, so that the result is unknown; `ok` is then True.
    """

    name: str
    ok: bool
    looked_at: str
    findings: tuple[str, ...] = ()
    decided: bool = True

    def __str__(self) -> str:
        verdict = ("ok" if self.decided else "open") if self.ok else "FAILED"
        lines = [f"{verdict:6s} {self.name}: {self.looked_at}"]
        return "\n".join(lines + [f"       {finding}" for finding in self.findings])


@dataclass(frozen=True)
class Report:
    """The result of `check_game`, `check_bot` or `check_evaluator`.

    Attributes:
        subject: the game, bot or evaluator.
        checks: one for each part of the contract; a check that does not apply is absent.
        notes: remarks that are not failures.
    """

    subject: str
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every check passed; False if nothing was checked."""
        return bool(self.checks) and not self.failed

    @property
    def failed(self) -> list[str]:
        """The names of the checks that failed."""
        return [check.name for check in self.checks if not check.ok]

    def __str__(self) -> str:
        if not self.checks:
            verdict = "was not checked: no position came up that could be"
        elif not self.ok:
            verdict = f"breaks the contract: {', '.join(self.failed)}"
        elif left_open := [check.name for check in self.checks if not check.decided]:
            verdict = f"keeps the contract as far as is known; open: {', '.join(left_open)}"
        else:
            verdict = "keeps the contract"
        lines = [str(check) for check in self.checks] + [f"note   {note}" for note in self.notes]
        return "\n".join([*lines, f"{self.subject} {verdict}."])


@dataclass
class Tally:
    """A check under construction: counts cases and keeps the first failures."""

    name: str
    unit: str
    count: int = 0
    wrong: int = 0
    findings: list[str] = field(default_factory=list)

    def check(self, holds: bool, finding: Callable[[], str] | None = None) -> bool:
        self.count += 1
        self.wrong += not holds
        if finding is not None and not holds and len(self.findings) < _SHOWN:
            self.findings.append(finding())
        return holds

    def found(self, finding: str) -> None:
        if len(self.findings) < _SHOWN:
            self.findings.append(finding)

    def done(self, more: str = "") -> Check:
        looked_at = f"{self.count:,} {self.unit}{more}" + (f", {self.wrong:,} wrong" if self.wrong else "")
        return Check(self.name, not self.wrong, looked_at, tuple(self.findings))

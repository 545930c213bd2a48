"""Counts cases and prints one line for each."""

import sys
import threading
from contextlib import contextmanager


class Wrong(Exception):
    """A case did not come out as it should; the message says in which way."""


class NotRun(Exception):
    """A case could not be tried on this machine; the message says why."""


class Tally:
    """Collects the outcome of every case; several threads may use it."""

    def __init__(self):
        self.passed = 0
        self.failures = []
        self.not_run = 0
        self._lock = threading.Lock()

    @contextmanager
    def case(self, label, quiet=False):
        """Runs one case. A complaint or a failing system call inside makes it a failure and is not passed on."""
        try:
            yield
        except NotRun as reason:
            with self._lock:
                self.not_run += 1
                print(f"NOT RUN {label}: {reason}", flush=True)
        except (Wrong, OSError, UnicodeError) as problem:
            self._note(label, str(problem) or type(problem).__name__, quiet)
        else:
            self._note(label, None, quiet)

    def _note(self, label, problem, quiet):
        with self._lock:
            if problem is None:
                self.passed += 1
                if not quiet:
                    print(f"ok      {label}", flush=True)
            else:
                self.failures.append((label, problem))
                print(f"FAILED  {label}: {problem}", flush=True)

    def close(self):
        """Prints the closing line and ends the program: 0 if every case passed, otherwise 1."""
        if len(self.failures) > 1:
            print("\nFailed cases:")
            for label, problem in self.failures:
                print(f"  {label}: {problem}")
        print()
        rest = f", {self.not_run} not run" if self.not_run else ""
        print(f"{self.passed} passed, {len(self.failures)} failed{rest}", flush=True)
        sys.exit(1 if self.failures or not self.passed else 0)

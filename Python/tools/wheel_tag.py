"""Gives the wheel the tag of its program: for any Python 3, for one kind of machine."""

import platform
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelTag(BuildHookInterface):  # type: ignore[misc]
    """The hook that `pyproject.toml` names; auditwheel replaces `linux` by the manylinux tag."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Set the tag, unless the package is installed in place for development."""
        if version != "editable":
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-linux_{platform.machine()}"

"""Prints packaging/NOTICES: `notices.py .build/checkouts Package.resolved`. The notices of the Swift packages that the program contains."""

import json
import sys
from pathlib import Path


def main():
    checkouts, resolved = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
    print("Haul contains these packages, and parts of others that their notices name.")
    for pin in sorted(resolved["pins"], key=lambda pin: pin["identity"]):
        address = pin["location"].removesuffix(".git")
        folder = checkouts / address.rpartition("/")[2]
        print(f"\n{'=' * 79}\n{pin['identity']}, {address}")
        texts = sorted(folder.glob("NOTICE*"))
        license = next(folder.glob("LICENSE*"))
        if "Apache License" not in license.read_text(encoding="utf-8"):
            texts.append(license)
        if not texts:
            print("Apache License 2.0")
        for text in texts:
            lines = text.read_text(encoding="utf-8").rstrip().splitlines()
            print("\n" + "\n".join(line.rstrip() for line in lines))


if __name__ == "__main__":
    main()

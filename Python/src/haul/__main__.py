"""`python -m haul` is the command `haul`."""

from haul._program import main

if __name__ == "__main__":
    main()

"""Markdown tables that also read well in a terminal."""


def markdown(head, rows):
    """The first column to the left, the others to the right."""
    cells = [[str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]

    def line(row):
        first, *others = row
        return "| " + " | ".join([first.ljust(widths[0]), *map(str.rjust, others, widths[1:])]) + " |"

    rule = "|" + "|".join("-" * (width + 1) + ("-" if index == 0 else ":") for index, width in enumerate(widths)) + "|"
    return "\n".join([line(cells[0]), rule, *map(line, cells[1:])])

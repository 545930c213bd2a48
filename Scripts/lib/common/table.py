"""Markdown tables that also read well in a terminal."""


def markdown(head, rows, text=1):
    """The first columns, as many as hold text, to the left, the others to the right."""
    cells = [[str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]

    def line(row):
        left, right = map(str.ljust, row[:text], widths), map(str.rjust, row[text:], widths[text:])
        return "| " + " | ".join([*left, *right]) + " |"

    ends = ["-" if index < text else ":" for index in range(len(head))]
    rule = "|" + "|".join("-" * (width + 1) + end for width, end in zip(widths, ends)) + "|"
    return "\n".join([line(cells[0]), rule, *map(line, cells[1:])])

"""How figures are written for people: one way in the command line, in report.md and in report.html."""

from collections.abc import Mapping
from typing import Any

from evaluation.metric_table import METRICS, Unit

NONE = "–"


def figure_text(value: float | None, unit: Unit, *, sign: bool = False) -> str:
    """A figure in its unit: shares in percent without the sign, times in ms below a second and else in s.

    >>> figure_text(0.4312, "share"), figure_text(1532.0, "ms"), figure_text(-0.0125, "share", sign=True)
    ('43.1', '1.53 s', '−1.2')
    """
    if value is None:
        return NONE
    shown = _plain(abs(value), unit)
    zero = not any(digit in shown for digit in "123456789")
    if value < 0 and not zero:
        return f"−{shown}"
    return f"+{shown}" if sign and not zero else shown


def interval_text(figure: Mapping[str, Any] | None, unit: Unit, *, sign: bool = False) -> str:
    """A figure with its interval; a unit that all three share is written once.

    >>> interval_text({"value": 0.431, "low": 0.4, "high": 0.462}, "share")
    '43.1 [40.0, 46.2]'
    >>> interval_text({"value": 950, "low": 903, "high": 1200}, "ms")
    '950 ms [903 ms, 1.20 s]'
    """
    if figure is None:
        return NONE
    value, low, high = (figure_text(figure[key], unit, sign=sign) for key in ("value", "low", "high"))
    for suffix in (" ms", " s"):
        if all(text.endswith(suffix) for text in (value, low, high)):
            low, high = low.removesuffix(suffix), high.removesuffix(suffix)
    return f"{value} [{low}, {high}]"


def p_text(p: float | None) -> str:
    """A p value to two digits.

    >>> p_text(0.0312), p_text(0.00002), p_text(1.0)
    ('.031', '< .001', '1.0')
    """
    if p is None:
        return NONE
    if p < 0.001:
        return "< .001"
    return f"{p:.1f}" if p > 0.995 else (f"{p:.3f}" if p < 0.1 else f"{p:.2f}").removeprefix("0")


def head(metric: str, *, unit: bool = True) -> str:
    """The head of a metric's column, with its unit where the figures do not carry it."""
    found = METRICS[metric]
    return f"{found.label} %" if unit and found.unit == "share" else found.label


def tick_text(ms: float) -> str:
    """A round time, as at the tick of an axis.

    >>> tick_text(200), tick_text(2000), tick_text(0)
    ('200 ms', '2 s', '0')
    """
    return "0" if not ms else f"{ms / 1000:g} s" if ms >= 1000 else f"{ms:g} ms"


def shortened(text: str, longest: int) -> str:
    """A text on one line, cut to so many characters.

    >>> shortened("sequential_plan", 12)
    'sequential_…'
    """
    plain = " ".join(text.split())
    return plain if len(plain) <= longest else f"{plain[: longest - 1]}…"


def plural(count: int, noun: str) -> str:
    """A number of things.

    >>> plural(1, "question"), plural(1200, "question")
    ('1 question', '1,200 questions')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def _plain(value: float, unit: Unit) -> str:
    match unit:
        case "share":
            return f"{100 * value:.1f}"
        case "ms":
            return (
                f"{value / 1000:.2f} s" if value >= 999.5 else f"{value:.0f} ms" if value >= 9.95 else f"{value:.1f} ms"
            )
        case "calls":
            return f"{value:.2f}".removesuffix("0").removesuffix(".0")
        case "tokens":
            return f"{value:,.0f}"
        case "USD":
            return f"${value:.5f}" if value else "$0"

"""Queries that nobody expects: each store finds something for them or nothing, and never fails."""

LUCENE = '+ - && || ! ( ) { } [ ] ^ " ~ * ? : \\ / < > = AND OR NOT TO body:x a^2 b~1 "open [1 TO 2] {a'
"""Everything that Lucene's parser takes for an operator."""
ANY_QUERY = (
    *("", "  ", "the", "O'Brien: who?", "a AND (b", "\0", "\ud800 lone", "ünï\u0301 \u202e\u200b\ufeff\x00\x1f"),
    *(LUCENE, *LUCENE.split(), LUCENE.replace(" ", "")),
    *("x " * 50_000, "Warsaw " * 1500, "x" * 10_000, "".join(map(chr, range(0x4E00, 0x4E00 + 5000)))),
    *("🙂 👩‍👩‍👧 🏳️‍🌈", "وارسو عاصمة بولندا", "ורשה היא בירת פולין", "华沙是波兰的首都", "ワルシャワ"),
)
"""Empty, operators, very long, other scripts, emoji, what cannot be encoded."""

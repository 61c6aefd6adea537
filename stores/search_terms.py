"""What BM25 sees of a text: words in lower case, without accents, cut to their English stems.

The same for every store, so that a question finds the same passages in each. Knows nothing about indexes.
"""

from functools import lru_cache

import tantivy

from stores.ready import clean

MAX_TERMS = 256
"""Of a query, distinct ones; a 100 KB question is cut here."""


@lru_cache(maxsize=2)
def analyzer(stopwords: bool = True) -> tantivy.TextAnalyzer:
    """The analyzer, with or without stopwords."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.remove_long(60))
    builder = builder.filter(tantivy.Filter.lowercase()).filter(tantivy.Filter.ascii_fold())
    if not stopwords:
        builder = builder.filter(tantivy.Filter.stopword("english"))
    return builder.filter(tantivy.Filter.stemmer("english")).build()


def index_terms(text: str) -> list[str]:
    """Terms under which a text is found, in its order.

    >>> index_terms("The Cafés of O'Brien")
    ['the', 'cafe', 'of', 'o', 'brien']
    """
    terms: list[str] = analyzer().analyze(text)
    return terms


def query_terms(query: str) -> list[str]:
    """Distinct terms that a query looks for, sorted. Stopwords count only when there is nothing else ("To be").

    >>> query_terms("Who owns the cafés?"), query_terms("To be")
    (['cafe', 'own', 'who'], ['be', 'to'])
    """
    query = clean(query)
    return sorted(set(analyzer(stopwords=False).analyze(query)) or set(index_terms(query)))[:MAX_TERMS]

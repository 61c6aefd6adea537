"""Other ways to ask: queries for a second round, by rule. Knows nothing of what was found but titles it is given."""

from collections.abc import Sequence

from models.questions import answer_type, content_terms, named_entities

SYNONYMS = {
    "born": "birthplace birth",
    "birthplace": "born in",
    "died": "death",
    "author": "written by novel writer",
    "wrote": "author written by",
    "directed": "film director",
    "director": "directed by",
    "founded": "founder established",
    "founder": "founded by established",
    "starred": "cast actor role",
    "actor": "cast starring role",
    "capital": "capital city",
    "located": "location situated in",
    "married": "spouse husband wife",
    "spouse": "married husband wife",
    "wife": "married spouse",
    "husband": "married spouse",
    "father": "son of daughter of parents",
    "mother": "son of daughter of parents",
    "company": "corporation manufacturer",
    "designed": "architect designer",
    "architect": "designed by building",
    "composed": "composer music",
    "river": "flows tributary",
    "invented": "inventor invention",
    "discovered": "discoverer discovery",
}
"""What else a document may say."""

KIND = {
    "person": "biography",
    "place": "location",
    "date": "date year",
    "number": "number",
    "organization": "organization",
}


def rewrite(query: str, titles: Sequence[str]) -> list[str]:
    """Other queries for the same need, the most promising first.

    bridge: each title the evidence names, with the query's terms; synonym: what documents say instead; narrow: the
    entities with the kind of thing asked for; broaden: content terms alone; disambiguate: each entity by itself.

    Args:
        query: the question or hop that found too little.
        titles: titles named by what was found, not found themselves.
    """
    entities = named_entities(query)
    words = [w.strip("?,.!\"'") for w in query.split()]
    terms = [w for w in words if content_terms(w) and not any(w in e for e in entities)]
    asked = " ".join(terms)
    synonyms = [SYNONYMS[w.lower()] for w in terms if w.lower() in SYNONYMS]
    kind = KIND.get(answer_type(query), "")
    made = [
        *(f"{title} {asked}" for title in titles[:2]),
        *(f"{' '.join(entities)} {' '.join(synonyms)}" for _ in synonyms[:1]),
        f"{' '.join(entities)} {kind}" if entities and kind else "",
        *(entities if len(entities) > 1 else []),
        asked if entities else "",
    ]
    return list(dict.fromkeys(q.strip() for q in made if q.strip() and q.strip().lower() != query.strip().lower()))

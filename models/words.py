"""Words the reader must know: relations said in several ways, months, number words, nationalities: data.

It knows nothing about passages or questions. Stems are PyStemmer's English ones.
"""

import threading
from functools import lru_cache

import Stemmer

_stemmers = threading.local()


def _words(text: str) -> list[str]:
    return text.split()


MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sep", "sept"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}

NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        _words("""
        zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
        eighteen nineteen twenty
        """)
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dozen": 12}

ORDINALS = {
    word: value
    for value, word in enumerate(
        _words("""
        first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
        """),
        start=1,
    )
}

SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}

_RELATIONS = """
birth: born birth birthplace birthday birthdate native
death: died death dead deceased dies die killed passed assassinated
direct: directed director directs directing filmmaker directorial
write: wrote written writer writes author authored penned writing novelist screenwriter scripted
star: starring stars starred actor actress cast played plays plays portrayed role
spouse: married wife husband spouse marriage wed widow
parent: father mother parent parents son daughter child children
found: founded founder founders established co-founded cofounded created creator creation founding formed formation
locate: located situated location lies locates based headquartered headquarters where city town county
release: released release premiered debut debuted published publication issued aired came
win: won award awarded winner received recipient prize honored winning
compose: composed composer music score musician
produce: produced producer production produces
perform: performed performer sung singer recorded song sings sang vocalist
own: owned owner owns parent acquired subsidiary bought
name: named called known nickname nicknamed name titled dubbed
nation: nationality country nation citizenship
work: profession occupation job career professions occupations
population: population inhabitants residents people
capacity: capacity seats seated seating hold
kind: type kind form sort genre style
employ: employed employer works worked work
serve: served serves served position office
member: member members belongs band group joined
study: studied attended educated graduated alma school university college education
team: team club plays side
lead: led leader leads head headed
start: began begin started opened start opening
end: ended end closed dissolved
"""


def _stem(word: str) -> str:
    if not hasattr(_stemmers, "english"):  # a stemmer must not be shared by threads
        _stemmers.english = Stemmer.Stemmer("english")
    stem: str = _stemmers.english.stemWord(word)
    return stem


CANON = {
    _stem(word): group
    for group, words in (line.split(": ") for line in _RELATIONS.strip().splitlines())
    for word in words.split()
}

NATIONALITIES = frozenset(
    _words("""
    american british english scottish welsh irish french german italian spanish portuguese dutch belgian swiss
    austrian danish swedish norwegian finnish icelandic polish czech slovak hungarian romanian bulgarian greek
    turkish russian ukrainian serbian croatian slovenian bosnian albanian macedonian lithuanian latvian estonian
    georgian armenian azerbaijani iranian persian iraqi israeli jewish lebanese syrian jordanian egyptian moroccan
    algerian tunisian libyan sudanese ethiopian kenyan nigerian ghanaian senegalese ugandan tanzanian zimbabwean
    african indian pakistani bangladeshi nepalese nepali afghan chinese japanese korean taiwanese vietnamese thai
    indonesian malaysian filipino singaporean burmese mongolian australian canadian mexican cuban jamaican haitian
    dominican colombian venezuelan brazilian argentine argentinian chilean peruvian bolivian ecuadorian uruguayan
    paraguayan puerto-rican soviet yugoslav kazakh uzbek scots cornish catalan basque roman byzantine ottoman
    maltese cypriot luxembourgish african-american hawaiian european asian
    """)
)

COUNTRIES = frozenset(
    _words("""
    america usa u.s. us uk england scotland wales ireland france germany italy spain portugal netherlands belgium
    switzerland austria denmark sweden norway finland iceland poland hungary romania bulgaria greece turkey russia
    ukraine serbia croatia slovenia albania macedonia lithuania latvia estonia georgia armenia azerbaijan iran iraq
    israel lebanon syria jordan egypt morocco algeria tunisia libya sudan ethiopia kenya nigeria ghana senegal
    uganda tanzania zimbabwe india pakistan bangladesh nepal afghanistan china japan korea taiwan vietnam thailand
    indonesia malaysia philippines singapore burma myanmar mongolia australia canada mexico cuba jamaica haiti
    colombia venezuela brazil argentina chile peru bolivia ecuador uruguay paraguay kazakhstan uzbekistan malta
    cyprus luxembourg yugoslavia czechoslovakia slovakia monaco liechtenstein qatar kuwait bahrain oman yemen zambia
    botswana namibia angola mozambique madagascar cameroon mali niger chad congo rwanda burundi somalia guyana
    suriname panama guatemala honduras nicaragua belize fiji samoa tonga laos cambodia belarus moldova montenegro
    kosovo
    """)
) | {
    "united states",
    "united kingdom",
    "new zealand",
    "south africa",
    "czech republic",
    "soviet union",
    "south korea",
    "hong kong",
}

NATION_OF = {
    "american": "united states", "america": "united states", "usa": "united states", "u.s.": "united states", "us":
    "united states", "british": "united kingdom", "uk": "united kingdom", "english": "england", "scottish":
    "scotland", "welsh": "wales", "irish": "ireland", "french": "france", "german": "germany", "italian": "italy",
    "spanish": "spain", "portuguese": "portugal", "dutch": "netherlands", "belgian": "belgium", "swiss":
    "switzerland", "austrian": "austria", "danish": "denmark", "swedish": "sweden", "norwegian": "norway",
    "finnish": "finland", "icelandic": "iceland", "polish": "poland", "czech": "czech republic", "hungarian":
    "hungary", "romanian": "romania", "bulgarian": "bulgaria", "greek": "greece", "turkish": "turkey", "russian":
    "russia", "ukrainian": "ukraine", "serbian": "serbia", "croatian": "croatia", "indian": "india", "pakistani":
    "pakistan", "chinese": "china", "japanese": "japan", "korean": "south korea", "australian": "australia",
    "canadian": "canada", "mexican": "mexico", "brazilian": "brazil", "argentine": "argentina", "argentinian":
    "argentina", "chilean": "chile", "israeli": "israel", "iranian": "iran", "egyptian": "egypt", "filipino":
    "philippines", "cuban": "cuba", "colombian": "colombia", "peruvian": "peru", "soviet": "soviet union",
    "estonian": "estonia", "latvian": "latvia", "lithuanian": "lithuania", "nigerian": "nigeria", "kenyan": "kenya",
    "taiwanese": "taiwan", "thai": "thailand", "indonesian": "indonesia", "malaysian": "malaysia", "vietnamese":
    "vietnam",
}  # fmt: skip

FUNCTION_WORDS = frozenset(
    _words("""
    a an the this that these those he she it they we i you his her its their our my your him them us who whom whose
    which what when where why how and or but nor so yet if then than as of in on at by for from to with without into
    onto over under between among during after before since until through about against within along across near
    upon is are was were be been being am has have had having do does did can could will would shall should may
    might must not no there here also both either neither each every all any some such only very more most less much
    many few other another own same while because although though however where whose up out off down again further
    once just now s t 's ’s
    """)
)


@lru_cache(maxsize=50_000)
def canon(word: str) -> str:
    """Stem of a lowercase word, or the name of its relation: "director" and "directed" are both "direct"."""
    stem = _stem(word)
    return CANON.get(stem, stem)


_NARROWER = """
musician: singer guitarist drummer bassist rapper pianist vocalist band songwriter composer keyboardist dj violinist
artist: painter sculptor singer musician illustrator
author: writer novelist poet playwright
write: novelist poet playwright author journalist essayist
plant: genus species tree shrub flower flowering herb vine
tree: shrub evergreen
film: filmmaker director actor actress documentary movie
athlete: player footballer swimmer runner boxer
performer: singer actor actress musician dancer
building: skyscraper tower
magazine: periodical journal
band: duo trio quartet group
dog: breed hound terrier
us: states american
usa: states american
america: states american
china: chinese jiangsu shandong henan liaoning guangdong hubei jiangxi sichuan zhejiang province
"""
_LINES = (line.split(": ") for line in _NARROWER.strip().splitlines())
NARROWER = {canon(broad): frozenset(canon(word) for word in words.split()) for broad, words in _LINES}
"""What carries a term although it is another word: a drummer is a musician."""

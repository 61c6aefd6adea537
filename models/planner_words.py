"""The planner's word lists: what joins two hops in English, and what cannot.

Extend these before writing a new pattern. They know nothing of patterns.
"""

RELATIONS = """actor actress administrator alma-mater architect artist aunt author band birth-place birthplace
birth-city birth-country boss brother capital captain ceo chairman character child children club coach company
composer conductor continent convict country creator daughter date-of-birth date-of-death dean death-place
deathplace designer developer director distributor editor employer father father-in-law founder father's-father
goalkeeper grandchild granddaughter grandfather grandmother grandson guitarist hometown host husband inventor
killer label language lead-singer leader league location lyricist manager manufacturer mayor mother
mother-in-law musician narrator nationality network nephew niece organization owner parent parents performer
place-of-birth place-of-death city-of-birth country-of-birth country-of-citizenship country-of-origin
city-of-death mouth-of-the-watercourse state-of-birth headquarters-location portrayer predecessor president
producer professor protagonist publisher recipient record-label religion screenwriter scriptwriter sibling
singer sister son songwriter spouse star state stepfather stepmother studio successor teacher team uncle
university voice-actor winner wife writer drummer bassist sequel prequel creators authors founders directors
performers headquarters university birth-location discoverer loser sculptor namesake translator"""

ROLES = """singer actor actress author director writer artist musician rapper guitarist bassist drummer frontman
vocalist player star creator host founder producer composer coach novelist performer songwriter champion winner
co-star champions"""

TYPES = """film films movie movies song songs album albums single book books novel novels play band group series
show musical opera poem game episode magazine newspaper painting character tv television documentary company
city town village state country county province district animated video ship airline airport river club team
party school university station programme program sitcom comedy drama anime manga comic cartoon"""

PARTICIPLES = """directed written produced composed performed recorded founded played portrayed released
published created starring featuring designed built sung owned developed narrated voiced hosted edited led held
won painted located based situated named born authored co-written co-directed distributed invented established
operated formed produced headquartered made coached managed married killed fronted headed scored illustrated
adapted depicted described inspiring hosting publishing
owning showing telling adjoining bordering surrounding preceded succeeded followed"""

AUXILIARIES = "is are was were am be been do does did has have had can could will would shall should may might"

VERBS = """become became begin began break broke bring brought build built buy bought choose chose come came die
end fall fell find found fight fought form get got give gave go went grow grew have hold held host invade join
know knew known lead led leave left lose lost make made marry meet met move open own pay paid play produce
publish receive reach release run ran say said see saw sell sold serve set sing sang sign speak spoke stand
stood star start study take took taken teach taught voice win won work write wrote written born sung dissolve
handle close appear attend live direct record issue border contain located situated stop change happen offer
merge split gain declare allow celebrate cost draw turn ban legalize vote occupy surrender withdraw secede
separate sink retire graduate debut return switch rename achieve use give conquer occur represent finish earn
peak rank cover rule plays stars directs writes wrote sings voices hosts owns makes produces serves contains
lies flows lives works teaches leads runs appears belongs operates represents features holds became shares
borders includes uses employs covers takes lie belong rise rises flow broadcast turns"""

WORKS = """film movie song album book novel documentary play poem musical opera painting magazine newspaper sitcom
drama single game river ship episode actor actress singer director author writer character series television show
king queen"""
"""Nouns that stand before a name as its kind: "the film X starred" is not "the film that X starred"."""

DEMONYMS = """American British English French German Italian Spanish Dutch Irish Scottish Welsh Canadian
Australian Indian Chinese Japanese Korean Russian Soviet Polish Swedish Norwegian Danish Finnish Austrian Swiss
Belgian Greek Turkish Roman European African Asian Mexican Brazilian Argentine Israeli Jewish Christian Catholic
Islamic Egyptian Iranian Hungarian Czech Romanian Ukrainian Portuguese Hawaiian Pakistani Filipino Thai
Vietnamese Nigerian Native Western Eastern Northern Southern Anglican African-American Armenian-American"""

VAGUE_HEADS = """end start beginning part parts member members name names number time times year years one rest
side city town village state kingdom province county island republic university battle war title role position
most some many all kind type types form list use help middle turn people case result day days month series
president prime king queen end age death rise fall top first second third last same order context aftermath sale
help history study form use production competition contest"""
"""Nouns before "of" that do not lead to another thing: "the city of Paris", "the end of the war"."""

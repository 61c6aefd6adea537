"""Fitted weights of the embedded reader. Written by `python -m models.training.fit_reader --write`; do not edit.

Logistic models on HotpotQA tune (two thirds) and train, 2WikiMultihopQA train, SQuAD and NQ parts, BoolQ; the docstring
of that command says how. A weight under 0.05 is left out. Each table is text, "name weight" by blanks.
"""


def _table(text: str) -> dict[str, float]:
    parts = text.split()
    return {name: float(value) for name, value in zip(parts[::2], parts[1::2], strict=True)}


SPAN = _table("""
c:focus 0.946 c:focus_last 1.874 c:overlap -0.848 d:life 1.644 d:wrong -0.763 e:kind 1.423 e:life|country -0.057
e:life|date -0.066 e:life|entity -0.325 e:life|month -0.201 e:life|nation -0.180 e:life|number -0.064
e:life|person 0.778 e:life|place -0.548 e:life|year -0.106 f:$ 0.181 f:( 0.458 f:) 0.114 f:. 0.265 f:and -0.122
f:is 0.168 f:of -0.940 f:other -0.596 f:was -0.279 f:who -0.088 g:country|country 1.762 g:country|nation 1.754
g:ends|country -0.085 g:ends|place 0.445 k:date|country -0.081 k:date|date 2.462 k:date|entity -0.898
k:date|month 0.982 k:date|nation -0.229 k:date|number -0.340 k:date|organization -0.350 k:date|person -0.597
k:date|place -0.746 k:date|work -0.169 k:date|year 0.177 k:name-|country 0.462 k:name-|date -0.922
k:name-|entity -0.196 k:name-|month -0.211 k:name-|number -0.898 k:name-|organization 0.241 k:name-|person 0.524
k:name-|place 0.753 k:name-|work -0.332 k:name-|year -0.418 k:name|country 0.164 k:name|date -0.805
k:name|entity 0.529 k:name|month -0.224 k:name|nation -0.322 k:name|number -0.787 k:name|organization 0.891
k:name|person 1.226 k:name|place 0.908 k:name|work -0.275 k:name|year -0.713 k:nation-|country 0.196
k:nation-|date -0.234 k:nation-|entity -0.195 k:nation-|nation 1.149 k:nation-|number -0.081
k:nation-|organization -0.109 k:nation-|person -0.270 k:nation-|place -0.112 k:nation-|work -0.099
k:nation-|year -0.101 k:nation|country -0.065 k:nation|date -0.059 k:nation|entity 0.123 k:number|country -0.056
k:number|date -0.439 k:number|entity -0.388 k:number|month -0.054 k:number|nation -0.067 k:number|number 2.231
k:number|organization -0.118 k:number|person -0.520 k:number|place -0.290 k:number|work -0.063 k:number|year -0.108
k:phrase-|country -0.070 k:phrase-|date -0.207 k:phrase-|entity -0.390 k:phrase-|month -0.059 k:phrase-|nation 0.389
k:phrase-|number -0.246 k:phrase-|organization -0.095 k:phrase-|person -0.109 k:phrase-|place -0.084
k:phrase-|work 0.901 k:phrase-|year -0.288 k:phrase|country -0.318 k:phrase|date -0.463 k:phrase|entity 0.453
k:phrase|month -0.161 k:phrase|nation -0.431 k:phrase|number -0.149 k:phrase|organization -0.266
k:phrase|person -0.399 k:phrase|place -0.285 k:phrase|work 0.273 k:phrase|year -0.693 k:quantity|country -0.053
k:quantity|date -0.164 k:quantity|entity -0.691 k:quantity|nation -0.084 k:quantity|number 0.771
k:quantity|organization -0.304 k:quantity|person -0.366 k:quantity|place -0.220 k:quantity|year -0.182
k:quote|country -0.059 k:quote|entity 1.437 k:quote|person 0.318 k:quote|place 0.687 k:quote|year -0.063
k:title|date -0.424 k:title|entity 0.933 k:title|month -0.198 k:title|nation -0.156 k:title|number -0.413
k:title|organization 0.363 k:title|person 0.789 k:title|place 0.275 k:title|year -0.252 k:year|country -0.073
k:year|date 1.204 k:year|entity -0.716 k:year|nation -0.217 k:year|organization -0.273 k:year|person -0.582
k:year|place -0.848 k:year|work -0.110 k:year|year 2.650 l:cue|country 0.077 l:cue|date 0.430 l:cue|entity 1.054
l:cue|month 0.150 l:cue|nation -0.079 l:cue|organization 1.475 l:cue|person 1.130 l:cue|place 0.725 l:cue|year 0.198
l:focus 0.645 n:1|other 0.370 n:1|phrase -1.352 n:2|other 0.457 n:2|phrase -0.462 n:3|other 0.527 n:3|phrase -0.602
n:4|other 0.671 n:4|phrase -0.281 n:5|other -0.157 near:left 2.144 near:right 0.845 p:"|country -0.084
p:"|entity 0.428 p:"|nation -0.080 p:"|number -0.068 p:"|person -0.122 p:"|place 0.274 p:"|work -0.062 p:"|year -0.089
p:(|country -0.079 p:(|date 0.098 p:(|entity -0.179 p:(|nation -0.129 p:(|organization 0.063 p:(|person 0.061
p:(|place -0.163 p:(|year -0.152 p:,|country 0.315 p:,|date -0.308 p:,|entity -0.610 p:,|month -0.053
p:,|organization -0.090 p:,|person 0.264 p:,|year 0.362 p::|entity 0.225 p::|person -0.101 p::|place -0.093
p:^|country -0.163 p:^|date -0.226 p:^|entity 0.589 p:^|month -0.064 p:^|nation -0.131 p:^|number -0.076
p:^|organization 0.073 p:^|person 0.907 p:^|place -0.299 p:^|work -0.090 p:^|year -0.160 p:and|country -0.139
p:and|date -0.257 p:and|entity -0.668 p:and|nation -0.115 p:and|number -0.159 p:and|organization -0.288
p:and|person -0.068 p:and|place -0.448 p:and|work 0.342 p:and|year -0.114 p:an|country 0.137 p:an|date -0.107
p:an|entity -0.089 p:an|nation 0.593 p:an|organization -0.181 p:an|person -0.271 p:an|place -0.166 p:an|work -0.119
p:an|year -0.086 p:as|country 0.069 p:as|date -0.062 p:as|entity 0.545 p:as|organization 0.220 p:as|person -0.332
p:as|place -0.260 p:at|date -0.051 p:at|entity -0.135 p:at|number 0.237 p:at|organization 0.229 p:at|person -0.391
p:at|place 0.263 p:a|country 0.165 p:a|date 0.368 p:a|entity 0.457 p:a|nation 0.476 p:a|number 0.131
p:a|organization -0.375 p:a|person -0.448 p:a|place -0.183 p:a|work -0.144 p:a|year 0.452 p:by|date -0.204
p:by|entity -0.659 p:by|nation -0.071 p:by|organization 0.303 p:by|person 1.405 p:by|place -0.353 p:by|year -0.114
p:called|entity 0.346 p:for|entity -0.052 p:for|number -0.126 p:for|organization -0.077 p:for|person -0.276
p:for|place -0.172 p:from|date 0.107 p:from|entity -0.329 p:from|nation 0.061 p:from|number -0.059
p:from|organization 0.055 p:from|person -0.244 p:from|place 0.283 p:from|year -0.072 p:in|date 0.627
p:in|entity -0.425 p:in|month 0.613 p:in|nation 0.075 p:in|number -0.279 p:in|organization -0.521 p:in|person -0.789
p:in|place 1.572 p:in|work -0.083 p:in|year 0.295 p:is|entity -0.136 p:is|person 0.102 p:is|place 0.067
p:near|place 0.155 p:of|country 0.218 p:of|entity 0.123 p:of|nation 0.118 p:of|number 0.230 p:of|organization 0.295
p:of|place 0.248 p:of|year -0.078 p:on|country -0.051 p:on|date 0.650 p:on|entity 0.153 p:on|number -0.084
p:on|organization 0.267 p:on|person -0.380 p:on|place -0.177 p:on|year -0.121 p:other|country -0.454
p:other|date -0.299 p:other|entity -0.521 p:other|nation -0.536 p:other|number 0.273 p:other|organization -0.104
p:other|person -0.224 p:other|place -0.896 p:other|work 0.436 p:other|year 0.158 p:since|date 0.138
p:since|entity -0.076 p:since|year 0.203 p:the|date 0.100 p:the|entity 0.105 p:the|month -0.071 p:the|nation -0.067
p:the|number -0.081 p:the|person -0.592 p:the|place 0.129 p:the|work -0.156 p:the|year -0.174 p:to|country 0.092
p:to|number 0.080 p:to|organization -0.250 p:to|place 0.283 p:to|year 0.056 p:was|number 0.308 p:was|person 0.333
p:was|place -0.086 p:with|country 0.058 p:with|number 0.214 p:with|person 0.428 p:with|place -0.178 q:focus 0.477
q:unit -0.058 r:cue|country 0.052 r:cue|date 0.068 r:cue|entity 0.502 r:cue|month -0.080 r:cue|number 0.979
r:cue|person 0.083 r:cue|year 0.379 r:focus 0.968 s:alone 0.828 s:before 0.205 s:best 0.542 s:bridged 1.950
s:first 0.397 s:fresh 1.049 s:named -0.253 s:page -1.455 s:pair 0.453 s:rank 0.413 s:titled 0.660 t:linked 1.389
t:other -0.499 t:own -0.500 t:part -0.705 x:definition|country 0.259 x:definition|date 0.274
x:definition|entity -0.295 x:definition|nation 1.055 x:definition|number -0.283 x:definition|organization -0.103
x:definition|person -0.626 x:definition|place -0.583 x:definition|work 0.693 x:definition|year 0.309
x:paren|country -0.223 x:paren|date 0.436 x:paren|entity -0.654 x:paren|month 0.227 x:paren|nation -0.237
x:paren|number -0.409 x:paren|organization -0.243 x:paren|person -0.612 x:paren|place -0.184 x:paren|work -0.350
x:paren|year -0.360 x:subject 0.361
""")

ANSWER = _table("""
bias -1.567 first -0.270 named 1.047 pair 1.253 score 0.712 share 0.857 titled 0.293
""")

JUDGE = _table("""
all 1.584 bias -0.661 first 1.356 least 1.526 mean -2.436 negation -0.212 none -0.292 numbers 0.728
same:kind:no -0.948 same:kind:yes -0.948 same:nation:no -3.560 same:nation:yes 3.230 sentence -0.576 sides:0 0.810
sides:2 0.755 size 0.600
""")

OPTION = _table("""
computed:birth 1.678 computed:birth_or_date 1.106 computed:date 1.592 computed:death 2.325 computed:number 0.455
option:cover 1.824 option:first 0.809 option:order 0.088
""")

SUPPORT = _table("""
bias -2.704 choice:best 0.241 choice:first 1.043 choice:found 2.237 choice:read 0.276 coverage 0.013 holder -0.460
judged 1.479 judging 1.458 span:best 0.643 span:first 0.523 span:found 3.143 span:read -0.194
""")

"""Fitted weights of the embedded reader. Written by `python -m models.training.fit_reader --write`; do not edit.

Logistic models on HotpotQA tune (two thirds) and train, 2WikiMultihopQA train, SQuAD and NQ parts, BoolQ; the docstring
of that command says how. A weight under 0.05 is left out. Each table is text, "name weight" by blanks.
"""


def _table(text: str) -> dict[str, float]:
    parts = text.split()
    return {name: float(value) for name, value in zip(parts[::2], parts[1::2], strict=True)}


SPAN = _table("""
c:focus 0.861 c:focus_last 1.786 c:overlap -0.807 d:life 1.557 d:wrong -0.643 e:kind 1.534 e:life|country -0.090
e:life|date -0.109 e:life|entity -0.512 e:life|month -0.167 e:life|nation -0.204 e:life|person 0.982
e:life|place -0.490 e:life|year -0.107 e:other -0.094 f:$ 0.186 f:( 0.492 f:. 0.265 f:and -0.204 f:is 0.180
f:of -0.933 f:other -0.620 f:was -0.307 f:who -0.058 g:country|country 1.902 g:country|nation 1.269
g:ends|country -0.107 g:ends|place 0.481 k:date|country -0.080 k:date|date 2.309 k:date|entity -0.851
k:date|month 1.000 k:date|nation -0.165 k:date|number -0.347 k:date|organization -0.385 k:date|person -0.622
k:date|place -0.722 k:date|work -0.180 k:date|year 0.190 k:name-|country 0.422 k:name-|date -0.918
k:name-|entity -0.248 k:name-|month -0.177 k:name-|nation -0.183 k:name-|number -0.922 k:name-|organization 0.252
k:name-|person 0.458 k:name-|place 0.809 k:name-|work -0.350 k:name-|year -0.409 k:name|country 0.224
k:name|date -0.790 k:name|entity 0.496 k:name|month -0.239 k:name|nation -0.276 k:name|number -0.836
k:name|organization 0.910 k:name|person 1.175 k:name|place 0.910 k:name|work -0.270 k:name|year -0.738
k:nation-|country 0.187 k:nation-|date -0.236 k:nation-|entity -0.158 k:nation-|nation 1.002 k:nation-|number -0.113
k:nation-|organization -0.107 k:nation-|person -0.264 k:nation-|place -0.109 k:nation-|work -0.087
k:nation-|year -0.088 k:nation|entity 0.142 k:number|country -0.054 k:number|date -0.436 k:number|entity -0.396
k:number|number 2.223 k:number|organization -0.119 k:number|person -0.531 k:number|place -0.294 k:number|work -0.063
k:number|year -0.116 k:phrase-|country -0.066 k:phrase-|date -0.236 k:phrase-|entity -0.413 k:phrase-|month -0.062
k:phrase-|nation 0.347 k:phrase-|number -0.248 k:phrase-|organization -0.084 k:phrase-|person -0.123
k:phrase-|place -0.203 k:phrase-|work 0.942 k:phrase-|year -0.294 k:phrase|country -0.347 k:phrase|date -0.472
k:phrase|entity 0.471 k:phrase|month -0.198 k:phrase|nation -0.301 k:phrase|number -0.160 k:phrase|organization -0.299
k:phrase|person -0.276 k:phrase|place -0.217 k:phrase|work 0.267 k:phrase|year -0.748 k:quantity|date -0.225
k:quantity|entity -0.732 k:quantity|nation -0.056 k:quantity|number 0.827 k:quantity|organization -0.295
k:quantity|person -0.333 k:quantity|place -0.308 k:quantity|year -0.242 k:quote|country -0.067 k:quote|entity 1.582
k:quote|person 0.341 k:quote|place 0.696 k:quote|work -0.051 k:quote|year -0.060 k:title|country -0.071
k:title|date -0.238 k:title|entity 0.789 k:title|month -0.191 k:title|nation -0.172 k:title|number -0.354
k:title|organization 0.390 k:title|person 0.812 k:title|place 0.266 k:title|work -0.061 k:title|year -0.247
k:year|country -0.073 k:year|date 1.253 k:year|entity -0.683 k:year|nation -0.160 k:year|organization -0.301
k:year|person -0.623 k:year|place -0.799 k:year|work -0.111 k:year|year 2.765 l:cue|country 0.085 l:cue|date 0.422
l:cue|entity 1.086 l:cue|month 0.181 l:cue|nation -0.089 l:cue|number 0.068 l:cue|organization 1.394
l:cue|person 1.091 l:cue|place 0.709 l:cue|work -0.051 l:cue|year 0.408 l:focus 0.629 n:1|other 0.317
n:1|phrase -1.360 n:2|other 0.452 n:2|phrase -0.471 n:3|other 0.514 n:3|phrase -0.632 n:4|other 0.613
n:4|phrase -0.258 n:5|other -0.098 near:left 2.063 near:right 0.973 p:"|country -0.095 p:"|entity 0.431
p:"|nation -0.068 p:"|number -0.057 p:"|person -0.090 p:"|place 0.327 p:"|work -0.070 p:"|year -0.086
p:(|country -0.061 p:(|entity -0.198 p:(|nation -0.079 p:(|organization 0.204 p:(|person 0.098 p:(|place -0.184
p:(|year -0.185 p:,|country 0.375 p:,|date -0.256 p:,|entity -0.650 p:,|nation -0.086 p:,|organization -0.146
p:,|person 0.310 p:,|work 0.058 p:,|year 0.337 p::|entity 0.262 p::|person -0.097 p::|place -0.064 p:^|country -0.215
p:^|date -0.192 p:^|entity 0.603 p:^|month -0.084 p:^|nation -0.124 p:^|number -0.098 p:^|organization 0.076
p:^|person 0.920 p:^|place -0.290 p:^|work -0.086 p:^|year -0.168 p:and|country -0.158 p:and|date -0.191
p:and|entity -0.658 p:and|nation -0.089 p:and|number -0.146 p:and|organization -0.323 p:and|place -0.452
p:and|work 0.343 p:and|year -0.124 p:an|country 0.143 p:an|date -0.118 p:an|entity -0.076 p:an|nation 0.629
p:an|organization -0.201 p:an|person -0.361 p:an|place -0.172 p:an|work -0.126 p:an|year -0.073 p:as|country 0.080
p:as|entity 0.483 p:as|organization 0.257 p:as|person -0.340 p:as|place -0.303 p:at|date -0.081 p:at|entity -0.171
p:at|number 0.246 p:at|organization 0.280 p:at|person -0.347 p:at|place 0.283 p:a|country 0.181 p:a|entity 0.451
p:a|nation 0.432 p:a|number 0.123 p:a|organization -0.271 p:a|person -0.440 p:a|place -0.162 p:a|work -0.145
p:a|year 0.454 p:by|date -0.193 p:by|entity -0.690 p:by|organization 0.303 p:by|person 1.137 p:by|place -0.349
p:by|year -0.114 p:called|entity 0.376 p:called|person -0.051 p:for|entity -0.108 p:for|number -0.055
p:for|organization -0.065 p:for|person -0.325 p:from|date 0.119 p:from|entity -0.369 p:from|number -0.061
p:from|person -0.265 p:from|place 0.271 p:from|year -0.096 p:in|date 0.685 p:in|entity -0.426 p:in|month 0.668
p:in|nation 0.057 p:in|number -0.274 p:in|organization -0.533 p:in|person -0.794 p:in|place 1.463 p:in|work -0.087
p:in|year 0.300 p:is|entity -0.117 p:is|person 0.108 p:is|place 0.076 p:near|place 0.162 p:of|country 0.187
p:of|entity 0.137 p:of|nation 0.062 p:of|number 0.249 p:of|organization 0.285 p:of|person 0.109 p:of|place 0.214
p:of|year -0.087 p:on|country -0.056 p:on|date 0.811 p:on|entity 0.204 p:on|month -0.054 p:on|number -0.099
p:on|organization 0.262 p:on|person -0.389 p:on|place -0.112 p:on|year -0.166 p:other|country -0.465
p:other|date -0.349 p:other|entity -0.521 p:other|nation -0.471 p:other|number 0.224 p:other|organization -0.195
p:other|person -0.252 p:other|place -0.829 p:other|work 0.471 p:other|year 0.191 p:since|date 0.120
p:since|entity -0.067 p:since|year 0.148 p:the|date 0.210 p:the|entity 0.118 p:the|month -0.066 p:the|number -0.107
p:the|person -0.550 p:the|place 0.160 p:the|work -0.161 p:the|year -0.050 p:to|country 0.083 p:to|entity 0.209
p:to|number 0.052 p:to|organization -0.246 p:to|place 0.069 p:to|year 0.086 p:was|number 0.313 p:was|person 0.372
p:was|place -0.091 p:with|country 0.096 p:with|date -0.053 p:with|number 0.178 p:with|person 0.529 p:with|place -0.208
q:focus 0.449 q:unit -0.116 r:cue|date 0.217 r:cue|entity 0.471 r:cue|month -0.113 r:cue|number 0.904
r:cue|organization -0.169 r:cue|person 0.114 r:cue|place 0.088 r:cue|work -0.056 r:cue|year 0.316 r:focus 1.032
s:alone 0.648 s:before 0.132 s:best 0.610 s:bridged 1.661 s:first 0.356 s:fresh 1.441 s:named -0.655 s:page -1.964
s:pair 0.235 s:rank 0.535 s:titled 0.163 t:linked 1.428 t:other -0.533 t:own -0.473 t:part -0.677
x:definition|country 0.279 x:definition|date 0.096 x:definition|entity -0.287 x:definition|nation 1.025
x:definition|number -0.275 x:definition|organization -0.071 x:definition|person -0.546 x:definition|place -0.593
x:definition|work 0.749 x:definition|year 0.414 x:paren|country -0.209 x:paren|date 0.306 x:paren|entity -0.690
x:paren|month 0.245 x:paren|nation -0.264 x:paren|number -0.396 x:paren|organization -0.186 x:paren|person -0.481
x:paren|work -0.371 x:paren|year -0.402 x:subject 0.347
""")

ANSWER = _table("""
bias -1.463 first -0.329 named 0.997 pair 1.322 score 0.942 share 0.911 titled 0.217
""")

JUDGE = _table("""
all 1.880 bias -0.330 first 0.843 least 1.576 mean -2.255 negation -0.287 none -0.042 numbers 0.588
same:kind:no -0.142 same:kind:yes -0.602 same:nation:no -3.808 same:nation:yes 2.958 sentence -0.697 sides:0 0.549
sides:2 0.715 size 0.233
""")

OPTION = _table("""
computed:birth 1.819 computed:birth_or_date 1.070 computed:date 1.536 computed:death 2.379 computed:number 0.236
option:cover 1.833 option:first 0.665 option:order -0.104
""")

SUPPORT = _table("""
bias -2.694 choice:best 0.284 choice:first 0.645 choice:found 2.298 choice:read 0.358 coverage -0.037 holder -0.374
judged 1.345 judging 1.467 span:best 0.610 span:first 0.384 span:found 3.031 span:read -0.195
""")

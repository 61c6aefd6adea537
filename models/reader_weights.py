"""Fitted weights of the embedded reader, written by `python -m models.training.fit_reader --write`.

Logistic models on HotpotQA tune (two thirds) and train, 2WikiMultihopQA train, SQuAD and NQ parts, BoolQ: the
docstring of that command says how. Weights near 0 are left out. A table is text: name, weight, name, weight.
"""


def _table(text: str) -> dict[str, float]:
    parts = text.split()
    return {name: float(value) for name, value in zip(parts[::2], parts[1::2], strict=True)}


SPAN = _table("""
c:focus 1.132 c:focus_last 2.216 c:others -0.442 c:overlap -0.984 c:shared 2.796 d:life 2.174 d:wrong -1.172
e:kind 1.515 e:life|country -0.129 e:life|date -0.054 e:life|entity -0.455 e:life|month -0.257 e:life|nation -0.236
e:life|number 0.285 e:life|organization -0.160 e:life|person 1.073 e:life|place -1.014 e:life|year -0.122 f:$ 0.278
f:( 0.427 f:) 0.165 f:, -0.055 f:. 0.213 f:and -0.220 f:between|city 0.352 f:between|country -0.137
f:between|date -0.079 f:between|entity -0.246 f:between|nation -0.156 f:between|number -0.260
f:between|organization -0.434 f:between|person 0.133 f:between|place -0.357 f:between|state 0.151 f:between|work 0.217
f:between|year 0.927 f:is 0.146 f:of -1.137 f:other -0.704 f:was -0.412 f:who -0.194 g:country|country 2.764
g:country|nation 2.478 g:country|place 0.239 g:country|state -0.175 g:ends|country -0.143 g:ends|nation -0.069
g:ends|place 0.339 g:ends|state -0.147 k:date|city -0.139 k:date|country -0.088 k:date|date 2.917 k:date|entity -1.356
k:date|month 1.806 k:date|nation -0.378 k:date|number -0.609 k:date|organization -0.709 k:date|person -0.981
k:date|place -1.566 k:date|state -0.130 k:date|work -0.281 k:date|year 0.603 k:name-|city 0.949 k:name-|country 0.709
k:name-|date -1.281 k:name-|entity -0.101 k:name-|month -0.385 k:name-|nation 0.092 k:name-|number -1.370
k:name-|organization 0.375 k:name-|person 0.723 k:name-|place 0.768 k:name-|state 0.851 k:name-|work -0.616
k:name-|year -0.528 k:name|city 0.982 k:name|country 0.442 k:name|date -0.924 k:name|entity 0.609 k:name|month -0.406
k:name|nation -0.285 k:name|number -1.072 k:name|organization 1.235 k:name|person 1.417 k:name|place 1.073
k:name|state 0.345 k:name|work -0.275 k:name|year -0.806 k:nation-|country -0.242 k:nation-|date -0.464
k:nation-|entity -0.242 k:nation-|nation 1.201 k:nation-|number -0.182 k:nation-|organization -0.196
k:nation-|person -0.444 k:nation-|place -0.197 k:nation-|work -0.283 k:nation-|year -0.172 k:nation|date -0.149
k:nation|entity 0.536 k:nation|nation -0.124 k:nation|number -0.081 k:nation|organization -0.256
k:nation|person -0.293 k:nation|place -0.216 k:nation|state -0.054 k:number|city -0.259 k:number|country -0.060
k:number|date -0.680 k:number|entity -0.372 k:number|month -0.208 k:number|nation -0.127 k:number|number 2.724
k:number|organization -0.068 k:number|person -0.870 k:number|place -0.280 k:number|state -0.112 k:number|work -0.079
k:number|year -0.114 k:phrase-|city -0.300 k:phrase-|date -0.259 k:phrase-|entity -0.418 k:phrase-|month -0.104
k:phrase-|nation 0.932 k:phrase-|number -0.353 k:phrase-|organization -0.181 k:phrase-|state -0.078
k:phrase-|work 1.503 k:phrase-|year -0.512 k:phrase|city -0.498 k:phrase|country -0.393 k:phrase|date -0.434
k:phrase|entity 0.568 k:phrase|month -0.359 k:phrase|nation -0.625 k:phrase|organization -0.186 k:phrase|person -0.286
k:phrase|place -0.067 k:phrase|state -0.296 k:phrase|work 0.394 k:phrase|year -1.062 k:quantity|city -0.192
k:quantity|country -0.058 k:quantity|date -0.211 k:quantity|entity -0.921 k:quantity|nation -0.159
k:quantity|number 1.153 k:quantity|organization -0.469 k:quantity|person -0.461 k:quantity|place -0.272
k:quantity|state -0.220 k:quantity|work -0.073 k:quantity|year -0.365 k:quote|city -0.056 k:quote|country -0.070
k:quote|date 0.187 k:quote|entity 1.894 k:quote|number 0.157 k:quote|organization 0.230 k:quote|person 1.048
k:quote|place 1.350 k:quote|work -0.070 k:quote|year -0.115 k:title|city -0.065 k:title|country -0.088
k:title|date -0.432 k:title|entity 0.751 k:title|month -0.176 k:title|nation -0.123 k:title|number -0.504
k:title|organization 0.712 k:title|person 1.063 k:title|place 0.755 k:title|state -0.081 k:title|year -0.285
k:year|city -0.367 k:year|country -0.102 k:year|date 1.731 k:year|entity -0.948 k:year|month -0.111
k:year|nation -0.365 k:year|number 0.163 k:year|organization -0.486 k:year|person -0.902 k:year|place -1.342
k:year|state -0.161 k:year|work -0.153 k:year|year 3.372 l:cue|city 0.443 l:cue|country 0.150 l:cue|date 0.366
l:cue|entity 1.038 l:cue|month 0.167 l:cue|nation -0.086 l:cue|number -0.188 l:cue|organization 1.832
l:cue|person 1.188 l:cue|place 0.712 l:cue|state 0.087 l:cue|work -0.160 l:cue|year 0.222 l:focus 0.719
n:1:other 0.191 n:1:phrase -1.462 n:2:other 0.416 n:2:phrase -0.542 n:3:other 0.499 n:3:phrase -0.727 n:4:other 0.681
n:4:phrase -0.363 n:5:other -0.185 near:left 3.294 near:right 1.511 p:"|city -0.092 p:"|country -0.138 p:"|date 0.080
p:"|entity 0.276 p:"|month -0.058 p:"|nation -0.154 p:"|organization 0.133 p:"|person -0.081 p:"|place 0.383
p:"|work -0.102 p:"|year -0.143 p:(|city -0.375 p:(|country -0.107 p:(|entity -0.262 p:(|nation -0.232
p:(|number 0.096 p:(|organization 0.300 p:(|person 0.365 p:(|place -0.133 p:(|state -0.107 p:(|work -0.094
p:(|year -0.264 p:,|country 0.390 p:,|date -0.419 p:,|entity -0.619 p:,|month -0.084 p:,|nation 0.213 p:,|number 0.115
p:,|organization 0.065 p:,|person 0.431 p:,|place -0.081 p:,|state 0.991 p:,|work 0.206 p:,|year 0.460
p::|entity 0.413 p::|person -0.271 p::|place -0.195 p:^|city 0.653 p:^|country -0.371 p:^|date -0.310 p:^|entity 0.632
p:^|month -0.167 p:^|nation -0.244 p:^|number -0.072 p:^|organization 0.156 p:^|person 1.257 p:^|place -0.845
p:^|work -0.155 p:^|year -0.242 p:and|city -0.393 p:and|country -0.303 p:and|date -0.401 p:and|entity -0.875
p:and|nation -0.206 p:and|number -0.276 p:and|organization -0.644 p:and|place -0.583 p:and|work 0.923
p:and|year -0.132 p:an|city -0.085 p:an|country 0.171 p:an|date -0.201 p:an|nation 0.605 p:an|organization -0.429
p:an|person -0.476 p:an|place -0.326 p:an|work -0.237 p:an|year -0.135 p:as|city -0.162 p:as|country 0.123
p:as|date -0.120 p:as|entity 0.655 p:as|organization 0.444 p:as|person -0.433 p:as|place -0.398 p:at|city -0.310
p:at|date -0.105 p:at|entity -0.312 p:at|number 0.510 p:at|organization 0.538 p:at|person -0.658 p:at|place 0.814
p:at|year -0.080 p:a|city -0.148 p:a|country 0.489 p:a|date 0.581 p:a|entity 0.600 p:a|nation 0.531 p:a|number 0.311
p:a|organization -0.733 p:a|person -0.757 p:a|place -0.219 p:a|state -0.116 p:a|work -0.285 p:a|year 0.612
p:by|city -0.343 p:by|country 0.226 p:by|date -0.373 p:by|entity -0.925 p:by|nation -0.167 p:by|organization 0.416
p:by|person 1.611 p:by|place -0.602 p:by|year -0.204 p:called|entity 0.815 p:called|person -0.136 p:for|city -0.058
p:for|entity -0.085 p:for|month -0.139 p:for|nation -0.057 p:for|number -0.253 p:for|organization -0.181
p:for|person -0.557 p:for|place -0.315 p:from|date 0.155 p:from|entity -0.531 p:from|nation 0.162 p:from|number -0.201
p:from|organization 0.323 p:from|person -0.488 p:from|place 0.414 p:from|state 0.329 p:from|year -0.192
p:in|city 1.717 p:in|country -0.104 p:in|date 0.764 p:in|entity -0.472 p:in|month 1.305 p:in|nation 0.330
p:in|number -0.546 p:in|organization -1.079 p:in|person -1.220 p:in|place 1.661 p:in|state -0.121 p:in|work -0.174
p:in|year 0.280 p:is|date -0.085 p:is|entity -0.234 p:is|number -0.073 p:is|person 0.274 p:is|place 0.204
p:near|city 0.088 p:near|country -0.058 p:near|place 0.298 p:of|city 1.206 p:of|country 0.410 p:of|date 0.165
p:of|entity 0.192 p:of|nation 0.215 p:of|number 0.216 p:of|organization 0.446 p:of|person 0.057 p:of|place -0.071
p:of|state 0.351 p:of|year -0.068 p:on|city -0.098 p:on|country -0.122 p:on|date 0.698 p:on|entity 0.431
p:on|month -0.175 p:on|number -0.178 p:on|organization 0.603 p:on|person -0.640 p:on|place -0.185 p:on|year -0.278
p:other|city -0.577 p:other|country -0.681 p:other|date -0.362 p:other|entity -0.506 p:other|month -0.131
p:other|nation -0.732 p:other|number 0.195 p:other|organization -0.182 p:other|person -0.159 p:other|place -0.998
p:other|state -0.610 p:other|work 0.497 p:other|year 0.466 p:since|date 0.282 p:since|entity -0.131
p:since|person -0.072 p:since|year 0.532 p:the|city -0.618 p:the|date 0.351 p:the|entity 0.151 p:the|month -0.125
p:the|nation -0.118 p:the|number -0.112 p:the|organization -0.130 p:the|person -0.740 p:the|place 0.280
p:the|state -0.345 p:the|work -0.372 p:the|year -0.175 p:to|city -0.070 p:to|country 0.101 p:to|entity 0.078
p:to|number 0.070 p:to|organization -0.741 p:to|person 0.118 p:to|place 0.601 p:to|work -0.061 p:to|year -0.050
p:was|city -0.133 p:was|date -0.070 p:was|entity 0.083 p:was|number 0.536 p:was|person 0.819 p:was|place -0.119
p:with|city -0.100 p:with|country 0.170 p:with|date -0.102 p:with|number 0.383 p:with|organization 0.139
p:with|person 0.716 p:with|place -0.271 q:focus 0.498 q:unit -0.390 r:cue|city 0.105 r:cue|country 0.174
r:cue|date 0.176 r:cue|entity 0.547 r:cue|month -0.197 r:cue|nation -0.307 r:cue|number 1.102
r:cue|organization -0.068 r:cue|person 0.137 r:cue|state -0.218 r:cue|work -0.218 r:cue|year 0.471 r:focus 1.072
s:alone 0.792 s:before 0.311 s:best 0.447 s:bridged 2.142 s:first 0.411 s:fresh 1.209 s:named -0.178 s:page -2.376
s:pair 1.028 s:rank 0.371 s:titled 0.870 t:linked|date -0.194 t:linked|entity 1.702 t:linked|month -0.145
t:linked|nation -0.076 t:linked|number -0.215 t:linked|person 1.402 t:linked|place 0.990 t:linked|state -0.072
t:linked|year -0.134 t:other|city 0.304 t:other|date -0.124 t:other|entity -0.524 t:other|number 0.312
t:other|organization 1.261 t:other|person -0.979 t:other|place -0.767 t:other|state -0.077 t:other|year 0.645
t:own|city -0.466 t:own|country 0.316 t:own|date -0.309 t:own|entity -0.192 t:own|month -0.140 t:own|nation -0.153
t:own|number -0.243 t:own|organization -0.624 t:own|person -1.387 t:own|state 0.141 t:own|work -0.052
t:own|year -0.165 t:part -0.629 x:definition|city -0.290 x:definition|country 0.425 x:definition|date 0.338
x:definition|entity -0.366 x:definition|month -0.078 x:definition|nation 1.263 x:definition|number -0.581
x:definition|organization -0.055 x:definition|person -0.778 x:definition|place -0.693 x:definition|state -0.374
x:definition|work 1.051 x:definition|year 0.618 x:paren|city -0.902 x:paren|country -0.389 x:paren|date 0.254
x:paren|entity -0.668 x:paren|month 0.313 x:paren|nation -0.254 x:paren|number -0.785 x:paren|organization -0.442
x:paren|person -0.789 x:paren|place -0.056 x:paren|state -0.272 x:paren|work -0.610 x:paren|year -0.945
x:subject 0.316
""")

ANSWER = _table("""
bias -1.853 first -0.268 named 1.007 pair 1.082 score 0.644 share 0.740 titled 0.588
""")

JUDGE = _table("""
all 1.584 bias -0.661 first 1.356 least 1.526 mean -2.436 negation -0.212 none -0.292 numbers 0.728
same:kind:no -0.948 same:kind:yes -0.948 same:nation:no -3.560 same:nation:yes 3.230 sentence -0.576 sides:0 0.810
sides:2 0.755 size 0.600
""")

OPTION = _table("""
computed:birth 1.672 computed:birth_or_date 1.111 computed:date 1.588 computed:death 2.322 computed:number 0.455
option:cover 1.792 option:first 0.767 option:order 0.097
""")

SUPPORT = _table("""
choice -1.523 choice:best -0.013 choice:first 0.043 choice:found 2.055 choice:read 0.249 coverage 0.568 holder -0.997
judged 0.227 judging 0.105 span -3.166 span:best 0.730 span:first 0.506 span:found 3.796 span:read -0.256
""")

CLAIM = _table("""
bias -2.115 closest 0.322 covered 3.193 missing -6.961 strange -1.062
""")

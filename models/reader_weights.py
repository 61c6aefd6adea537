"""Fitted weights of the embedded reader, written by `python -m models.training.fit_reader --write`.

Logistic models on HotpotQA tune (two thirds) and train, 2WikiMultihopQA train, SQuAD, NQ, BoolQ: the
docstring of that command says how. Weights near 0 are left out. A table is text: name, weight, name, weight.
"""


def _table(text: str) -> dict[str, float]:
    parts = text.split()
    return {name: float(value) for name, value in zip(parts[::2], parts[1::2], strict=True)}


SPAN = _table("""
c:focus 1.058 c:focus_last 2.114 c:others -0.579 c:overlap -1.046 c:shared 2.575 cue:left 1.463 cue:right 0.437
d:life 2.116 d:wrong -1.282 e:kind 1.562 e:life|country -0.149 e:life|date -0.050 e:life|entity -0.361
e:life|month -0.235 e:life|nation -0.155 e:life|number 0.221 e:life|organization -0.118 e:life|person 1.027
e:life|place -0.839 e:life|state -0.071 e:life|year -0.096 f:$ 0.453 f:( 0.514 f:) 0.195 f:, -0.113 f:. 0.155
f:and -0.257 f:between|city 0.119 f:between|country -0.128 f:between|date -0.073 f:between|entity -0.118
f:between|nation -0.178 f:between|number -0.242 f:between|organization -0.323 f:between|person 0.205
f:between|place -0.199 f:between|state 0.123 f:between|work 0.153 f:between|year 0.895 f:is 0.229 f:of -1.125
f:other -0.736 f:was -0.453 f:who -0.101 g:country|country 2.686 g:country|nation 2.626 g:country|place 0.244
g:country|state -0.085 g:ends|country -0.093 g:ends|nation -0.079 g:ends|place 0.199 g:ends|state -0.180
j:,|city 0.055 j:,|country -0.298 j:,|entity -0.287 j:,|month -0.139 j:,|nation -0.146 j:,|number -0.215
j:,|organization -0.612 j:,|person -0.647 j:,|place -0.296 j:,|year -0.113 j:and|city -0.367 j:and|entity 0.194
j:and|number -0.089 j:and|organization -0.296 j:and|person -0.333 j:and|place 0.960 j:and|work 0.440 j:and|year -0.050
j:at|organization -0.212 j:at|person -0.099 j:at|place 0.073 j:for|entity 0.224 j:for|organization -0.163
j:for|person -0.360 j:for|place -0.066 j:for|state 0.102 j:in|city -0.080 j:in|country -0.058 j:in|entity -0.280
j:in|organization -0.166 j:in|person -0.496 j:in|place 0.846 j:in|state -0.075 j:of|city -0.083 j:of|country -0.156
j:of|entity 0.245 j:of|nation -0.124 j:of|number -0.064 j:of|organization 0.577 j:of|person -0.210 j:of|place -0.187
j:of|state -0.084 j:of|year -0.169 j:on|entity -0.367 j:on|person -0.382 j:on|place 0.112 j:or|country -0.077
j:or|entity -0.139 j:or|person 0.397 j:or|place -0.241 j:to|person -0.218 j:with|city -0.066 j:with|person -0.139
k:date|city -0.130 k:date|country -0.119 k:date|date 3.065 k:date|entity -1.264 k:date|month 1.751
k:date|nation -0.456 k:date|number -0.536 k:date|organization -0.640 k:date|person -0.943 k:date|place -1.743
k:date|state -0.107 k:date|work -0.287 k:date|year 0.530 k:name-|city 0.847 k:name-|country 0.695 k:name-|date -1.200
k:name-|entity -0.100 k:name-|month -0.327 k:name-|nation 0.292 k:name-|number -1.254 k:name-|organization 0.497
k:name-|person 0.840 k:name-|place 0.831 k:name-|state 0.727 k:name-|work -0.536 k:name-|year -0.432 k:name|city 0.784
k:name|country 0.422 k:name|date -0.980 k:name|entity 0.617 k:name|month -0.428 k:name|nation -0.305
k:name|number -1.062 k:name|organization 1.170 k:name|person 1.465 k:name|place 0.962 k:name|state 0.404
k:name|work -0.310 k:name|year -0.804 k:nation-|city -0.058 k:nation-|country -0.210 k:nation-|date -0.489
k:nation-|entity -0.296 k:nation-|nation 1.177 k:nation-|number -0.214 k:nation-|organization -0.145
k:nation-|person -0.454 k:nation-|place -0.181 k:nation-|work -0.248 k:nation-|year -0.141 k:nation|country 0.085
k:nation|date -0.166 k:nation|entity 0.647 k:nation|nation -0.202 k:nation|number -0.064 k:nation|organization -0.301
k:nation|person -0.199 k:nation|place -0.205 k:number|city -0.167 k:number|country -0.067 k:number|date -0.715
k:number|entity -0.299 k:number|month -0.177 k:number|nation -0.113 k:number|number 2.873 k:number|organization -0.214
k:number|person -0.880 k:number|place -0.186 k:number|state -0.133 k:number|work -0.084 k:number|year -0.089
k:phrase-|city -0.155 k:phrase-|country -0.062 k:phrase-|date -0.225 k:phrase-|entity -0.365 k:phrase-|month -0.117
k:phrase-|nation 0.928 k:phrase-|number -0.357 k:phrase-|place 0.199 k:phrase-|state -0.089 k:phrase-|work 1.375
k:phrase-|year -0.508 k:phrase|city -0.559 k:phrase|country -0.404 k:phrase|date -0.503 k:phrase|entity 0.593
k:phrase|month -0.441 k:phrase|nation -0.705 k:phrase|number -0.066 k:phrase|organization -0.190
k:phrase|person -0.346 k:phrase|place -0.069 k:phrase|state -0.289 k:phrase|work 0.438 k:phrase|year -1.060
k:quantity|city -0.245 k:quantity|country -0.059 k:quantity|date -0.156 k:quantity|entity -0.794
k:quantity|nation -0.137 k:quantity|number 1.137 k:quantity|organization -0.519 k:quantity|person -0.405
k:quantity|place -0.101 k:quantity|state -0.226 k:quantity|work -0.066 k:quantity|year -0.381 k:quote|country -0.066
k:quote|date 0.124 k:quote|entity 1.775 k:quote|organization 0.331 k:quote|person 0.779 k:quote|place 1.256
k:quote|work -0.069 k:quote|year -0.158 k:title|city 0.152 k:title|country -0.069 k:title|date -0.447
k:title|entity 0.460 k:title|month -0.139 k:title|nation -0.065 k:title|number -0.496 k:title|organization 0.522
k:title|person 1.064 k:title|place 0.703 k:title|state -0.090 k:title|year -0.306 k:year|city -0.407
k:year|country -0.146 k:year|date 1.693 k:year|entity -0.974 k:year|month -0.054 k:year|nation -0.375
k:year|organization -0.483 k:year|person -0.879 k:year|place -1.466 k:year|state -0.132 k:year|work -0.161
k:year|year 3.369 l:cue|city 0.425 l:cue|country -0.078 l:cue|date -0.222 l:cue|entity 0.823 l:cue|month 0.082
l:cue|nation -0.230 l:cue|number -0.295 l:cue|organization 1.553 l:cue|person 0.820 l:cue|place 0.395
l:cue|state -0.268 l:cue|work -0.147 l:cue|year 0.140 l:focus 0.794 n:1:other 0.213 n:1:phrase -1.485 n:2:other 0.411
n:2:phrase -0.536 n:3:other 0.536 n:3:phrase -0.687 n:4:other 0.678 n:4:phrase -0.338 near:left 2.421 near:right 1.415
one:alone 0.221 one:bridged 0.739 one:fresh -0.795 one:named 0.507 one:page 0.459 one:pair 0.645 one:titled 0.907
p:"|city -0.070 p:"|country -0.124 p:"|entity 0.363 p:"|month -0.080 p:"|nation -0.162 p:"|organization 0.201
p:"|person -0.119 p:"|place 0.364 p:"|work -0.112 p:"|year -0.200 p:(|city -0.335 p:(|country -0.106 p:(|date 0.437
p:(|entity -0.178 p:(|nation -0.369 p:(|number 0.171 p:(|organization 0.209 p:(|person 0.274 p:(|place -0.054
p:(|state -0.104 p:(|work -0.093 p:(|year -0.313 p:,|city 0.194 p:,|country 0.404 p:,|date -0.443 p:,|entity -0.660
p:,|month -0.075 p:,|nation 0.173 p:,|number 0.064 p:,|person 0.248 p:,|place -0.216 p:,|state 0.931 p:,|work 0.128
p:,|year 0.386 p::|entity 0.379 p::|person -0.187 p::|place -0.289 p:^|city 0.427 p:^|country -0.328 p:^|date -0.343
p:^|entity 0.606 p:^|month -0.150 p:^|nation -0.171 p:^|number -0.058 p:^|organization 0.078 p:^|person 1.252
p:^|place -0.764 p:^|work -0.136 p:^|year -0.226 p:and|city -0.360 p:and|country -0.263 p:and|date -0.387
p:and|entity -0.759 p:and|nation -0.310 p:and|number -0.304 p:and|organization -0.677 p:and|place -0.586
p:and|work 0.796 p:and|year -0.086 p:an|country 0.197 p:an|date -0.195 p:an|entity -0.100 p:an|nation 0.693
p:an|organization -0.319 p:an|person -0.348 p:an|place -0.304 p:an|work -0.202 p:an|year -0.109 p:as|city -0.212
p:as|country 0.133 p:as|date -0.140 p:as|entity 0.497 p:as|nation 0.145 p:as|organization 0.472 p:as|person -0.390
p:as|place -0.534 p:at|city -0.394 p:at|date -0.137 p:at|entity -0.267 p:at|number 0.431 p:at|organization 0.399
p:at|person -0.640 p:at|place 0.685 p:at|year -0.070 p:a|city -0.122 p:a|country 0.427 p:a|date 0.768 p:a|entity 0.518
p:a|month -0.069 p:a|nation 0.532 p:a|number 0.207 p:a|organization -0.720 p:a|person -0.712 p:a|place -0.209
p:a|state -0.074 p:a|work -0.200 p:a|year 0.698 p:by|city -0.324 p:by|country 0.103 p:by|date -0.355
p:by|entity -0.808 p:by|nation -0.165 p:by|number -0.078 p:by|organization 0.333 p:by|person 1.448 p:by|place -0.517
p:by|state -0.056 p:by|year -0.211 p:called|entity 0.627 p:for|date -0.051 p:for|nation -0.066 p:for|number -0.100
p:for|organization -0.341 p:for|person -0.646 p:for|place -0.307 p:from|country -0.069 p:from|entity -0.455
p:from|nation 0.154 p:from|number -0.106 p:from|organization 0.213 p:from|person -0.299 p:from|place 0.497
p:from|state 0.455 p:from|year -0.189 p:in|city 1.796 p:in|date 0.882 p:in|entity -0.458 p:in|month 1.171
p:in|nation 0.236 p:in|number -0.488 p:in|organization -0.828 p:in|person -1.170 p:in|place 1.789 p:in|state -0.146
p:in|work -0.171 p:in|year 0.205 p:is|date -0.074 p:is|entity -0.076 p:is|number -0.157 p:is|person 0.167
p:is|place 0.195 p:named|entity 0.115 p:near|country -0.051 p:near|entity -0.086 p:near|place 0.218 p:of|city 0.916
p:of|country 0.429 p:of|date 0.132 p:of|entity 0.180 p:of|nation 0.497 p:of|number 0.126 p:of|organization 0.354
p:of|person 0.098 p:of|state 0.238 p:of|year -0.060 p:on|city -0.171 p:on|country -0.129 p:on|date 0.405
p:on|entity 0.308 p:on|month -0.131 p:on|number -0.093 p:on|organization 0.694 p:on|person -0.654 p:on|place -0.063
p:on|year -0.233 p:other|city -0.708 p:other|country -0.539 p:other|date -0.473 p:other|entity -0.513
p:other|month -0.141 p:other|nation -0.835 p:other|number 0.169 p:other|organization -0.111 p:other|person -0.127
p:other|place -1.070 p:other|state -0.587 p:other|work 0.535 p:other|year 0.523 p:since|date 0.329
p:since|entity -0.083 p:since|person -0.072 p:since|year 0.357 p:the|city -0.539 p:the|date 0.358 p:the|entity 0.154
p:the|month -0.109 p:the|nation -0.182 p:the|number -0.262 p:the|organization -0.069 p:the|person -0.733
p:the|place 0.210 p:the|state -0.376 p:the|work -0.353 p:the|year -0.290 p:to|country 0.106 p:to|entity 0.055
p:to|number 0.221 p:to|organization -0.429 p:to|place 0.708 p:to|work -0.055 p:to|year 0.182 p:was|city -0.058
p:was|date -0.113 p:was|entity 0.117 p:was|number 0.412 p:was|organization -0.053 p:was|person 0.793
p:was|place -0.064 p:with|city -0.106 p:with|date -0.107 p:with|entity 0.060 p:with|number 0.416
p:with|organization 0.094 p:with|person 0.722 p:with|place -0.347 q:focus 0.405 q:unit -0.263 r:cue|city -0.318
r:cue|country 0.166 r:cue|entity 0.435 r:cue|month -0.206 r:cue|nation -0.224 r:cue|number 1.001
r:cue|organization -0.131 r:cue|place -0.067 r:cue|state -0.285 r:cue|work -0.162 r:cue|year 0.304 r:focus 1.196
s:alone 0.819 s:before 0.528 s:best 0.610 s:bridged 2.130 s:first 0.449 s:fresh 0.703 s:named -0.402 s:page -1.895
s:pair 0.867 s:rank 0.626 s:titled 0.609 t:linked|city 0.278 t:linked|date -0.182 t:linked|entity 1.691
t:linked|month -0.119 t:linked|nation -0.054 t:linked|number -0.206 t:linked|organization 0.106 t:linked|person 1.279
t:linked|place 0.832 t:linked|state -0.084 t:linked|year -0.146 t:other|city 0.066 t:other|date -0.121
t:other|entity -0.476 t:other|nation -0.056 t:other|number 0.107 t:other|organization 1.071 t:other|person -1.203
t:other|place -0.620 t:other|state -0.112 t:other|year 0.548 t:own|city -0.457 t:own|country 0.310 t:own|date -0.308
t:own|month -0.173 t:own|nation -0.083 t:own|number -0.224 t:own|organization -0.587 t:own|person -1.143
t:own|place -0.073 t:own|state 0.132 t:own|work -0.062 t:own|year -0.150 t:part -0.542 x:definition|city -0.905
x:definition|country 0.510 x:definition|date 0.460 x:definition|entity -0.307 x:definition|month -0.069
x:definition|nation 1.249 x:definition|number -0.415 x:definition|organization -0.085 x:definition|person -0.590
x:definition|place -0.681 x:definition|state -0.332 x:definition|work 0.980 x:definition|year 0.534
x:paren|city -0.757 x:paren|country -0.364 x:paren|date 0.076 x:paren|entity -0.693 x:paren|month 0.280
x:paren|nation -0.374 x:paren|number -0.761 x:paren|organization -0.469 x:paren|person -0.806 x:paren|state -0.207
x:paren|work -0.586 x:paren|year -0.780 x:subject 0.220
""")

ANSWER = _table("""
bias -1.948 first -0.221 named 1.112 pair 1.173 score 0.280 share 0.756 titled 0.826
""")

JUDGE = _table("""
all 2.636 bias -0.897 claim -0.288 claim:missing -5.444 claim:named 1.858 claim:page 0.321 claim:s:alone 0.047
claim:s:fresh 0.704 claim:s:titled 0.814 first 1.374 least 0.330 mean -2.117 negation -0.196 none -0.585 numbers 0.524
same:kind:no -0.687 same:kind:yes -0.687 same:nation:no -3.094 same:nation:yes 3.219 sides 0.640 size 1.011
""")

OPTION = _table("""
computed:birth 1.649 computed:birth_or_date 1.107 computed:date 1.569 computed:death 2.304 computed:number 0.449
option:cover 1.657 option:first 0.626 option:order 0.084
""")

SUPPORT = _table("""
choice -1.374 choice:best -0.109 choice:first 0.114 choice:found 0.944 choice:read 0.210 coverage 1.487 holder -0.733
judged 0.042 judging 0.330 span -0.685 span:best 0.225 span:first -1.136 span:found 1.554 span:read 0.534
""")

CLAIM = _table("""
bias -2.075 closest 0.223 covered 3.231 missing -7.033 strange -0.865
""")

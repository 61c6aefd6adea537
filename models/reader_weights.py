"""Fitted weights of the rules reader, written by `python -m models.training.fit_reader --write`.

Logistic models on HotpotQA tune (two thirds) and train, 2WikiMultihopQA train, SQuAD, NQ, BoolQ: the
docstring of that command says how. Weights near 0 are left out. A table is text: name, weight, name, weight.
"""


def _table(text: str) -> dict[str, float]:
    parts = text.split()
    return {name: float(value) for name, value in zip(parts[::2], parts[1::2], strict=True)}


SPAN = _table("""
c:focus 0.683 c:focus_last 2.292 c:others -0.628 c:overlap -0.772 c:shared 2.847 cue:left 1.593 cue:right 0.508
d:life 1.995 d:wrong -1.322 e:kind 1.632 e:life|month -0.180 e:life|nation -0.165 e:life|number -0.178
e:life|organization -0.529 e:life|person 1.083 e:life|place -0.747 e:life|state -0.136 e:life|year -0.086
e:other 0.066 f:$ 0.911 f:( 0.464 f:) 0.174 f:. 0.281 f:between|city 0.286 f:between|country -0.202
f:between|date -0.118 f:between|entity -0.387 f:between|nation -0.168 f:between|number -0.251
f:between|organization -0.175 f:between|person 0.105 f:between|place -0.294 f:between|state 0.121 f:between|work 0.171
f:between|year 0.523 f:is 0.269 f:of -1.093 f:other -0.660 f:was -0.630 f:who -0.078 g:country|country 2.776
g:country|nation 2.880 g:country|place 0.329 g:country|state -0.124 g:ends|place 0.129 g:ends|state -0.165
j:,|city 0.347 j:,|country -0.371 j:,|date 0.086 j:,|entity -0.460 j:,|month -0.092 j:,|nation -0.135
j:,|number -0.256 j:,|organization -0.398 j:,|person -0.343 j:,|place -0.291 j:,|year -0.110 j:and|city -0.141
j:and|entity 0.170 j:and|number -0.134 j:and|organization -0.151 j:and|person -0.451 j:and|place 1.115
j:and|work 0.487 j:at|organization -0.114 j:at|person -0.123 j:at|place -0.062 j:for|entity 0.166
j:for|organization -0.143 j:for|person -0.386 j:for|place -0.071 j:for|state 0.118 j:in|city -0.079
j:in|country -0.118 j:in|date -0.090 j:in|entity -0.169 j:in|organization -0.232 j:in|person -0.503 j:in|place 1.101
j:of|city -0.081 j:of|country -0.157 j:of|date 0.055 j:of|entity -0.244 j:of|nation -0.101 j:of|organization 0.483
j:of|person -0.206 j:of|state -0.071 j:of|year -0.147 j:on|country -0.053 j:on|entity -0.250 j:on|person -0.368
j:or|country -0.105 j:or|entity -0.248 j:or|person -0.077 j:or|place -0.204 j:to|city -0.081 j:to|person -0.175
j:to|place 0.068 j:with|city -0.084 j:with|entity -0.079 j:with|person -0.099 k:date|city -0.131 k:date|country -0.179
k:date|date 3.034 k:date|entity -1.155 k:date|month 1.916 k:date|nation -0.506 k:date|organization -0.504
k:date|person -0.802 k:date|place -1.459 k:date|state -0.113 k:date|work -0.371 k:date|year 0.183 k:name-|city 1.105
k:name-|country 0.410 k:name-|date -1.090 k:name-|entity -0.168 k:name-|month -0.415 k:name-|nation 0.157
k:name-|number -1.245 k:name-|organization 1.109 k:name-|person 0.982 k:name-|place 0.941 k:name-|state 0.922
k:name-|work -0.576 k:name-|year -0.208 k:name|city 0.938 k:name|country 0.999 k:name|date -0.965 k:name|entity 0.703
k:name|month -0.438 k:name|nation -0.426 k:name|number -1.034 k:name|organization 0.867 k:name|person 1.634
k:name|place 1.146 k:name|state 0.297 k:name|work -0.327 k:name|year -0.728 k:nation-|country -0.261
k:nation-|date -0.405 k:nation-|entity -0.573 k:nation-|nation 1.053 k:nation-|number -0.200
k:nation-|organization -0.283 k:nation-|person -0.386 k:nation-|place -0.221 k:nation-|work -0.254
k:nation-|year -0.139 k:nation|country 0.129 k:nation|date -0.147 k:nation|entity 0.785 k:nation|nation 0.182
k:nation|number -0.073 k:nation|organization -0.256 k:nation|person -0.273 k:nation|place -0.214 k:number|city -0.098
k:number|country -0.141 k:number|date -0.627 k:number|entity -0.526 k:number|month -0.225 k:number|nation -0.079
k:number|number 2.689 k:number|organization -0.107 k:number|person -0.798 k:number|place -0.117 k:number|state -0.157
k:number|work -0.086 k:number|year -0.201 k:phrase-|city -0.245 k:phrase-|country -0.156 k:phrase-|date -0.696
k:phrase-|entity -0.218 k:phrase-|month -0.133 k:phrase-|nation 1.111 k:phrase-|number -0.225 k:phrase-|person -0.433
k:phrase-|place 0.234 k:phrase-|state -0.090 k:phrase-|work 1.371 k:phrase-|year -0.389 k:phrase|city -0.512
k:phrase|country -0.384 k:phrase|date -0.521 k:phrase|entity 0.693 k:phrase|month -0.483 k:phrase|nation -0.707
k:phrase|number -0.051 k:phrase|organization -0.175 k:phrase|person -0.131 k:phrase|state -0.283 k:phrase|work 0.627
k:phrase|year -0.977 k:quantity|city -0.214 k:quantity|country -0.185 k:quantity|date 0.288 k:quantity|entity -0.710
k:quantity|nation -0.248 k:quantity|number 1.103 k:quantity|organization -0.556 k:quantity|person -0.379
k:quantity|place -0.329 k:quantity|state -0.264 k:quantity|work -0.057 k:quantity|year -0.506 k:quote|city -0.053
k:quote|date -0.247 k:quote|entity 1.939 k:quote|nation -0.051 k:quote|number -0.101 k:quote|organization 0.653
k:quote|person 0.245 k:quote|place 0.757 k:quote|work -0.062 k:quote|year -0.135 k:title|city -0.299
k:title|date -0.409 k:title|entity 0.617 k:title|month -0.078 k:title|nation -0.063 k:title|number -0.438
k:title|organization -0.280 k:title|person 1.081 k:title|place 0.600 k:title|state -0.075 k:title|year -0.264
k:year|city -0.447 k:year|country -0.141 k:year|date 1.784 k:year|entity -1.388 k:year|month -0.071
k:year|nation -0.423 k:year|number -0.430 k:year|organization -0.463 k:year|person -0.741 k:year|place -1.358
k:year|state -0.155 k:year|work -0.225 k:year|year 3.395 l:cue|city 0.194 l:cue|country -0.294 l:cue|date -0.223
l:cue|entity 0.792 l:cue|month 0.104 l:cue|nation -0.208 l:cue|number -0.071 l:cue|organization 1.227
l:cue|person 0.806 l:cue|place 0.194 l:cue|state -0.417 l:cue|work -0.091 l:cue|year 0.277 l:focus 0.751
n:1:other 0.332 n:1:phrase -1.299 n:2:other 0.529 n:2:phrase -0.478 n:3:other 0.574 n:3:phrase -0.402 n:4:other 0.936
n:4:phrase -0.583 n:5:other 0.066 near:left 2.428 near:right 1.258 one:alone 0.157 one:bridged 0.644 one:fresh -0.401
one:named 0.240 one:page 0.599 one:pair 0.887 one:titled 0.960 p:"|city -0.110 p:"|country -0.069 p:"|date -0.328
p:"|entity 0.420 p:"|month -0.065 p:"|nation -0.184 p:"|number -0.283 p:"|organization 0.426 p:"|person -0.468
p:"|work -0.102 p:"|year -0.184 p:(|city -0.168 p:(|country -0.054 p:(|date 0.364 p:(|entity -0.185 p:(|nation -0.289
p:(|number 0.132 p:(|organization -0.154 p:(|person 0.406 p:(|place 0.112 p:(|state -0.102 p:(|work -0.106
p:(|year -0.159 p:,|city -0.116 p:,|country 0.372 p:,|date -0.488 p:,|entity -0.311 p:,|month -0.073 p:,|nation 0.106
p:,|number -0.164 p:,|organization 0.086 p:,|person 0.270 p:,|place -0.207 p:,|state 1.208 p:,|work 0.118
p:,|year 0.384 p::|entity -0.103 p::|person -0.234 p::|place -0.160 p:^|city -0.074 p:^|country -0.359 p:^|date -0.295
p:^|entity 0.715 p:^|month -0.216 p:^|nation -0.213 p:^|organization -0.084 p:^|person 1.376 p:^|place -0.462
p:^|state 0.124 p:^|work -0.142 p:^|year -0.190 p:and|city 0.306 p:and|country -0.315 p:and|entity -0.589
p:and|nation -0.330 p:and|number -0.319 p:and|organization -0.556 p:and|place -0.604 p:and|state -0.060
p:and|work 0.814 p:and|year -0.076 p:an|country 0.361 p:an|date -0.170 p:an|entity -0.189 p:an|nation 0.652
p:an|organization -0.141 p:an|person -0.447 p:an|place -0.299 p:an|work -0.194 p:an|year -0.099 p:as|city -0.134
p:as|date -0.123 p:as|entity 0.507 p:as|nation 0.147 p:as|number -0.063 p:as|person -0.172 p:as|place -0.467
p:as|year 0.076 p:at|city -0.282 p:at|date -0.139 p:at|entity -0.264 p:at|number 0.683 p:at|organization 0.338
p:at|person -0.564 p:at|place 0.909 p:a|city -0.115 p:a|country 0.276 p:a|date 0.950 p:a|entity 0.517 p:a|month -0.074
p:a|nation 0.436 p:a|number -0.070 p:a|organization -0.447 p:a|person -0.745 p:a|place -0.287 p:a|state -0.096
p:a|work -0.190 p:a|year 0.536 p:by|city -0.163 p:by|country -0.152 p:by|date -0.375 p:by|entity -0.400
p:by|nation -0.151 p:by|number -0.132 p:by|organization 0.593 p:by|person 1.589 p:by|place -0.538 p:by|work -0.058
p:by|year -0.236 p:called|city 0.080 p:called|entity 0.806 p:called|person -0.081 p:for|entity 0.372
p:for|month -0.063 p:for|number -0.179 p:for|organization -0.197 p:for|person -0.473 p:for|place -0.351
p:for|year -0.073 p:from|city -0.100 p:from|date -0.056 p:from|entity -0.366 p:from|nation 0.258 p:from|number -0.122
p:from|organization 0.092 p:from|person -0.276 p:from|place 0.376 p:from|state 0.349 p:from|work -0.067
p:from|year -0.358 p:in|city 2.356 p:in|country 0.111 p:in|date 0.581 p:in|entity -0.653 p:in|month 1.218
p:in|nation 0.266 p:in|number -0.386 p:in|organization -0.626 p:in|person -1.342 p:in|place 1.609 p:in|state -0.125
p:in|work -0.125 p:in|year 0.375 p:is|date -0.087 p:is|number -0.154 p:is|person 0.297 p:is|place 0.149
p:named|entity -0.117 p:near|city 0.078 p:near|country -0.059 p:near|place 0.261 p:of|city 0.059 p:of|country 0.544
p:of|date 0.153 p:of|entity 0.236 p:of|nation 0.410 p:of|number 0.399 p:of|organization 0.204 p:of|person 0.309
p:of|place 0.185 p:on|city -0.073 p:on|country -0.210 p:on|date 0.841 p:on|entity -0.164 p:on|month -0.232
p:on|number -0.197 p:on|organization 0.443 p:on|person -0.524 p:on|place -0.241 p:on|year -0.225 p:other|city -0.444
p:other|country -0.199 p:other|date -0.396 p:other|entity -0.552 p:other|month -0.124 p:other|nation -0.879
p:other|number 0.133 p:other|organization 0.198 p:other|person -0.098 p:other|place -0.941 p:other|state -0.613
p:other|work 0.644 p:other|year 0.372 p:since|date 0.224 p:since|entity -0.131 p:since|person -0.082
p:since|year 0.613 p:the|city -0.594 p:the|country -0.140 p:the|month -0.087 p:the|nation 0.056 p:the|number 0.197
p:the|organization 0.529 p:the|person -0.862 p:the|place 0.348 p:the|state -0.396 p:the|work -0.365 p:the|year -0.709
p:to|country 0.104 p:to|entity -0.146 p:to|number 0.220 p:to|organization -0.377 p:to|person -0.296 p:to|place 0.545
p:to|work -0.059 p:to|year 0.333 p:was|date -0.075 p:was|entity 0.100 p:was|number 0.502 p:was|person 0.868
p:was|place -0.069 p:with|city -0.120 p:with|country -0.093 p:with|date -0.142 p:with|entity -0.075
p:with|number 0.282 p:with|organization 0.133 p:with|person 0.544 p:with|place -0.435 q:focus 0.727 q:unit -0.209
r:cue|city -0.218 r:cue|country -0.669 r:cue|date -0.085 r:cue|entity 0.521 r:cue|month -0.330 r:cue|nation -0.107
r:cue|number 0.860 r:cue|organization 0.278 r:cue|person -0.365 r:cue|place -0.257 r:cue|state -0.320
r:cue|work -0.056 r:cue|year -0.088 r:focus 1.132 s:alone 0.703 s:before 0.653 s:best 0.781 s:bridged 2.295
s:first 0.371 s:fresh 0.440 s:named -0.249 s:page -1.900 s:pair 0.333 s:rank 0.838 s:titled 0.226 t:linked|city -0.202
t:linked|date -0.177 t:linked|entity 1.675 t:linked|number -0.191 t:linked|organization -0.072 t:linked|person 1.412
t:linked|place 0.572 t:linked|state -0.068 t:linked|year -0.127 t:other|city -0.833 t:other|entity -0.888
t:other|organization 1.073 t:other|person -1.292 t:other|place -0.083 t:other|state -0.099 t:other|year 0.670
t:own|city -0.290 t:own|country -0.073 t:own|date -0.227 t:own|entity -0.195 t:own|month -0.241 t:own|nation -0.087
t:own|number -0.251 t:own|organization -0.212 t:own|person -1.172 t:own|place 0.377 t:own|state 0.221
t:own|year -0.104 t:part -0.531 x:definition|city -0.624 x:definition|country 0.252 x:definition|date 0.477
x:definition|entity -0.101 x:definition|month -0.064 x:definition|nation 0.995 x:definition|number -0.155
x:definition|organization -0.075 x:definition|person -0.395 x:definition|place -0.638 x:definition|state -0.316
x:definition|work 0.587 x:definition|year 0.799 x:paren|city -0.441 x:paren|country -0.398 x:paren|date 0.251
x:paren|entity -0.469 x:paren|month 0.420 x:paren|nation -0.298 x:paren|number -0.657 x:paren|organization -0.674
x:paren|person -0.801 x:paren|place -0.074 x:paren|state -0.289 x:paren|work -0.755 x:paren|year -1.004
x:subject 0.233
""")

ANSWER = _table("""
bias -1.978 first -0.170 named 1.017 pair 1.448 score 0.230 share 0.731 titled 0.533
""")

JUDGE = _table("""
all 2.665 bias -0.638 claim -0.702 claim:missing -5.936 claim:named 1.857 claim:page 0.113 claim:s:alone 0.582
claim:s:fresh 0.707 claim:s:titled 0.769 first 1.682 least 0.104 mean -2.001 negation -0.126 none 0.269 numbers -0.179
same:kind:no -0.830 same:kind:yes 1.402 same:nation:no -3.329 same:nation:yes 3.018 sides -0.198 size 0.768
""")

OPTION = _table("""
computed:age 1.152 computed:birth 1.631 computed:birth_or_date 1.152 computed:date 1.536 computed:death 2.398
computed:number 0.533 option:cover 2.060 option:first 0.977 option:order 0.078
""")

SUPPORT = _table("""
choice -1.361 choice:best -0.101 choice:first 0.125 choice:found 0.999 choice:read 0.161 coverage 1.476 holder -0.650
judged 0.033 judging 0.344 span -0.613 span:best 0.215 span:first -1.189 span:found 1.503 span:read 0.566
""")

CLAIM = _table("""
bias -2.025 closest 0.260 covered 3.150 missing -7.330 strange -0.978
""")

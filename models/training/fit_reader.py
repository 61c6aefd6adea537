"""Fit the embedded reader's weights and write `models/reader_weights.py`.

    python -m models.training.fit_reader --data DIR [--write]

DIR holds hotpotqa/{tune,train}.json.gz, 2wikimultihopqa/train.json.gz, squad/train_part.json.gz, nq_qed/train.json.gz,
boolq/part.json.gz in their official layouts. A third of tune is held out and only measured. Five logistic models: SPAN (softmax over a question's
candidate spans), ANSWER (probability of a span answer), JUDGE (yes or no), OPTION (which of two), SUPPORT. L2-regularised,
fitted by L-BFGS from scipy (extra `train`); minutes on one core. Without --write it only reports.
"""

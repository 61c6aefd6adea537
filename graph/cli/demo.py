"""`lookahead demo`: the shipped sample, three questions about it, and what to type next."""

import time

from graph.cli.options import StoreOption
from graph.cli.output import err, milliseconds, out, plural

NAMESPACE = "sample"


def demo(store: StoreOption = None) -> None:
    """See it work: ingest the shipped sample and answer three questions about it, all on this machine."""
    from evaluation.sample import passages_path, questions
    from graph.cli.ingest import run_ingest
    from models.user_cache import cache_folder

    address = store or str(cache_folder() / "demo")
    started = time.perf_counter()
    _, state = run_ingest([str(passages_path())], address, {"namespace": NAMESPACE})
    seconds = time.perf_counter() - started
    counts = state["counts"]
    documents = counts["added"] + counts["updated"] + counts["unchanged"]
    fresh = "unchanged since the last time" if not counts["passages"] else "ingested"
    out().print(f"[bold]{plural(documents, 'document')}[/] of the shipped sample {fresh} [dim]in {seconds:.1f} s[/]")
    with err().status("starting"):
        from graph.cli.answer import print_answer
        from graph.cli.session import Session
        from nodes.context import Context

        context = Context(namespace=NAMESPACE, planner="embedded", synthesizer="embedded")
    with Session(address, context) as session:
        for number, question in enumerate((q["question"] for q in questions() if q.get("demo")), 1):
            out().print(f"\n[bold cyan]{number}. {question}[/]\n")
            asked = time.perf_counter()
            result = session.ask(question)
            print_answer(out(), result)
            out().print(f"[dim]answered {milliseconds((time.perf_counter() - asked) * 1000)} after it was asked[/]")
    out().print(f"\nAsk the sample yourself:    lookahead ask --store {address} --namespace {NAMESPACE}")
    out().print("Ask your own documents:     lookahead ingest PATH, then lookahead ask")

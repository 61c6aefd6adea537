"""`lookahead demo`: the shipped sample, three questions about it, and what to type next."""

import time

from graph.cli.options import StoreOption
from graph.cli.output import err, out, plural

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
            print_answer(out(), session.ask(question))
    out().print(f"\n[bold]{time.perf_counter() - started:.1f} s[/] [dim]for all of it[/]")
    out().print("\nAsk the sample yourself:")
    out().print(f"  lookahead ask --namespace {NAMESPACE} --store {address}", style="bold", soft_wrap=True)
    out().print("Ask your own documents:")
    out().print("  lookahead ingest PATH && lookahead ask", style="bold", soft_wrap=True)

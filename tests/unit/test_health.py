"""What is known of a model's server: when it is asked, when it is left alone, how many tokens a text is for it."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage, SystemMessage

from models.health import FAILURES, OPEN_SECONDS, Health, NotAsked, shared_health
from models.token_rate import TokenRate, prompt_size


class Clock:
    """Stands still until told."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def health(clock: Clock) -> Health:
    return Health(clock=clock, chance=lambda: 0.0)


def fail(health: Health, times: int = 1) -> None:
    for _ in range(times):
        health.failed("ConnectError: refused", "start it")


def test_two_failures_are_bad_luck_three_in_a_row_are_not(health: Health) -> None:
    fail(health, 2)
    health.answered()
    fail(health, 2)
    assert health.admit() == 0
    fail(health)
    with pytest.raises(NotAsked, match=r"\(ConnectError: refused\); it is asked again in 30 s; start it"):
        health.admit()


def test_after_a_while_one_is_let_in_and_the_others_are_not(health: Health, clock: Clock) -> None:
    fail(health, 3)
    clock.now += 30
    assert health.admit() == 0
    with pytest.raises(NotAsked):
        health.admit()
    health.answered()
    assert health.admit() == health.admit() == 0


def test_it_is_left_alone_for_twice_as_long_each_time_up_to_five_minutes(health: Health, clock: Clock) -> None:
    fail(health, 3)
    pauses = []
    for _ in range(6):
        with pytest.raises(NotAsked) as refused:
            health.admit()
        pauses.append(int(str(refused.value).partition("again in ")[2].split()[0]))
        clock.now += pauses[-1]
        health.admit()
        fail(health)
    assert pauses == [30, 60, 120, 240, 300, 300]


def test_after_an_answer_the_pauses_are_short_again(health: Health, clock: Clock) -> None:
    fail(health, 3)
    clock.now += 30
    health.admit()
    fail(health)
    clock.now += 60
    health.admit()
    health.answered()
    fail(health, 3)
    clock.now += 30
    assert health.admit() == 0


def test_a_trial_that_never_reports_does_not_close_the_server_for_good(health: Health, clock: Clock) -> None:
    fail(health, 3)
    clock.now += 30
    health.admit()
    clock.now += 30
    assert health.admit() == 0


def test_an_answer_to_a_call_made_before_opens_the_way(health: Health) -> None:
    fail(health, 3)
    health.answered()
    assert health.admit() == 0


def test_failures_of_calls_made_before_do_not_lengthen_the_pause(health: Health, clock: Clock) -> None:
    fail(health, 3)
    clock.now += 20
    fail(health, 5)
    clock.now += 10
    assert health.admit() == 0


def test_all_wait_as_long_as_the_longest_that_was_asked_for_but_not_for_ever(health: Health, clock: Clock) -> None:
    health.hold(10)
    health.hold(5)
    assert health.admit() == 10
    clock.now += 10
    assert health.admit() == 0
    health.hold(86_400)
    assert health.admit() == 300


def test_one_model_at_one_address_has_one_health() -> None:
    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(lambda _: id(shared_health("ollama:a", "http://here")), range(64)))
    assert len(found) == 1
    assert shared_health("ollama:a", "http://there") is not shared_health("ollama:a", "http://here")


def test_many_threads_lose_no_failure(clock: Clock) -> None:
    health = Health(clock=clock)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: fail(health), range(3)))
    assert health.is_down


class TestTokenRate:
    def test_a_lower_rate_counts_at_once_a_higher_one_slowly(self) -> None:
        rate = TokenRate()
        rate.learn(400, 100)
        assert rate.bytes(100) == 360
        rate.learn(200, 100)
        assert rate.bytes(100) == 180
        rate.learn(400, 100)
        assert 180 < rate.bytes(100) < 360

    @pytest.mark.parametrize(("size", "tokens"), [(0, 10), (10, 0), (10_000, 3)])
    def test_what_cannot_be_is_not_learnt(self, size: int, tokens: int) -> None:
        rate = TokenRate()
        rate.learn(size, tokens)
        assert rate.bytes(100) == 270

    def test_a_prompt_that_was_cut_makes_the_next_shorter(self) -> None:
        rate = TokenRate()
        rate.learn_bound(8_000, 4_000)
        assert rate.bytes(4_000) == 3_600
        rate.learn_bound(100_000, 10)
        assert rate.bytes(4_000) == 3_600

    @settings(max_examples=30)
    @given(st.integers(1, 10**6), st.integers(1, 10**6))
    def test_what_fits_is_counted_as_fitting(self, size: int, tokens: int) -> None:
        rate = TokenRate()
        rate.learn(size, tokens)
        assert rate.tokens(rate.bytes(1000)) <= 1001

    def test_bytes_are_counted_not_letters(self) -> None:
        assert prompt_size([SystemMessage("ab"), HumanMessage("é中")]) == 7

    def test_prose_after_tables_was_not_cut(self) -> None:
        rate = TokenRate()
        rate.learn(12_000, 6_000)
        assert not rate.is_cut(12_000, 2_700)
        assert rate.is_cut(40_000, 4_096)


def test_only_the_trial_says_how_the_trial_went() -> None:
    now = [0.0]
    health, old, trial = Health(clock=lambda: now[0]), object(), object()
    assert health.admit(old) == 0
    for _ in range(FAILURES):
        health.failed("refused", "start it")
    now[0] += OPEN_SECONDS + 1
    assert health.admit(trial) == 0
    health.given_up(old)
    health.failed("refused", "start it", old)
    with pytest.raises(NotAsked, match="asked again in 30 s"):
        health.admit()
    health.answered()
    assert health.admit() == 0

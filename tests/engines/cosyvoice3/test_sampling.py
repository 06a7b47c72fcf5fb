"""Repetition-aware sampling: each part of the rule, and noise that belongs to a line alone."""

from dataclasses import replace

import pytest

pytest.importorskip("torch")

import torch

from engines.cosyvoice3.config import tiny
from engines.cosyvoice3.sampling import (
    CountedNoise,
    GivenNoise,
    ReplayedNoise,
    draw,
    mask_early_ends,
    signed,
)

torch.set_num_threads(1)
CONFIG = tiny().lm
RAS = CONFIG.sampling
SIZE = CONFIG.rows
NOBODY = torch.full((1, RAS.win_size), -1)


def log_probs(**weights: float) -> torch.Tensor:
    """One row in which token ``tN`` has the given probability and all others share the rest."""
    row = torch.full((SIZE,), max(1 - sum(weights.values()), 1e-9) / (SIZE - len(weights)))
    for name, probability in weights.items():
        row[int(name[1:])] = probability
    return row.log()[None]


def even(rows: int = 1, places: int = SIZE) -> torch.Tensor:
    return torch.ones(rows, places)


def test_the_nucleus_ends_with_the_token_that_crosses_top_p():
    found = draw(log_probs(t5=0.5, t9=0.31, t7=0.1), NOBODY, GivenNoise(even(), even()), RAS)
    assert found.kept.tolist() == [2]
    assert found.ids[0, :3].tolist() == [5, 9, 7]


def test_the_nucleus_holds_at_least_one_and_at_most_top_k():
    assert draw(log_probs(t5=0.95), NOBODY, GivenNoise(even(), even()), RAS).kept.tolist() == [1]
    assert draw(log_probs(), NOBODY, GivenNoise(even(), even()), RAS).kept.tolist() == [RAS.top_k]


def test_equal_probabilities_are_ranked_by_id():
    found = draw(torch.zeros(1, SIZE).log_softmax(-1), NOBODY, GivenNoise(even(), even()), RAS)
    assert found.ids[0].tolist() == list(range(RAS.top_k))
    assert found.token.tolist() == [0]


def test_noise_picks_inside_the_nucleus_only():
    noise = even(1, RAS.top_k)
    noise[0, 2] = 1e-9  # would win by far, but stands outside
    found = draw(log_probs(t5=0.5, t9=0.31, t7=0.1), NOBODY, GivenNoise(noise, even()), RAS)
    assert found.token.tolist() == [5]
    noise[0, 1] = 1e-3
    assert draw(log_probs(t5=0.5, t9=0.31, t7=0.1), NOBODY, GivenNoise(noise, even()), RAS).token.tolist() == [9]


def test_a_recent_token_is_forbidden_and_drawn_anew_from_everything():
    row = log_probs(t5=0.9, t9=0.05)
    recent = NOBODY.clone()
    recent[0, 0] = 5
    found = draw(row, recent, GivenNoise(even(), even()), RAS)
    assert (found.first.tolist(), found.repeated.tolist(), found.token.tolist()) == ([5], [True], [9])
    whole = even()
    whole[0, 4000] = 1e-9
    assert draw(row, recent, GivenNoise(even(), whole), RAS).token.tolist() == [4000]
    whole[0, 5] = 1e-30  # forbidden, whatever its noise
    assert draw(row, recent, GivenNoise(even(), whole), RAS).token.tolist() == [4000]


@pytest.mark.parametrize(("win_size", "tau_r", "times"), [(10, 0.1, 1), (10, 0.25, 3), (30, 0.1, 3), (3, 1.1, 4)])
def test_the_rule_fires_from_its_share_of_the_window_on(win_size, tau_r, times):
    config = replace(RAS, win_size=win_size, tau_r=tau_r)
    assert times >= win_size * tau_r > times - 1
    for seen in range(win_size + 1):
        recent = torch.full((1, win_size), -1)
        recent[0, win_size - seen :] = 5
        found = draw(log_probs(t5=0.95), recent, GivenNoise(even(), even()), config)
        assert found.repeated.tolist() == [seen >= times]


def test_the_second_draw_keeps_the_mask_of_early_ends():
    masked = mask_early_ends(log_probs(t5=0.9, t6561=0.08), torch.tensor([True]), CONFIG, "reference")
    recent = NOBODY.clone()
    recent[0, 3] = 5
    found = draw(masked, recent, GivenNoise(even(), even()), RAS)
    assert found.token.tolist() != [6561]


def test_only_sos_is_masked_early_unless_the_strict_rule_is_asked_for():
    row = torch.zeros(2, SIZE)
    early = torch.tensor([True, False])
    masked = mask_early_ends(row, early, CONFIG, "reference").isinf()
    assert masked.nonzero().tolist() == [[0, CONFIG.sos]]
    strict = mask_early_ends(row, early, CONFIG, "strict").isinf()
    assert strict[0].nonzero()[:, 0].tolist() == list(range(CONFIG.sos, SIZE))
    assert not strict[1].any()


def test_rows_do_not_see_each_other():
    torch.manual_seed(1)
    rows = (torch.randn(64, SIZE) * 4).log_softmax(-1)
    recent = torch.randint(0, SIZE, (64, RAS.win_size))
    recent[::2, 0] = rows[::2].argmax(1)
    seeds, steps = torch.randint(0, 1 << 62, (64,)), torch.randint(0, 900, (64,))
    together = draw(rows, recent, CountedNoise(seeds, steps), RAS)
    assert together.repeated.any()
    assert not together.repeated.all()
    for index in range(64):
        at = slice(index, index + 1)
        alone = draw(rows[at], recent[at], CountedNoise(seeds[at], steps[at]), RAS)
        assert alone.token.item() == together.token[index].item()


def test_draws_follow_the_probabilities():
    row = log_probs(t1=0.2, t2=0.3, t3=0.45)
    count = 4_000
    steps = torch.arange(count)
    seeds = torch.full((count,), 77)
    found = draw(row.expand(count, -1), NOBODY.expand(count, -1), CountedNoise(seeds, steps), RAS).token
    shares = [(found == token).double().mean().item() for token in (1, 2, 3)]
    kept = 0.45 + 0.3 + 0.2
    assert shares == pytest.approx([0.2 / kept, 0.3 / kept, 0.45 / kept], abs=0.025)


def test_counted_noise_is_exponential_and_every_seed_and_step_has_its_own():
    noise = CountedNoise(torch.tensor([1, 1, 2, -5]), torch.tensor([0, 1, 0, 0])).whole(even(), 100_000)
    assert noise.min() > 0
    assert noise.isfinite().all()
    assert noise.mean(1).tolist() == pytest.approx([1.0] * 4, abs=0.02)
    assert noise.var(1).tolist() == pytest.approx([1.0] * 4, abs=0.05)
    assert (torch.corrcoef(noise) - torch.eye(4)).abs().max() < 0.02
    halves = torch.corrcoef(torch.stack([noise[0, :-1], noise[0, 1:]]))
    assert halves[0, 1].abs() < 0.02


def test_the_two_draws_of_a_step_have_different_noise():
    noise = CountedNoise(torch.tensor([3]), torch.tensor([4]))
    assert not torch.equal(noise.nucleus(even(), 25), noise.whole(even(), 25))


def test_replayed_noise_is_the_generators_in_the_order_of_the_reference():
    noise = ReplayedNoise(2)
    noise.generators[1] = torch.Generator().manual_seed(9)
    first = noise.nucleus(torch.tensor([4, 3]), 25)
    second = noise.whole(torch.tensor([True, True]), 40)
    torch.manual_seed(9)
    assert torch.equal(first[1, :3], torch.empty(3).exponential_(1))
    assert torch.equal(second[1], torch.empty(40).exponential_(1))
    assert torch.equal(first[0], torch.ones(25))


@pytest.mark.parametrize(("seed", "expected"), [(0, 0), (-1, -1), (1 << 63, -(1 << 63)), ((1 << 64) + 5, 5)])
def test_any_whole_number_is_a_seed(seed, expected):
    assert signed(seed) == expected

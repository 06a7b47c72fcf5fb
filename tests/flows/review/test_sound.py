import numpy as np

from flows.review.sound import peaks


def test_every_column_shows_its_loudest_sample() -> None:
    samples = np.zeros(1000, np.float32)
    samples[150], samples[999] = -0.5, 1.5
    assert peaks(samples, 10) == [0.0, 0.5, 0, 0, 0, 0, 0, 0, 0, 1.0]


def test_a_sound_shorter_than_its_picture_has_a_column_a_sample() -> None:
    assert peaks(np.array([0.25, -0.75], np.float32), 480) == [0.25, 0.75]
    assert peaks(np.zeros(0, np.float32)) == []

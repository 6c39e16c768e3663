"""What an engine's line may hold: everything else is a fault of its seat, in words."""

import pytest

from starspiel.agents.seats.protocol import Move, answer_in, check_policy
from starspiel.envs.errors import SeatError

LEGAL = [0, 3, 4]


def faulty(call, *arguments):
    with pytest.raises(SeatError) as error:
        call(*arguments)
    assert error.value.kind == "broken"
    return str(error.value)


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        ([(0, 7.0), (3, 7.0)], "it gives 0 the probability 7, expected 0 to 1"),
        ([(0, -0.5), (3, 1.5)], "it gives 0 the probability -0.5, expected 0 to 1"),
        ([(0, float("nan"))], "it gives 0 the probability nan"),
        ([(0, 0.5), (99, 0.5)], "it names 99, but the legal actions are 0, 3, 4"),
        ([(2**70, 1.0)], "it names a number of 71 bits, but the legal actions are"),
        ([(3, 0.5), (3, 0.5)], "it names 3 twice"),
        ([(0, 0.5), (3, 0.4)], "its probabilities add up to 0.9, expected 1"),
        ([(0, 0.0)], "its probabilities add up to 0, expected 1"),
        ([], "its probabilities add up to 0, expected 1"),
    ],
)
def test_a_policy_is_a_distribution_over_legal_actions(policy, says):
    said = faulty(check_policy, Move(0, policy=tuple(policy)), LEGAL)
    assert said.startswith("expected for policy: a distribution over the legal actions; ")
    assert says in said


@pytest.mark.parametrize(
    "policy", [None, [(3, 1.0)], [(4, 0.333), (0, 0.333), (3, 0.333)], [(0, 1.0000001), (3, 0.0)]]
)
def test_policies_may_be_rounded_and_leave_actions_out(policy):
    check_policy(Move(3, policy=None if policy is None else tuple(policy)), LEGAL)


@pytest.mark.parametrize(
    ("ignored", "says"),
    [
        (b'"\xff"', "can't decode byte 0xff"),
        (b'{"\xc3\x28": 1}', "can't decode byte 0xc3"),
        (b"NaN", "invalid character"),
        (b"-Infinity", "invalid"),
        (b"01", "invalid number"),
        (b"[" * 200_000 + b"]" * 200_000, "recursion"),
    ],
)
def test_a_line_is_json_in_utf_8_also_where_nobody_reads_it(ignored, says):
    line = b'{"type":"move","action":1,"note":%s}'
    assert answer_in(line % '"é"'.encode()) == Move(1)
    assert says in faulty(answer_in, line % ignored)


@pytest.mark.parametrize(
    "said",
    [
        '"action":NaN',
        '"action":1e0',
        *(f'"action":1,"value":{value}' for value in ("1e999", "1e39", "-1e39")),
        *(f'"action":1,"nodes":{nodes}' for nodes in (-1, 2**45 + 1, "9" * 5000)),
    ],
)
def test_numbers_are_what_they_are_to_be(said):
    assert "expected an answer in JSON" in faulty(answer_in, b'{"type":"move",%s}' % said.encode())


def test_of_a_key_that_stands_twice_the_last_counts():
    assert answer_in(b'{"type":"move","action":1,"action":2}') == Move(2)
    assert "Invalid value" in faulty(answer_in, b'{"type":"move","action":1,"type":"ready"}')

"""A local Ray of two workers: the same games, crashes contained, and what is said if there is no Ray."""

import os
import signal
import sys
from pathlib import Path

import pytest

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.processes.cluster import RayCluster
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=2,winscore=20)"


def played(result):
    return [(record.pair, [game.actions for game in record.games]) for record in result.pairs]


def test_without_ray_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(StarspielError, match=r"starspiel\[ray\]"):
        RayCluster(2)


@pytest.mark.slow
def test_a_local_cluster_of_two_workers():
    ray = pytest.importorskip("ray", reason='Ray is an extra: pip install "starspiel[ray]"')
    agents = ["random", "star2(depth=1)", "mcts(simulations=20)"]
    here = tournament(PIG, agents, pairs=6, seed=7, luck="heuristic")
    there = tournament(PIG, agents, pairs=6, seed=7, luck="heuristic", engine=RayCluster(2))
    assert not ray.is_initialized(), "a cluster that was started is stopped"
    assert played(here) == played(there)
    assert here.matrix.tolist()[0][1:] == there.matrix.tolist()[0][1:]
    assert [line.adjusted for line in here.adjusted] == [line.adjusted for line in there.adjusted]


@pytest.mark.slow
def test_losing_a_worker_or_a_node_loses_only_its_pairs_in_flight(tmp_path):
    ray = pytest.importorskip("ray", reason='Ray is an extra: pip install "starspiel[ray]"')
    from ray.cluster_utils import Cluster

    flag = str(tmp_path / "died")

    class Flaky:  # a local subclass of pyspiel.Bot cannot be pickled
        """Kills its process at its third move, once."""

        moves = 0

        def step(self, state):
            self.moves += 1
            if self.moves == 3 and not Path(flag).exists():
                Path(flag).touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return state.legal_actions()[self.moves % 3 == 0 and -1]

    once = {"flaky": lambda game, seat, seed: Flaky(), "random": "random"}
    agents = ["random", "star2(depth=1)", "mcts(simulations=200)"]
    here = tournament(PIG, agents, pairs=12, seed=7)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        node = cluster.add_node(num_cpus=1)
        ray.init(address=cluster.address, log_to_driver=False)
        lost_a_worker = tournament(PIG, once, pairs=4, engine=RayCluster(2))
        assert ray.is_initialized(), "a cluster that was found is left alone"
        ray.shutdown()
        lost = []

        def lose(progress):
            if not lost and progress.done >= 8:
                cluster.remove_node(node, allow_graceful=False)
                lost.append(progress.done)

        engine = RayCluster(2, cluster.address)
        there = tournament(PIG, agents, pairs=12, seed=7, engine=engine, on_pair=lose)
    finally:
        cluster.shutdown()
    assert Path(flag).exists()
    assert played(lost_a_worker) == played(tournament(PIG, once, pairs=4)), (
        "pairs in flight were played again"
    )
    assert lost
    assert lost[0] < len(here.pairs), "while pairs were still to be played"
    assert played(there) == played(here)


def test_a_cluster_of_no_workers():
    pytest.importorskip("ray", reason='Ray is an extra: pip install "starspiel[ray]"')
    with pytest.raises(StarspielError, match="at least 1 worker"):
        RayCluster(0)


def test_a_cluster_that_is_not_there():
    pytest.importorskip("ray", reason='Ray is an extra: pip install "starspiel[ray]"')
    with pytest.raises(StarspielError, match=r"cannot reach a Ray cluster at 127\.0\.0\.1:1"):
        tournament(PIG, ["random", "greedy"], engine=RayCluster(2, "127.0.0.1:1"))


def test_no_cluster_to_find(monkeypatch):
    ray = pytest.importorskip("ray", reason='Ray is an extra: pip install "starspiel[ray]"')
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(StarspielError, match=r"cannot reach a Ray cluster at auto: .*refused"):
        tournament(PIG, ["random", "greedy"], engine=RayCluster(2, "auto"))
    monkeypatch.delenv("RAY_ADDRESS")

    def late(**options):  # As Ray says it, on a machine that has too much to do.
        raise Exception("The current node timed out during startup.")

    monkeypatch.setattr(ray, "init", late)
    with pytest.raises(StarspielError, match=r"^cannot reach a Ray cluster at this machine: The current"):
        tournament(PIG, ["random", "greedy"], engine=RayCluster(2))

    def not_found(**options):  # What Ray says if none runs; some other may run on this machine.
        raise ConnectionError("Could not find any running Ray instance.\nPlease specify one.")

    monkeypatch.setattr(ray, "init", not_found)
    with pytest.raises(
        StarspielError, match=r"^cannot reach a Ray cluster at auto: Could not find .*instance\.$"
    ):
        tournament(PIG, ["random", "greedy"], engine=RayCluster(2, "auto"))

"""Connects to a Ray cluster, or starts one on this machine for as long as it is used."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starspiel.envs.errors import StarspielError, first_line


def imported_ray() -> Any:
    """Returns the module `ray`. Raises StarspielError if it is not installed."""
    try:
        import ray
    except ImportError:
        raise StarspielError('Ray is not installed: pip install "starspiel[ray]".') from None
    return ray


@contextmanager
def connected(ray: Any, processors: int, address: str | None) -> Iterator[None]:
    """Connects to the cluster at `address`, or starts one here with `processors` processors and stops it
    later.

    A cluster that this process is already connected to is used and left running. Raises StarspielError if the
    cluster cannot be reached.
    """
    if ray.is_initialized():
        yield
        return
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if address is None:
        options |= {"address": "local", "num_cpus": processors, "include_dashboard": False}
    else:
        options["address"] = address
    try:
        _knock(os.environ.get("RAY_ADDRESS") if address == "auto" else address)
        ray.init(**options)
    except Exception as error:  # Ray raises many kinds, such as for a node that starts late
        raise StarspielError(
            f"cannot reach a Ray cluster at {address or 'this machine'}: {said_by(error)}"
        ) from None
    try:
        yield
    finally:
        ray.shutdown()


def processors_of(ray: Any) -> int:
    """Returns how many processors the cluster has, at least 1."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def shared(ray: Any, value: Any, name: str) -> Any:
    """Puts an object that holds the game `name` into the object store, and returns the reference.

    Raises StarspielError if it cannot be pickled.
    """
    try:
        return ray.put(value)
    except Exception as error:  # anything that a user's environment raises when it is pickled
        raise StarspielError(
            f"{name} cannot be sent to other machines: {type(error).__name__}: {error}. "
            "Name the game by its module, as in my_module:MyEnv(sides=8), or run without Ray."
        ) from None


def said_by(error: Any) -> str:
    """Returns what an error says, without the traces that Ray appends, or its name."""
    return first_line(error) or type(error).__name__


def _knock(address: str | None) -> None:
    """Raises OSError if nothing listens at host:port; Ray would wait for minutes."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host, int(port)), timeout=10.0).close()

// The loop of evaluation/play/match.py for games written in C++: the same calls in the same order, the same record.
#pragma once

#include <pybind11/pybind11.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "open_spiel/spiel.h"

namespace starspiel {

namespace py = pybind11;

// A bot in the game; `own` is the _Seat of evaluation/play/match.py that the rest is taken from.
struct Seat {
  py::object own;
  py::object step;
  bool telling;
  int wary;
  int wall_overruns = 0;
  std::vector<float> seconds{};
};

// How moves are timed, in nanoseconds: see _INSTANT and _WARY in evaluation/play/match.py; longer than `limit` is an
// overrun.
struct Timing {
  double instant;
  int wary;
  double limit;
};

// Who caused the dice that are thrown now (-1: nobody), in which of the own turns, and which event of it comes next.
struct Turn {
  open_spiel::Player causer;
  std::int64_t number;
  std::int64_t event;
};

// A game from `state` to its end. `shown` is the same state as the bots see it, `dice` a Dice of evaluation/play/dice.py.
class Match {
 public:
  Match(open_spiel::State& state, py::object shown, const py::object& dice, std::vector<Seat> seats,
        std::vector<std::int64_t> turns, Turn turn, Timing timing)
      : state_(state),
        shown_(std::move(shown)),
        eight_turns_(dice.attr("eight_turns")),
        extend_(dice.attr("extend")),
        seats_(std::move(seats)),
        turns_(std::move(turns)),
        turn_(turn),
        timing_(timing) {
    TakeDice();
  }

  // None at the end of the game. Otherwise what a bot did wrong: (player, illegal action or exception, whether the
  // exception came from `tell`).
  py::object Play() {
    open_spiel::Player player;
    while ((player = state_.CurrentPlayer()) >= open_spiel::kChancePlayerId) {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (player == open_spiel::kChancePlayerId) {
        Apply(Thrown());
        continue;
      }
      if (player != turn_.causer) {
        turn_ = {player, ++turns_[player], 0};
        TakeDice();
      }
      Seat& seat = seats_[player];
      py::object played;
      std::int64_t spent = 0;
      bool told = false;
      try {
        played = Step(seat, spent);
        told = seat.telling;
        if (told) seat.telling = seat.own.attr("tell")().cast<bool>();
      } catch (py::error_already_set& error) {
        return py::make_tuple(player, error.value(), told);
      }
      int overflow = 0;
      const open_spiel::Action action = PyLong_AsLongLongAndOverflow(played.ptr(), &overflow);
      const std::vector<open_spiel::Action> legal = state_.LegalActions();
      if (overflow != 0 || std::find(legal.begin(), legal.end(), action) == legal.end()) {
        return py::make_tuple(player, overflow != 0 ? played : py::int_(action), false);
      }
      seat.seconds.push_back(static_cast<float>(1e-9 * static_cast<double>(spent)));
      Apply(action);
    }
    return py::none();
  }

  const std::vector<open_spiel::Action>& actions() const { return actions_; }
  const std::vector<Seat>& seats() const { return seats_; }

 private:
  static std::int64_t Now(clockid_t clock) {
    timespec now;
    clock_gettime(clock, &now);
    return std::int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
  }

  // The bot's action, a Python int. `spent` is the processor's time where the seat is wary, else the wall clock's.
  py::object Step(Seat& seat, std::int64_t& spent) const {
    const bool wary = seat.wary > 0;
    const std::int64_t wall_before = Now(CLOCK_MONOTONIC);
    const std::int64_t before = wary ? Now(CLOCK_PROCESS_CPUTIME_ID) : 0;
    const auto action = py::reinterpret_steal<py::object>(PyObject_CallOneArg(seat.step.ptr(), shown_.ptr()));
    if (!action) throw py::error_already_set();
    spent = wary ? Now(CLOCK_PROCESS_CPUTIME_ID) - before : 0;
    const std::int64_t wall_spent = Now(CLOCK_MONOTONIC) - wall_before;
    const bool instant = static_cast<double>(wall_spent) <= timing_.instant;
    if (!wary) spent = wall_spent;
    if (!instant) {
      seat.wary = timing_.wary;
    } else if (wary) {
      --seat.wary;
    }
    if (static_cast<double>(wall_spent) > timing_.limit) ++seat.wall_overruns;
    auto number = py::reinterpret_steal<py::object>(PyNumber_Index(action.ptr()));
    if (!number) throw py::error_already_set();
    return number;
  }

  // The dice of the turn that begins.
  void TakeDice() { dice_ = eight_turns_(turn_.causer, turn_.number); }

  // The outcome where the cumulated probabilities pass the number thrown: `outcome_at` of evaluation/play/dice.py.
  open_spiel::Action Thrown() {
    while (turn_.event >= static_cast<std::int64_t>(dice_.size())) {
      extend_(dice_, turn_.causer, turn_.number);
    }
    const py::handle lanes = PyList_GET_ITEM(dice_.ptr(), turn_.event++);
    const py::handle number = PyTuple_GET_ITEM(lanes.ptr(), turn_.number & 7);
    double left = static_cast<double>(PyLong_AsUnsignedLongLong(number.ptr()) >> 11) * 0x1p-53;
    const open_spiel::ActionsAndProbs outcomes = state_.ChanceOutcomes();
    open_spiel::Action last = outcomes.front().first;
    for (const auto& [outcome, probability] : outcomes) {
      if (!(probability > 0.0)) continue;
      last = outcome;
      left -= probability;
      if (left < 0.0) break;
    }
    return last;  // also where the probabilities fell short of 1 by a rounding error
  }

  void Apply(open_spiel::Action action) {
    actions_.push_back(action);
    state_.ApplyAction(action);
  }

  open_spiel::State& state_;
  py::object shown_;
  py::object eight_turns_;
  py::object extend_;
  std::vector<Seat> seats_;
  std::vector<std::int64_t> turns_;
  Turn turn_;
  Timing timing_;
  py::list dice_;
  std::vector<open_spiel::Action> actions_;
};

}  // namespace starspiel

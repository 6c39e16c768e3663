#include "trainer.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <thread>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace starspiel::ntuple {
namespace {

// Steele, Lea and Flood's SplitMix (2014).
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }

 private:
  std::uint64_t state_;
};

inline void Prefetch(const float* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#endif
}

}  // namespace

void Training::Check() const {
  if (!(rate > 0.0) || !std::isfinite(rate)) throw std::invalid_argument("expected a rate above 0");
  if (threads < 1 || threads > 1024) throw std::invalid_argument("expected 1 to 1024 threads");
  if (games < 0 || !(seconds >= 0.0)) throw std::invalid_argument("expected games and seconds of at least 0");
  if (games == 0 && seconds == 0.0) throw std::invalid_argument("nothing ends the training: name games or seconds");
}

LargeArray::LargeArray(std::size_t count) : size_(count) {
  constexpr std::size_t kPage = std::size_t{1} << 21;
  const std::size_t bytes = (count * sizeof(float) + kPage - 1) / kPage * kPage;
  data_.reset(static_cast<float*>(::operator new[](bytes, std::align_val_t{kPage})));
#ifdef __linux__
  madvise(data_.get(), bytes, MADV_HUGEPAGE);
#endif
  std::memset(data_.get(), 0, bytes);
}

void LargeArray::Free::operator()(float* data) const { ::operator delete[](data, std::align_val_t{std::size_t{1} << 21}); }

// A board after a move, where its weights are, and the points that the move brought.
struct Trainer::After {
  Board board = 0;
  float points = 0.0f;
  std::uint32_t places[kMostLookups];
};

// A board before a move and what its moves lead to. A thread plays several games in turn: while the memory fetches the
// weights of one, it works on the next.
struct Trainer::Table {
  Board board = 0;
  std::array<Geometry::Moved, 4> moves{};
  After tried[4];
  After before;  // what the last move led to
  bool playing = false;
};

// What is left to play, for all threads.
struct Trainer::Games {
  std::atomic<std::int64_t> left;
  std::chrono::steady_clock::time_point until;

  bool Another(bool counted, bool timed) {
    if (timed && std::chrono::steady_clock::now() >= until) return false;
    return !counted || left.fetch_sub(1) > 0;
  }
};

Trainer::Trainer(Patterns patterns, double optimism)
    : patterns_(std::move(patterns)),
      lookups_(patterns_.lookups()),
      weights_(patterns_.size()),
      errors_(2 * patterns_.size()) {
  std::fill_n(weights_.data(), weights_.size(), static_cast<float>(optimism / lookups_));
}

Progress Trainer::Train(const Training& training, std::uint64_t seed) {
  training.Check();
  using Seconds = std::chrono::duration<double>;
  const auto span = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      Seconds(std::min(training.seconds, 1e8)));
  Games games{training.games, std::chrono::steady_clock::now() + span};
  std::vector<Progress> done(static_cast<std::size_t>(training.threads));
  std::vector<std::thread> threads;
  for (std::size_t k = 1; k < done.size(); ++k) {
    threads.emplace_back([&, k] { done[k] = TrainThread(training, seed + k * 0x632be59bd9b4e019u, games); });
  }
  done[0] = TrainThread(training, seed, games);
  for (std::thread& thread : threads) thread.join();
  Progress total;
  for (const Progress& part : done) {
    total.games += part.games;
    total.moves += part.moves;
    total.points += part.points;
  }
  return total;
}

Progress Trainer::TrainThread(const Training& training, std::uint64_t seed, Games& left) {
  SplitMix random(seed);
  const Geometry& geometry = patterns_.geometry();
  const auto rate = static_cast<float>(training.rate / lookups_);
  Progress progress;
  std::vector<Table> tables(kTables);
  const auto begin = [&](Table& table) {
    table.playing = left.Another(training.games > 0, training.seconds > 0.0);
    if (!table.playing) return;
    // The empty board, and the one with the first tile, are worth what comes after them, as after a move.
    After empty;
    patterns_.Places(empty.board, empty.places);
    table.before.board = geometry.WithTile(empty.board, random);
    patterns_.Places(table.before.board, table.before.places);
    Learn(empty, Value(table.before), rate);
    table.board = geometry.WithTile(table.before.board, random);
    Look(table);
  };
  const auto move = [&](Table& table) {
    const After* best = Best(table);
    Learn(table.before, best == nullptr ? 0.0f : best->points + Value(*best), rate);
    if (best == nullptr) {
      ++progress.games;
      begin(table);
      return;
    }
    ++progress.moves;
    progress.points += best->points;
    Take(table, *best);
    for (int i = 0; i < lookups_; ++i) Prefetch(errors_.data() + 2 * std::size_t{best->places[i]});
    table.board = geometry.WithTile(best->board, random);
    Look(table);
  };
  for (Table& table : tables) begin(table);
  for (bool on = true; on;) {
    on = false;
    for (Table& table : tables) {
      if (table.playing) move(table);
      on |= table.playing;
    }
  }
  return progress;
}

void Trainer::Take(Table& table, const After& best) const {
  table.before.board = best.board;
  std::copy_n(best.places, lookups_, table.before.places);
}

// Finds the moves, and asks for the weights of the boards that they lead to.
void Trainer::Look(Table& table) const {
  table.moves = patterns_.geometry().Moves(table.board);
  for (std::size_t move = 0; move < table.moves.size(); ++move) {
    After& after = table.tried[move];
    after.board = table.moves[move].board;
    after.points = static_cast<float>(table.moves[move].points);
    if (after.board == table.board) continue;
    patterns_.Places(after.board, after.places);
    for (int i = 0; i < lookups_; ++i) Prefetch(weights_.data() + after.places[i]);
  }
}

// The best move at one ply; null where there is none.
const Trainer::After* Trainer::Best(const Table& table) const {
  const After* best = nullptr;
  float most = 0.0f;
  for (const After& after : table.tried) {
    if (after.board == table.board) continue;
    const float worth = after.points + Value(after);
    if (best == nullptr || worth > most) best = &after, most = worth;
  }
  return best;
}

float Trainer::Value(const After& after) const {
  float sums[4] = {};  // so that no addition waits for the one before it
  for (int i = 0; i < lookups_; i += 4) {
    for (int k = 0; k < 4; ++k) sums[k] += weights_.data()[after.places[i + k]];
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// A weight whose errors point one way takes the whole step; one whose errors cancel each other takes none.
void Trainer::Learn(const After& after, float target, float rate) {
  const float error = target - Value(after), magnitude = std::fabs(error);
  for (int i = 0; i < lookups_; ++i) {
    const std::size_t place = after.places[i];
    float* sums = errors_.data() + 2 * place;
    const float coherence = sums[1] > 0.0f ? std::fabs(sums[0]) / sums[1] : 1.0f;
    weights_.data()[place] += rate * coherence * error;
    sums[0] += error;
    sums[1] += magnitude;
  }
}

std::vector<std::int64_t> Trainer::Play(int games, std::uint64_t seed) const {
  SplitMix random(seed);
  const Geometry& geometry = patterns_.geometry();
  std::vector<std::int64_t> scores;
  Table table;
  for (int game = 0; game < games; ++game) {
    std::int64_t points = 0;
    table.board = geometry.WithTile(geometry.WithTile(0, random), random);
    Look(table);
    while (const After* best = Best(table)) {
      points += static_cast<std::int64_t>(best->points);
      table.board = geometry.WithTile(best->board, random);
      Look(table);
    }
    scores.push_back(points);
  }
  return scores;
}

}  // namespace starspiel::ntuple

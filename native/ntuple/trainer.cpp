#include "trainer.hpp"

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

inline void Prefetch(const Weight* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#endif
}

}  // namespace

Weights::Weights(std::size_t count) : size_(count) {
  constexpr std::size_t kPage = std::size_t{1} << 21;
  const std::size_t bytes = (count * sizeof(Weight) + kPage - 1) / kPage * kPage;
  data_.reset(static_cast<Weight*>(::operator new[](bytes, std::align_val_t{kPage})));
#ifdef __linux__
  madvise(data_.get(), bytes, MADV_HUGEPAGE);
#endif
  std::uninitialized_fill_n(data_.get(), count, Weight{});
}

void Weights::Free::operator()(Weight* data) const {
  ::operator delete[](data, std::align_val_t{std::size_t{1} << 21});
}

// A board after a move, and the points of the move.
struct Trainer::Step {
  Board board = 0;
  float points = 0.0f;
};

// A board before a move, the results of its moves, and its history. A thread alternates between several games: while
// the memory fetches the weights of one, it works on the next.
struct Trainer::Table {
  Board board = 0;
  std::array<Geometry::Moved, 4> moves{};
  std::uint32_t places[4][kMostLookups];
  std::vector<Step> path;  // since the start, or since the first board of a replay
  bool again = false;      // whether this replays the second half of a game
  bool playing = false;
};

Trainer::Trainer(Patterns patterns)
    : patterns_(std::move(patterns)), lookups_(patterns_.lookups()), weights_(patterns_.size()) {}

Progress Trainer::Train(const Length& length, std::uint64_t seed) {
  length.Check();
  Remaining remaining(length);
  Progress total;
  std::mutex adding;
  RunThreads(length.threads, [&](int thread) {
    const Progress part = TrainThread(seed + static_cast<std::uint64_t>(thread) * 0x632be59bd9b4e019u, remaining);
    const std::lock_guard lock(adding);
    total.games += part.games;
    total.moves += part.moves;
    total.points += part.points;
  });
  return total;
}

Progress Trainer::TrainThread(std::uint64_t seed, Remaining& remaining) {
  SplitMix random(seed);
  const Geometry& geometry = patterns_.geometry();
  Progress progress;
  std::vector<Table> tables(kTables);
  const auto begin = [&](Table& table) {
    table.playing = remaining.Another();
    if (!table.playing) return;
    // The empty board, and the one with the first tile, are valued by what follows, as boards after moves are.
    table.again = false;
    const Board first = geometry.WithTile(0, random);
    table.path.assign({{0, 0.0f}, {first, 0.0f}});
    table.board = geometry.WithTile(first, random);
    Look(table);
  };
  const auto end = [&](Table& table) {
    LearnPath(table.path);
    if (!table.again) {
      ++progress.games;
      for (const Step& step : table.path) progress.points += step.points;
    }
    if (table.path.size() <= kShortest) return begin(table);
    // Replays the second half: boards near the end of games are learnt as often as those near the start.
    table.board = geometry.WithTile(table.path[table.path.size() / 2].board, random);
    table.again = true;
    table.path.clear();
    Look(table);
  };
  const auto move = [&](Table& table) {
    const int best = Best(table);
    if (best < 0) return end(table);
    ++progress.moves;
    const Geometry::Moved& moved = table.moves[best];
    table.path.push_back({moved.board, static_cast<float>(moved.points)});
    table.board = geometry.WithTile(moved.board, random);
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

// Finds the moves, and prefetches the weights of the resulting boards.
void Trainer::Look(Table& table) const {
  table.moves = patterns_.geometry().Moves(table.board);
  for (std::size_t move = 0; move < table.moves.size(); ++move) {
    if (table.moves[move].board == table.board) continue;
    std::uint32_t* places = table.places[move];
    patterns_.Places(table.moves[move].board, places);
    for (int i = 0; i < lookups_; ++i) Prefetch(weights_.data() + places[i]);
  }
}

// The best move at one ply; -1 if there is none.
int Trainer::Best(const Table& table) const {
  int best = -1;
  float most = 0.0f;
  for (std::size_t move = 0; move < table.moves.size(); ++move) {
    if (table.moves[move].board == table.board) continue;
    const float worth = static_cast<float>(table.moves[move].points) + Value(table.places[move]);
    if (best < 0 || worth > most) best = static_cast<int>(move), most = worth;
  }
  return best;
}

float Trainer::Value(const std::uint32_t* places) const {
  float sums[4] = {};  // independent sums, so that no addition waits for the previous one
  for (int i = 0; i < lookups_; i += 4) {
    for (int k = 0; k < 4; ++k) sums[k] += weights_.data()[places[i + k]].value;
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// From the end, where nothing is still to come, to the start: what follows each board is learnt before it.
void Trainer::LearnPath(const std::vector<Step>& path) {
  std::uint32_t places[kAhead][kMostLookups];
  const auto look = [&](std::size_t step) {
    std::uint32_t* there = places[step % kAhead];
    patterns_.Places(path[step].board, there);
    for (int i = 0; i < lookups_; ++i) Prefetch(weights_.data() + there[i]);
  };
  for (std::size_t ahead = 1; ahead < std::min(kAhead, path.size() + 1); ++ahead) look(path.size() - ahead);
  float target = 0.0f;
  for (std::size_t step = path.size(); step-- > 0;) {
    if (step + 1 >= kAhead) look(step + 1 - kAhead);
    const float value = Learn(places[step % kAhead], target);
    target = path[step].points + kLambda * target + (1.0f - kLambda) * value;
  }
}

// A weight whose errors have the same sign takes the whole step; one whose errors cancel out takes none. Returns the
// new value.
float Trainer::Learn(const std::uint32_t* places, float target) {
  const float error = target - Value(places), magnitude = std::fabs(error);
  const float step = error / static_cast<float>(lookups_);
  float value = 0.0f;
  for (int i = 0; i < lookups_; ++i) {
    Weight& weight = weights_.data()[places[i]];
    const float coherence = weight.magnitude > 0.0f ? std::fabs(weight.error) / weight.magnitude : 1.0f;
    value += weight.value += coherence * step;
    weight.error += error;
    weight.magnitude += magnitude;
  }
  return value;
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
    for (int best; (best = Best(table)) >= 0; Look(table)) {
      const Geometry::Moved& moved = table.moves[best];
      points += moved.points;
      table.board = geometry.WithTile(moved.board, random);
    }
    scores.push_back(points);
  }
  return scores;
}

}  // namespace starspiel::ntuple

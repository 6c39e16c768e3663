#include "trainer.hpp"

namespace starspiel {
namespace {

constexpr int kMostUnits = 65536;
// Per round: the number of positions that starts learning in any case; how often each is learnt; the least number of
// steps, unless batches would be smaller than the least; and the batch sizes.
constexpr std::size_t kWindow = 200000;
constexpr int kPasses = 4;
constexpr std::size_t kSteps = 400, kLeastBatch = 4, kMostBatch = 256;

void CheckPart(double part, const char* name) {
  if (!(part >= 0.0 && part <= 1.0)) throw std::invalid_argument(std::string("expected ") + name + " from 0 to 1");
}

// The moves to distinct positions and their values to the player to move; a single move has no value.
struct ListedMoves {
  std::vector<int> actions;
  std::vector<double> values;

  // The first move of the best value.
  int Best() const {
    if (values.empty()) return actions.front();
    return actions[std::max_element(values.begin(), values.end()) - values.begin()];
  }
};

ListedMoves ListMoves(TrainedGame& game, RowEvaluator& evaluator) {
  ListedMoves moves;
  game.ListMoves(moves.actions);
  if (moves.actions.size() == 1) return moves;
  std::vector<double> of_rows;
  evaluator.Values(game.rows(), of_rows);
  game.rows().Values(of_rows, moves.values);
  if (game.player() != 0) {
    for (double& value : moves.values) value = -value;
  }
  return moves;
}

// Plays one thread's games, and writes the resulting lessons to `lessons`.
class Player {
 public:
  Player(TrainedGame& game, std::shared_ptr<Learner> learner, const Scale& scale, const Training& training, std::uint64_t seed,
         Remaining& remaining, int thread, Lessons& lessons)
      : game_(game),
        learner_(std::move(learner)),
        scale_(scale),
        training_(training),
        remaining_(remaining),
        thread_(thread),
        lessons_(lessons),
        evaluator_(learner_, scale),
        pass_(learner_->MakePass()) {
    std::seed_seq seeds{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                        static_cast<std::uint32_t>(thread)};
    random_.seed(seeds);
  }

  void Game() {
    steps_.clear();
    int events = 0;
    game_.Begin([this] { return Draw(); });
    bool explored = false;  // whether a random move was made after the last remembered position
    for (int player; (player = game_.player()) != kTerminal && events < kMostEvents; ++events) {
      if (remaining_.Ended(thread_)) return;
      game_.Play(player == kChance ? Thrown() : Move(events, explored));
      if (game_.player() == kTerminal || !game_.Sees()) continue;
      Remember(explored);
      explored = false;
    }
    if (game_.player() == kTerminal) Learn(game_.Utility(), explored);
  }

 private:
  // A position met in the game.
  struct Step {
    Features features;
    int turn;
    Shares shares;  // player 0's, at that time
    bool explored;  // whether a random move led from the previous position to this one
    bool played;    // false if only looked at
    bool taught = false;
    Shares target{};  // player 0's
  };

  double Draw() { return std::uniform_real_distribution<double>()(random_); }

  int Thrown() {
    outcomes_.clear();
    game_.Outcomes(outcomes_);
    double draw = Draw();
    for (const Outcome& outcome : outcomes_) {
      draw -= outcome.probability;
      if (draw <= 0) return outcome.action;
    }
    return outcomes_.back().action;
  }

  int Move(int events, bool& explored) {
    const double explore = events < kLong ? training_.explore : std::max(training_.explore, kExploreLong);
    if (explore > 0 && Draw() < explore) {
      explored = true;
      std::vector<int> actions;
      game_.Actions(actions);
      return actions[std::uniform_int_distribution<std::size_t>(0, actions.size() - 1)(random_)];
    }
    const ListedMoves moves = ListMoves(game_, evaluator_);
    if (training_.exact && moves.actions.size() > 1) RememberOther(moves);
    return moves.Best();
  }

  // Exact targets also teach what other moves lead to: a network that knows only positions after good moves cannot tell
  // them from bad ones. Draws one of the other moves, better ones more likely. No other target depends on it.
  void RememberOther(const ListedMoves& moves) {
    std::vector<int> order(moves.actions.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int one, int other) { return moves.values[one] > moves.values[other]; });
    const double draw = Draw();
    const auto others = static_cast<double>(order.size() - 1);
    const int action = moves.actions[order[1 + static_cast<std::size_t>(draw * draw * others)]];
    game_.Keep();
    game_.Play(action);
    if (game_.player() != kTerminal && game_.Sees()) Remember(false, false);
    game_.Restore();
  }

  void Remember(bool explored, bool played = true) {
    if (training_.exact || training_.heuristic > 0) game_.Remember();
    Step& step = steps_.emplace_back(Step{{}, game_.Turn(), {}, explored, played});
    game_.Encode(step.features);
    step.shares = scale_.Seen(step.turn, learner_->SharesOf(step.features, pass_));
  }

  // From the end backward: each position's target is what came after it. Positions before a random move do not learn
  // from it, unless their target is exact; if the heuristic has a weight, they learn from the heuristic alone. An exact
  // target is the mean over the next outcomes, plus lambda times what later targets of the game add to the expectation
  // there: without the luck of the dice (De Asis and Sutton 2018), and so at times below 0 or above 1. `explored`:
  // whether a random move was made after the last position.
  void Learn(double outcome, bool explored) {
    Shares ahead = scale_.Told(outcome), expected = ahead;
    for (std::size_t i = steps_.size(); i-- > 0;) {
      if (remaining_.Ended(thread_)) return;
      Step& step = steps_[i];
      const bool known = training_.exact || !explored;
      step.taught = known || training_.heuristic > 0;
      step.target = training_.exact ? Ahead(i) : ahead;
      if (training_.exact && step.played && !explored) (step.target += ahead) -= expected;
      if (training_.heuristic > 0) {
        step.target = Mixed(step.target, scale_.Told(game_.Heuristic(i)), known ? training_.heuristic : 1.0);
      }
      if (!step.played) continue;
      ahead = known ? Mixed(step.shares, step.target, training_.lambda) : step.shares;
      expected = step.shares;
      explored = step.explored;
    }
    for (std::size_t i = steps_.size(); i-- > 0;) {
      const Step& step = steps_[i];
      if (step.taught) Teach(step.features, scale_.Seen(step.turn, step.target.of.data()));
    }
  }

  void Teach(const Features& features, const Shares& target) {
    lessons_.features.insert(lessons_.features.end(), features.begin(), features.end());
    lessons_.feature_ends.push_back(static_cast<std::uint32_t>(lessons_.features.size()));
    for (int k = 0; k < scale_.outputs(); ++k) lessons_.targets.push_back(static_cast<float>(target.of[k]));
  }

  static Shares Mixed(Shares one, Shares other, double weight) {
    one *= 1.0 - weight;
    return one += (other *= weight);
  }

  Shares Ahead(std::size_t step) {
    game_.ListAhead(step);
    const Rows& rows = game_.rows();
    evaluator_.Values(game_.rows(), of_rows_);
    seen_.clear();
    const float* shares = evaluator_.shares().data();
    for (std::size_t row = 0; row < rows.size(); ++row, shares += scale_.outputs()) {
      seen_.push_back(scale_.Seen(rows.turn(row), shares));
    }
    rows.Fold(
        seen_, one_, [this](double utility) { return scale_.Told(utility); },
        [this](const Shares& each) { return scale_.Value(0, each.of.data()); });
    return one_.front();
  }

  // If the network's best moves never end a game, random moves must; a game that is still too long teaches nothing.
  // Counted in moves and throws, as in agents/learning/python_trainer.py.
  static constexpr int kLong = 2000, kMostEvents = 10000;
  static constexpr double kExploreLong = 0.1;

  TrainedGame& game_;
  std::shared_ptr<Learner> learner_;
  const Scale& scale_;
  const Training& training_;
  Remaining& remaining_;
  int thread_;
  Lessons& lessons_;
  std::mt19937_64 random_;
  NetworkRows<Learner> evaluator_;
  Learner::Pass pass_;
  std::vector<Step> steps_;
  std::vector<Outcome> outcomes_;
  std::vector<double> of_rows_;
  std::vector<Shares> seen_, one_;
};

}  // namespace

Layers RandomLayers(int inputs, const std::vector<int>& hidden, int outputs, std::uint64_t seed) {
  if (hidden.empty()) throw std::invalid_argument("expected the sizes of one hidden layer or more");
  for (int size : hidden) {
    if (size < 1 || size > kMostUnits) {
      throw std::invalid_argument("expected hidden layers of 1 to " + std::to_string(kMostUnits) + " units, got " +
                                  std::to_string(size));
    }
  }
  Layers layers;
  layers.sizes.push_back(inputs);
  layers.sizes.insert(layers.sizes.end(), hidden.begin(), hidden.end());
  layers.sizes.push_back(outputs);
  std::mt19937_64 random(seed);
  for (std::size_t k = 0; k + 1 < layers.sizes.size(); ++k) {
    // About 32 inputs of the first layer are nonzero.
    const double width = k == 0 ? std::sqrt(2.0 / 32) : std::sqrt(2.0 / layers.sizes[k]);
    std::normal_distribution<float> normal(0.0f, static_cast<float>(k + 2 < layers.sizes.size() ? width : 0.1 * width));
    Aligned<float> weights(static_cast<std::size_t>(layers.sizes[k]) * layers.sizes[k + 1]);
    for (float& weight : weights) weight = normal(random);
    layers.weights.push_back(std::move(weights));
    layers.biases.emplace_back(static_cast<std::size_t>(layers.sizes[k + 1]), 0.0f);
  }
  return layers;
}

void Training::Check() const {
  if (!std::isfinite(rate) || rate <= 0.0) throw std::invalid_argument("expected a rate above 0");
  CheckPart(lambda, "lambda");
  CheckPart(explore, "explore");
  CheckPart(heuristic, "the heuristic's weight");
  CheckPart(draws, "what draws are worth");
  Length::Check();
}

Trainer::Trainer(std::unique_ptr<TrainedGame> game, const std::vector<int>& hidden, Scale scale, std::uint64_t seed)
    : game_(std::move(game)),
      scale_(std::move(scale)),
      units_(game_->rows().Units()),
      learner_(std::make_shared<Learner>(RandomLayers(game_->rows().Inputs(), hidden, scale_.outputs(), seed),
                                         units_)) {}

void Lessons::Append(const Lessons& others) {
  const auto ends = [](std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& more, std::size_t from) {
    for (std::uint32_t end : more) all.push_back(static_cast<std::uint32_t>(from + end));
  };
  ends(game_ends, others.game_ends, positions());
  ends(feature_ends, others.feature_ends, features.size());
  features.insert(features.end(), others.features.begin(), others.features.end());
  targets.insert(targets.end(), others.targets.begin(), others.targets.end());
}

void Lessons::Check(int inputs, int outputs) const {
  const auto ascend = [](const std::vector<std::uint32_t>& ends, std::size_t last) {
    return std::is_sorted(ends.begin(), ends.end()) && (ends.empty() ? 0 : ends.back()) == last;
  };
  const auto known = [inputs](const Feature& feature) { return feature.input < inputs; };
  if (!ascend(feature_ends, features.size()) || !ascend(game_ends, feature_ends.size()) ||
      targets.size() != feature_ends.size() * static_cast<std::size_t>(outputs) ||
      !std::all_of(features.begin(), features.end(), known)) {
    throw std::invalid_argument("the lessons are another network's");
  }
}

void Trainer::CheckKnown(const Training& training) const {
  training.Check();
  if (!game_->has_heuristic() && (training.heuristic > 0 || training.draws > 0)) {
    throw std::invalid_argument("the native core has no heuristic for this game");
  }
}

Progress Trainer::Train(const Training& training, std::uint64_t seed) {
  CheckKnown(training);
  game_->SetDraws(training.draws);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begun = Clock::now();
  Length length = training;
  length.seconds *= playing_;
  Remaining remaining(length);
  std::vector<Lessons> lessons(static_cast<std::size_t>(training.threads));
  const std::size_t most = kWindow / lessons.size();
  const auto play = [&](int thread) { PlayGames(training, seed, remaining, thread, most, lessons[thread]); };
  RunThreads(training.threads, play, [&] { remaining.End(); });
  if (remaining.Ended(0)) return {};
  for (std::size_t thread = 1; thread < lessons.size(); ++thread) lessons[0].Append(lessons[thread]);
  const std::chrono::duration<double> playing = Clock::now() - begun;
  const Progress progress = Fit(lessons[0], training.rate, seed, training.threads, training.stop);
  playing_ = playing / std::chrono::duration<double>(Clock::now() - begun);
  return progress;
}

void Trainer::PlayGames(const Training& training, std::uint64_t seed, Remaining& remaining, int thread,
                        std::size_t most, Lessons& lessons) const {
  const std::unique_ptr<TrainedGame> game = game_->Copy();
  Player player(*game, learner_, scale_, training, seed, remaining, thread, lessons);
  while (lessons.positions() < most && remaining.Another()) {
    player.Game();
    lessons.game_ends.push_back(static_cast<std::uint32_t>(lessons.positions()));
  }
}

Lessons Trainer::Play(const Training& training, std::uint64_t seed) {
  CheckKnown(training);
  game_->SetDraws(training.draws);
  Remaining remaining(training);
  Lessons lessons;
  PlayGames(training, seed, remaining, 0, std::numeric_limits<std::size_t>::max(), lessons);
  return lessons;
}

Progress Trainer::Fit(const Lessons& lessons, double rate, std::uint64_t seed, int threads,
                      const std::function<bool()>& stop) {
  CheckThreads(threads);
  lessons.Check(game_->rows().Inputs(), scale_.outputs());
  const std::size_t positions = lessons.positions();
  std::vector<std::uint32_t> order(kPasses * positions);
  std::mt19937_64 random(seed);
  for (auto pass = order.begin(); pass != order.end(); pass += static_cast<std::ptrdiff_t>(positions)) {
    const auto end = pass + static_cast<std::ptrdiff_t>(positions);
    std::iota(pass, end, 0u);
    std::shuffle(pass, end, random);
  }
  const std::size_t size = std::clamp(order.size() / kSteps, kLeastBatch, kMostBatch);
  const Length length{threads, 0, 0.0, stop};
  Remaining remaining(length);
  std::atomic<std::size_t> taken{0};
  std::mutex exchanging;
  Progress progress;
  const auto learn = [&](int thread) {
    const bool alone = threads == 1;
    Layers before;
    std::shared_ptr<Learner> learner = learner_;
    if (!alone) {
      const std::lock_guard lock(exchanging);
      learner = std::make_shared<Learner>(*learner_);
      before = learner->layers();
    }
    Adam adam(learner->layers());
    Learner::Pass pass = learner->MakePass();
    std::int64_t positions_learnt = 0;
    double squared_errors = 0.0;
    while (!remaining.Ended(thread)) {
      const std::size_t first = taken.fetch_add(size), end = std::min(first + size, order.size());
      if (first >= end) break;
      for (std::size_t i = first; i < end; ++i) {
        const Shares targets = lessons.TargetsOf(order[i], scale_.outputs());
        const float squared_error = learner->Descend(lessons.FeaturesOf(order[i]), targets, pass, adam.slopes());
        if (i >= positions) continue;  // the error is measured on the first pass
        squared_errors += squared_error;
        ++positions_learnt;
      }
      learner->Step(adam, static_cast<float>(rate), static_cast<int>(end - first));
      if (alone) continue;
      // Adds what was learnt since the last exchange to the shared weights, and continues from these.
      const std::lock_guard lock(exchanging);
      learner->Exchange(before, *learner_);
    }
    const std::lock_guard lock(exchanging);
    progress.positions += positions_learnt;
    progress.squared_error += squared_errors;
  };
  RunThreads(threads, learn, [&] { remaining.End(); });
  if (!remaining.Ended(0)) progress.games = static_cast<std::int64_t>(lessons.game_ends.size());
  return progress;
}

int Trainer::Best(const Given& given) {
  game_->Read(given);
  if (game_->player() < 0) throw std::invalid_argument("expected a state in which somebody decides");
  NetworkRows<Network> evaluator(std::make_shared<Network>(learner_->layers(), units_), scale_);
  return ListMoves(*game_, evaluator).Best();
}

}  // namespace starspiel

// What network/trainer.hpp declares of games whose rules are written in Python.
#include "../network/trainer.hpp"

#include <stdexcept>

#include "../network/self_play.hpp"
#include "models.hpp"

namespace starspiel {

std::unique_ptr<Trainer> MakeTrainer(const RulesPosition& start, const std::vector<int>& hidden, Scale scale,
                                     std::uint64_t seed) {
  scale.Check();
  std::unique_ptr<Trainer> trainer;
  WithRulesModel(start, [&]<class Model>() {
    if constexpr (Encoded<Model>) {
      Model model(start);
      Layers layers = RandomLayers(MakeEncoder(model).inputs(), hidden, seed);
      trainer = std::make_unique<SelfPlay<Model>>(std::move(model), Beginning<Model>(start), scale, std::move(layers));
    } else {
      throw std::invalid_argument("there is no native encoder for " + start.model);
    }
  });
  return trainer;
}

}  // namespace starspiel

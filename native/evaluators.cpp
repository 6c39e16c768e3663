// Python bindings of the evaluators.
#include "evaluators.hpp"
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include "bindings.hpp"
#include "floats.hpp"
#include "path_caller.hpp"

namespace py = pybind11;

namespace starspiel {
namespace {

using Tuples = ntuple::Network;
using Cells = std::vector<std::vector<int>>;
using Returns = std::vector<double>;  // one for each player

// Wraps a Python function of arrays. Call it only with the GIL released.
ArrayFunction OverArrays(const py::function& function) {
  return [function = std::make_shared<py::function>(function)](std::size_t rows, int inputs,
                                                               const std::function<void(float*)>& fill) {
    py::gil_scoped_acquire gil;
    py::array_t<float> array({static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(inputs)});
    fill(array.mutable_data());
    const auto values = (*function)(array).cast<py::array_t<double, py::array::c_style>>();
    if (static_cast<std::size_t>(values.size()) != rows) throw std::invalid_argument("expected one value a row");
    return std::vector<double>(values.data(), values.data() + rows);
  };
}

// Refers to `weights` without copying, and keeps them alive.
std::shared_ptr<const Tuples> MakeTuples(int rows, int columns, const Cells& cells,
                                         py::array_t<std::int16_t, py::array::c_style> weights, double base,
                                         double unit) {
  ntuple::Patterns patterns(rows, columns, cells);
  if (weights.ndim() != 1 || static_cast<std::size_t>(weights.size()) != patterns.size()) {
    throw std::invalid_argument("expected one weight for each content of each pattern");
  }
  const std::int16_t* data = weights.data();
  const auto release = [](py::array* held) {
    py::gil_scoped_acquire gil;
    delete held;
  };
  std::shared_ptr<py::array> owner(new py::array(std::move(weights)), release);
  return std::make_shared<const Tuples>(std::move(patterns), data, std::move(owner), base, unit);
}

template <class Evaluator, class... Arguments, std::size_t... number>
void Define(py::module_& module, const MadeOf<Arguments...>& made, std::index_sequence<number...>) {
  py::class_<Evaluator>(module, made.name).def(py::init<Arguments...>(), py::arg(made.arguments[number])...);
}

// Binds the alternatives of an Evaluation that have kPython.
template <class... Evaluators>
void DefineAll(py::module_& module, std::type_identity<std::variant<Evaluators...>>) {
  const auto define = [&module]<class Evaluator>(std::type_identity<Evaluator>) {
    if constexpr (requires { Evaluator::kPython; }) {
      constexpr auto made = Evaluator::kPython;
      Define<Evaluator>(module, made, std::make_index_sequence<made.arguments.size()>());
    }
  };
  (define(std::type_identity<Evaluators>()), ...);
}

}  // namespace

void DefineEvaluators(py::module_& module) {
  DefineAll(module, std::type_identity<Evaluation>());
  py::class_<Rollouts, std::shared_ptr<Rollouts>>(module, "Rollouts")
      .def(py::init([](int count) { return std::make_shared<Rollouts>(Rollouts{count, {}}); }), py::arg("count"))
      .def_property(
          "random_state", [](const Rollouts& rollouts) { return rollouts.random.Get(); },
          [](Rollouts& rollouts, const PythonRandom::State& state) {
            if (state.size() != PythonRandom::kWords + 1 || state.back() > PythonRandom::kWords) {
              throw std::invalid_argument("expected random.getstate()[1]");
            }
            rollouts.random.Set(state);
          });

  using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
  py::class_<Bearoff, std::shared_ptr<Bearoff>>(module, "Bearoff")
      .def(py::init([](const Doubles& one_sided, const Doubles& two_sided, const Doubles& all_on) {
             if (one_sided.ndim() != 2 || two_sided.ndim() != 2 || all_on.ndim() != 2) {
               throw std::invalid_argument("expected three tables");
             }
             return std::make_shared<Bearoff>(
                 std::vector<double>(one_sided.data(), one_sided.data() + one_sided.size()),
                 std::vector<double>(two_sided.data(), two_sided.data() + two_sided.size()),
                 std::vector<double>(all_on.data(), all_on.data() + all_on.size()),
                 static_cast<std::size_t>(one_sided.shape(1)), static_cast<std::size_t>(two_sided.shape(0)),
                 static_cast<std::size_t>(all_on.shape(1)));
           }),
           py::arg("one_sided"), py::arg("two_sided"), py::arg("all_on"));
  py::class_<BearoffEvaluator, std::shared_ptr<BearoffEvaluator>>(module, "BearoffFirst")
      .def(py::init([](std::shared_ptr<Bearoff> tables, const Evaluation& other) {
             return std::make_shared<BearoffEvaluator>(BearoffEvaluator{std::move(tables), other});
           }),
           py::arg("tables"), py::arg("other"));
  py::class_<Solo, std::shared_ptr<Solo>>(module, "Solo")
      .def(py::init([](int dice, int throws, int first_roll, std::vector<std::int64_t> codes,
                       std::vector<std::int32_t> index, std::vector<std::vector<double>> scores,
                       std::vector<std::vector<double>> chances, std::vector<std::vector<std::int32_t>> choices,
                       std::vector<double> means, std::vector<double> squares) {
             return std::make_shared<Solo>(Solo::Rules{dice, throws, first_roll, std::move(codes), std::move(index),
                                                       std::move(scores), std::move(chances), std::move(choices)},
                                           std::move(means), std::move(squares));
           }),
           py::kw_only(), py::arg("dice"), py::arg("throws"), py::arg("first_roll"), py::arg("codes"), py::arg("index"),
           py::arg("scores"), py::arg("chances"), py::arg("choices"), py::arg("means"), py::arg("squares"));

  py::class_<ArrayEvaluator>(module, "Arrays")
      .def(py::init([](py::function function, int inputs) { return ArrayEvaluator{OverArrays(function), inputs}; }),
           py::arg("function"), py::arg("inputs"));
  py::class_<CallEvaluator>(module, "Function").def(py::init([](const py::function& function) {
    const auto caller = std::make_shared<PathCaller>(function);
    return CallEvaluator{[caller](const Given& root) { caller->Start(root); },
                         [caller](const auto& path) { return caller->Call<double>(path); }, nullptr,
                         [caller](const auto& path) { return caller->Call<Returns>(path); }};
  }));
  py::implicitly_convertible<py::function, CallEvaluator>();
  module.def(
      "batch_function",
      [](const py::function& function) {
        const auto caller = std::make_shared<PathCaller>(function);
        return CallEvaluator{[caller](const Given& root) { caller->Start(root); },
                             [caller](const auto& path) { return caller->Many<double>({path}).front(); },
                             [caller](const auto& paths) { return caller->Many<double>(paths); },
                             [caller](const auto& path) { return caller->Many<Returns>({path}).front(); },
                             [caller](const auto& paths) { return caller->Many<Returns>(paths); }};
      },
      py::arg("function"));
  py::class_<ValuedNetwork>(module, "Network")
      .def(py::init([](const std::vector<std::pair<Floats, Floats>>& layers, const std::vector<float>& units,
                       std::vector<double> returns, std::optional<ValuedNetwork> small) {
             const Scale scale{std::move(returns)};
             scale.Check();
             return ValuedNetwork{std::make_shared<const Network>(FromArrays(layers), units), scale,
                                  small ? std::make_shared<const ValuedNetwork>(*small) : nullptr};
           }),
           py::arg("layers"), py::arg("units"), py::arg("returns"), py::arg("small") = py::none());
  py::class_<Tuples, std::shared_ptr<Tuples>>(module, "NTuples")
      .def(py::init([](int rows, int columns, const Cells& cells, py::array_t<std::int16_t, py::array::c_style> weights,
                       double base, double unit) {
             return std::const_pointer_cast<Tuples>(MakeTuples(rows, columns, cells, std::move(weights), base, unit));
           }),
           py::arg("rows"), py::arg("columns"), py::arg("cells"), py::arg("weights").noconvert(), py::arg("base"),
           py::arg("unit"))
      .def("value", &Tuples::Value, py::arg("board"));
}

}  // namespace starspiel

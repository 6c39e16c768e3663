#include "patterns.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define STARSPIEL_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define STARSPIEL_CLONES
#endif

namespace starspiel::ntuple {
namespace {

// Four views of a board.
typedef Board Ways __attribute__((vector_size(4 * sizeof(Board))));

}  // namespace

STARSPIEL_CLONES void FindPlaces(const Board* seen, const std::vector<PatternTable>& tables, bool all,
                                 std::uint32_t* places) {
  Ways first, second;
  std::memcpy(&first, seen, sizeof first);
  std::memcpy(&second, seen + 4, sizeof second);
  for (const PatternTable& table : tables) {
    const Board offset = table.offset;
    Ways some{offset, offset, offset, offset}, others = some;
    for (int piece = 0; piece < table.count; ++piece) {
      const auto [cells, shift] = table.pieces[piece];
      some += (first & cells) >> shift;
      others += (second & cells) >> shift;
    }
    if (all) {
      some |= others << 32;  // all places are below 2^32
      std::memcpy(places, &some, sizeof some);
      places += 8;
    } else {
      for (int way = 0; way < 4; ++way) *places++ = some[way];
    }
  }
}

}  // namespace starspiel::ntuple

// What every model's source file includes, read once.
#pragma once

#include "game_of.hpp"

// What every model's source file includes, read once.
#pragma once

#include "game.hpp"
#include "network/valuer.hpp"

// What every model's source file includes; precompiled.
#pragma once

#include "game_of.hpp"

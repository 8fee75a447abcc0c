// As on every system.
#pragma once

#include "target/tool.hpp"

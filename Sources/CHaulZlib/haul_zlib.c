#include "haul_zlib.h"

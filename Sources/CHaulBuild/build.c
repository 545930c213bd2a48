/* HAUL_BUILD is defined by Package.swift if the environment has it, as in `make release`. Only this file depends on it. */
#include "CHaulBuild.h"

#include <stddef.h>

#ifndef HAUL_BUILD
#define HAUL_BUILD NULL
#endif

const char *haul_build_facts(void) { return HAUL_BUILD; }

#ifndef HAUL_BUILD_H
#define HAUL_BUILD_H

/* The facts that the build was given, as "name: value" separated by semicolons; NULL if there are none. */
const char *haul_build_facts(void);

#endif

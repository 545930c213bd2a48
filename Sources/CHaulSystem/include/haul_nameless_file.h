#pragma once

// An empty file without a name, open for reading and writing, close-on-exec; it is gone when its last descriptor is closed.
// In memory where the system can do that (memfd_create(2)). Returns its descriptor, or -1 with errno set.
int haul_nameless_file(void);

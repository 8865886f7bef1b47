#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What /proc says of a process; false when it is gone. Its name can be any bytes but a line's end, which is escaped. */
bool status_of(int pid, struct status *status)
{
	char path[64], line[256];

	*status = (struct status){ .uid = -1 };
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		const char *value = line + strcspn(line, "\t") + 1;

		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "Name:\t", 6) == 0)
			snprintf(status->name, sizeof(status->name), "%.63s", value);
		else if (strncmp(line, "PPid:\t", 6) == 0)
			status->parent = atoi(value);
		else if (strncmp(line, "Uid:\t", 5) == 0)
			status->uid = atoll(value);
		else if (strncmp(line, "NSpid:\t", 7) == 0)
			status->inside = atoi(strrchr(line, '\t') + 1);
	}
	fclose(file);
	return true;
}

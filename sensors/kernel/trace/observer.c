#include "trace.h"

#include <string.h>

const struct observer *observer;
uint64_t unheard;
static char reason[512];

/* The tracepoints, or where they can't be had the process connector: which loses more and sees less. */
void observer_start(bool without_bpf)
{
	char why[256] = "it was told not to use BPF";

	if (!without_bpf && tracepoints.start(why, sizeof(why))) {
		observer = &tracepoints;
		return;
	}
	snprintf(reason, sizeof(reason), "%s", why);
	if (!connector.start(why, sizeof(why)))
		die(reason, why);
	observer = &connector;
}

/* Why it is not the tracepoints; "" where it is. */
const char *observer_why(void)
{
	return reason;
}

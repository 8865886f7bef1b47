#include "common.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Gives up all capabilities but these (bits below 32) for good, and every way to new ones. */
void caps_drop(uint32_t kept, const char *names)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2] = { { .effective = kept, .permitted = kept } };

	for (unsigned long capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++) {
		if (capability >= 32 || !(kept & (1u << capability)))
			prctl(PR_CAPBSET_DROP, capability);
	}
	if (syscall(SYS_capset, &header, sets) < 0)
		die(names, strerror(errno));
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

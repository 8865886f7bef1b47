#include "kernel.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* fanotify; other processes' roots and namespaces; directories of other users. */
#define KEPT ((1u << CAP_SYS_ADMIN) | (1u << CAP_SYS_PTRACE) | (1u << CAP_DAC_READ_SEARCH))

/* Gives up all other capabilities for good. */
void caps_drop(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2] = { { .effective = KEPT, .permitted = KEPT } };

	for (unsigned long capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++) {
		if (capability >= 32 || !(KEPT & (1u << capability)))
			prctl(PR_CAPBSET_DROP, capability);
	}
	if (syscall(SYS_capset, &header, sets) < 0)
		die("this needs the capabilities SYS_ADMIN, SYS_PTRACE and DAC_READ_SEARCH", strerror(errno));
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

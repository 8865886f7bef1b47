/*
 * Tells of processes of sandboxes that begin, execute and end. It decides nothing and writes nothing but its own maps:
 * whatever fails here costs an event, which is counted.
 */
#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "record.h"

#define LEVELS 16 /* of PID namespaces: a sandbox can make none */
#define COMPONENTS 64
#define NAME_ROOM 256
#define DATA_ROOM 0x4000 /* more than the rooms together */
#define SLOTS 4
#define SIGNAL_GROUP_EXIT 4
#define PF_FORKNOEXEC 0x40
#define BY_SIGNAL 0x7f /* of a status */

/* Bytes of records on their way; about ten thousand execs. */
#define RING_BYTES (4u << 20)
#define SPACES_MAX 4096

struct slot {
	__u32 busy;
	__u32 used; /* of the data */
	struct record record;
	char data[DATA_ROOM + ARGS_ROOM];
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_BYTES);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SPACES_MAX);
	__type(key, __u32);
	__type(value, struct space);
} spaces SEC(".maps");

/*
 * Where an exec is put together. One that is preempted keeps its slot: memory that only belonged to the processor would
 * be written by two at a time.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SLOTS);
	__type(key, __u32);
	__type(value, struct slot);
} slots SEC(".maps");

/* The reader's PID namespace: whose numbers it wants. */
const volatile __u32 own_space = 0;

/* The sandbox that the process is in, also by a namespace below the sandbox's; and its numbers. */
static __noinline struct space *look(struct task_struct *task, struct who *who, __u32 *space)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	__u32 level = BPF_CORE_READ(pid, level);
	struct space *found = NULL;

	who->born = BPF_CORE_READ(task, start_time);
	who->pid = 0;
	who->inside = 0;
	for (__u32 at = 0; at < LEVELS && at <= level; at++) {
		struct upid number = {};
		const void *place = (const char *)pid + bpf_core_field_offset(struct pid, numbers) + at * sizeof(number);

		bpf_probe_read_kernel(&number, sizeof(number), place);
		__u32 inum = BPF_CORE_READ(number.ns, ns.inum);

		if (inum == own_space || at == 0)
			who->pid = number.nr;
		if (at > 0 && !found) {
			found = bpf_map_lookup_elem(&spaces, &inum);
			*space = inum;
		}
		who->inside = number.nr;
	}
	return found;
}

static __always_inline void look_at_parent(struct task_struct *parent, struct who *who)
{
	__u32 space;

	if (!look(parent, who, &space))
		who->inside = 0;
}

/* Counts bytes in memory, not in a register: what the verifier knows of them must not differ from round to round. */
static __always_inline char *room(struct slot *slot)
{
	return slot->data + (slot->used & (DATA_ROOM - 1));
}

/* Adds components until the root of the mount namespace, so that no chroot changes the name; returns their bytes. */
static __noinline __u32 walk(struct slot *slot, struct path *path, __u32 cut)
{
	struct dentry *dentry = BPF_CORE_READ(path, dentry);
	struct vfsmount *vfs = BPF_CORE_READ(path, mnt);
	struct mount *mount = (void *)((char *)vfs - bpf_core_field_offset(struct mount, mnt));
	__u32 begin = slot->used;

	for (int count = 0; count < COMPONENTS; count++) {
		struct dentry *parent = BPF_CORE_READ(dentry, d_parent);

		if (dentry == BPF_CORE_READ(mount, mnt.mnt_root)) {
			struct mount *above = BPF_CORE_READ(mount, mnt_parent);

			if (above == mount)
				return slot->used - begin;
			dentry = BPF_CORE_READ(mount, mnt_mountpoint);
			mount = above;
			continue;
		}
		long got = bpf_probe_read_kernel_str(room(slot), NAME_ROOM, BPF_CORE_READ(dentry, d_name.name));

		if (got <= 0 || slot->used + got - begin > PATH_ROOM)
			break;
		slot->used += got;
		if (dentry == parent)
			return slot->used - begin;
		dentry = parent;
	}
	slot->record.flags |= cut;
	return slot->used - begin;
}

static __always_inline __u32 add_file(struct slot *slot, const char *name)
{
	long got = bpf_probe_read_kernel_str(room(slot), FILE_ROOM, name);

	if (got <= 0)
		return 0;
	slot->used += got;
	return got;
}

static __always_inline __u32 add_args(struct slot *slot, struct mm_struct *mm)
{
	unsigned long start = BPF_CORE_READ(mm, arg_start);
	unsigned long length = BPF_CORE_READ(mm, arg_end) - start;

	if (length > ARGS_ROOM) {
		length = ARGS_ROOM;
		slot->record.flags |= CUT_ARGS;
	}
	if (bpf_probe_read_user(room(slot), (__u32)length, (const void *)start) < 0) {
		slot->record.flags |= NO_ARGS;
		return 0;
	}
	slot->used += length;
	return length;
}

static __always_inline void fill(struct record *record, __u32 kind, struct task_struct *task)
{
	record->kind = kind;
	record->at = bpf_ktime_get_ns();
	record->by = 0;
	record->status = 0;
	record->flags = 0;
	record->path = record->cwd = record->file = record->args = 0;
	record->uid = BPF_CORE_READ(task, cred, uid.val);
	bpf_probe_read_kernel(record->comm, sizeof(record->comm), task->comm);
	look_at_parent(BPF_CORE_READ(task, real_parent, group_leader), &record->parent);
}

static __always_inline struct slot *take_slot(void)
{
	for (__u32 index = 0; index < SLOTS; index++) {
		__u32 key = index;
		struct slot *slot = bpf_map_lookup_elem(&slots, &key);

		if (slot && __sync_val_compare_and_swap(&slot->busy, 0, 1) == 0)
			return slot;
	}
	return NULL;
}

static __always_inline bool tell_exec(struct slot *slot, struct task_struct *task, struct linux_binprm *bprm)
{
	struct record *record = &slot->record;
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	struct file *file = BPF_CORE_READ(mm, exe_file);
	struct dentry *dentry = BPF_CORE_READ(file, f_path.dentry);
	struct fs_struct *fs = BPF_CORE_READ(task, fs);

	slot->used = 0;
	if (!BPF_CORE_READ(dentry, d_hash.pprev))
		record->flags |= DELETED;
	record->path = walk(slot, (void *)file + bpf_core_field_offset(struct file, f_path), CUT_PATH);
	record->cwd = walk(slot, (void *)fs + bpf_core_field_offset(struct fs_struct, pwd), CUT_CWD);
	record->file = add_file(slot, BPF_CORE_READ(bprm, filename));
	record->args = add_args(slot, mm);
	/* The two lie beside each other: one copy of as much as there is. */
	return bpf_ringbuf_output(&ring, record, sizeof(*record) + (slot->used & (DATA_ROOM - 1)), 0) == 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	struct record record = {};
	struct who thread;
	__u32 unused;
	struct space *space;

	if (child->pid != child->tgid)
		return 0;
	space = look(child, &record.self, &record.space);
	if (!space)
		return 0;
	fill(&record, RECORD_FORK, child);
	record.by = look(parent, &thread, &unused) ? thread.inside : 0;
	/* Who forked, not whom the child will be given to (CLONE_PARENT). */
	look_at_parent(BPF_CORE_READ(parent, group_leader), &record.parent);
	if (bpf_ringbuf_output(&ring, &record, sizeof(record), 0) < 0)
		__sync_fetch_and_add(&space->lost_forks, 1);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old, struct linux_binprm *bprm)
{
	struct who self;
	__u32 number = 0;
	struct space *space = look(task, &self, &number);

	if (!space)
		return 0;
	struct slot *slot = take_slot();

	if (!slot) {
		__sync_fetch_and_add(&space->lost, 1);
		return 0;
	}
	slot->record.self = self;
	slot->record.space = number;
	fill(&slot->record, RECORD_EXEC, task);
	if (!tell_exec(slot, task, bprm))
		__sync_fetch_and_add(&space->lost, 1);
	__sync_lock_test_and_set(&slot->busy, 0);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	struct record record = {};
	struct task_struct *leader;
	struct space *space;

	/* The last thread; two that end together may both take themselves for it. */
	if (BPF_CORE_READ(task, signal, live.counter) > 0)
		return 0;
	leader = task->group_leader;
	space = look(leader, &record.self, &record.space);
	if (!space)
		return 0;
	fill(&record, RECORD_EXIT, leader);
	record.status = BPF_CORE_READ(task, signal, flags) & SIGNAL_GROUP_EXIT
			    ? BPF_CORE_READ(task, signal, group_exit_code)
			    : BPF_CORE_READ(leader, exit_code);
	if (BPF_CORE_READ(leader, flags) & PF_FORKNOEXEC)
		record.flags |= NO_EXEC;
	if (bpf_ringbuf_output(&ring, &record, sizeof(record), 0) < 0 &&
	    (!(record.flags & NO_EXEC) || (record.status & BY_SIGNAL)))
		__sync_fetch_and_add(&space->lost, 1);
	return 0;
}

/* Reading kernel memory and process memory is for programs under a licence that the kernel knows. */
char LICENSE[] SEC("license") = "Dual MIT/GPL";

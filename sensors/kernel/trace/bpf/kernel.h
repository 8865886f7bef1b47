/* As much of the kernel's structures as is read here: where the fields are is looked up when the programs are loaded. */
#ifndef UCP_BPF_KERNEL_H
#define UCP_BPF_KERNEL_H

#include <linux/bpf.h>
#include <stdbool.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct qstr {
	const unsigned char *name;
};

struct hlist_bl_node {
	struct hlist_bl_node **pprev;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	struct hlist_bl_node d_hash;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	struct path f_path;
};

struct fs_struct {
	struct path pwd;
};

struct mm_struct {
	unsigned long arg_start;
	unsigned long arg_end;
	struct file *exe_file;
};

typedef struct {
	unsigned int val;
} kuid_t;

struct cred {
	kuid_t uid;
};

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live;
	int group_exit_code;
	unsigned int flags;
};

struct task_struct {
	int pid;
	int tgid;
	unsigned int flags;
	int exit_code;
	__u64 start_time;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct mm_struct *mm;
	struct fs_struct *fs;
	const struct cred *cred;
	struct signal_struct *signal;
	char comm[16];
};

struct linux_binprm {
	const char *filename;
};

#pragma clang attribute pop

#endif

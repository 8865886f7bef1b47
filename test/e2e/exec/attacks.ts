import { type Attack, exec, GUARD, IDENTITY, make, PATH, SECCOMP } from './attack.ts';

/**
 * The attacks on exec rules that run in a sandbox, as data: the tests run each one and hold its outcome against what
 * stands here; docs/security/bypass.md is made from it.
 *
 * A script succeeds when a witness says `witness ran`. In $D are programs that the policy denies, one for each attack;
 * /opt/allowed is the same program, not denied.
 */
/** Globs of the deny list that the attacks meet. */
export const DENIED = [
  '/opt/denied/**',
  '/opt/tool',
  '/opt/denied32/*',
  '/opt/interpreter',
  '/tmp/long/**/tail',
  '/tmp/glob/*.bin',
  '/tmp/glob/deep/**/x',
  '/tmp/glob/[ab]-class',
  '/tmp/glob/{one,two}',
  '/tmp/new/*',
  '/scratch/denied/*',
  '/volume/denied/*',
  '/dev/shm/denied/*',
] as const;

const LOADER = process.arch === 'arm64' ? '/lib/ld-linux-aarch64.so.1' : '/lib64/ld-linux-x86-64.so.2';
const LONG = Array.from({ length: 18 }, () => 'd'.repeat(200)).join('/');

export const ATTACKS: readonly Attack[] = [
  exec('EX-01', 'run it', '$D/plain', IDENTITY, { control: '/opt/allowed' }),
  exec('EX-01', 'a symbolic link to it', 'ln -s $D/symlink /tmp/symlink && /tmp/symlink', PATH, {
    control: 'ln -s /opt/allowed /tmp/symlink-ok && /tmp/symlink-ok',
  }),
  exec(
    'EX-01',
    'the file that a denied symbolic link names',
    '/opt/tool-2.0',
    'links that a rule names are followed when the rules are put in force',
  ),
  exec('EX-02', 'a hard link', 'ln $D/hard /tmp/hard && /tmp/hard', IDENTITY, {
    control: 'ln /opt/allowed /tmp/hard-ok && /tmp/hard-ok',
  }),
  exec('EX-02', 'a second name that the image has', '/srv/linked', IDENTITY),
  exec('EX-03', 'rename it', 'mv $D/rename /tmp/renamed && /tmp/renamed', IDENTITY),
  exec('EX-03', 'copy it', 'cp $D/copy /tmp/copy && /tmp/copy', GUARD, {
    control: 'cp /opt/allowed /tmp/copy-ok && /tmp/copy-ok',
  }),
  exec(
    'EX-03',
    'archive it and unpack the archive',
    'tar -cf /tmp/a.tar $D/packed; tar -C /tmp -xof /tmp/a.tar; /tmp/opt/denied/packed',
    GUARD,
  ),
  exec(
    'EX-03',
    'bring the same bytes from elsewhere, under a name that is not denied',
    'cp /opt/allowed /tmp/elsewhere && /tmp/elsewhere',
    'not stopped by a deny list: use `allow_list` or `drift: deny`',
    { enforced: 'runs' },
  ),
  exec('EX-04', 'the dynamic linker', `${LOADER} $D/loader`, GUARD, { control: `${LOADER} /opt/allowed` }),
  exec('EX-04', 'the dynamic linker, preloading', `${LOADER} --preload /opt/allowed $D/preload`, GUARD),
  exec('EX-04', 'a loader of one’s own: map the bytes as code', '/opt/attack mapped $D/mapped', GUARD, {
    control: '/opt/attack mapped /opt/allowed',
  }),
  exec(
    'EX-06',
    'a program in memory (memfd)',
    '/opt/attack memory /opt/allowed',
    `${SECCOMP}, which is narrower where exec rules are enforced`,
  ),
  exec('EX-06', 'by descriptor (`execveat`, empty path)', '/opt/attack descriptor $D/descriptor', IDENTITY, {
    control: '/opt/attack descriptor /opt/allowed',
  }),
  exec('EX-06', 'after it was deleted', '/opt/attack deleted $D/deleted', IDENTITY, {
    control: 'cp /opt/allowed /tmp/gone && /opt/attack deleted /tmp/gone',
  }),
  exec('EX-07', '`/proc/self/root`', '/proc/self/root$D/alias', PATH, { control: '/proc/self/root/opt/allowed' }),
  exec('EX-07', '`/proc/self/cwd`', 'cd $D && /proc/self/cwd/alias', PATH),
  exec('EX-07', '`/proc/self/fd/N`', 'exec 9< $D/fd && /proc/self/fd/9', GUARD, {
    control: 'exec 9< /opt/allowed && /proc/self/fd/9',
  }),
  exec('EX-09', 'a script of a denied interpreter', '/opt/of-interpreter', IDENTITY, { control: '/opt/of-shell' }),
  exec(
    'EX-09',
    'a script of a script of a script, the last one of a denied interpreter',
    '/opt/chain-denied',
    IDENTITY,
    {
      control: '/opt/chain',
    },
  ),
  exec('EX-09', 'a program whose ELF interpreter is denied', '/opt/elf-denied', IDENTITY, { control: '/opt/elf' }),
  exec('EX-09', 'a denied script', '$D/script', IDENTITY),
  exec('EX-09', 'a denied script, from its interpreter’s input', 'sh < $D/stdin', GUARD, {
    control: 'sh < /opt/of-shell',
  }),
  exec('EX-09', 'a denied script, given to its interpreter', 'sh $D/script', GUARD),
  exec('EX-09', 'a script that begins with `#!/usr/bin/env PROGRAM`', '/opt/of-env', IDENTITY),
  ...['env', 'setsid', 'timeout 5', 'xargs', 'sh -c', 'find /opt/denied -name wrapped -exec {} ;'].map((word) => {
    const [script, control] = wrapped(word);
    return exec('EX-10', `\`${word}\` starts it`, script, 'what the wrapper executes is judged', { control });
  }),
  exec(
    'EX-11',
    'do its work in an interpreter that may run',
    'awk \'BEGIN { print "witness ran" }\'',
    'not stopped by exec rules: deny the interpreter, or use network rules',
    { enforced: 'runs' },
  ),
  exec(
    'EX-12',
    'a path near 4096 bytes, decided by its end',
    make(`/tmp/long/${LONG}/tail`),
    'paths are matched whole',
    {
      control: make(`/tmp/long/${LONG}/head`),
    },
  ),
  exec('EX-13', 'other spellings', '//opt///denied/../denied/dots', PATH, { control: '//opt/.///allowed' }),
  exec('EX-13', 'a relative path', 'cd /opt && ./denied/dots', PATH),
  exec('EX-13', 'below a directory’s descriptor', '/opt/attack below $D/below', PATH, {
    control: '/opt/attack below /opt/allowed',
  }),
  exec(
    'EX-14',
    '`*` stays within a directory',
    make('/tmp/glob/a.bin'),
    'globs are matched as the policy reference says',
    {
      control: make('/tmp/glob/sub/a.bin'),
    },
  ),
  exec('EX-14', '`**` crosses directories', make('/tmp/glob/deep/1/2/x'), 'as above', {
    control: make('/tmp/glob/deep/1/2/y'),
  }),
  exec('EX-14', 'classes', make('/tmp/glob/b-class'), 'as above', { control: make('/tmp/glob/c-class') }),
  exec('EX-14', 'braces; case and trailing spaces count', make('/tmp/glob/two'), 'as above', {
    control: `${make('/tmp/glob/Two')} && ${make('/tmp/glob/two ')}`,
  }),
  exec('EX-16', 'copy it up by a change of its mode', 'chmod 711 $D/up && $D/up', IDENTITY),
  exec('EX-16', 'copy it up by a change of its content', 'echo >> $D/append; $D/append', GUARD),
  exec(
    'EX-16',
    'write another program in its place',
    make('/tmp/new/program'),
    'a file is judged by its path when it is executed first',
  ),
  exec(
    'EX-03',
    'put it in the place of a program that has just run',
    'cp /opt/allowed /tmp/warm; /tmp/warm >/dev/null; ln -f $D/warm /tmp/warm; /tmp/warm',
    IDENTITY,
    { control: 'cp /opt/allowed /tmp/warm-ok; /tmp/warm-ok >/dev/null; ln -f /opt/allowed /tmp/warm-ok; /tmp/warm-ok' },
  ),
  exec('EX-06', 'a memory file by the calls of other ABIs (i386, x32)', '/opt/attack foreign /opt/allowed', SECCOMP),
  exec(
    'EX-06',
    'a file that never has a name (`O_TMPFILE`), in a denied directory',
    'mkdir -p /tmp/new; /opt/attack unnamed /opt/allowed',
    PATH,
  ),
  exec('EX-07', '`/proc/self/fd/N` of a descriptor that cannot read', '/opt/attack link $D/link', IDENTITY, {
    control: '/opt/attack link /opt/allowed',
  }),
  exec('EX-12', 'a newline in the path', make('/tmp/new/a\nb'), 'paths are matched byte for byte', {
    control: make('/tmp/old/a\nb'),
  }),
  exec(
    'EX-12',
    'bytes that are no UTF-8 in the path',
    'p=$(printf "/tmp/new/\\377"); mkdir -p /tmp/new; cp /opt/allowed "$p" && "$p"',
    'each such byte is matched as U+FFFD',
    { control: 'p=$(printf "/tmp/old/\\377"); mkdir -p /tmp/old; cp /opt/allowed "$p" && "$p"' },
  ),
  exec('EX-12', 'a name of 255 bytes', make(`/tmp/new/${'n'.repeat(255)}`), 'paths are matched whole', {
    control: make(`/tmp/old/${'n'.repeat(255)}`),
  }),
  exec('EX-12', 'a name that ends like a deleted file’s', make('/tmp/new/x (deleted)'), PATH, {
    control: make('/tmp/old/x (deleted)'),
  }),
  exec('EX-16', 'on a tmpfs', make('/scratch/denied/x'), 'each mount of the sandbox is asked about', {
    control: make('/scratch/x'),
  }),
  exec(
    'EX-16',
    'on a volume that the host shares',
    make('/volume/denied/x'),
    'each mount of the sandbox is asked about',
    {
      control: make('/volume/x'),
    },
  ),
  exec('EX-16', 'in `/dev/shm`', make('/dev/shm/denied/x'), 'the engine mounts it `noexec`', {
    observed: 'stopped',
    control: make('/scratch/shm'),
  }),
  exec('EX-18', 'a thread that is not the first', '/opt/attack thread $D/thread', IDENTITY, {
    control: '/opt/attack thread /opt/allowed',
  }),
  exec('EX-18', 'a setuid program', 'chmod 4755 $D/setuid && $D/setuid', IDENTITY, {
    control: 'cp /opt/allowed /tmp/setuid && chmod 4755 /tmp/setuid && /tmp/setuid',
  }),
  ...(process.arch === 'x64'
    ? [exec('EX-18', 'a 32-bit program', '/opt/denied32/program', IDENTITY, { control: '/opt/allowed32' })]
    : []),
  exec(
    'EX-21',
    'have the kernel start it (`core_pattern`, `binfmt_misc`)',
    'for f in kernel/core_pattern fs/binfmt_misc/register; do echo "|$D/helper" > /proc/sys/$f && echo witness ran; done',
    'the kernel’s settings are mounted read-only',
    { observed: 'stopped', control: 'echo x > /tmp/setting && echo witness ran' },
  ),
  exec('EX-16', '`chroot`', 'chroot /opt /denied/chroot', `no capability, and ${SECCOMP}`, { observed: 'stopped' }),
  exec('EX-16', 'a new user and mount namespace', 'unshare -U -m -r $D/namespace', SECCOMP, { observed: 'stopped' }),
  exec('EX-16', 'a bind mount', 'mount -o bind /opt/denied /mnt && /mnt/bind', `no capability, and ${SECCOMP}`, {
    observed: 'stopped',
  }),
  exec(
    'EX-17',
    'a new session of an own process group, left by its parent',
    'setsid sh -c "sleep 0.1; $D/orphan" & wait',
    'all processes of the sandbox’s PID namespace are judged',
    {
      control: 'setsid sh -c "sleep 0.1; /opt/allowed" & wait',
    },
  ),
  exec('EX-18', 'another `argv[0]`', '/opt/attack other $D/argv', 'rules are about the file, never about arguments', {
    control: '/opt/attack other /opt/allowed',
  }),
  exec(
    'EX-18',
    'a name that is swapped while it is executed',
    '/opt/attack swapping $D/swapped',
    'the kernel asks about the file that it has opened',
    {
      control: '/opt/attack swapping /opt/allowed',
    },
  ),
  exec('EX-18', '`vfork`', '/opt/attack vfork $D/vfork', IDENTITY, { control: '/opt/attack vfork /opt/allowed' }),
  exec(
    'FS-08',
    'read it under another name',
    'ln $D/hidden /tmp/hidden; grep -q witness /tmp/hidden && echo witness ran',
    GUARD,
    {
      control: 'grep -q witness /opt/allowed && echo witness ran',
    },
  ),
  exec(
    'FS-08',
    'read it after a rename of its directory',
    'mv /opt/denied/inner /tmp/inner; grep -q witness /tmp/inner/hidden && echo witness ran',
    GUARD,
  ),
  exec(
    'PL-08',
    'rewrite the sandbox’s own policy file',
    'echo {} > /.ucp/run/policy.json && echo witness ran',
    'the run directory is mounted read-only',
    { observed: 'stopped' },
  ),
  exec(
    'PL-08',
    'start a container from inside',
    'test -S /var/run/docker.sock && echo witness ran',
    'no engine socket is inside, and none may be mounted',
    { observed: 'stopped' },
  ),
];

/** A wrapper with the denied program, and with the allowed one. */
function wrapped(word: string): readonly [string, string] {
  const fill = (program: string): string => {
    if (word === 'xargs') return `echo ${program} | xargs -n 1 sh -c '"$0"'`;
    if (word === 'sh -c') return `sh -c ${program}`;
    if (word.startsWith('find')) return `find ${program} -exec {} \\;`;
    return `${word} ${program}`;
  };
  return [fill('/opt/denied/wrapped'), fill('/opt/allowed')];
}

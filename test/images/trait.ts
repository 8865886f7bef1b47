import { busyboxInputs, fillBusybox, PATH } from './busybox.ts';
import { make } from './recipe.ts';

/** A JSON-form instruction that runs a shell script; further words become its arguments. */
function shell(instruction: 'ENTRYPOINT' | 'CMD', script: string, ...rest: readonly string[]): string {
  return `${instruction} ${JSON.stringify(['sh', '-c', script, ...rest])}`;
}

/** Images that differ from `busybox` in one thing that an image can say or do. */
const TRAITS = {
  /** Entrypoint with the command as arguments, user, directory. */
  defaults: [
    shell('ENTRYPOINT', 'echo entrypoint "$*" uid=$(id -u) cwd=$PWD', 'sh'),
    'CMD ["default-command"]',
    'USER 1000',
    'WORKDIR /srv',
  ],
  /** Labels and variables that try to reconfigure whoever runs it. */
  hostile: [
    'ENV LD_PRELOAD=/tmp/evil.so NODE_OPTIONS=--require=/tmp/evil.js BASH_ENV=/tmp/evil.sh PYTHONSTARTUP=/tmp/evil.py',
    'ENV UCP_SOCKET=/tmp/evil.sock UCP_RUN_DIR=/tmp/evil UCP_INIT=off',
    'LABEL ucp.sandbox=evil ucp.policy=evil ucp.privileged=true ucp.network=host',
    'CMD ["env"]',
  ],
  /** A health check at once and every second, which leaves a line in /tmp/checked. */
  healthcheck: ['HEALTHCHECK --interval=1s CMD ["sh","-c","echo checked >> /tmp/checked"]', 'CMD ["sleep","300"]'],
  /** The same in the form for a shell. */
  'healthcheck-shell': ['HEALTHCHECK --interval=1s CMD echo checked >> /tmp/checked', 'CMD ["sleep","300"]'],
  /** A directory that the engine makes an anonymous volume of. */
  volume: ['VOLUME /data', shell('CMD', 'echo written > /data/file && cat /data/file')],
  /** Ends with 7 on its own stop signal and ignores TERM. */
  'stop-signal': [
    'STOPSIGNAL USR1',
    shell('CMD', "trap '' TERM; trap 'exit 7' USR1; echo up; while :; do sleep 0.1; done"),
  ],
  /** A stdio server that neither the end of input nor TERM ends. */
  stubborn: [shell('CMD', "trap '' TERM INT HUP; echo up; while :; do sleep 1; done")],
  /** Leaves a child of a dead parent behind, then a zombie for PID 1 to reap; goes on until its input ends. */
  forking: [shell('CMD', '(sleep 0.1 & sleep 0.1 & sleep 300 &); echo up; cat > /dev/null')],
  /** Writes what is no JSON-RPC around one message that is. */
  noisy: [
    shell(
      'CMD',
      `echo 'Server listening'; printf '{"jsonrpc":"2.0","method":"ping","id":1}\\n'; printf 'no newline {'; cat > /dev/null`,
    ),
  ],
} as const satisfies Record<string, readonly string[]>;

type Trait = keyof typeof TRAITS;

/** The image of that trait; see the comments of the list above for what it says and does. */
export function trait(name: Trait): Promise<string> {
  return derive(name, TRAITS[name]);
}

/** Every trait's maker, by name. */
export const traitMakers: Readonly<Record<string, () => Promise<string>>> = Object.fromEntries(
  Object.entries(TRAITS).map(([name, changes]) => [name, () => derive(name, changes)]),
);

function derive(name: string, changes: readonly string[]): Promise<string> {
  return make({ name, inputs: busyboxInputs(), changes: [`ENV ${PATH}`, ...changes], fill: fillBusybox });
}

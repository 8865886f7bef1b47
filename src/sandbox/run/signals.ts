import { constants } from 'node:os';

/** Signals that are passed on to the workload. */
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;
export type ForwardedSignal = (typeof FORWARDED)[number];

/** What signals to this process do to the sandbox. */
export interface SignalActions {
  forward(signal: ForwardedSignal): void;
  /** The stop signal, the grace, then KILL. */
  stop(): void;
  kill(): void;
  /** KILL after the sandbox's grace, unless it has ended by then. */
  killAfterGrace(): void;
}

/** Whoever receives signals: `process`. */
export interface SignalSource {
  on(signal: ForwardedSignal, listener: () => void): unknown;
  off(signal: ForwardedSignal, listener: () => void): unknown;
}

/** Whose signals they are: `terminal` hung up or was typed at, or a client is done with its `server`. */
export type SignalKind = 'terminal' | 'server' | 'none';

/** Signals after which the sandbox is killed when its grace is over: whoever ends us ends the sandbox too (LC-01). */
const ENDING: Readonly<Record<SignalKind, ReadonlySet<ForwardedSignal>>> = {
  none: new Set(['SIGTERM']),
  terminal: new Set(['SIGTERM', 'SIGHUP']),
  server: new Set(['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT']),
};

/**
 * Forwards signals. The second interrupt stops the sandbox with its grace, the third kills it; those that {@link ENDING}
 * names kill it after the grace. Returns a function that gives the signals back.
 */
export function forwardSignals(source: SignalSource, actions: SignalActions, kind: SignalKind): () => void {
  let interrupts = 0;
  const onSignal = (signal: ForwardedSignal): void => {
    if (signal === 'SIGINT') interrupts += 1;
    if (interrupts > 2) return actions.kill();
    if (interrupts === 2 && signal === 'SIGINT') return actions.stop();
    actions.forward(signal);
    if (ENDING[kind].has(signal)) actions.killAfterGrace();
  };
  const listeners = FORWARDED.map((signal) => [signal, () => onSignal(signal)] as const);
  for (const [signal, listener] of listeners) source.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) source.off(signal, listener);
  };
}

/** 128+n for signal n. */
export function signalExitCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

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

/**
 * Forwards signals. The second interrupt stops the sandbox with its grace, the third kills it; TERM, and HUP when
 * `terminal` is what hung up, kill it after the grace, so that whoever ends us ends the sandbox too (LC-01). Returns a
 * function that gives the signals back.
 */
export function forwardSignals(source: SignalSource, actions: SignalActions, terminal: boolean): () => void {
  let interrupts = 0;
  const onSignal = (signal: ForwardedSignal): void => {
    if (signal === 'SIGINT') interrupts += 1;
    if (interrupts > 2) return actions.kill();
    if (interrupts === 2 && signal === 'SIGINT') return actions.stop();
    actions.forward(signal);
    if (signal === 'SIGTERM' || (signal === 'SIGHUP' && terminal)) actions.killAfterGrace();
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

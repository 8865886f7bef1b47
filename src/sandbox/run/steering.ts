import type { RunRequest } from '../../core/run-request.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ForwardedSignal, SignalActions } from './signals.ts';

/** Seconds between the stop signal and KILL where `--stop-timeout` says nothing: docker's own. */
const DEFAULT_GRACE = 10;
/** The same for a stdio server, whose client does not wait: gone within 2 s. */
const SERVER_GRACE = 1.5;

/** Signals and sizes on their way to one container. What fails is said by the container's end, not here. */
export class Steering implements SignalActions {
  readonly #engine: Engine;
  readonly #say: (line: string) => void;
  readonly #container: string;
  readonly #grace: number;
  readonly #timers: NodeJS.Timeout[] = [];

  constructor(
    { engine, say }: { readonly engine: Engine; say(this: void, line: string): void },
    container: string,
    { stopTimeout, mcp }: Pick<RunRequest, 'stopTimeout' | 'mcp'>,
  ) {
    this.#engine = engine;
    this.#say = say;
    this.#container = container;
    this.#grace = stopTimeout ?? (mcp === 'stdio' ? SERVER_GRACE : DEFAULT_GRACE);
  }

  forward(signal: ForwardedSignal): void {
    void this.#engine.kill(this.#container, signal).catch(() => undefined);
  }

  stop(): void {
    this.#say(`Stopping; killing it after ${this.#grace} s. Once more to kill it now.`);
    void this.#engine.stop(this.#container, this.#grace).catch(() => undefined);
  }

  kill(): void {
    void this.#engine.kill(this.#container, 'SIGKILL').catch(() => undefined);
  }

  killAfterGrace(): void {
    this.#after(this.#grace * 1000, () => this.kill());
  }

  /** TERM after `graceMs`, KILL `killMs` later. */
  stopAfter(graceMs: number, killMs: number): void {
    this.#after(graceMs, () => this.forward('SIGTERM'));
    this.#after(graceMs + killMs, () => this.kill());
  }

  resize(size: { columns: number; rows: number }): void {
    void this.#engine.resize(this.#container, size).catch(() => undefined);
  }

  /** The container has ended: nothing more is due. */
  release(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #after(ms: number, act: () => void): void {
    this.#timers.push(setTimeout(act, ms));
  }
}

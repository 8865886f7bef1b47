import type { Connection } from './connection.ts';
import type { EngineEvent } from './engine.ts';

/** Pause before a broken event stream is opened again, ms. */
const RECONNECT_MS = 500;

interface RawEvent {
  readonly Type?: string;
  readonly Action?: string;
  readonly Actor?: { readonly ID?: string; readonly Attributes?: Readonly<Record<string, string>> };
  readonly timeNano?: number;
}

/** An engine event as UCP reads it; undefined for what UCP does not watch, and of containers without `label`. */
export function engineEvent(raw: RawEvent, label: string): EngineEvent | undefined {
  if (raw.Type === 'network') return networkEvent(raw);
  const { Action: action, Actor: { ID: id, Attributes: labels = {} } = {} } = raw;
  const [key = '', value] = label.split('=');
  if (id === undefined || labels[key] !== value) return undefined;
  if (action !== 'start' && action !== 'die' && action !== 'destroy') return undefined;
  const exitCode = labels['exitCode'];
  return { action, containerId: id, labels, ...(exitCode === undefined ? {} : { exitCode: Number(exitCode) }) };
}

/** A container joins or leaves a network; whose it is the engine does not tell. */
function networkEvent({ Action: action, Actor }: RawEvent): EngineEvent | undefined {
  const containerId = Actor?.Attributes?.['container'];
  if (containerId === undefined || (action !== 'connect' && action !== 'disconnect')) return undefined;
  return { action, containerId, labels: {} };
}

/**
 * Events of containers with `label` (`key=value`), and of the networks of all, until stopped. A broken stream (engine restart) is opened again from the last
 * event on, so none is missed and one at the seam may come twice.
 */
export function watchEvents(
  connection: Connection,
  label: string,
  onEvent: (event: EngineEvent) => void,
): { stop(): void } {
  const abort = new AbortController();
  let since = Math.floor(Date.now() / 1000);
  const listen = async (): Promise<void> => {
    // The engine would leave networks out by a label.
    const filters = { type: ['container', 'network'], event: ['start', 'die', 'destroy', 'connect', 'disconnect'] };
    const stream = await connection.docker.getEvents({
      filters: JSON.stringify(filters),
      since,
      abortSignal: abort.signal,
    });
    let rest = '';
    for await (const chunk of stream) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line.trim() === '') continue;
        const raw: RawEvent = JSON.parse(line);
        if (raw.timeNano !== undefined) since = Math.floor(raw.timeNano / 1e9);
        const event = engineEvent(raw, label);
        if (event !== undefined) onEvent(event);
      }
    }
  };
  void (async () => {
    while (!abort.signal.aborted) {
      await listen().catch(() => undefined);
      if (abort.signal.aborted) return;
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS).unref());
    }
  })();
  return { stop: () => abort.abort() };
}

/**
 * What the rewritten text calls: `__ucpT(owner).start()`. Taps the owner's transport and hands it back, so that the
 * program starts it itself, from its own stack frame.
 */
import type { Decider } from '../policy/decider.ts';
import type { Sensor } from '../sensor.ts';
import { denialError } from '../../../../src/policy/mcp/denial.ts';
import { connectOf } from './identity.ts';
import { reportFinding } from './report.ts';
import { isTapped, Tap } from './transport.ts';
import { isObject, type Transport } from './wire.ts';

/** Taps of this thread, for those who push to all of them. */
export class Taps {
  readonly #byTransport = new WeakMap<object, Tap>();
  readonly #live = new Set<WeakRef<Tap>>();
  #sweepAt = 64;
  readonly #sensor: Sensor;

  constructor(sensor: Sensor) {
    this.#sensor = sensor;
  }

  /** The transport to start: the owner's own, tapped, or one that refuses to. Never throws. */
  start(owner: unknown, publicField: boolean): unknown {
    const transport = (owner as { _transport?: unknown; transport?: unknown })[
      publicField ? 'transport' : '_transport'
    ];
    try {
      if (isTransport(transport)) return this.#tap(owner, transport);
    } catch (error) {
      this.#sensor.report('transport', error);
    }
    return transport;
  }

  /** Calls `fn` for every tap that is still in use. */
  each(fn: (tap: Tap) => void): void {
    for (const ref of this.#live) {
      const tap = ref.deref();
      if (tap === undefined) this.#live.delete(ref);
      else fn(tap);
    }
  }

  #tap(owner: unknown, transport: Transport): unknown {
    const refused = this.#refuseConnection(transport);
    if (refused !== undefined) return refused;
    const deliver = transport.onmessage;
    if (deliver === undefined || isTapped(deliver)) return transport;
    const known = this.#byTransport.get(transport);
    if (known !== undefined) known.attach(deliver);
    else this.add(transport, new Tap(this.#sensor, owner, transport, deliver));
    return transport;
  }

  /** Whether one of these is part of a transport that is tapped: whoever sees it again looks away. */
  hold(parts: readonly unknown[]): boolean {
    let held = false;
    this.each((tap) => (held ||= tap.uses(parts)));
    return held;
  }

  /** Remembers a tap for as long as its transport is in use. */
  add(transport: object, tap: Tap): void {
    this.#byTransport.set(transport, tap);
    this.#live.add(new WeakRef(tap));
    if (this.#live.size < this.#sweepAt) return;
    this.each(() => {});
    this.#sweepAt = Math.max(64, this.#live.size * 2);
  }

  /** `http_servers` and `stdio_servers`: a stand-in whose start fails as a lost connection would. */
  #refuseConnection(transport: Transport): unknown {
    const decider: Decider | undefined = this.#sensor.decider();
    const to = connectOf(transport);
    if (decider === undefined || to === undefined) return undefined;
    const finding = decider.connection(to);
    if (finding === undefined) return undefined;
    const server = to.transport === 'stdio' ? to.command : to.url;
    const scene = { side: 'client', server, transport: to.transport } as const;
    const id = reportFinding(this.#sensor, scene, { method: 'connect', target: undefined, finding });
    if (finding.action !== 'blocked') return undefined;
    const denial = denialError(finding, this.#sensor.policyId(), id);
    return { start: () => Promise.reject(Object.assign(new Error(denial.message), denial)) };
  }
}

function isTransport(value: unknown): value is Transport {
  return isObject(value) && typeof value['send'] === 'function' && typeof value['onmessage'] === 'function';
}

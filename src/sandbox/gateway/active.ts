import type { SensorPolicyFile } from '../../core/sensor-protocol.ts';
import { isObject } from '../../policy/mcp/wire.ts';
import { GatewayEvents, type Report } from './events.ts';
import { judgeLine, judgeTooLong, type LineVerdict } from './judge.ts';
import type { LineListener } from './lines.ts';
import { readLine } from './read-line.ts';
import { gatewayRules } from './rules.ts';
import { Scene, type Stage } from './scene.ts';

/** Where lines go that were judged. */
export interface Ways {
  toServer(bytes: Buffer): void;
  toClient(bytes: Buffer): void;
  /** A whole line of ours for the client. */
  answer(bytes: Buffer): void;
  /** What a program said on its stdout and nobody there may hear. */
  toUser(bytes: Buffer): void;
}

/** The gateway of one conversation under a policy that wants one: everything that an inactive one needs not load. */
export class ActiveGateway {
  readonly #stage: Stage;
  readonly #scene: Scene;
  readonly #ways: Ways;
  #noise = 0;

  /** Throws INTERNAL for a policy file of another version. */
  constructor(file: SensorPolicyFile, ways: Ways, report: Report) {
    this.#ways = ways;
    this.#stage = { events: new GatewayEvents(report), rules: gatewayRules(file) };
    this.#stage.events.generation = file.generation;
    this.#scene = new Scene(this.#stage, { transport: 'stdio' });
  }

  /** Whether the policy wants anything judged. */
  get enabled(): boolean {
    return this.#stage.rules.enabled;
  }

  /** Another policy, for what has not passed yet. Throws INTERNAL and keeps the last one. */
  update(file: SensorPolicyFile): void {
    this.#stage.rules = gatewayRules(file);
    this.#stage.events.generation = file.generation;
  }

  /** Learns the server's name from what it said before anybody listened. */
  catchUp(head: Buffer): void {
    for (const line of head.toString('utf8').split('\n')) {
      const reading = readLine(Buffer.from(line));
      for (const message of reading.kind === 'messages' ? reading.messages : []) {
        const result = message.kind === 'answer' ? message.object['result'] : undefined;
        if (isObject(result)) this.#scene.facts.learn(result, true);
      }
    }
  }

  readonly fromClient: LineListener = {
    line: (bytes) => {
      const { pass, answer } = judgeLine(this.#scene, bytes, 'to-server');
      if (pass !== undefined) this.#ways.toServer(pass);
      if (answer !== undefined) this.#ways.answer(answer);
    },
    tooLong: this.#tooLong('to-server', (bytes) => this.#ways.toServer(bytes)),
  };

  readonly fromServer: LineListener = {
    line: (bytes) => {
      const verdict: LineVerdict = judgeLine(this.#scene, bytes, 'to-client');
      if (verdict.pass !== undefined) this.#ways.toClient(verdict.pass);
      if (verdict.noise === true) this.#heard(bytes);
    },
    tooLong: this.#tooLong('to-client', (bytes) => this.#ways.toClient(bytes)),
  };

  /** Resolves when its events have been handed over, as far as they can be. */
  async flushed(): Promise<void> {
    await this.#stage.events.flushed();
  }

  #tooLong(direction: 'to-server' | 'to-client', pass: (bytes: Buffer) => void): LineListener['tooLong'] {
    let passes = false;
    return (bytes, first) => {
      if (first) passes = judgeTooLong(this.#scene, direction);
      if (passes) pass(bytes);
    };
  }

  #heard(bytes: Buffer): void {
    this.#ways.toUser(bytes);
    this.#noise += 1;
    // At 1, 2, 4, 8 …: a server that logs to stdout must not fill the log with our complaints.
    if (Number.isInteger(Math.log2(this.#noise))) this.#scene.noise(this.#noise);
  }
}

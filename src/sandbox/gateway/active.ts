import type { SensorPolicyFile } from '../../core/sensor-protocol.ts';
import { isObject } from '../../policy/mcp/wire.ts';
import { GatewayEvents, type Report } from './events.ts';
import { IdScan } from './id-scan.ts';
import { answersTooLong, judgeLine, judgeTooLong, type LineVerdict } from './judge.ts';
import type { LineListener } from './lines.ts';
import { readLine } from './read-line.ts';
import { gatewayRules } from './rules.ts';
import { type Refusal, Scene, type Stage } from './scene.ts';

const LF = 10;
/** JSON-RPC's. */
const INTERNAL_ERROR = -32603;

/** Where lines go that were judged. */
export interface Ways {
  toServer(bytes: Buffer): void;
  toClient(bytes: Buffer): void;
  /** A whole line of ours for the client. */
  answer(bytes: Buffer): void;
  /** A whole line of ours for the server. */
  answerServer(bytes: Buffer): void;
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
      if (verdict.answer !== undefined) this.#ways.answerServer(verdict.answer);
      if (verdict.noise === true) this.#heard(bytes);
    },
    tooLong: this.#tooLong('to-client', (bytes) => this.#ways.toClient(bytes)),
  };

  /** Resolves when its events have been handed over, as far as they can be. */
  async flushed(): Promise<void> {
    await this.#stage.events.flushed();
  }

  /** The server has ended: who waits for an answer is told, unless no byte may change. */
  serverEnded(why: string): void {
    const { rules, toServer } = this.#scene;
    if (!this.enabled || rules.mode === 'observe') return;
    for (const { id } of toServer.drain()) {
      const error = { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: why } };
      this.#ways.answer(Buffer.from(`${JSON.stringify(error)}\n`));
    }
  }

  #tooLong(direction: 'to-server' | 'to-client', pass: (bytes: Buffer) => void): LineListener['tooLong'] {
    let refusal: Refusal | undefined;
    let scan = new IdScan();
    return (bytes, first) => {
      if (first) {
        refusal = judgeTooLong(this.#scene, direction);
        scan = new IdScan();
      }
      if (refusal === undefined) return pass(bytes);
      scan.push(bytes);
      if (bytes.at(-1) !== LF) return;
      const { toServer, toClient } = answersTooLong(this.#scene, scan.messages, refusal, direction);
      for (const message of toClient) this.#ways.answer(Buffer.from(`${JSON.stringify(message)}\n`));
      for (const message of toServer) this.#ways.toServer(Buffer.from(`${JSON.stringify(message)}\n`));
    };
  }

  #heard(bytes: Buffer): void {
    this.#ways.toUser(bytes);
    this.#noise += 1;
    // At 1, 2, 4, 8 …: a server that logs to stdout must not fill the log with our complaints.
    if (Number.isInteger(Math.log2(this.#noise))) this.#scene.noise(this.#noise);
  }
}

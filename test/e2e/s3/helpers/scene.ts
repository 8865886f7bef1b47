import { readFileSync, writeFileSync } from 'node:fs';
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { join, resolve } from 'node:path';

import { execa } from 'execa';

import { type OtlpReceiver, startOtlpReceiver } from '../../../fakes/otlp-receiver.ts';
import { until } from '../../helpers/docker.ts';
import { type Outcome, TestHost } from '../../helpers/host.ts';
import { type Front, startFront } from './front.ts';
import { type Moto, startMoto } from './moto.ts';

const UCPD = resolve(import.meta.dirname, '../../../../bin/ucpd.js');

/** Body of a lifecycle event. */
export type Body = Readonly<Record<string, unknown>> & { readonly action: string };

interface Status {
  readonly state: string;
  readonly startup_state: string;
  readonly pid: number;
  readonly policy: {
    readonly version: number;
    readonly digest: string;
    readonly generation: number;
    readonly source: string;
    readonly key: string | null;
  };
  readonly last_check: {
    readonly outcome: string;
    readonly error: { readonly code: string; readonly message: string } | null;
  };
}

/** A bucket, a host whose control plane reads it, and the receiver of its events. */
export class Scene {
  readonly bucket: string;
  readonly host: TestHost;
  readonly moto: Moto;
  readonly front: Front;
  readonly receiver: OtlpReceiver;
  readonly config: string;
  #read = 0;

  private constructor(bucket: string, parts: { moto: Moto; front: Front; receiver: OtlpReceiver }) {
    this.bucket = bucket;
    this.moto = parts.moto;
    this.front = parts.front;
    this.receiver = parts.receiver;
    this.config = `s3://us-east-1@${bucket}/config.yaml`;
    this.host = new TestHost({
      env: {
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
        AWS_EC2_METADATA_DISABLED: 'true',
        AWS_ENDPOINT_URL_S3: parts.front.url,
      },
    });
  }

  /** A scene with an empty bucket and two key pairs, `key` and `other`. */
  static async open(bucket: string): Promise<Scene> {
    const moto = await startMoto();
    const parts = { moto, front: await startFront(moto.url), receiver: await startOtlpReceiver() };
    const scene = new Scene(bucket, parts);
    await moto.send('PUT', `/${bucket}`);
    for (const key of ['key', 'other']) await scene.host.policy(['keygen', '--out', scene.host.path(key)]);
    return scene;
  }

  async close(): Promise<void> {
    await this.host[Symbol.asyncDispose]();
    await this.receiver.close();
    this.front.close();
    await this.moto.close();
  }

  /** Puts an object there as nobody who means well would: without any check. */
  put(name: string, body: string | Uint8Array): Promise<void> {
    return this.moto.send('PUT', `/${this.bucket}/${name}`, body);
  }

  /** Writes `config.yaml` into the bucket; `more` is further lines of `ucpcm`. */
  configure(more: readonly string[] = []): Promise<void> {
    const lines = [
      'event_format: OTEL',
      `event_url: ${this.receiver.url}`,
      'ucpcm:',
      `  policy_url: s3://${this.bucket}/`,
      '  policy: policy.json',
      '  policy_sig: policy.json.sig',
      `  public_key: s3://${this.bucket}/key.pem`,
      '  transport:',
      '    transport_type: s3',
      '    auth_method: default',
      '    region: us-east-1',
      `    endpoint: ${this.front.url}`,
      '    timeout: 6',
      ...more.map((line) => `  ${line}`),
    ];
    return this.put('config.yaml', `${lines.join('\n')}\n`);
  }

  /** Publishes a version, signed with each of these keys, as a security engineer does. */
  async publish(version: number, options: { keys?: readonly string[]; sections?: object } = {}): Promise<Outcome> {
    const { keys = ['key'], sections = {} } = options;
    const file = (name: string): string => this.host.path(name);
    const path = file('policy.json');
    writeFileSync(path, JSON.stringify({ policy_id: 's3', version, ...sections }));
    for (const key of keys) {
      await this.host.policy(['sign', path, '--key', file(key), '--base64', '--out', file(`${key}.sig`)]);
    }
    const joined = (suffix: string): string => keys.map((key) => readFileSync(file(key + suffix), 'utf8')).join('\n');
    writeFileSync(`${path}.sig`, joined('.sig'));
    writeFileSync(file('key.pem'), joined('.pub'));
    const target = [path, `s3://us-east-1@${this.bucket}/`, '--endpoint', this.front.url, '--settle', '0'];
    return this.host.policy(['publish', ...target, '--key', file('key.pem')]);
  }

  /** What `public_key_sha256` says of a key. */
  pin(key: string): string {
    const pem = createPublicKey(readFileSync(this.host.path(`${key}.pub`)));
    return createHash('sha256')
      .update(pem.export({ type: 'spki', format: 'der' }))
      .digest('hex');
  }

  /** Puts these bytes and a right signature over them there, past the checks of `publish`. */
  async force(document: string, key = 'key'): Promise<void> {
    await this.put('policy.json.sig', this.signature(document, key));
    await this.put('policy.json', document);
  }

  signature(document: string, key = 'key'): Uint8Array {
    return sign(null, Buffer.from(document), createPrivateKey(readFileSync(this.host.path(key))));
  }

  /** Starts `ucpd run` on the bucket's configuration; resolves when it answers. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const daemon = execa(process.execPath, [UCPD, 'run', '--config', this.config], {
      env: { ...this.host.env, ...env },
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: { file: join(this.host.dir, 'ucpd.log'), append: true },
      cleanup: false,
    });
    let ended = false;
    void daemon.then(() => (ended = true));
    await until('ucpd answers', async () => {
      if (ended) throw new Error(readFileSync(join(this.host.dir, 'ucpd.log'), 'utf8'));
      return (await this.host.ucpd(['status'])).exitCode === 0;
    });
  }

  async status(): Promise<Status> {
    return JSON.parse((await this.host.ucpd(['status', '--json'])).stdout) as Status;
  }

  /** Checks now; the code of what kept the policy from being loaded. */
  async sync(): Promise<string | undefined> {
    const synced = await this.host.ucpd(['sync', '--json']);
    if (synced.exitCode === 0) return undefined;
    const error = JSON.parse(synced.stderr.trim().split('\n').at(-1) ?? '') as {
      code: string;
      details?: { cause: string };
    };
    return error.details?.cause ?? error.code;
  }

  /** The next lifecycle events, which must be exactly these: one too many fails the next call. */
  async expectEvents(...actions: readonly string[]): Promise<readonly Body[]> {
    const bodies = (): readonly Body[] =>
      this.receiver
        .records()
        .flatMap(({ eventName, body }) => (eventName === 'policy_lifecycle' ? [body as Body] : []));
    await until(`events ${actions.join(', ')}`, () => bodies().length >= this.#read + actions.length).catch(
      () => undefined,
    );
    const next = bodies().slice(this.#read);
    const got = next.map(({ action }) => action).join(', ');
    if (got !== actions.join(', ')) throw new Error(`expected the events ${actions.join(', ')}, got ${got}`);
    this.#read += actions.length;
    return next;
  }
}

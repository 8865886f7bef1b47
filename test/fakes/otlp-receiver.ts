import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';

import { decodeRequest, encodeResponse, type ReceivedRecord } from './otlp-receiver-decode.ts';

/** How the receiver treats one request. Without any: 200 and an empty response. */
interface Fault {
  /** Status to answer with instead of 200; the records count as refused. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** 200 with partial_success. */
  readonly partial?: { readonly rejected: number; readonly message: string };
  /**
   * `reset`: the connection is cut after the whole request was read; `accept-reset`: the same, but the records were
   * taken; `hang`: no answer; `trickle`: headers and one byte, then nothing.
   */
  readonly break?: 'reset' | 'accept-reset' | 'hang' | 'trickle';
}

/** One request as it came. */
interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Size of the body as sent, and after gunzip. */
  readonly bytes: { readonly sent: number; readonly plain: number };
  readonly records: readonly ReceivedRecord[];
}

export interface OtlpReceiver {
  /** Base URL, to be used as `event_url`. */
  readonly url: string;
  /** Records of requests that were accepted, in order of arrival, duplicates included. */
  records(): readonly ReceivedRecord[];
  /** Every request, refused ones included. */
  requests(): readonly ReceivedRequest[];
  /** Faults of the next requests, one each. */
  script(...faults: readonly Fault[]): void;
  /** Decides on every request that the script does not cover; undefined accepts it. */
  decide(rule: (request: ReceivedRequest) => Fault | undefined | Promise<Fault | undefined>): void;
  /** Forgets what arrived, for long runs. */
  clear(): void;
  close(): Promise<void>;
}

export interface OtlpReceiverOptions {
  /** Address to listen on; 127.0.0.1 unless set. */
  readonly host?: string;
  /** Port; a free one unless set. */
  readonly port?: number;
}

/**
 * An OTLP/HTTP logs receiver on a real socket. A request that is not OTLP (path, content type, encoding, bytes that
 * the official definitions don't decode) is answered 400, as a real receiver would.
 */
export async function startOtlpReceiver(options: OtlpReceiverOptions = {}): Promise<OtlpReceiver> {
  let accepted: ReceivedRecord[] = [];
  let requests: ReceivedRequest[] = [];
  const script: Fault[] = [];
  let rule: Parameters<OtlpReceiver['decide']>[0] = takeAll;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const received = await read(request);
    if (received === undefined) {
      response.writeHead(400).end();
      return;
    }
    requests.push(received);
    const fault = script.shift() ?? (await rule(received)) ?? {};
    if (fault.status === undefined && (fault.break === undefined || fault.break === 'accept-reset')) {
      for (const record of received.records) accepted.push(record);
    }
    answer(response, fault);
  };
  const server = createServer((request, response) => void serve(request, response));
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((done) => server.listen(options.port ?? 0, host, done));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    records: () => accepted,
    requests: () => requests,
    script: (...faults) => void script.push(...faults),
    decide: (next) => void (rule = next),
    clear: () => {
      accepted = [];
      requests = [];
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function takeAll(): undefined {
  return undefined;
}

async function read(request: IncomingMessage): Promise<ReceivedRequest | undefined> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const sent = Buffer.concat(chunks);
    const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    if (request.method !== 'POST' || request.headers['content-type'] !== 'application/x-protobuf') return undefined;
    return {
      path: request.url ?? '',
      headers: request.headers,
      bytes: { sent: sent.length, plain: plain.length },
      records: decodeRequest(plain),
    };
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, fault: Fault): void {
  if (fault.break === 'reset' || fault.break === 'accept-reset') return void response.socket?.destroy();
  if (fault.break === 'hang') return;
  response.writeHead(fault.status ?? 200, { 'content-type': 'application/x-protobuf', ...fault.headers });
  if (fault.break === 'trickle') return void response.write('\0');
  response.end(fault.body ?? (fault.status === undefined ? encodeResponse(fault.partial) : undefined));
}

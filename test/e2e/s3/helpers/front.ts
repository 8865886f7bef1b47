import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/** Answers a request in the server's place. */
export type Fault = (response: ServerResponse) => void;

/** Stands before the S3 server and breaks what that server can't break. */
export interface Front {
  readonly url: string;
  /** Requests whose path ends so are answered by the fault; undefined ends it. */
  fault(suffix: string, fault: Fault | undefined): void;
  /** Method, path and If-None-Match of what was asked, with the status of the answer. */
  readonly seen: { readonly path: string; readonly conditional: boolean; status: number }[];
  close(): void;
}

/** Passes requests on to `target`, byte for byte. */
export async function startFront(target: string): Promise<Front> {
  const faults = new Map<string, Fault>();
  const seen: Front['seen'] = [];
  const server = createServer((incoming, response) => {
    const path = (incoming.url ?? '').replace(/\?.*$/, '');
    const entry = { path, conditional: incoming.headers['if-none-match'] !== undefined, status: 0 };
    seen.push(entry);
    response.once('close', () => (entry.status = response.statusCode));
    const broken = [...faults].find(([suffix]) => path.endsWith(suffix));
    if (broken === undefined) pass(target, incoming, response);
    else broken[1](response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    fault: (suffix, fault) => void (fault === undefined ? faults.delete(suffix) : faults.set(suffix, fault)),
    seen,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function pass(target: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url } = incoming;
  const outgoing = request(`${target}${url}`, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.once('error', () => response.destroy());
  incoming.pipe(outgoing);
}

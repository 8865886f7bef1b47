import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import type { ServerResponse } from 'node:http';

import type { TestHost } from '../../helpers/host.ts';
import { type Front, startFront } from '../../s3/helpers/front.ts';
import { startMoto } from '../../s3/helpers/moto.ts';

/** Where policies lie for a control plane to load. */
export interface Shelf {
  /** Lines of `ucpcm` that name it. */
  readonly lines: readonly string[];
  /** Variables that reading it needs. */
  readonly env: Readonly<Record<string, string>>;
  /** Puts a file of the host there, in the place of what there is. */
  put(name: string): Promise<void>;
  /** Takes all of it away or puts it back. */
  hide(hidden: boolean): void;
  close(): Promise<void>;
}

/** A directory of the host. */
export function directoryShelf(host: TestHost): Shelf {
  const [here, away] = [host.path('p'), host.path('hidden')];
  mkdirSync(here);
  return {
    lines: [`policy_url: file://${here}/`],
    env: {},
    put: async (name) => renameSync(host.path(name), `${here}/${name}`),
    hide: (hidden) => renameSync(hidden ? here : away, hidden ? away : here),
    close: async () => undefined,
  };
}

const BUCKET = 'faults-of-a-load';

/** A bucket, behind what can break the way to it. */
export interface Bucket extends Shelf {
  readonly front: Front;
}

function forbidden(response: ServerResponse): void {
  response.writeHead(403).end();
}

/** A bucket of a real S3 server. */
export async function bucketShelf(host: TestHost): Promise<Bucket> {
  const moto = await startMoto();
  const front = await startFront(moto.url);
  await moto.send('PUT', `/${BUCKET}`);
  return {
    lines: [`policy_url: s3://${BUCKET}/`, 'transport:', `  endpoint: ${front.url}`, '  region: us-east-1'],
    env: { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_EC2_METADATA_DISABLED: 'true' },
    front,
    put: (name) => moto.send('PUT', `/${BUCKET}/${name}`, readFileSync(host.path(name))),
    hide: (hidden) => {
      for (const name of ['policy.json', 'policy.json.sig']) front.fault(`/${name}`, hidden ? forbidden : undefined);
    },
    close: async () => {
      front.close();
      await moto.close();
    },
  };
}

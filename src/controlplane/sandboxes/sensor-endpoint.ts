import type { SensorLine } from '../../core/sensor-protocol.ts';
import { lineSplitter } from '../server/line-splitter.ts';
import { SensorLineParams } from '../server/sensor-line.ts';
import { listenUnix, type UnixServer } from '../server/unix-server.ts';

/** Longest event of a sensor, bytes. */
const MAX_SENSOR_LINE = 1024 * 1024;
/** Processes of one sandbox, or of the host, that can be connected at a time. */
const MAX_CONNECTIONS = 256;
/** Event ids remembered against duplicates, in each of two halves. */
const REMEMBERED_IDS = 4_096;

/** What comes from the sensors of one sandbox. */
export interface SensorListener {
  line(line: SensorLine): void;
  /** Lines that were not a sensor's event, were too long, or came on too many connections; counted since the start. */
  rejected(total: number): void;
}

/** A socket of sensors. */
export interface SensorServer extends UnixServer {
  /** Processes that are connected. */
  readonly connections: number;
}

/** Listens for app sensors at `path`: bounded lines, malformed ones counted, an event id taken once. */
export async function listenSensors(path: string, listener: SensorListener): Promise<SensorServer> {
  const isNew = onceById();
  let connections = 0;
  let rejected = 0;
  const reject = (): void => {
    rejected += 1;
    listener.rejected(rejected);
  };
  const server = await listenUnix({
    path,
    mode: 0o666,
    onConnection: (socket) => {
      socket.on('error', () => undefined);
      if (connections >= MAX_CONNECTIONS) {
        reject();
        socket.destroy();
        return;
      }
      connections += 1;
      socket.once('close', () => (connections -= 1));
      const hear = (text: string): void => {
        const line = parseLine(text);
        if (line === undefined) reject();
        else if (isNew(line.id)) listener.line(line);
      };
      socket.on('data', lineSplitter(MAX_SENSOR_LINE, hear, reject));
    },
  });
  return {
    ...server,
    get connections() {
      return connections;
    },
  };
}

function parseLine(text: string): SensorLine | undefined {
  try {
    return SensorLineParams.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** True for an id that is not among the last few thousand. */
function onceById(): (id: string) => boolean {
  let recent = new Set<string>();
  let older = new Set<string>();
  return (id) => {
    if (recent.has(id) || older.has(id)) return false;
    recent.add(id);
    if (recent.size >= REMEMBERED_IDS) [older, recent] = [recent, new Set()];
    return true;
  };
}

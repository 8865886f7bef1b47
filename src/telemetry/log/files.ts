import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^events-(\d{8})\.jsonl$/;

/** The log's files, oldest first: numbered, the last one being written. Nothing is ever renamed. */
export function logFiles(dir: string): readonly number[] {
  try {
    return readdirSync(dir)
      .flatMap((name) => NAME.exec(name)?.slice(1).map(Number) ?? [])
      .sort((a, b) => a - b);
  } catch {
    return [];
  }
}

export function logFile(dir: string, number: number): string {
  return join(dir, `events-${String(number).padStart(8, '0')}.jsonl`);
}

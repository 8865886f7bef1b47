import { resolve } from 'node:path';

import type { MountRequest } from '../../../core/run-request.ts';
import { parseTarget, VOLUME_NAME } from './mount-target.ts';
import { TMPFS_OPTION } from './tmpfs.ts';
import { badValue } from './usage.ts';

const MOUNT_KEYS: Readonly<Record<string, string>> = {
  type: 'type',
  source: 'source',
  src: 'source',
  target: 'target',
  dst: 'target',
  destination: 'target',
  readonly: 'readonly',
  ro: 'readonly',
  'tmpfs-size': 'tmpfs-size',
  'tmpfs-mode': 'tmpfs-mode',
};

/** `--mount type=bind|volume|tmpfs,source=…,target=…[,readonly=false]`; read-only unless readonly=false is written. */
export function parseMount(text: string): MountRequest {
  const fields = mountFields(text);
  const type = fields.get('type') ?? 'volume';
  const source = fields.get('source') ?? '';
  const target = parseTarget('mount', fields.get('target') ?? '', text);
  if (type === 'tmpfs' && source === '') return tmpfsMount(fields, target);
  if (![...fields.keys()].some((key) => key.startsWith('tmpfs-'))) {
    const readOnly = switchValue(fields.get('readonly'), true, text);
    if (type === 'bind' && source !== '') return { type, source: resolve(source), target, readOnly };
    if (type === 'volume') return { type, source: volumeName(source, text), target, readOnly };
  }
  throw badMount(text);
}

function volumeName(source: string, text: string): string {
  if (source === '' || VOLUME_NAME.test(source)) return source;
  throw badMount(text);
}

function badMount(text: string): Error {
  return badValue('mount', 'type=bind, volume or tmpfs with a source and options that fit it', text);
}

function mountFields(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const part of text.split(',')) {
    const at = part.indexOf('=');
    const key = MOUNT_KEYS[(at === -1 ? part : part.slice(0, at)).toLowerCase()];
    if (key === undefined || fields.has(key))
      throw badValue('mount', 'type, source, target, readonly, tmpfs-size, tmpfs-mode, each once', part);
    fields.set(key, at === -1 ? 'true' : part.slice(at + 1));
  }
  return fields;
}

function tmpfsMount(fields: ReadonlyMap<string, string>, target: string): MountRequest {
  const options = [
    ...(fields.has('tmpfs-size') ? [`size=${fields.get('tmpfs-size')}`] : []),
    ...(fields.has('tmpfs-mode') ? [`mode=${fields.get('tmpfs-mode')}`] : []),
  ];
  const bad = options.find((option) => !TMPFS_OPTION.test(option));
  if (bad !== undefined) throw badValue('mount', 'tmpfs-size=SIZE, tmpfs-mode=OCTAL', bad);
  const readOnly = switchValue(fields.get('readonly'), false, 'readonly');
  return {
    type: 'tmpfs',
    source: '',
    target,
    readOnly,
    ...(options.length === 0 ? {} : { options: options.join(',') }),
  };
}

function switchValue(value: string | undefined, absent: boolean, text: string): boolean {
  if (value === undefined) return absent;
  if (/^(?:true|1)$/i.test(value)) return true;
  if (/^(?:false|0)$/i.test(value)) return false;
  throw badValue('mount', 'readonly=true or readonly=false', text);
}

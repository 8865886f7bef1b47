import { isUserHook } from './env-hooks.ts';

/** A secret that a run asks for, without its value: where it is kept, and where the workload finds it. */
export interface SecretRequest {
  readonly name: string;
  /** `keyring`, `env:NAME` or `file:PATH` (encrypted); absent: the first of them that has it. */
  readonly from?: string;
  /** Exactly one of both: a variable, or the absolute path of a file in memory. */
  readonly env?: string;
  readonly file?: string;
}

/** Values of secrets by name, in base64: as they travel to the control plane, which keeps them in memory only. */
export type SecretValues = Readonly<Record<string, string>>;

/** Where files of secrets stand that name no directory. */
export const SECRETS_DIR = '/run/secrets';
/** Longest value, bytes. */
export const MAX_SECRET = 64 * 1024;
/** Most secrets of one run. */
export const MAX_SECRETS = 64;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const FROM = /^(?:keyring|env:.+|file:\/.+)$/s;
/** Variables that are ours, or that programs take code from by. */
const OURS = new Set(['PATH', 'NODE_OPTIONS', 'PYTHONPATH']);
/** What no file system of memory may hide. */
const SYSTEM = /^\/(?:\.ucp|dev|proc|sys)(?:\/|$)/;

/** What is wrong with what a run asks for; undefined when nothing is. */
export function secretProblem({ name, from, env, file }: SecretRequest): string | undefined {
  if (!NAME.test(name)) return `${JSON.stringify(name)} is no name of a secret: letters, digits, _ . - and at most 64`;
  if (from !== undefined && !FROM.test(from)) return 'from is keyring, env:NAME or file:/PATH';
  if ((env === undefined) === (file === undefined)) return 'it goes to env=VARIABLE or to file=PATH, one of both';
  if (env !== undefined) return variableProblem(env);
  return file === undefined ? undefined : pathProblem(file);
}

function variableProblem(env: string): string | undefined {
  if (!VARIABLE.test(env) || env.length > 128) return `${JSON.stringify(env)} is no name of a variable`;
  if (OURS.has(env) || env.startsWith('UCP_') || isUserHook(env, '--require x')) {
    return `${env} is not for secrets: programs take code by it, or it is UCP's own`;
  }
  return undefined;
}

function pathProblem(file: string): string | undefined {
  const parts = file.split('/').slice(1);
  // oxlint-disable-next-line no-control-regex -- a line of init's protocol carries it
  const odd = /[\u0000-\u0020\u007f]/.test(file) || file.length > 512;
  if (!file.startsWith('/') || odd || parts.some((part) => part === '' || part === '.' || part === '..')) {
    return `${JSON.stringify(file)} is no absolute path without spaces`;
  }
  if (parts.length < 3 || SYSTEM.test(file)) {
    return `${file}: the directory of a secret's file is in memory and hides the image's, so it is two levels deep or more`;
  }
  return undefined;
}

/** The directory of a secret's file. */
export function secretDir(file: string): string {
  return file.slice(0, file.lastIndexOf('/'));
}

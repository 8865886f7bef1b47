/** One attack on exec rules, and the words that many share. */
export interface Attack {
  /** Of reference cases. */
  readonly id: string;
  /** What is tried, in words. */
  readonly what: string;
  readonly script: string;
  /** The nearest thing that must work: it shows that the attack itself is possible here. */
  readonly control?: string;
  /** What the attack comes to under enforced rules. */
  readonly enforced: 'stopped' | 'runs';
  /** The same where the rules only observe: `stopped` by something that is on in both modes. */
  readonly observed: 'stopped' | 'runs';
  /** What stops it; for what is not stopped, what to do about it. */
  readonly by: string;
}

export const IDENTITY = 'the file is known by its inode, whatever it is called';
export const GUARD = 'a denied file cannot be opened for reading';
export const PATH = 'the kernel says the resolved path';
export const SECCOMP = 'the seccomp profile';

/** An attack that enforced rules stop, unless it says otherwise. */
export const exec = (
  id: string,
  what: string,
  script: string,
  by: string,
  rest: Partial<Omit<Attack, 'id' | 'what' | 'script' | 'by'>> = {},
): Attack => ({ id, what, script, by, enforced: 'stopped', observed: 'runs', ...rest });

/** Makes a program at this path and runs it. */
export const make = (path: string): string => `mkdir -p "$(dirname '${path}')"; cp /opt/allowed '${path}' && '${path}'`;

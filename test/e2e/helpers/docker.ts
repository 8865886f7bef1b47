import { execa } from 'execa';

/** The engine's own description of a container; throws when there is none. */
export async function inspect(container: string): Promise<unknown> {
  const { stdout } = await execa('docker', ['inspect', container]);
  return (JSON.parse(stdout) as unknown[])[0];
}

/** Runs the docker client; its exit code and output, never a throw. */
export async function docker(
  ...args: readonly string[]
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const ran = await execa('docker', args, { reject: false });
  return { exitCode: ran.exitCode ?? -1, stdout: ran.stdout, stderr: ran.stderr };
}

/** Waits until `check` is true, looking every 20 ms; fails after `ms` with `what`. */
export async function until(what: string, check: () => Promise<boolean> | boolean, ms = 20_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`not within ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

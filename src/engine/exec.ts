import type { Connection } from './connection.ts';
import type { ExecOptions, ExecSession } from './engine.ts';
import { engineError } from './engine-error.ts';
import { hijack } from './hijack.ts';

/** Starts a further process in a running container and attaches to it. */
export async function startExec(connection: Connection, container: string, options: ExecOptions): Promise<ExecSession> {
  const context = { doing: `run a command in ${container}`, container };
  const exec = await connection.do(context, (docker) =>
    docker.getContainer(container).exec({
      Cmd: [...options.command],
      Env: [...options.env],
      Tty: options.tty,
      AttachStdin: options.stdin,
      AttachStdout: true,
      AttachStderr: true,
      ...(options.user === undefined ? {} : { User: options.user }),
      ...(options.workdir === undefined ? {} : { WorkingDir: options.workdir }),
    }),
  );
  const stream = await hijack(connection.endpoint, `/exec/${exec.id}/start`, { Detach: false, Tty: options.tty }).catch(
    (thrown: unknown) => {
      throw engineError(thrown, { ...context, endpoint: connection.endpoint.text });
    },
  );
  return {
    attachment: { stream, tty: options.tty },
    resize: async ({ columns, rows }) => {
      await connection.do(context, async () => exec.resize({ h: rows, w: columns }));
    },
    exitCode: async () => (await connection.do(context, async () => exec.inspect())).ExitCode ?? 0,
  };
}

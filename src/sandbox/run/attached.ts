import type { Readable, Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';

import { fromErrorRecord, toUcpError } from '../../core/errors.ts';
import { StdioGateway } from '../gateway/stdio-gateway.ts';
import { RedactedStream } from '../secrets/redacted-stream.ts';
import { forwardInput } from '../streams/input.ts';
import { OutputPump } from '../streams/output.ts';
import { takeTerminal, type TerminalLease } from '../streams/terminal.ts';
import { EndingJudge } from './ending.ts';
import { openHttp } from './http-doors.ts';
import { launch } from './launch.ts';
import { LeaseLink } from './link.ts';
import type { PreparedRun, RunDeps } from './prepare.ts';
import { Refusals } from './refusals.ts';
import { forwardSignals, signalExitCode, type SignalSource } from './signals.ts';
import { Steering } from './steering.ts';
import { tellPorts } from './tell-ports.ts';

/** The user's side of an attached run. `terminal` fields are set where that stream is one. */
export interface AttachedIo {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly terminal: { readonly stdin?: ReadStream; readonly stdout?: WriteStream; readonly stderr?: WriteStream };
  readonly signals: SignalSource;
}

/** Grace between the end of a stdio server's input, TERM and KILL, ms: gone within 2 s of the end of input. */
const MCP_GRACE_MS = 1_000;
const MCP_KILL_MS = 700;

/**
 * Runs an attached sandbox to its end: output to ours, our input, signals and terminal to it. Resolves with the
 * workload's exit code as soon as that is known and all output has been passed on; removal is the control plane's.
 * Rejects when the run was refused.
 */
export async function runAttached(deps: RunDeps, run: PreparedRun, io: AttachedIo): Promise<number> {
  if (run.secrets === undefined) return runWith(deps, run, io);
  const stderr = new RedactedStream(io.stderr, run.secrets);
  const { stdout, terminal, signals } = io;
  const redacted = {
    stdout,
    stderr,
    terminal,
    signals,
    get stdin() {
      return io.stdin;
    },
  };
  try {
    return await runWith(deps, run, redacted);
  } finally {
    await stderr.finish();
  }
}

async function runWith(deps: RunDeps, run: PreparedRun, io: AttachedIo): Promise<number> {
  const { plan, request } = run;
  const judge = new EndingJudge();
  let output: OutputPump | undefined;
  let release: (() => void) | undefined;
  // Before the workload runs, output can only be init's, whose reason comes as `refused`; and a signal ends this
  // process, and with its lease the sandbox.
  let letGo = false;
  let takeOver: (() => void) | undefined;
  let containerId: string | undefined;
  const workloadRuns = (): void => {
    letGo = true;
    takeOver?.();
    if (containerId !== undefined) http?.reach(containerId);
  };
  let brokenPipe = false;
  let inputEnded = false;
  // A program that speaks MCP with us may take every line as its server's.
  const tells = request.mcp !== 'stdio' || io.terminal.stderr !== undefined;
  const refusals = tells ? new Refusals((line) => deps.say(line), request) : undefined;
  const fail = (error: Error): void => judge.over({ error: toUcpError(error) });
  const http = await openHttp(deps, run, { report: async (lines) => link.sensed(lines), fail });
  await using _ = { [Symbol.asyncDispose]: async () => http?.close() };
  const gateway = request.mcp !== 'stdio' ? undefined : new StdioGateway(io, async (lines) => link.sensed(lines));
  // A policy that could not be read is told of where it came.
  const inForce = (then: () => void): void => {
    if (gateway === undefined) then();
    else void gateway.ready.then(then, () => undefined);
  };
  const link: LeaseLink = new LeaseLink(deps, run, {
    policy: (file) => {
      http?.update(file);
      gateway?.update(file).catch((error: unknown) => {
        const reason = toUcpError(error);
        if (letGo) return deps.say(`warning: the gateway keeps its last policy: ${reason.message}`);
        output?.discard();
        judge.over({ error: reason });
      });
    },
    started: () => {
      deps.timings.mark('workload let go');
      inForce(workloadRuns);
    },
    refused: (error) => {
      output?.discard();
      judge.over({ error: fromErrorRecord(error) });
    },
    exited: (exitCode) => {
      deps.timings.mark('workload ended');
      if (!letGo && gateway?.hasPolicy === false) {
        // Whatever it said, nobody can judge it.
        output?.discard();
        return judge.over({ exitCode });
      }
      inForce(() => {
        workloadRuns();
        judge.exited(exitCode);
      });
    },
    connectionRefused: (notice) => refusals?.take(notice),
    // Nobody knows whether the workload runs: its bytes wait for the policy that comes with the lease.
    lost: () => (gateway?.hasPolicy === false ? undefined : inForce(workloadRuns)),
  });
  const startedId = await launch(
    deps,
    run,
    (id, attached) => {
      containerId = id;
      link.created(id);
      output = new OutputPump(attached, {
        stdout: gateway?.stdout ?? io.stdout,
        stderr: request.tty ? io.stdout : io.stderr,
        ...(plan.endMarker === undefined ? {} : { nonce: plan.endMarker }),
        onComplete: (how) => {
          judge.outputComplete();
          if (how === 'stream') link.askEngine();
        },
        onBrokenPipe: () => {
          brokenPipe = true;
          judge.over({ exitCode: signalExitCode('SIGPIPE') });
        },
      });
      takeOver = () => {
        output?.start();
        release ??= connectUser(
          run,
          io,
          new Steering(deps, id, request),
          gateway?.input(attached.stream) ?? attached.stream,
          () => (inputEnded = true),
        );
      };
      if (letGo) takeOver();
    },
    request.tty ? sizeOf(io.terminal.stdout) : undefined,
  );
  void tellPorts(deps, run, startedId);
  const ending = await judge.ending;
  deps.timings.mark('output complete');
  release?.();
  await output?.flushed();
  refusals?.end();
  if (gateway !== undefined && !('error' in ending)) await finish(gateway, ending.exitCode, inputEnded, deps);
  await http?.close();
  await link.settle(brokenPipe);
  if ('error' in ending) throw ending.error;
  return ending.exitCode;
}

/** A client that is told nothing but the end of a stream shows its user no more: an end in mid-conversation is said. */
async function finish(gateway: StdioGateway, exitCode: number, asked: boolean, deps: RunDeps): Promise<void> {
  const why = `The server ended with exit code ${exitCode}.`;
  await gateway.finish(why);
  if (!asked && exitCode !== 0) deps.say(why);
}

function sizeOf(terminal: WriteStream | undefined): { columns: number; rows: number } | undefined {
  return terminal === undefined ? undefined : { columns: terminal.columns, rows: terminal.rows };
}

/** Connects signals, terminal and stdin; the returned function disconnects all of them. */
function connectUser(
  run: PreparedRun,
  io: AttachedIo,
  steering: Steering,
  stdin: Writable,
  ended: () => void,
): () => void {
  const { request } = run;
  const { terminal } = io;
  const onTerminal = terminal.stdin !== undefined || terminal.stdout !== undefined;
  const kind = request.mcp === 'stdio' ? 'server' : onTerminal ? 'terminal' : 'none';
  const releases = [forwardSignals(io.signals, steering, kind), () => steering.release()];
  if (request.tty) {
    const keys = request.interactive ? terminal.stdin : undefined;
    const taken: TerminalLease = takeTerminal(keys, terminal.stdout, (size) => steering.resize(size));
    releases.push(() => taken.restore());
  }
  if (request.interactive) {
    const onEnd = (): void => {
      ended();
      if (request.mcp === 'stdio') steering.stopAfter(MCP_GRACE_MS, MCP_KILL_MS);
    };
    releases.push(forwardInput(io.stdin, stdin, onEnd));
  }
  return () => {
    for (const release of releases) release();
  };
}

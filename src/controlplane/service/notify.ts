import { execFile } from 'node:child_process';

import type { Clock, Logger } from '../../core/ports.ts';

/** Sends state lines to the service manager. */
export type SendState = (...states: readonly string[]) => void;

/** Tells the service manager how the service is (sd_notify(3)); does nothing where none asked to be told. */
export interface ServiceManager {
  /** The service answers on its socket; `status` is asked for a line for `systemctl status` now and at each sign of life. */
  ready(status: () => string): void;
  stopping(): void;
}

interface ServiceManagerOptions {
  /** Environment of the process: `NOTIFY_SOCKET`, `WATCHDOG_USEC`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly send: SendState;
}

const silent: ServiceManager = { ready: () => undefined, stopping: () => undefined };

/**
 * The service manager of this process. From `ready` on it is told twice in every watchdog period that the event loop
 * turns, as sd_watchdog_enabled(3) advises.
 */
export function serviceManager({ env, clock, send }: ServiceManagerOptions): ServiceManager {
  if (env['NOTIFY_SOCKET'] === undefined) return silent;
  const period = Number(env['WATCHDOG_USEC'] ?? 0) / 1000 / 2;
  let cancel: (() => void) | undefined;
  return {
    ready: (status) => {
      const keepAlive = (): void => {
        send('WATCHDOG=1', `STATUS=${status()}`);
        cancel = clock.after(period, keepAlive);
      };
      send('READY=1', `STATUS=${status()}`);
      if (period > 0) cancel = clock.after(period, keepAlive);
    },
    stopping: () => {
      cancel?.();
      send('STOPPING=1');
    },
  };
}

/** Sends by systemd's own program: Node has no datagram Unix sockets. The unit allows it with `NotifyAccess=all`. */
export function systemdNotify(logger: Logger): SendState {
  return (...states) => {
    const child = execFile('systemd-notify', [...states], (error) => {
      if (error !== null) logger.warn('systemd-notify failed', { states, error: error.message });
    });
    child.unref();
  };
}

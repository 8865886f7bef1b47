import { describe, expect, test } from 'vitest';

import { serviceManager } from './notify.ts';

/** A clock whose one timer is fired by hand. */
function handClock() {
  const timers: { ms: number; fn: () => void }[] = [];
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    after: (ms: number, fn: () => void) => {
      const timer = { ms, fn };
      timers.push(timer);
      return () => {
        timers.splice(timers.indexOf(timer), 1);
      };
    },
  };
  return { clock, timers };
}

describe('the service manager', () => {
  test('hears nothing where none asked', () => {
    const sent: string[][] = [];
    const manager = serviceManager({ env: {}, clock: handClock().clock, send: (...states) => sent.push([...states]) });
    manager.ready(() => 'up');
    manager.stopping();
    expect(sent).toEqual([]);
  });

  test('hears that the service is ready, then twice a watchdog period that it lives, until it stops', () => {
    const sent: string[][] = [];
    const { clock, timers } = handClock();
    const env = { NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '30000000' };
    const manager = serviceManager({ env, clock, send: (...states) => sent.push([...states]) });
    let policy = 'free 1';
    manager.ready(() => policy);
    policy = 'free 2';
    expect(timers.map(({ ms }) => ms)).toEqual([15_000]);
    timers.shift()?.fn();
    manager.stopping();
    expect(timers).toEqual([]);
    expect(sent).toEqual([['READY=1', 'STATUS=free 1'], ['WATCHDOG=1', 'STATUS=free 2'], ['STOPPING=1']]);
  });

  test('sends no keep-alive without a watchdog', () => {
    const { clock, timers } = handClock();
    serviceManager({ env: { NOTIFY_SOCKET: '/run/notify' }, clock, send: () => undefined }).ready(() => 'x');
    expect(timers).toEqual([]);
  });
});

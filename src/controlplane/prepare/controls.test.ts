import { describe, expect, test } from 'vitest';

import type { Policy } from '../../policy/index.ts';
import { type Absences, degradedControls, requestedControls, runAbsences } from './controls.ts';

const base = { policy_id: 'p', version: 1 } satisfies Policy;
const reason = 'not built yet';
const NONE: Absences = {
  js_sensor: reason,
  python_sensor: reason,
  gateway: reason,
  'gateway.client': reason,
  langchain: reason,
  crewai: reason,
  a2a: reason,
  llm: reason,
  exec: reason,
  network: reason,
};

describe('requested controls', () => {
  test('are none where the policy is silent', () => {
    expect([...requestedControls(base, undefined)]).toEqual([]);
  });

  test('are enforced when any part of the section is', () => {
    const policy: Policy = { ...base, js_sensor: { mcp: { server: { remediate: true } } }, exec: { remediate: false } };
    expect([...requestedControls(policy, undefined)]).toEqual([
      ['js_sensor', 'enforce'],
      ['exec', 'observe'],
    ]);
  });

  test('are not there when the section is off', () => {
    const policy: Policy = { ...base, exec: { enable: false, remediate: true } };
    expect([...requestedControls(policy, undefined)]).toEqual([]);
  });

  test("tell what a gateway is asked of a client's side, which it does not have, from the rest", () => {
    const gateway = { remediate: true, mcp: { http_servers: { deny_http: true }, server: { remediate: true } } };
    expect([...requestedControls({ ...base, gateway }, undefined)]).toEqual([
      ['gateway', 'enforce'],
      ['gateway.client', 'enforce'],
    ]);
    const { server } = gateway.mcp;
    expect([...requestedControls({ ...base, gateway: { mcp: { server } } }, undefined)]).toEqual([
      ['gateway', 'enforce'],
    ]);
  });

  test('count a network config only when the run chose it', () => {
    const policy: Policy = { ...base, network: { web: { remediate: true } } };
    expect([...requestedControls(policy, undefined)]).toEqual([]);
    expect([...requestedControls(policy, 'web')]).toEqual([['network', 'enforce']]);
  });
});

describe('CP-04: what is not in force here', () => {
  const exec = new Map([['exec', 'enforce']] as const);

  test('is refused by name', () => {
    expect(() => degradedControls(exec, NONE, [])).toThrow(
      expect.objectContaining({ code: 'CONTROL_UNENFORCEABLE', pointer: '/exec' }),
    );
  });

  test('is accepted when the user names it, and only then', () => {
    expect(() => degradedControls(exec, NONE, ['network'])).toThrow(/exec/);
    expect(degradedControls(exec, NONE, ['exec'])).toEqual([
      { control: 'exec', reason: 'not built yet', consent: 'allowed' },
    ]);
  });

  test('is listed when it was only to be observed', () => {
    expect(degradedControls(new Map([['exec', 'observe']] as const), NONE, [])).toEqual([
      { control: 'exec', reason: 'not built yet', consent: 'observe' },
    ]);
  });

  test('is not degraded when it is in force', () => {
    expect(degradedControls(exec, { ...NONE, exec: undefined }, ['exec'])).toEqual([]);
  });

  test('is the gateway of a run that does not say what it speaks', () => {
    const gateway = new Map([['gateway', 'enforce']] as const);
    const present = { ...NONE, gateway: undefined };
    expect(() => degradedControls(gateway, runAbsences(present, {}), [])).toThrow(/gateway.*--mcp stdio/s);
    expect(degradedControls(gateway, runAbsences(present, { mcp: 'stdio' }), [])).toEqual([]);
    expect(() => degradedControls(gateway, runAbsences(NONE, { mcp: 'stdio' }), [])).toThrow(/not built yet/);
  });

  test('can not be a control that does not exist', () => {
    expect(() => degradedControls(exec, NONE, ['exce'])).toThrow(expect.objectContaining({ code: 'CONTROL_UNKNOWN' }));
  });
});

/** The process under test: emits a {@link Load} and reports. Arguments: the load's fields, in their order. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Load, Report } from './load.ts';
import { openTelemetrySubject, ucpSubject } from './subjects.ts';

const [subjectName, url = '', stateDir = '', rate, seconds, drain] = process.argv.slice(2);
const load: Load = {
  subject: subjectName === 'ucp' ? 'ucp' : 'opentelemetry',
  url,
  stateDir,
  rate: Number(rate),
  seconds: Number(seconds),
  drain: Number(drain),
};
const subject = await (load.subject === 'ucp' ? ucpSubject(load) : openTelemetrySubject(load));

const start = performance.now();
const late: number[] = [];
let sent = 0;
for (let due = start; sent < load.rate * load.seconds;) {
  due += 5;
  const pause = Math.max(1, due - performance.now());
  const before = performance.now();
  await sleep(pause);
  late.push(Math.max(0, performance.now() - before - pause));
  const wanted = Math.min(load.rate * load.seconds, Math.floor(((performance.now() - start) / 1000) * load.rate));
  // At most a tenth of a second's worth at once: a late turn must not become a burst of its own.
  for (const end = Math.min(wanted, sent + load.rate / 10); sent < end;) subject.emit(++sent);
}
const took = (performance.now() - start) / 1000;
process.stderr.write('emitted\n');
const lost = await subject.finish(load.drain * 1000);

const critical = Math.floor(sent / 100);
const report: Report = {
  emitted: { critical, normal: sent - critical },
  took,
  peakRss: process.resourceUsage().maxRSS * 1024,
  lag: late.sort((a, b) => a - b)[Math.floor(late.length * 0.99)] ?? 0,
  lost,
};
process.stdout.write(`${JSON.stringify(report)}\n`);
process.exit(0);

/** What a program loads before itself, or runs as itself: says whether the sensor is in force already. */
const { isMainThread, parentPort } = require('node:worker_threads');

const inForce = globalThis.__ucpT !== undefined;
if (isMainThread) require('node:fs').writeSync(1, `early ${inForce}\n`);
else parentPort?.postMessage(`early ${inForce}`);

import { INIT_PATH } from '../../core/plan.ts';
import type { HealthcheckFacts } from '../../engine/engine.ts';

/** What the container spec takes. */
export interface Healthcheck {
  Test: string[];
  Interval?: number;
  Timeout?: number;
  StartPeriod?: number;
  Retries?: number;
}

/**
 * An image's HEALTHCHECK through `ucp-init`, which refuses it before `go` (EX-22: the engine starts it as soon as the
 * container runs). Undefined when the image has none.
 */
export function gatedHealthcheck(image: HealthcheckFacts | undefined): Healthcheck | undefined {
  const [kind, ...rest] = image?.Test ?? [];
  if (image === undefined || kind === undefined || kind === 'NONE') return undefined;
  const command = kind === 'CMD-SHELL' ? ['/bin/sh', '-c', ...rest] : rest;
  const { Interval, Timeout, StartPeriod, Retries } = image;
  return {
    Test: ['CMD', INIT_PATH, 'healthcheck', ...command],
    ...(Interval === undefined ? {} : { Interval }),
    ...(Timeout === undefined ? {} : { Timeout }),
    ...(StartPeriod === undefined ? {} : { StartPeriod }),
    ...(Retries === undefined ? {} : { Retries }),
  };
}

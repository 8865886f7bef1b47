import type { ContainerCreateOptions } from 'dockerode';

import { LABEL_PREFIX } from '../../core/labels.ts';
import { INIT_PATH, type Plan } from '../../core/plan.ts';
import type { RunRequest } from '../../core/run-request.ts';
import type { ImageFacts } from '../../engine/engine.ts';
import { workload } from './command.ts';
import { mergeEnvironment } from './environment.ts';
import { gatedHealthcheck } from './healthcheck.ts';
import { compileHostConfig, type SpecEngine } from './host-config.ts';
import { compilePorts } from './ports.ts';

/** A compiled sandbox. */
export interface CompiledSpec {
  readonly spec: ContainerCreateOptions;
  /** Injection hooks of the image that do not reach the workload. */
  readonly droppedEnv: readonly string[];
}

/**
 * Compiles what the control plane decided, what the user asked for and what the image says into the one container
 * spec. Pure; widens nothing of the plan. Throws IMAGE_NO_COMMAND.
 */
export function compileSpec(plan: Plan, request: RunRequest, image: ImageFacts, engine: SpecEngine): CompiledSpec {
  const { env, dropped } = mergeEnvironment(plan, image.env);
  const healthcheck = gatedHealthcheck(image.healthcheck);
  const attached = request.mode === 'attached';
  const spec: ContainerCreateOptions = {
    name: plan.name,
    ...(request.platform === undefined ? {} : { platform: request.platform }),
    // By id: a tag may move between inspection and creation (CT-09).
    Image: image.id,
    Entrypoint: [INIT_PATH],
    Cmd: [...workload(request, image)],
    Env: [...env],
    Labels: { ...blankedLabels(image), ...plan.labels },
    ...(plan.user === undefined ? {} : { User: plan.user }),
    ...(request.workdir === undefined ? {} : { WorkingDir: request.workdir }),
    ...(request.hostname === undefined || !plan.namespaces.uts ? {} : { Hostname: request.hostname }),
    ...(request.stopTimeout === undefined ? {} : { StopTimeout: request.stopTimeout }),
    ...(healthcheck === undefined ? {} : { Healthcheck: healthcheck }),
    ExposedPorts: compilePorts(request.ports).exposed,
    Tty: request.tty,
    OpenStdin: request.interactive,
    StdinOnce: request.interactive && attached,
    AttachStdin: request.interactive && attached,
    AttachStdout: attached,
    AttachStderr: attached,
    HostConfig: compileHostConfig(plan, request, engine),
  };
  return { spec, droppedEnv: dropped };
}

/** The engine copies an image's labels to the container: those that look like ours are emptied (CT-03). */
function blankedLabels(image: ImageFacts): Record<string, string> {
  const reserved = Object.keys(image.labels).filter((key) => key.startsWith(LABEL_PREFIX));
  return Object.fromEntries(reserved.map((key) => [key, '']));
}

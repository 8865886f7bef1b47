import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = 'sensors/python';
const TARGET = 'dist/sensors/python';

/**
 * Copies the Python sensor to dist/sensors/python as sandboxes mount it: `site/` for PYTHONPATH and, beside it, the
 * package that `site/sitecustomize.py` loads. The directory itself works on PYTHONPATH too. Sources only: interpreters
 * of any version run them.
 */
export function buildPythonSensor(): void {
  rmSync(TARGET, { recursive: true, force: true });
  for (const directory of ['site', 'ucp_sensor']) {
    cpSync(join(SOURCE, directory), join(TARGET, directory), {
      recursive: true,
      filter: (path) => !path.includes('__pycache__'),
    });
  }
  cpSync(join(SOURCE, 'site/sitecustomize.py'), join(TARGET, 'sitecustomize.py'));
}

if (import.meta.main) buildPythonSensor();

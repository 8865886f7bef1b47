import type { JsonObject } from '../../core/json.ts';
import type { HelperLink } from '../helper/link.ts';

/** As much of a helper as a control needs. */
export interface ControlHelper {
  link(): Promise<HelperLink>;
  /** The connection to one that lives already, also of an earlier control plane; none is started. */
  existing(): Promise<HelperLink | undefined>;
  onEvent(listener: (event: JsonObject) => void): void;
  onRestart(listener: (link: HelperLink) => Promise<void>): void;
}

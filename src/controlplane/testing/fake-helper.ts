import type { UcpError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { HelperLink } from '../helper/link.ts';

/** A helper in memory: what was asked of it, and what it says. */
export class FakeHelper {
  readonly asked: { op: string; params: JsonObject }[] = [];
  greeting: JsonObject = { sandboxes: [] };
  /** To every request. */
  answer: JsonObject = {};
  refuses: UcpError | undefined;
  /** The next request alone. */
  refusesOnce: UcpError | undefined;
  say: (event: JsonObject) => void = () => undefined;
  restart: (link: HelperLink) => Promise<void> = async () => undefined;

  async link(): Promise<HelperLink> {
    return {
      open: true,
      greeting: this.greeting,
      closed: new Promise(() => undefined),
      request: async (op, params) => {
        this.asked.push({ op, params });
        const refused = this.refusesOnce ?? this.refuses;
        this.refusesOnce = undefined;
        if (refused !== undefined) throw refused;
        return this.answer;
      },
    };
  }

  existing(): Promise<HelperLink> {
    return this.link();
  }

  onEvent(listener: (event: JsonObject) => void): void {
    this.say = listener;
  }

  onRestart(listener: (link: HelperLink) => Promise<void>): void {
    this.restart = listener;
  }

  get ops(): readonly string[] {
    return this.asked.map(({ op }) => op);
  }

  rules(at = -1): string {
    const { rules } = this.asked.filter(({ params }) => 'rules' in params).at(at)?.params ?? {};
    return typeof rules === 'string' ? rules : '';
  }
}

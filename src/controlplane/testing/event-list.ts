import type { EventSink, NewEvent } from '../../core/events.ts';

/** Keeps events for a test to look at. */
export class EventList implements EventSink {
  readonly events: NewEvent[] = [];

  emit(event: NewEvent): void {
    this.events.push(event);
  }

  get names(): readonly string[] {
    return this.events.map(({ name }) => name);
  }

  /** `body.action` of the policy lifecycle events. */
  get actions(): readonly unknown[] {
    return this.events.filter(({ name }) => name === 'policy_lifecycle').map(({ body }) => body['action']);
  }
}

import type { McpSide } from '../decide/mcp-rules.ts';
import { isObject, stringAt, type WireObject } from './wire.ts';

/** The three things that a policy names, as its sections are called. */
export type Kind = 'tools' | 'resources' | 'prompts';

/** What a request asks for. */
export interface Asked {
  readonly kind: Kind;
  readonly name: string;
  /** Whether argument patterns apply, too (a completion or subscription has no arguments of the target). */
  readonly call: boolean;
}

/** Requests that a server sends to a client (through 2025-11-25); all others go the other way. */
const TO_CLIENT = new Set(['sampling/createMessage', 'elicitation/create', 'roots/list']);

/** Result keys that list entries, and what names each entry. */
export const LISTS: readonly { readonly key: string; readonly kind: Kind; readonly name: string }[] = [
  { key: 'tools', kind: 'tools', name: 'name' },
  { key: 'resources', kind: 'resources', name: 'uri' },
  { key: 'resourceTemplates', kind: 'resources', name: 'uriTemplate' },
  { key: 'prompts', kind: 'prompts', name: 'name' },
];

/** List requests and the result key each answers with. */
export const LIST_METHODS: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
};

/** The side that decides on a request going out (`out`) or coming in. */
export function sideOf(method: string, out: boolean): McpSide {
  return TO_CLIENT.has(method) === out ? 'server' : 'client';
}

/** What a request of this method asks for, if it names a tool, resource or prompt. */
export function askedBy(method: string, params: WireObject | undefined): Asked | undefined {
  switch (method) {
    case 'tools/call':
      return named('tools', stringAt(params, 'name'), true);
    case 'prompts/get':
      return named('prompts', stringAt(params, 'name'), true);
    case 'resources/read':
      return named('resources', stringAt(params, 'uri'), true);
    case 'resources/subscribe':
      return named('resources', stringAt(params, 'uri'), false);
    case 'completion/complete':
      return completed(params?.['ref']);
    default:
      return undefined;
  }
}

/**
 * The resources that `subscriptions/listen` (2026-07-28) subscribes to, which is where `resources/subscribe` has gone:
 * none for other methods, undefined where they can't be read (the SDKs refuse such a request themselves).
 */
export function listensTo(method: string, params: WireObject | undefined): readonly string[] | undefined {
  if (method !== 'subscriptions/listen') return [];
  const filter = params?.['notifications'];
  const uris = isObject(filter) ? (filter['resourceSubscriptions'] ?? []) : [];
  return Array.isArray(uris) && uris.every((uri) => typeof uri === 'string') ? uris : undefined;
}

/** A completion reaches the same data as the prompt or resource template that it completes. */
function completed(ref: unknown): Asked | undefined {
  if (!isObject(ref)) return undefined;
  if (ref['type'] === 'ref/prompt') return named('prompts', stringAt(ref, 'name'), false);
  return named('resources', stringAt(ref, 'uri'), false);
}

function named(kind: Kind, name: string | undefined, call: boolean): Asked | undefined {
  return name === undefined ? undefined : { kind, name, call };
}

/** A peer chooses the method: only what stands in the table itself counts. */
export function eventOf(method: string): string | undefined {
  return Object.hasOwn(EVENTS, method) ? EVENTS[method] : undefined;
}

/** Name of the event that a finished request becomes. */
const EVENTS: Readonly<Record<string, string>> = {
  initialize: 'mcp_session_started',
  'server/discover': 'mcp_session_started',
  'tools/call': 'mcp_tool_call',
  'tools/list': 'mcp_list',
  'resources/list': 'mcp_list',
  'resources/templates/list': 'mcp_list',
  'prompts/list': 'mcp_list',
  'resources/read': 'mcp_resource_read',
  'resources/subscribe': 'mcp_resource_subscribe',
  'prompts/get': 'mcp_prompt_get',
  'completion/complete': 'mcp_completion',
  'sampling/createMessage': 'mcp_sampling',
  'elicitation/create': 'mcp_elicitation',
  'roots/list': 'mcp_roots_list',
};

import { UcpError } from '../../core/errors.ts';

/** Where events go. */
export interface ExportTarget {
  /** Base URL of an OTLP/HTTP receiver, or the full URL of its logs endpoint. */
  readonly eventUrl: string;
  /** `event_headers`: authentication, tenant, log group. Never logged. */
  readonly headers?: Readonly<Record<string, string>>;
  /** gzip unless a receiver can't take it. */
  readonly compression?: 'gzip' | 'none';
}

/** The URL that logs are posted to: `/v1/logs` is added unless it is there. Throws EVENT_URL. */
export function logsUrl(eventUrl: string): URL {
  const url = URL.canParse(eventUrl) ? new URL(eventUrl) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new UcpError(
      'EVENT_URL',
      `event_url must be an http:// or https:// URL such as http://127.0.0.1:4318, got ${JSON.stringify(eventUrl)}`,
    );
  }
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith('/v1/logs') ? path : `${path}/v1/logs`;
  return url;
}

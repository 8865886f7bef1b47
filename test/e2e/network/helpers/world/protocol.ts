/** A record of the internet's DNS server; `*.` as name stands for every name below that has none of its own. */
export interface ZoneRecord {
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'CNAME' | 'TXT';
  readonly data: string;
  /** Seconds. */
  readonly ttl: number;
}

/** A question that the DNS server was asked. */
export interface Asked {
  /** In lower case. */
  readonly name: string;
  readonly type: string;
  /** `https` is DNS over HTTPS. */
  readonly transport: 'udp' | 'tcp' | 'tls' | 'https';
  /** The address that was asked. */
  readonly server: string;
}

/** Something that arrived at a site. */
export interface Visit {
  readonly kind: 'http' | 'https' | 'stream' | 'udp';
  /** The site's address and port that it came to. */
  readonly address: string;
  readonly port: number;
  /** Where it came from. */
  readonly from: string;
  /** Name and path of a web request; the text of a datagram; `opened` or `closed` of a stream. */
  readonly what: string;
}

/** What the world is told when it starts. */
export interface WorldConfig {
  readonly addresses: readonly string[];
  readonly zone: readonly ZoneRecord[];
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

/** Requests on its standard input, a JSON object a line; each is answered by one of {@link WorldAnswer}. */
export type WorldRequest =
  | { readonly op: 'zone'; readonly zone: readonly ZoneRecord[] }
  | { readonly op: 'silence'; readonly silent: boolean }
  | { readonly op: 'seen' };

/** All that was asked and came since the start. */
export interface WorldAnswer {
  readonly asked: readonly Asked[];
  readonly visits: readonly Visit[];
}

/** Ports of every address, beside 53 (DNS), 80 and 443 (web; 443 is DNS over HTTPS too) and 853 (DNS over TLS). */
export const PORT = {
  /** TCP: says a line at once and then ten a second until the other side closes. */
  stream: 7000,
  /** UDP: what came is sent back. */
  echo: 7001,
  /** TCP: another port that says a line and closes. */
  banner: 22,
} as const;

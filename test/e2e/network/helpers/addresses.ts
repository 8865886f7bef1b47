/** Where things are in the internet of a slot; every address is a documentation one. */
export interface Addresses {
  /** A web site at `v4` and `v6`. */
  readonly allowed: Site;
  /** Another one, in another network. */
  readonly denied: Site;
  /** Its DNS server. */
  readonly resolver: Site;
  /** A public resolver that nobody was told to use; it answers as well as the other. */
  readonly otherResolver: Site;
  /** A computer next to the host, for connections to it. */
  readonly peer: Site;
  /** The host's own address there, the way to everything in it. */
  readonly host: Site;
  /** All of it, as networks. */
  readonly networks: { readonly v4: readonly string[]; readonly v6: string };
}

/** One place by both protocols. */
export interface Site {
  readonly v4: string;
  readonly v6: string;
}

/** The addresses of slot 0 to 15: 16 addresses of each of two networks, and a /48. */
export function addressesOf(slot: number): Addresses {
  const first = (host: number): Site => ({
    v4: `198.51.100.${slot * 16 + host}`,
    v6: `2001:db8:${hex(slot)}::${host}`,
  });
  const second = (host: number): Site => ({
    v4: `203.0.113.${slot * 16 + host}`,
    v6: `2001:db8:${hex(slot)}:1::${host}`,
  });
  return {
    allowed: first(1),
    resolver: first(5),
    peer: first(9),
    host: first(14),
    denied: second(1),
    otherResolver: second(5),
    networks: { v4: [`198.51.100.${slot * 16}/28`, `203.0.113.${slot * 16}/28`], v6: `2001:db8:${hex(slot)}::/48` },
  };
}

function hex(slot: number): string {
  return (0xa0 + slot).toString(16);
}

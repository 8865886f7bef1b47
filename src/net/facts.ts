/** A port of the container as the engine publishes it. */
export interface PublishedPort {
  /** Host address that it is bound to. */
  readonly address: string;
  readonly hostPort: number;
  readonly containerPort: number;
  readonly protocol: 'tcp' | 'udp';
}

/** What rules need to know of one start of a sandbox. Addresses and CIDR ranges as text. */
export interface NetworkFacts {
  /** Of the container, in its networks. */
  readonly addresses: readonly string[];
  readonly gateways: readonly string[];
  /** Of the networks that the container is in. */
  readonly subnets: readonly string[];
  /** Of the host's interfaces. */
  readonly hostAddresses: readonly string[];
  readonly ports: readonly PublishedPort[];
}

/** An address that a name stood for when it was asked, and until when that holds. */
export interface LearntElement {
  readonly address: string;
  readonly rule: number;
  readonly timeoutSeconds: number;
}

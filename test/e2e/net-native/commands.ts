/** What a process in a network namespace can be told to do; bytes are in base64. */
export type Command =
  | { readonly do: 'sh'; readonly script: string }
  | {
      readonly do: 'tcp';
      readonly address: string;
      readonly port: number;
      readonly data: string;
      /** Ends when so many bytes came. */
      readonly until: number;
      /** Says at once that nothing more is sent. */
      readonly end?: boolean;
      readonly ms?: number;
    }
  | {
      readonly do: 'udp';
      readonly address: string;
      readonly port: number;
      readonly packets: readonly string[];
      /** Each goes to the port above the one before. */
      readonly spread?: boolean;
      /** Ends when so many datagrams came. */
      readonly count: number;
      readonly ms?: number;
    }
  | { readonly do: 'serve'; readonly address: string; readonly port: number; readonly answer: string }
  | { readonly do: 'hold'; readonly address: string; readonly port: number }
  | { readonly do: 'streams' };

/** What came of it; `error` is '' when there was none. */
export interface Result {
  readonly got: readonly string[];
  readonly error: string;
}

/** A DNS query for a name: one question, type A. */
export function query(name: string, id = 1): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(0x0100, 2);
  header.writeUInt16BE(1, 4);
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([header, ...labels, Buffer.from([0, 0, 1, 0, 1])]);
}

/** A response to it, of no use but to be told from others: what follows the question is `text`. */
export function response(question: Buffer, text: string): Buffer {
  const packet = Buffer.concat([question, Buffer.from(text)]);
  packet.writeUInt16BE(0x8180, 2);
  return packet;
}

/** The same query as SERVFAIL. */
export function failure(question: Buffer): Buffer {
  const packet = Buffer.from(question);
  packet.writeUInt16BE(0x8182, 2);
  return packet;
}

/** As TCP carries it. */
export function framed(packet: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(packet.length);
  return Buffer.concat([length, packet]);
}

export const base64 = (bytes: Buffer): string => bytes.toString('base64');

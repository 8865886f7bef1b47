/** Ids of events: unique across processes and threads, made without loading a crypto library into the program. */
export function idMaker(pid: number): () => string {
  const seed = Math.floor(Math.random() * 2 ** 48).toString(36);
  const prefix = `${Date.now().toString(36)}-${pid.toString(36)}-${seed}`;
  let count = 0;
  return () => `${prefix}-${(count++).toString(36)}`;
}

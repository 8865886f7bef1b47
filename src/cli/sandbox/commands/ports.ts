import { findSandbox, type Session } from './session.ts';

/** `ports`: the ports of sandboxes and the addresses of the host where they are reachable. */
export async function ports(session: Session, names: readonly string[]): Promise<void> {
  const shown: { readonly name: string; readonly port: string; readonly address: string }[] = [];
  for (const wanted of names) {
    const { containerId, name } = await findSandbox(session, wanted);
    const network = await session.engine.network(containerId);
    for (const { address, hostPort, containerPort, protocol } of network?.ports ?? []) {
      const host = address.includes(':') ? `[${address}]` : address;
      shown.push({ name, port: `${containerPort}/${protocol}`, address: `${host}:${hostPort}` });
    }
  }
  session.output.answer(shown, () =>
    shown.map(({ name, port, address }) => `${names.length > 1 ? `${name} ` : ''}${port} -> ${address}`).join('\n'),
  );
}

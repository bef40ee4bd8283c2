import { setTimeout as delay } from 'node:timers/promises';
import { startEtcd, type EtcdMember, type EtcdServers } from '../../fixtures/etcdServers.js';
import type { PeerNetwork } from './peerNetwork.js';

const memberCount = 3;
const askTimeoutMs = 2_000;
const pollMs = 100;
/** etcd's form of a range over all keys. */
const allKeys = { key: 'AA==', range_end: 'AA==' };

interface Status {
  readonly header: { readonly member_id: string; readonly revision?: string };
  readonly leader?: string;
}

interface WatchLine {
  readonly result?: { readonly compact_revision?: string; readonly events?: readonly object[] };
}

/** An etcd of three members below the servers, linked by the test's network. Checks use etcd's JSON gateway directly. */
export class EtcdGroup {
  readonly #servers: EtcdServers;

  private constructor(servers: EtcdServers) {
    this.#servers = servers;
  }

  /** `tell` receives the members before they call each other. */
  static async start(
    network: PeerNetwork,
    log: (name: string) => string,
    tell: (members: readonly EtcdMember[]) => void,
  ): Promise<EtcdGroup> {
    const through = async (name: string, ports: EtcdMember['ports']): Promise<EtcdMember['ports']> => ({
      peer: portOf(await network.add(name, ports.peer, `${name} peer`)),
      client: portOf(await network.add(name, ports.client, `${name} client`)),
    });
    return new EtcdGroup(await startEtcd({ members: memberCount, through, log, begun: tell }));
  }

  get members(): readonly EtcdMember[] {
    return this.#servers.members;
  }

  /** URLs for API servers. */
  get urls(): readonly string[] {
    return this.#servers.urls;
  }

  async stop(): Promise<void> {
    await this.#servers.stop();
  }

  /** The leader according to an answering member that is not one of `deaf`; null if there is none. */
  async leader(deaf: readonly string[] = []): Promise<EtcdMember | null> {
    const answers = await Promise.all(
      this.members.map(async (member) => ({ member, status: (await ask(member, 'maintenance/status', {})) as Status | null })),
    );
    const named = answers.find(({ member, status }) => !deaf.includes(member.name) && status?.leader !== undefined && status.leader !== '0')
      ?.status?.leader;
    return answers.find(({ status }) => status?.header.member_id === named && named !== undefined)?.member ?? null;
  }

  async put(key: string): Promise<boolean> {
    const text = Buffer.from(key).toString('base64');
    for (const member of this.members) if ((await ask(member, 'kv/put', { key: text, value: text })) !== null) return true;
    return false;
  }

  /** Compacts to the present; null when no member could. */
  async compact(): Promise<number | null> {
    for (const member of this.members) {
      const revision = await newest(member);
      if (revision !== null && (await ask(member, 'kv/compaction', { revision })) !== null) return revision;
    }
    return null;
  }

  /** Defragments a member, which answers nothing meanwhile. */
  async defragment(member: EtcdMember): Promise<boolean> {
    return (await ask(member, 'maintenance/defragment', {})) !== null;
  }

  /** The highest compacted revision of any member; null while none answers for a majority. */
  async compacted(): Promise<number | null> {
    const known = await Promise.all(this.members.map(compactedOn));
    const revisions = known.filter((revision) => revision !== null);
    return revisions.length === 0 ? null : Math.max(...revisions);
  }

  /** Returns whether every member answers for a majority within the time. */
  async whole(timeoutMs: number): Promise<boolean> {
    for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await delay(pollMs))
      if ((await Promise.all(this.members.map(newest))).every((revision) => revision !== null)) return true;
    return false;
  }
}

const portOf = (address: string): number => Number(address.split(':').at(-1));

const post = (member: EtcdMember, path: string, body: object, signal: AbortSignal): Promise<Response> =>
  fetch(`http://127.0.0.1:${member.ports.client}/v3/${path}`, { method: 'POST', body: JSON.stringify(body), signal });

async function ask(member: EtcdMember, path: string, body: object): Promise<unknown> {
  try {
    const answer = await post(member, path, body, AbortSignal.timeout(askTimeoutMs));
    const value: unknown = await answer.json();
    return answer.ok ? value : null;
  } catch {
    return null;
  }
}

/** By a majority. */
async function newest(member: EtcdMember): Promise<number | null> {
  const answer = (await ask(member, 'kv/range', { ...allKeys, count_only: true })) as { readonly header?: Status['header'] } | null;
  return answer?.header?.revision === undefined ? null : Number(answer.header.revision);
}

/** etcd reports its compacted revision to a watch from revision 1. The read ensures that the member is up to date. */
async function compactedOn(member: EtcdMember): Promise<number | null> {
  if ((await newest(member)) === null) return null;
  const end = new AbortController();
  const signal = AbortSignal.any([end.signal, AbortSignal.timeout(askTimeoutMs)]);
  try {
    const { body } = await post(member, 'watch', { create_request: { ...allKeys, start_revision: '1' } }, signal);
    let text = '';
    for await (const piece of body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(piece).toString();
      for (const line of text.split('\n').slice(0, -1)) {
        const { result } = JSON.parse(line) as WatchLine;
        if (result?.compact_revision !== undefined) return Number(result.compact_revision);
        if (result?.events !== undefined) return 0;
      }
    }
    return null;
  } catch {
    return null;
  } finally {
    end.abort();
  }
}

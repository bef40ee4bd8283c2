import { expect } from 'chai';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ManagedProcess } from '../../deploy/managedProcess.js';
import { ensurePki } from '../../deploy/pki.js';
import { findFreePorts } from '../../deploy/ports.js';
import { ApiClient } from '../fixtures/apiClient.js';
import type { ClusterUnderTest } from './clusterUnderTest.js';
import { programFile } from '../../deploy/programs.js';

/** An operator's commands, additional servers, and waits. */

const program = programFile('apiserver');
export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `apiserver WORDS` to its end. */
export function apiserver(...words: readonly string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...words], { encoding: 'utf8' }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });
}

/** Returns its output; fails unless it ends with 0. */
export async function succeed(...words: readonly string[]): Promise<string> {
  const { code, out, err } = await apiserver(...words);
  expect(code, `apiserver ${words.join(' ')}: ${err}`).to.equal(0);
  return out;
}

export interface Beside {
  readonly process: ManagedProcess;
  readonly client: ApiClient;
  readonly peerAddress: string;
}

/** An additional API server, with another's flags and these changes. */
export async function beside(cluster: ClusterUnderTest, id: string, changes: Readonly<Record<string, string>>): Promise<Beside> {
  const { members, pki, dataDirectory } = cluster.cluster;
  const [securePort = 0, peerPort = 0] = await findFreePorts(2);
  const peer = (await ensurePki(path.dirname(pki.caFile), [...members.map((member) => member.id), id])).peer(id);
  const peerAddress = `127.0.0.1:${peerPort}`;
  const own: Readonly<Record<string, string>> = {
    'secure-port': String(securePort),
    'raft-member-id': id,
    'raft-listen-address': peerAddress,
    'raft-cert-file': peer.certFile,
    'raft-key-file': peer.keyFile,
    'raft-data-dir': path.join(dataDirectory, 'data', id),
    'raft-initial-cluster': [...members.map((member) => `${member.id}=${member.peerAddress}`), `${id}=${peerAddress}`].join(','),
    ...changes,
  };
  // An own token replaces the shared token file.
  const replaced = [...Object.keys(own), ...('raft-cluster-token' in own ? ['raft-cluster-token-file'] : [])];
  const given = members[0]!.process.spec.args.filter((flag) => !replaced.some((name) => flag.startsWith(`--${name}=`)));
  const address = `https://127.0.0.1:${securePort}`;
  const process = new ManagedProcess({
    role: 'apiserver',
    name: id,
    program,
    address,
    log: path.join(dataDirectory, 'logs', `${id}.log`),
    args: [...given, ...Object.entries(own).map(([name, value]) => `--${name}=${value}`)],
  });
  return { process, client: new ApiClient(address, cluster.cluster), peerAddress };
}

const pollMs = 50;
const pollsMax = 3_600;

export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let polls = 0; polls < pollsMax; polls++) {
    if (await holds()) return;
    await delay(pollMs);
  }
  throw new Error(`${what} did not come true`);
}

export async function ready(client: ApiClient): Promise<void> {
  await until('readiness', async () => (await client.request('GET', '/readyz').catch(() => null))?.status === 200);
}

/**
 * The control plane inside a test: real API servers, over HTTPS, on free ports of loopback, with everything they need in a temporary folder.
 * Start with `docs/testing-operators.md`.
 *
 *     import { startApiServer } from 'raftplane/testing';
 *     await using server = await startApiServer();
 * @module raftplane/testing
 */
import fs from 'node:fs';
import path from 'node:path';
import { startCluster as startPrograms, type Cluster } from '../cluster.js';
import { makeFolder } from '../files.js';
import { programFile } from '../programs.js';
import type { ReplicaCount } from '../settings.js';
import { auditFlags, auditPolicy } from './auditLog.js';
import { makeTemporaryFolder } from './folder.js';
import { TestCluster } from './testCluster.js';

export type { AuditedRequest } from './auditLog.js';
export type { ArmedFailure, Failure, RequestMatch } from './failures.js';
export type { ClientConfig } from './identity.js';
export type { TestMember } from './member.js';
export type { TestClock } from './testCluster.js';
export type { ApplyOptions, Manifests, ObjectReference, Wanted } from './objects.js';
export { TestCluster, type PolicyRule, type UserTerms } from './testCluster.js';
export { eventually, NotInTime, type WaitOptions } from './waiting.js';
export type { AdmissionHandler, AdmissionRequest, AdmissionVerdict, ServedWebhook } from './webhook.js';

export interface ServerOptions {
  /** Threads of this process (the default), or processes of their own: needed for nothing but a member's death by a real SIGKILL. */
  readonly inProcess?: boolean;
  /** The controller manager beside it, which deletes namespaces, collects garbage, and makes pods of deployments. */
  readonly controllers?: boolean;
  /** Stand-in nodes, on which pods seem to run; they need `controllers` for most of what one wants of them. None unless given. */
  readonly nodes?: number;
  /** Where everything is kept, and stays after `stop`; a temporary folder that goes away unless given (in memory where there is room, unless `TMPDIR` names a place). */
  readonly directory?: string;
  /** Of the one address for clients; any free one unless given. */
  readonly port?: number;
  /** Keep a record of requests for `audit()`; true unless given. */
  readonly audit?: boolean;
  /** Further flags for each API server, such as `--feature-gates=…`. */
  readonly apiserverFlags?: readonly string[];
  /** Further flags for the controller manager. */
  readonly managerFlags?: readonly string[];
  /** Gives up a start that is under way. */
  readonly signal?: AbortSignal;
}

export interface ClusterOptions extends ServerOptions {
  /** API servers that replicate among themselves; three unless given. */
  readonly replicas?: ReplicaCount;
}

/** One API server, without controllers unless asked for: what most tests of an operator need. Rejects with the end of its log when it does not start. */
export function startApiServer(options: ServerOptions = {}): Promise<TestCluster> {
  return start({ controllers: false, ...options, replicas: 1 });
}

/** API servers that replicate among themselves behind one address, with the controller manager: to see what your operator does when the leader dies. */
export function startCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  return start({ controllers: true, replicas: 3, ...options });
}

async function start(options: ClusterOptions & { readonly replicas: ReplicaCount }): Promise<TestCluster> {
  const isTemporary = options.directory === undefined;
  const directory = options.directory ?? makeTemporaryFolder();
  const forget = isTemporary ? removeAtExit(directory) : () => undefined;
  try {
    return await startIn(directory, isTemporary, forget, options);
  } catch (error) {
    forget();
    if (isTemporary) fs.rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

async function startIn(
  directory: string,
  isTemporary: boolean,
  forget: () => void,
  options: ClusterOptions & { readonly replicas: ReplicaCount },
): Promise<TestCluster> {
  const {
    replicas,
    controllers,
    nodes = 0,
    audit = true,
    inProcess = true,
    apiserverFlags = [],
    managerFlags = [],
    port,
    signal,
  } = options;
  const policy = path.join(directory, 'audit-policy.json');
  const auditLog = (id: string): string => path.join(directory, 'logs', `audit-${id}.log`);
  const faults = path.join(directory, 'faults');
  // Of an earlier cluster in the same folder nothing is in force.
  fs.rmSync(faults, { recursive: true, force: true });
  makeFolder(faults);
  if (audit) fs.writeFileSync(policy, auditPolicy);
  let cluster: TestCluster | null = null;
  const programs: Cluster = await startPrograms({
    dataDirectory: directory,
    replicas,
    port,
    inProcess,
    signal,
    fakeNodes: nodes,
    tokenKeys: 'ec',
    balancer: replicas > 1 || port !== undefined,
    managers: controllers ? 1 : 0,
    managersServe: false,
    apiserverPreload: programFile('memberFaults'),
    clientPreload: programFile('clientFaults'),
    apiserverFlags: (id) => [...(audit ? auditFlags(policy, { logFile: auditLog(id) }) : []), ...apiserverFlags],
    // One alone needs no lease, and one that comes back need not wait for it.
    managerFlags: ['--leader-elect=false', ...managerFlags],
    onMessage: ({ spec }, message) => cluster?.heard(spec.name, message),
  });
  cluster = new TestCluster(programs, {
    directory,
    isTemporary,
    forget,
    faults,
    auditLogs: audit ? programs.members.map(({ id }) => auditLog(id)) : [],
  });
  try {
    await cluster.begin();
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** For a test process that ends without `stop`: its threads end with it, and its processes by their leash; the folder would stay. */
function removeAtExit(directory: string): () => void {
  const remove = (): void => fs.rmSync(directory, { recursive: true, force: true });
  process.once('exit', remove);
  return () => {
    process.off('exit', remove);
  };
}

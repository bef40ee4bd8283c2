/**
 * The control plane inside a test: real API servers, over HTTPS, on free ports of loopback, with all files in a temporary folder. Start with
 * `docs/testing-operators.md`.
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

export { explore, type Exploration, type ExploredCluster, type ExploreOptions, type Finding, type Progress } from './explore/explore.js';
export type { Change, Edit } from './explore/change.js';
export type { Perturbation, Plan } from './explore/perturbation.js';
export { CommandOperator, type CommandTerms, type Operator, type OperatorConfig } from './explore/operator.js';
export { readPlan, writePlan } from './explore/planFile.js';
export { reportText } from './explore/report.js';
export { reportHtml } from './explore/reportHtml.js';
export { reportJunit } from './explore/reportJunit.js';
export { readScenario, type ScenarioStep } from './explore/scenario.js';
export type { AuditedRequest } from './auditLog.js';
export type { ArmedFailure, Failure, RequestMatch } from './failures.js';
export type { ClientConfig } from './identity.js';
export type { TestMember } from './member.js';
export type { TestClock } from './testCluster.js';
export type { ApplyOptions, DeletionOptions, Manifests, PatchOptions, Wanted } from './objects.js';
export type { KindReference, ObjectOf, ObjectReference, ObjectsOf } from './typed.js';
export type { Kinds } from '../../api/types/kinds.js';
export { TestCluster, type PolicyRule, type UserTerms } from './testCluster.js';
export { eventually, NotInTime, type WaitOptions } from './waiting.js';
export type { AdmissionHandler, AdmissionRequest, AdmissionVerdict, ConversionHandler, ServedWebhook, WebhookHandlers } from './webhook.js';
export type { WebhookAddress } from './webhookManifests.js';

export interface ServerOptions {
  /** Runs members in threads of this process (default) or, when false, in separate processes: only needed to kill a member by SIGKILL. */
  readonly inProcess?: boolean;
  /** Runs the controller manager, which deletes namespaces, collects garbage, and makes pods of deployments. */
  readonly controllers?: boolean;
  /** Number of simulated nodes, which appear to run pods; most uses need `controllers`. Default 0. */
  readonly nodes?: number;
  /** Folder of all files, which stays after `stop`. By default a temporary folder (in memory where there is room, unless `TMPDIR` is set), which is removed. */
  readonly directory?: string;
  readonly port?: number;
  /** Records requests for `audit()`; true by default. */
  readonly audit?: boolean;
  /** Further flags for each API server, such as `--feature-gates=…`. */
  readonly apiserverFlags?: readonly string[];
  readonly managerFlags?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface ClusterOptions extends ServerOptions {
  /** Number of replicated API servers; three by default. */
  readonly replicas?: ReplicaCount;
}

/** Starts one API server, by default without controllers, as most operator tests need it. Rejects with the end of its log when the start fails. */
export function startApiServer(options: ServerOptions = {}): Promise<TestCluster> {
  return start({ controllers: false, ...options, replicas: 1 });
}

/** Starts replicated API servers behind one address, with the controller manager: for tests of your operator when the leader dies. */
export function startCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  return start({ controllers: true, replicas: 3, ...options });
}

async function start(options: ClusterOptions & { readonly replicas: ReplicaCount }): Promise<TestCluster> {
  if (process.versions['bun'] !== undefined)
    throw new Error('raftplane/testing needs Node: Bun lacks parts of it; run these tests with Node');
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
  // Faults of an earlier cluster in the same folder no longer apply.
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
    apiserverFlags: (id) => [...(audit ? auditFlags(policy, auditLog(id)) : []), ...apiserverFlags],
    // A single manager needs no lease, for which a restarted one would wait.
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

/** Cleans up for a test process that ends without `stop`, which would leave the folder. */
function removeAtExit(directory: string): () => void {
  const remove = (): void => fs.rmSync(directory, { recursive: true, force: true });
  process.once('exit', remove);
  return () => {
    process.off('exit', remove);
  };
}

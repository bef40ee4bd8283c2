import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { ClusterMember, ClusterOptions } from '../../deploy/cluster.js';
import type { KeyAndCertificate } from '../../deploy/certificateRequest.js';
import { issueCertificate } from '../../deploy/certificates.js';
import { ApiClient, type Credentials } from '../fixtures/apiClient.js';
import { processorSeconds, residentBytes } from '../fixtures/processUsage.js';
import { ClusterUnderTest } from '../cluster/clusterUnderTest.js';
import { readCounts, settledCounts, type Counts } from './counts.js';

export type { Counts } from './counts.js';

export interface TargetOptions {
  /** Default 1. */
  readonly replicas?: 1 | 3;
  readonly flags?: readonly string[];
  /** Default 0. */
  readonly managers?: number;
}

/** A user's rights, as in a Role or ClusterRole. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface UserOptions {
  readonly group?: string;
  readonly rules?: readonly Rule[];
  /** Default: cluster-wide. */
  readonly namespace?: string;
}

export interface User extends KeyAndCertificate {
  readonly name: string;
  readonly client: ApiClient;
  /** For `RawHttp1.open`, `RawHttp2.open` and `tls.connect`. */
  readonly wire: { readonly port: number; readonly cert: string; readonly key: string };
}

export interface Account {
  readonly token: string;
  readonly client: ApiClient;
  readonly user: string;
}

/** API servers under attack, from the bundled programs, with credentials for any user. One for each test file; call `stop` in `after`. */
export class Target {
  readonly url: string;
  readonly port: number;
  readonly admin: ApiClient;
  readonly anonymous: ApiClient;
  readonly #clients: ApiClient[] = [];
  /** Clients for the counts of each replica, whose connections they include. */
  readonly #observers = new Map<number, ApiClient>();

  private constructor(readonly cluster: ClusterUnderTest) {
    this.url = this.member().address;
    this.port = Number(new URL(this.url).port);
    this.admin = this.as('admin');
    this.anonymous = this.as('none');
  }

  static async start({ replicas = 1, flags = [], managers = 0 }: TargetOptions = {}): Promise<Target> {
    const options: Partial<ClusterOptions> = { replicas, apiserverFlags: flags, managers };
    return new Target(await ClusterUnderTest.start(options));
  }

  /** The replica with this index; `url`, `port`, `admin` and users' clients go to the first. */
  member(index = 0): ClusterMember {
    const member = this.cluster.members[index];
    if (!member) throw new Error(`no replica ${index}`);
    return member;
  }

  /** A client with these credentials, closed when the target stops. */
  as(credentials: Credentials, address = this.url): ApiClient {
    const client = new ApiClient(address, this.cluster.cluster, credentials);
    this.#clients.push(client);
    return client;
  }

  /** A certificate of the cluster's own authority. */
  async certificate(commonName: string, group?: string, usage: 'clientAuth' | 'serverAuth' = 'clientAuth'): Promise<KeyAndCertificate> {
    const { caFile } = this.cluster.cluster.pki;
    const authority = {
      certificate: fs.readFileSync(caFile, 'utf8'),
      key: fs.readFileSync(path.join(path.dirname(caFile), 'ca.key'), 'utf8'),
    };
    return await issueCertificate(authority, { commonName, ...(group === undefined ? {} : { organization: group }), usages: [usage] });
  }

  /** A user with a certificate, and with the rights that these rules give. */
  async user(name: string, { group, rules = [], namespace }: UserOptions = {}): Promise<User> {
    const pair = await this.certificate(name, group);
    if (rules.length > 0) await this.grant({ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }, rules, namespace);
    const credentials = { cert: pair.certificate, key: pair.key };
    return { ...pair, name, client: this.as(credentials), wire: { port: this.port, ...credentials } };
  }

  /** A service account with these rights, and a token of it. */
  async account(namespace: string, name: string, rules: readonly Rule[] = []): Promise<Account> {
    await this.admin.expect(201, 'POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { body: { metadata: { name } } });
    if (rules.length > 0) await this.grant({ kind: 'ServiceAccount', name, namespace }, rules, namespace);
    const made = await this.admin.expect(201, 'POST', `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, {
      body: { spec: {} },
    });
    const { token } = made.status as { readonly token: string };
    return { token, client: this.as({ token }), user: `system:serviceaccount:${namespace}:${name}` };
  }

  /** Binds rules to a subject: in one namespace, or everywhere. */
  async grant(subject: Readonly<Record<string, string>>, rules: readonly Rule[], namespace?: string): Promise<void> {
    const [kind, place] = namespace === undefined ? ['ClusterRole', ''] : ['Role', `/namespaces/${namespace}`];
    const name = `${subject['name'] ?? ''}-${Math.random().toString(36).slice(2, 8)}`;
    const group = 'rbac.authorization.k8s.io';
    const base = `/apis/${group}/v1${place}`;
    const full = rules.map((rule) => (rule.nonResourceURLs ? rule : { apiGroups: [''], ...rule }));
    await this.admin.expect(201, 'POST', `${base}/${kind.toLowerCase()}s`, { body: { metadata: { name }, rules: full } });
    await this.admin.expect(201, 'POST', `${base}/${kind.toLowerCase()}bindings`, {
      body: { metadata: { name }, roleRef: { apiGroup: group, kind, name }, subjects: [subject] },
    });
  }

  async namespace(name: string, labels: Readonly<Record<string, string>> = {}): Promise<string> {
    await this.admin.expect(201, 'POST', '/api/v1/namespaces', { body: { metadata: { name, labels } } });
    return name;
  }

  /** The replica's active work, read by an administrator, who has priority. */
  async counts(index = 0): Promise<Counts> {
    return await readCounts(this.#observer(index));
  }

  /** Polls until the counts are no higher than before; returns the last. The test's own connections count. */
  async settled(before: Counts, index = 0): Promise<Counts> {
    return await settledCounts(this.#observer(index), before);
  }

  #observer(index: number): ApiClient {
    const known = this.#observers.get(index);
    if (known) return known;
    const made = this.as('admin', this.member(index).address);
    this.#observers.set(index, made);
    return made;
  }

  /** Resident memory of a replica as the kernel counts it, also while the replica does not answer. */
  residentBytes(index = 0): number {
    return residentBytes(this.member(index).process.pid);
  }

  /** Processor time that a replica has used so far; the same on a busy machine. */
  cpuSeconds(index = 0): number {
    return processorSeconds(this.member(index).process.pid);
  }

  log(index = 0): string {
    return fs.readFileSync(this.member(index).process.spec.log, 'utf8');
  }

  /** Throws when a replica has ended, with the end of its log. */
  async expectAlive(): Promise<void> {
    await turn();
    for (const { id, process } of this.cluster.members) if (!process.running) throw new Error(`${id} ended:\n${process.logTail()}`);
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.close();
    await this.cluster.stop();
  }
}

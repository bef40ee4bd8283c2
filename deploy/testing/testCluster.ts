import fs from 'node:fs';
import { Connection } from '../../controllers/client/connection.js';
import { keyOf, type KubeObject } from '../../api/meta/object.js';
import type { Watch } from '../../controllers/client/api.js';
import { isAlreadyExists, isNotFound, unless } from '../../controllers/client/errors.js';
import { RestApi } from '../../controllers/client/rest.js';
import { groupOf, pathOf, resource } from '../../api/meta/resource.js';
import type { Lease } from '../../api/types/coordination/v1.js';
import type { KeyAndCertificate } from '../certificateRequest.js';
import type { Cluster } from '../cluster.js';
import type { ManagedProgram } from '../managedProgram.js';
import { readAudit, type AuditedRequest } from './auditLog.js';
import { Contents } from './contents.js';
import { Failures, patternOf, type ArmedFailure, type Failure, type RequestMatch } from './failures.js';
import { Identities, type ClientConfig } from './identity.js';
import { FaultyMember, OrderedProgram, type TestMember } from './member.js';
import {
  Objects,
  readSources,
  type ApplyOptions,
  type DeletionOptions,
  type Manifests,
  type PatchOptions,
  type Wanted,
} from './objects.js';
import type { KindReference, ObjectOf, ObjectReference, ObjectsOf } from './typed.js';
import { OperatorDoor } from './operatorDoor.js';
import { isDone, isSpent, type MemberOrder } from './orders.js';
import { eventually, type WaitOptions } from './waiting.js';
import { serveWebhook, type AdmissionHandler, type ServedWebhook, type WebhookHandlers } from './webhook.js';
import { namesWebhooks, pointedTo, type WebhookAddress } from './webhookManifests.js';

export interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

export interface UserTerms {
  /** `test-user-1`, `test-user-2` … unless given. */
  readonly name?: string;
  readonly groups?: readonly string[];
  readonly rules: readonly PolicyRule[];
  /** Limits permissions to this namespace; everywhere unless given. */
  readonly namespace?: string;
}

/** Groups whose objects change what servers do. */
const followedGroups: ReadonlySet<string> = new Set(['rbac.authorization.k8s.io', 'admissionregistration.k8s.io']);

const leases = resource<Lease>({ apiVersion: 'coordination.k8s.io/v1', resource: 'leases', kind: 'Lease' });
const expiring = { namespace: 'kube-node-lease', name: 'raftplane-expire-history' };

/** The launcher's files that a test may want to read. */
export interface TestFiles {
  readonly directory: string;
  readonly isTemporary: boolean;
  readonly auditLogs: readonly string[];
  readonly faults: string;
  readonly forget: () => void;
}

/** The time of a cluster. */
export interface TestClock {
  /** Its lead over the machine's clock. */
  readonly aheadMs: number;
  /**
   * Advances the clock of servers, controllers and simulated nodes, as if all had been suspended: schedules become due, and TTLs expire. Resolves when all
   * have it. The clock never goes back; `reset` does not change it.
   */
  advance(ms: number): Promise<void>;
}

/**
 * A control plane inside a test, and all operations on it. `startCluster` and `startApiServer` create it; `stop` or the end of an `await using` block ends it.
 */
export class TestCluster implements AsyncDisposable {
  readonly #cluster: Cluster;
  readonly #files: TestFiles;

  /** `https://127.0.0.1:port`; with several members, one address for all that are up. */
  readonly url: string;
  /** PEM text of the authority of all certificates of the cluster. */
  readonly ca: string;
  /** An administrator's kubeconfig, as YAML with everything embedded. */
  readonly kubeconfig: string;
  /** The same in a file, which is removed with the cluster. */
  readonly kubeconfigPath: string;
  /** An administrator, in parts. */
  readonly admin: ClientConfig;
  readonly members: readonly TestMember[];
  readonly #members: readonly FaultyMember[];
  readonly #identities: Identities;
  readonly #connection: Connection;
  /** One for each member, past the balancer. */
  readonly #doors: readonly OperatorDoor[];
  /** Any member that answers. */
  readonly #door: OperatorDoor;
  readonly #api: RestApi;
  readonly #objects: Objects;
  readonly #contents: Contents;
  readonly #failures: Failures;
  readonly #webhooks: ServedWebhook[] = [];
  readonly #clients: readonly OrderedProgram[];
  #aheadMs = 0;
  readonly #cuts = new Map<string, Set<string>>();
  #users = 0;
  #stopping: Promise<void> | null = null;

  /** @internal */
  constructor(cluster: Cluster, files: TestFiles) {
    this.#cluster = cluster;
    this.#files = files;
    this.url = cluster.address;
    this.#identities = new Identities(cluster.address, cluster.pki);
    this.ca = this.#identities.ca;
    this.admin = this.#identities.admin;
    this.kubeconfig = this.admin.kubeconfig;
    this.kubeconfigPath = cluster.kubeconfig;
    fs.writeFileSync(this.kubeconfigPath, this.kubeconfig, { mode: 0o600 });
    this.#members = cluster.members.map((member) => new FaultyMember(member, () => this.#inForce(member.id)));
    this.members = this.#members;
    this.#clients = [...cluster.managers, cluster.fakeNodes]
      .filter((program) => program !== null)
      .map((program) => new OrderedProgram(program));
    this.#connection = new Connection(this.admin);
    this.#doors = this.members.map(({ url }) => new OperatorDoor({ ...this.admin, server: url }));
    this.#door = new OperatorDoor(this.admin);
    this.#api = new RestApi({ connection: this.#connection, userAgent: 'raftplane-testing' });
    this.#objects = new Objects({ api: () => this.#nearest(), leave: () => this.#connection.reopen() });
    this.#contents = new Contents(this.#api, this.#door, cluster.managers.length > 0 || cluster.fakeNodes !== null);
    this.#failures = new Failures(files.faults, (order) => this.#tell(order));
  }

  /** Returns a client certificate for a user, who has the permissions that roles give the user and the groups. */
  clientConfig(user: string, groups: readonly string[] = []): Promise<ClientConfig> {
    return this.#identities.of(user, groups);
  }

  /** Creates a user with exactly the permissions of `rules`; resolves once they are in effect. */
  async createUser({ name = `test-user-${++this.#users}`, groups = [], rules, namespace }: UserTerms): Promise<ClientConfig> {
    const [role, binding] = namespace === undefined ? ['ClusterRole', 'ClusterRoleBinding'] : ['Role', 'RoleBinding'];
    const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    await this.apply([
      { apiVersion, kind: role, metadata, rules },
      {
        apiVersion,
        kind: binding,
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: role, name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
      },
    ]);
    return this.clientConfig(name, groups);
  }

  /** Returns all requests so far, without the cluster's own, or those of one user. Not for clusters started with `audit: false`. */
  audit(user?: string): AuditedRequest[] {
    const all = readAudit(this.#files.auditLogs);
    return user === undefined ? all : all.filter((request) => request.user === user);
  }

  /**
   * Applies manifests as administrator by server-side apply. Resolves with the resulting objects once roles, webhooks and policies are in effect on every
   * server that answers.
   */
  apply<const R extends object>(manifest: R & { readonly kind: string }, options?: ApplyOptions): Promise<[ObjectOf<R>]>;
  apply<const L extends readonly object[]>(manifests: L, options?: ApplyOptions): Promise<ObjectsOf<L>>;
  apply(manifests: Manifests, options?: ApplyOptions): Promise<KubeObject[]>;
  async apply(manifests: Manifests, options?: ApplyOptions): Promise<unknown> {
    const applied = await this.#objects.apply(manifests, options);
    await this.#inEffect(applied);
    return applied;
  }

  /** Resolves with an object, or with null if it does not exist. */
  get<const R extends ObjectReference>(object: R): Promise<ObjectOf<R> | null>;
  get<T extends KubeObject>(object: ObjectReference): Promise<T | null>;
  get(object: ObjectReference): Promise<KubeObject | null> {
    return this.#objects.get(object);
  }

  /** Lists the objects of a kind: `list({ apiVersion: 'v1', kind: 'Pod', namespace: 'default' })`. */
  list<const R extends KindReference>(kind: R): Promise<readonly ObjectOf<R>[]>;
  list<T extends KubeObject>(kind: KindReference): Promise<readonly T[]>;
  list(kind: KindReference): Promise<readonly KubeObject[]> {
    return this.#objects.list(kind);
  }

  /** Patches an object or a subresource: with a merge patch, or with a JSON patch if the body is a list. */
  patch<const R extends ObjectReference>(object: R, body: object, options?: PatchOptions): Promise<ObjectOf<R>>;
  patch<T extends KubeObject>(object: ObjectReference, body: object, options?: PatchOptions): Promise<T>;
  patch(object: ObjectReference, body: object, options?: PatchOptions): Promise<KubeObject> {
    return this.#objects.patch(object, body, options);
  }

  /** Watches the objects of a kind: first existing ones (`ADDED`), then each change. Leaving the loop ends the watch. */
  watch<const R extends KindReference>(kind: R): Promise<Watch<ObjectOf<R>>>;
  watch<T extends KubeObject>(kind: KindReference): Promise<Watch<T>>;
  watch(kind: KindReference): Promise<Watch<KubeObject>> {
    return this.#objects.watch(kind);
  }

  /** Requests the deletion of objects as administrator; resolves even if finalizers still hold them. */
  delete(manifests: Manifests, options?: DeletionOptions): Promise<void> {
    return this.#objects.delete(manifests, options);
  }

  /** Installs custom resource definitions from files, folders or objects; resolves when all kinds are served. */
  installCRDs(...sources: readonly (string | object)[]): Promise<KubeObject[]> {
    return this.#objects.installCRDs(...sources);
  }

  /**
   * Resolves with the object once a condition is True (`'Ready'`), a CEL expression holds, or a function accepts it; with null once it is `'deleted'`, or when
   * the expression or function accepts null.
   */
  waitFor<const R extends ObjectReference>(object: R, wanted: 'deleted', options?: WaitOptions): Promise<null>;
  waitFor<const R extends ObjectReference>(object: R, wanted: Wanted<ObjectOf<R>>, options?: WaitOptions): Promise<ObjectOf<R>>;
  waitFor<T extends KubeObject>(object: ObjectReference, wanted: Wanted<T>, options?: WaitOptions): Promise<T>;
  waitFor(object: ObjectReference, wanted: Wanted<KubeObject>, options?: WaitOptions): Promise<KubeObject | null> {
    return this.#objects.waitFor(object, wanted, options);
  }

  /** See `eventually` of this module. */
  eventually<T>(attempt: () => T | Promise<T>, options?: WaitOptions): Promise<T> {
    return eventually(attempt, options);
  }

  /**
   * Serves webhooks with a certificate that the API servers accept: admission by one function, or one per path, and conversion. The server ends with the
   * cluster.
   */
  async serveWebhook(handlers: AdmissionHandler | WebhookHandlers): Promise<ServedWebhook> {
    const webhook = await serveWebhook(this.#identities.authority, handlers);
    this.#webhooks.push(webhook);
    return webhook;
  }

  /**
   * Applies the webhook configurations and custom resource definitions in files, folders or objects, with webhooks redirected to the given one: services
   * become its URL plus their path, and CA bundles are filled in.
   */
  async installWebhooks(webhook: ServedWebhook | WebhookAddress, ...sources: readonly (string | object)[]): Promise<KubeObject[]> {
    const address = 'clientConfig' in webhook ? webhook.clientConfig : webhook;
    const objects = readSources(sources).filter(namesWebhooks);
    const [definitions, configurations] = [true, false].map((isDefinition) =>
      objects.filter(({ kind }) => (kind === 'CustomResourceDefinition') === isDefinition).map((object) => pointedTo(object, address)),
    ) as [KubeObject[], KubeObject[]];
    if (objects.length === 0) throw new Error('none of the manifests names a webhook');
    const installed = definitions.length === 0 ? [] : await this.installCRDs(...definitions);
    return [...installed, ...(await this.apply(configurations as Manifests))];
  }

  /** Deletes everything created since the start, ignoring finalizers, and ends all failures and partitions. */
  async reset(): Promise<void> {
    this.#cuts.clear();
    await Promise.all([this.#failures.clear(), this.heal(), ...this.#members.map((member) => member.slowDisk(0))]);
    await this.#contents.reset();
  }

  /** Returns everything created since the start, as CBOR. */
  snapshot(): Promise<Uint8Array> {
    return this.#contents.snapshot();
  }

  /** Resets, and recreates the objects of any cluster's snapshot. */
  restore(snapshot: Uint8Array): Promise<void> {
    return this.#contents.restore(snapshot);
  }

  /** @internal */
  get hasControllers(): boolean {
    return this.#cluster.managers.length > 0;
  }

  /** The time of servers, controllers and nodes; not the test's own. */
  get clock(): TestClock {
    return { aheadMs: this.#aheadMs, advance: (ms) => this.#advance(ms) };
  }

  /** Returns the leader; waits for an election. */
  leader(options?: WaitOptions): Promise<TestMember> {
    return eventually(async () => {
      const statuses = await Promise.all(this.members.map(async (member, index) => (member.running ? this.#doors[index]!.status() : null)));
      // An isolated leader does not know of the leader of a later term.
      const newest = statuses.filter((status) => status !== null).sort((a, b) => b.term - a.term)[0];
      const leader = this.members.find(({ id, running }) => running && id === newest?.leaderId);
      const agrees = leader !== undefined && statuses[this.members.indexOf(leader)]?.role === 'leader';
      return agrees ? leader : null;
    }, options).then((leader) => leader!);
  }

  /** Lets another member lead, and resolves with it. */
  async transferLeadership(): Promise<TestMember> {
    const before = await this.leader();
    await this.#doorOf(before).transferLeadership();
    return eventually(async () => {
      const now = await this.leader();
      return now === before ? null : now;
    }).then((now) => now!);
  }

  /** Stops all traffic between these two members until `heal`. Clients reach both. */
  async partition(a: TestMember, b: TestMember): Promise<void> {
    for (const [one, other] of [
      [a.id, b.id],
      [b.id, a.id],
    ] as const)
      this.#cuts.set(one, (this.#cuts.get(one) ?? new Set()).add(other));
    await this.#tellCuts();
  }

  /** Cuts one member off from all others. */
  async isolate(member: TestMember): Promise<void> {
    for (const other of this.members) if (other !== member) await this.partition(member, other);
  }

  /** Ends all partitions. */
  async heal(): Promise<void> {
    this.#cuts.clear();
    await this.#tellCuts();
  }

  /** Makes the next matching requests to any member fail: `cluster.fail('PUT /apis/apps/**', { status: 409 })`. Resolves when every member has the rule. */
  fail(match: RequestMatch, failure: Failure): Promise<ArmedFailure> {
    return this.#failures.add(match, failure);
  }

  /** Breaks all current watches, or matching ones. Clients must open them again. */
  async dropWatches(match: RequestMatch = '**'): Promise<void> {
    await this.#tell({ order: 'dropWatches', pattern: patternOf(match) });
  }

  /** Compacts all history and ends all watches: a client that resumes from an earlier version gets 410 and must list again. */
  async expireHistory(): Promise<void> {
    // The newest version is never compacted, and clients of an idle cluster have seen it: a write to an unwatched object makes a newer one.
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { ...expiring }, spec: {} };
    await unless(isAlreadyExists, this.#api.create(leases, lease));
    await unless(isNotFound, this.#api.delete(leases, expiring));
    await this.#doorOf(await this.leader()).compact();
    await this.dropWatches();
  }

  /** Returns the log of a member or another program (`balancer`, `cm1`, `fake-nodes`); without a name, all logs. */
  logs(name?: string): string {
    const { members, balancer, managers, fakeNodes } = this.#cluster;
    const all: readonly (ManagedProgram | null)[] = [...members.map(({ process }) => process), balancer, ...managers, fakeNodes];
    const chosen = all.filter((program) => program !== null).filter(({ spec }) => name === undefined || spec.name === name);
    return chosen.map(({ spec }) => `==> ${spec.name} <==\n${fs.readFileSync(spec.log, 'utf8')}`).join('\n');
  }

  /** Ends everything and removes the folder, unless the test gave it. May be called again. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    for (const connection of [this.#connection, this.#door, ...this.#doors]) connection.close();
    await Promise.all([
      ...this.#webhooks.map((webhook) => webhook.stop()),
      this.#files.isTemporary ? this.#cluster.discard() : this.#cluster.stop(),
    ]);
    this.#files.forget();
    if (this.#files.isTemporary) fs.rmSync(this.#files.directory, { recursive: true, force: true });
  }

  /** Protects what is there now from resets.
   * @internal */
  begin(): Promise<void> {
    return this.#contents.remember();
  }

  /** Signs certificates that clients of this cluster trust.
   * @internal */
  get authority(): KeyAndCertificate {
    return this.#identities.authority;
  }

  /** Something that a member said.
   * @internal */
  heard(id: string, message: unknown): void {
    const member = this.#members.find((candidate) => candidate.id === id);
    if (isSpent(message)) this.#failures.spent(message.spent);
    if (isDone(message)) (member ?? this.#clients.find(({ name }) => name === id))?.carriedOut(message.done);
  }

  #doorOf(member: TestMember): OperatorDoor {
    return this.#doors[this.members.indexOf(member)]!;
  }

  /** A client of a server that is neither cut off nor suspended; of any server while all are well. */
  #nearest(): RestApi {
    const well = this.#wellMembers();
    const [first] = well;
    return first === undefined || well.length === this.#members.length ? this.#api : this.#doorOf(first).api;
  }

  #wellMembers(): readonly FaultyMember[] {
    return this.#members.filter(({ id, answers }) => answers && (this.#cuts.get(id)?.size ?? 0) === 0);
  }

  /** Waits until servers, which watch these objects, have seen them. */
  async #inEffect(objects: readonly KubeObject[]): Promise<void> {
    const followed = objects.filter(({ apiVersion = '' }) => followedGroups.has(groupOf(apiVersion)));
    for (const object of followed) {
      const path = pathOf(await this.#objects.typeOf(object), keyOf(object));
      await Promise.all(this.#wellMembers().map((member) => this.#doorOf(member).seen(path, object.metadata.resourceVersion ?? '')));
    }
  }

  #inForce(id: string): readonly MemberOrder[] {
    return [this.#failures.order, { order: 'clock', aheadMs: this.#aheadMs }, { order: 'cutOff', from: [...(this.#cuts.get(id) ?? [])] }];
  }

  async #advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`time does not go by ${ms} ms`);
    const order: MemberOrder = { order: 'clock', aheadMs: (this.#aheadMs += ms) };
    await this.#tell(order);
    // Servers go first, so that a controller's next write gets the new time.
    await Promise.all(this.#clients.map((client) => client.tell(order)));
  }

  async #tell(order: MemberOrder): Promise<void> {
    await Promise.all(this.#members.map((member) => member.tell(order)));
  }

  async #tellCuts(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.tell({ order: 'cutOff', from: [...(this.#cuts.get(member.id) ?? [])] })));
  }
}

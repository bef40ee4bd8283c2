import { timeText } from '../../api/time.js';
import type { ApiObject, JsonObject } from '../../api/object.js';
import { StatusError } from '../../api/status.js';
import { bootstrapObjects } from '../../api/catalogue/bootstrapObjects.js';
import type { Catalogue, ServedResource } from '../registry/resources.js';
import type { Registry, WriteOptions } from '../registry/contract.js';
import { ownWrites } from '../registry/ownWrites.js';
import { objectAt, objectsIn } from '../../api/json/defaulting.js';
import { sameValue } from '../../api/json/equality.js';
import { textAt } from '../../api/json/members.js';
import type { Storage } from '../storage/contract.js';
import { follow, type Following } from '../storage/follow.js';
import type { Fairness } from './fairness.js';
import { levelOf, schemaOf } from './objects.js';
import { WritePace } from './writePace.js';

const group = 'flowcontrol.apiserver.k8s.io';
const kinds = ['flowschemas', 'prioritylevelconfigurations'] as const;
type Kind = (typeof kinds)[number];

/** These must match the defaults; others have an annotation for it. */
const mandatory: ReadonlySet<string> = new Set(['exempt', 'catch-all']);
const autoupdate = 'apf.kubernetes.io/autoupdate-spec';
const dangling = 'Dangling';
const lookMs = 60_000;
const writeTimeoutMs = 5_000;
const options: WriteOptions = { ...ownWrites, manager: 'api-priority-and-fairness-config-producer-v1', timeoutMs: writeTimeoutMs };

export interface FollowOptions {
  readonly fairness: Fairness;
  readonly storage: Pick<Storage, 'watch'>;
  readonly registry: Registry;
  readonly catalogue: Catalogue;
  readonly leads: () => Promise<boolean>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly report: (what: string, error: unknown) => void;
}

/** Applies the objects, maintains the default ones, and reports schemas without a level. */
export class FollowedObjects {
  readonly #options: FollowOptions;
  readonly #objects: Record<Kind, Map<string, ApiObject>> = { flowschemas: new Map(), prioritylevelconfigurations: new Map() };
  readonly #wanted = bootstrapObjects();
  readonly #pace = new WritePace();
  readonly #following: readonly Following[];
  readonly synced: Promise<void>;
  #known = false;
  #turn: Promise<void> | null = null;
  #again = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: FollowOptions) {
    this.#options = options;
    // The defaults apply until the cluster's objects are known.
    const wanted = this.#wanted;
    this.#configure((wanted['flowschemas'] ?? []).concat(), wanted['prioritylevelconfigurations'] ?? []);
    this.#following = kinds.map((kind) =>
      follow(
        options.storage,
        { group, resource: kind },
        {
          put: (object) => {
            this.#read(kind, () => object.decode());
          },
          remove: (_namespace, name) => {
            this.#objects[kind].delete(name);
            this.#changed();
          },
        },
      ),
    );
    this.synced = Promise.all(this.#following.map(({ synced }) => synced)).then(() => {
      this.#known = true;
      this.#changed();
    });
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#reconcileSoon();
    }, lookMs).unref();
    this.#reconcileSoon();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    for (const each of this.#following) each.stop();
  }

  #read(kind: Kind, decode: () => ApiObject): void {
    try {
      const object = decode();
      this.#objects[kind].set(object.metadata.name ?? '', object);
    } catch (error) {
      this.#options.report('an object cannot be read', error);
    }
    this.#changed();
  }

  #changed(): void {
    if (!this.#known) return;
    const { flowschemas, prioritylevelconfigurations } = this.#objects;
    this.#configure([...flowschemas.values()], [...prioritylevelconfigurations.values()]);
    if (this.#timer !== null) this.#reconcileSoon();
  }

  #configure(schemas: readonly ApiObject[], levels: readonly ApiObject[]): void {
    const present = new Set(levels.map(({ metadata }) => metadata.name));
    const wanted = this.#wanted;
    // Mandatory levels are in effect even while they are deleted.
    const missing = (wanted['prioritylevelconfigurations'] ?? []).filter(
      ({ metadata: { name = '' } }) => mandatory.has(name) && !present.has(name),
    );
    const named = new Set(schemas.map(({ metadata }) => metadata.name));
    const missingSchemas = (wanted['flowschemas'] ?? []).filter(({ metadata: { name = '' } }) => mandatory.has(name) && !named.has(name));
    this.#options.fairness.configure([...schemas, ...missingSchemas].map(schemaOf), [...levels, ...missing].map(levelOf));
  }

  /** Runs one pass at a time; a change meanwhile starts another. */
  #reconcileSoon(): void {
    this.#again = true;
    this.#turn ??= this.#reconcile().finally(() => {
      this.#turn = null;
    });
  }

  async #reconcile(): Promise<void> {
    while (this.#again && this.#timer !== null) {
      this.#again = false;
      if (!this.#known || !(await this.#options.leads().catch(() => false))) return;
      await this.#keepObjects();
      await this.#tellDangling();
    }
  }

  async #keepObjects(): Promise<void> {
    const wanted = this.#wanted;
    for (const kind of ['prioritylevelconfigurations', 'flowschemas'] as const) {
      const resource = this.#resource(kind);
      if (resource === null) continue;
      for (const object of wanted[kind] ?? []) {
        const present = this.#objects[kind].get(object.metadata.name ?? '');
        if (present === undefined)
          await this.#attempt(() => this.#options.registry.create({ resource, namespace: '', name: '' }, object, options));
        else if (follows(present) && differs(present, object))
          await this.#attempt(() => this.#put(resource, present, (current) => ({ ...current, spec: specFor(current, object) })));
      }
    }
  }

  async #tellDangling(): Promise<void> {
    const resource = this.#resource('flowschemas');
    if (resource === null) return;
    this.#pace.keep(this.#objects.flowschemas);
    for (const [name, schema] of this.#objects.flowschemas) {
      const wanted = danglingOf(schema, this.#objects.prioritylevelconfigurations);
      const present = objectsIn(objectAt(schema, 'status') ?? {}, 'conditions').find((condition) => textAt(condition, 'type') === dangling);
      if (present !== undefined && ['status', 'reason', 'message'].every((member) => present[member] === wanted[member])) continue;
      // The next regular pass writes it.
      if (!this.#pace.allows(name, this.#options.now())) continue;
      const condition = { ...wanted, lastTransitionTime: timeText(this.#options.now()) };
      await this.#attempt(() => this.#put(resource, schema, (current) => withCondition(current, condition), 'status'));
    }
  }

  #put(
    resource: ServedResource,
    { metadata: { name = '' } }: ApiObject,
    change: (current: ApiObject) => ApiObject,
    subresource = '',
  ): Promise<unknown> {
    const apply = (current: ApiObject | null): ApiObject => {
      if (current === null) throw new StatusError(404, 'NotFound', `${name} is gone`, {});
      return change(current);
    };
    return this.#options.registry.update({ resource, namespace: '', name }, { apply, subresource, uid: null, mayCreate: null }, options);
  }

  /** If another writer is faster, the next pass shows the rest. */
  async #attempt(write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (!(error instanceof StatusError) || (error.code !== 409 && error.code !== 404))
        this.#options.report('an object cannot be written', error);
    }
  }

  #resource(kind: Kind): ServedResource | null {
    return this.#options.catalogue.resource(group, 'v1', kind);
  }
}

/** Returns whether an object follows the defaults: without the annotation, until it is changed. */
function follows({ metadata: { name = '', annotations, generation = 1 } }: ApiObject): boolean {
  if (mandatory.has(name)) return true;
  const said = annotations?.[autoupdate];
  return said === undefined ? generation === 1 : said === 'true';
}

/** Administrators may set the shares of the exempt level. */
function specFor(present: ApiObject, wanted: ApiObject): JsonObject {
  const [own, other] = [objectAt(present, 'spec') ?? {}, objectAt(wanted, 'spec') ?? {}];
  return other['type'] === 'Exempt' && own['exempt'] !== undefined ? { ...other, exempt: own['exempt'] } : other;
}

const differs = (present: ApiObject, wanted: ApiObject): boolean => !sameValue(objectAt(present, 'spec') ?? {}, specFor(present, wanted));

function danglingOf(schema: ApiObject, levels: ReadonlyMap<string, unknown>): JsonObject {
  const name = textAt(objectAt(objectAt(schema, 'spec') ?? {}, 'priorityLevelConfiguration') ?? {}, 'name');
  return levels.has(name)
    ? {
        type: dangling,
        status: 'False',
        reason: 'Found',
        message: `This FlowSchema references the PriorityLevelConfiguration object named "${name}" and it exists`,
      }
    : {
        type: dangling,
        status: 'True',
        reason: 'NotFound',
        message: `This FlowSchema references the PriorityLevelConfiguration object named "${name}" but there is no such object`,
      };
}

function withCondition(current: ApiObject, condition: JsonObject): ApiObject {
  const status = objectAt(current, 'status') ?? {};
  const others = objectsIn(status, 'conditions').filter((each) => textAt(each, 'type') !== dangling);
  return { ...current, status: { ...status, conditions: [...others, condition] } };
}

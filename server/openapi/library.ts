import { namesIn, type Catalogue, type ServedGroup } from '../registry/resources.js';
import type { BuiltDocument, BuiltDocuments, Encoding, Form, Source } from './build.js';
import type { Builder } from './builder.js';
import type { RemoteDocument } from './remote/contract.js';
import type { Telling } from './schemas.js';

export interface LibraryOptions {
  readonly builtIn: Catalogue;
  /** Custom resources; a change in a group replaces its object. */
  readonly defined: () => Catalogue;
  readonly definitions: (group: string) => readonly Uint8Array[];
  /** Foreign documents; each change replaces the array. */
  readonly remote: () => readonly RemoteDocument[];
  /** The detail of schemas. Default: everything. */
  readonly telling?: Telling | undefined;
  readonly builder: Pick<Builder, 'build'>;
}

/** Limit of compressed foreign parts in the version 2 document; further ones are omitted. */
const remoteBytesMax = 4 * 1024 * 1024;

interface WholeOf {
  readonly groups: readonly ServedGroup[];
  readonly remote: readonly Uint8Array[];
}

const isSame = (a: WholeOf | undefined, b: WholeOf): boolean =>
  a?.groups === b.groups && a.remote.length === b.remote.length && a.remote.every((each, position) => each === b.remote[position]);

/** Caches documents. Built-in types are described once; custom groups again on request after a change. Version 2 is rebuilt after every change. */
export class Library {
  readonly #options: LibraryOptions;
  readonly #builtIn = new Map<string, Promise<BuiltDocuments>>();
  readonly #groups = new Map<Encoding, WeakMap<ServedGroup, Promise<BuiltDocuments>>>();
  readonly #whole = new Map<Encoding, { readonly of: WholeOf; readonly documents: Promise<BuiltDocuments> }>();

  constructor(options: LibraryOptions) {
    this.#options = options;
  }

  /** The version 2 document. */
  async everything(encoding: Encoding): Promise<BuiltDocument | null> {
    const { builtIn, defined, definitions } = this.#options;
    const of: WholeOf = { groups: defined().groups, remote: fitting(this.#options.remote()) };
    let known = this.#whole.get(encoding);
    if (known === undefined || !isSame(known.of, of)) {
      const source = {
        ...sourceOf({ ...builtIn, groups: [...builtIn.groups, ...of.groups] }),
        definitions: of.groups.flatMap(({ name }) => definitions(name)),
      };
      const made = { of, documents: this.#ofEverything(source, of.remote, encoding) };
      made.documents.catch(() => {
        if (this.#whole.get(encoding) === made) this.#whole.delete(encoding);
      });
      this.#whole.set(encoding, (known = made));
    }
    return (await known.documents).get('') ?? null;
  }

  /** Foreign documents must not prevent this server's own. */
  #ofEverything(source: Source, remote: readonly Uint8Array[], encoding: Encoding): Promise<BuiltDocuments> {
    const form: Form = { version: 2, encoding };
    return remote.length === 0 ? this.#made(source, form) : this.#made({ ...source, remote }, form).catch(() => this.#made(source, form));
  }

  /** A version 3 document, by the path below `/openapi/v3/`. */
  async document(path: string, encoding: Encoding): Promise<BuiltDocument | null> {
    const [, name = '', version = ''] = path.split('/');
    const { builtIn, defined } = this.#options;
    const group = builtIn.version(name, version) === null ? defined().group(name) : null;
    const documents = group === null ? await this.#ofBuiltIn(encoding) : (await this.#ofGroups([group], encoding))[0];
    return documents?.get(path) ?? null;
  }

  async all(encoding: Encoding): Promise<BuiltDocuments> {
    const [builtIn, ...groups] = await Promise.all([
      this.#ofBuiltIn(encoding),
      this.#ofGroups(this.#options.defined().groups, encoding),
    ]).then(([first, others]) => [first, ...others]);
    return new Map([...(builtIn ?? []), ...groups.flatMap((documents) => [...documents])]);
  }

  #ofBuiltIn(encoding: Encoding): Promise<BuiltDocuments> {
    let documents = this.#builtIn.get(encoding);
    if (documents === undefined)
      this.#builtIn.set(
        encoding,
        (documents = this.#build(sourceOf(this.#options.builtIn), { version: 3, encoding }, () => {
          this.#builtIn.delete(encoding);
        })),
      );
    return documents;
  }

  /** Groups without documents are described together. */
  #ofGroups(groups: readonly ServedGroup[], encoding: Encoding): Promise<BuiltDocuments[]> {
    const known = this.#groups.get(encoding) ?? new WeakMap<ServedGroup, Promise<BuiltDocuments>>();
    this.#groups.set(encoding, known);
    const missing = groups.filter((group) => !known.has(group));
    if (missing.length > 0) {
      const source = {
        ...sourceOf({ groups: missing }),
        definitions: missing.flatMap(({ name }) => this.#options.definitions(name)),
        partial: true,
      };
      const built = this.#build(source, { version: 3, encoding }, () => {
        for (const group of missing) known.delete(group);
      });
      for (const group of missing)
        known.set(
          group,
          built.then((documents) => new Map([...documents].filter(([path]) => path.startsWith(`apis/${group.name}/`)))),
        );
    }
    return Promise.all(groups.map((group) => known.get(group) ?? Promise.resolve(new Map())));
  }

  #made(source: Source, form: Form): Promise<BuiltDocuments> {
    const { builder, telling } = this.#options;
    return builder.build(telling === undefined ? source : { ...source, telling }, form);
  }

  /** Waiting callers receive a failure; the next one tries again. */
  #build(source: Source, form: Form, forget: () => void): Promise<BuiltDocuments> {
    const documents = this.#made(source, form);
    documents.catch(forget);
    return documents;
  }
}

function fitting(documents: readonly RemoteDocument[]): Uint8Array[] {
  let room = remoteBytesMax;
  return documents.flatMap(({ v2 }) => {
    if (v2 === null || v2.length > room) return [];
    room -= v2.length;
    return [v2];
  });
}

export function sourceOf({ groups }: Pick<Catalogue, 'groups'>): Source {
  const resources = groups.flatMap(({ versions }) => versions.flatMap((version) => version.resources));
  return {
    groups: namesIn(groups),
    answersObject: new Set(
      resources
        .filter((resource) => resource.behaviour.strategy.delete.answers === 'object' && resource.kind !== 'Namespace')
        .map(({ group, resource }) => `${group}/${resource}`),
    ),
  };
}

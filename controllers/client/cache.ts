import { keyTextOf, type KubeObject } from '../../api/meta/object.js';

export type IndexFunction<T> = (object: T) => readonly string[];

/** Read access to a cache, whose objects are shared and never changed. */
export interface Lister<T extends KubeObject> {
  get(key: string): T | undefined;
  list(): readonly T[];
  inNamespace(namespace: string): readonly T[];
  by(name: string, value: string): readonly T[];
}

const namespaceIndex = 'namespace';

export class Cache<T extends KubeObject> implements Lister<T> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, { words: IndexFunction<T>; keys: Map<string, Set<string>> }>();

  constructor() {
    this.addIndex(namespaceIndex, (object) => [object.metadata.namespace ?? '']);
  }

  /** May be called at any time; indexes the cache's objects at once. */
  addIndex(name: string, words: IndexFunction<T>): void {
    if (this.#indexes.has(name)) return;
    const index = { words, keys: new Map<string, Set<string>>() };
    this.#indexes.set(name, index);
    for (const [key, object] of this.#objects) for (const word of words(object)) file(index.keys, word, key);
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }
  list(): readonly T[] {
    return [...this.#objects.values()];
  }
  keys(): readonly string[] {
    return [...this.#objects.keys()];
  }
  get size(): number {
    return this.#objects.size;
  }
  inNamespace(namespace: string): readonly T[] {
    return this.by(namespaceIndex, namespace);
  }

  by(name: string, value: string): readonly T[] {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`there is no index ${name}`);
    return [...(index.keys.get(value) ?? [])].flatMap((key) => this.#objects.get(key) ?? []);
  }

  /** Returns the previous object. */
  put(object: T): T | undefined {
    const key = keyTextOf(object);
    const before = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const { words, keys } of this.#indexes.values()) {
      if (before) for (const word of words(before)) unfile(keys, word, key);
      for (const word of words(object)) file(keys, word, key);
    }
    return before;
  }

  remove(key: string): T | undefined {
    const before = this.#objects.get(key);
    if (!before) return undefined;
    this.#objects.delete(key);
    for (const { words, keys } of this.#indexes.values()) for (const word of words(before)) unfile(keys, word, key);
    return before;
  }
}

function file(keys: Map<string, Set<string>>, word: string, key: string): void {
  const set = keys.get(word);
  if (set) set.add(key);
  else keys.set(word, new Set([key]));
}

function unfile(keys: Map<string, Set<string>>, word: string, key: string): void {
  const set = keys.get(word);
  set?.delete(key);
  if (set?.size === 0) keys.delete(word);
}

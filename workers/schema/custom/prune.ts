import { isMembers, type Json, type JsonMembers } from '../../codecs/value.js';
import { unknownFieldsMax } from './contract.js';
import type { Structure } from './structure.js';

/**
 * Removes unknown fields. Below merely allowed members (`additionalProperties: true`) nothing is known: as in the reference, members of objects there go,
 * other values stay.
 */
const ownRules: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Changes the value and returns the removed paths, sorted. Does not prune kind and metadata of a `whole` object. */
export function pruneValue(value: Json, structure: Structure, whole: boolean): string[] {
  const pruner = new Pruner();
  pruner.prune(value, whole && !structure.embedded ? { ...structure, embedded: true } : structure);
  return pruner.dropped.sort();
}

class Pruner {
  readonly dropped: string[] = [];
  readonly #path: (string | number)[] = [];

  prune(value: Json, structure: Structure | null): void {
    if (Array.isArray(value)) this.#pruneItems(value, structure);
    else if (isMembers(value)) this.#pruneMembers(value, structure);
  }

  /** Items of preserved lists are preserved too. */
  #pruneItems(value: readonly Json[], structure: Structure | null): void {
    const items = structure?.items ?? null;
    if (structure?.preserve === true) {
      if (items === null) return;
      const preserving = items.preserve ? items : { ...items, preserve: true };
      return this.#each(value, (item) => this.prune(item, preserving));
    }
    this.#each(value, (item) => this.prune(item, items));
  }

  #each(value: readonly Json[], visit: (item: Json) => void): void {
    for (let index = 0; index < value.length; index++) {
      const item = value[index] as Json;
      if (typeof item !== 'object' || item === null) continue;
      this.#path.push(index);
      visit(item);
      this.#path.pop();
    }
  }

  #pruneMembers(value: JsonMembers, structure: Structure | null): void {
    for (const name in value) {
      if (structure !== null && structure.embedded && ownRules.has(name)) continue;
      const property = structure?.properties.get(name);
      const rest = structure?.rest ?? null;
      if (property === undefined && rest === null) {
        if (structure?.preserve !== true) this.#drop(value, name);
        continue;
      }
      const member = value[name] as Json;
      if (typeof member !== 'object' || member === null) continue;
      this.#path.push(name);
      this.prune(member, property ?? (rest === 'any' ? null : rest));
      this.#path.pop();
    }
  }

  #drop(value: JsonMembers, name: string): void {
    delete value[name];
    if (this.dropped.length >= unknownFieldsMax) return;
    let text = '';
    for (const step of [...this.#path, name]) text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`;
    this.dropped.push(text);
  }
}

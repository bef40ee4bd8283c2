import { withoutTrailing } from '../../../api/trailing.js';
import type { PolicyRule } from './policy.js';
import { Prefixes } from './prefixes.js';
import type { Work } from './work.js';

const any = '*';

/** Ordered indices of rules with a word. Words in the same rules share one object, which identifies the set. */
export interface Holders {
  readonly id: number;
  readonly rules: readonly number[];
}

class WordIndex {
  readonly #building = new Map<string, number[]>();
  readonly #holders = new Map<string, Holders>();

  add(word: string, rule: number): void {
    const rules = this.#building.get(word);
    if (rules === undefined) this.#building.set(word, [rule]);
    else if (rules.at(-1) !== rule) rules.push(rule);
  }

  *seal(known: Map<string, Holders>, work: Work): Generator<void, void> {
    for (const [word, rules] of this.#building) {
      if (work.spend(rules.length)) yield;
      const key = rules.join();
      let holders = known.get(key);
      if (holders === undefined) known.set(key, (holders = { id: known.size, rules }));
      this.#holders.set(word, holders);
    }
    this.#building.clear();
  }

  of(word: string): Holders | undefined {
    return this.#holders.get(word);
  }
}

const named = 'named';
const unnamed = 'unnamed';

/** Held rules, indexed by word, linear in size and construction. Wildcards are words; a look-up also returns the rules that hold all words. */
export class HeldRules {
  readonly #groups = new WordIndex();
  readonly #resources = new WordIndex();
  readonly #verbs = new WordIndex();
  readonly #names = new WordIndex();
  readonly #named = new WordIndex();
  readonly #paths = new WordIndex();
  readonly #beginnings = new WordIndex();
  readonly #lists = [this.#groups, this.#resources, this.#verbs, this.#names, this.#named, this.#paths, this.#beginnings];
  #prefixes = new Prefixes([]);

  static *of(rules: readonly PolicyRule[], work: Work): Generator<void, HeldRules> {
    const held = new HeldRules();
    const beginnings: string[] = [];
    for (const [number, rule] of rules.entries()) {
      for (const [list, words] of held.#listsOf(rule, beginnings)) {
        for (const word of words) {
          list.add(word, number);
          if (work.spend(1)) yield;
        }
      }
    }
    held.#prefixes = new Prefixes(beginnings);
    const known = new Map<string, Holders>();
    for (const list of held.#lists) yield* list.seal(known, work);
    return held;
  }

  #listsOf(
    { apiGroups, resources, verbs, resourceNames, nonResourceURLs }: PolicyRule,
    beginnings: string[],
  ): readonly (readonly [WordIndex, readonly string[]])[] {
    // A rule that names objects grants no paths.
    const urls = resourceNames.length === 0 ? nonResourceURLs : [];
    const begun = urls.filter((url) => url.endsWith(any)).map((url) => withoutTrailing(url, any));
    for (const beginning of begun) beginnings.push(beginning);
    return [
      [this.#groups, apiGroups],
      [this.#resources, resources],
      [this.#verbs, verbs],
      [this.#names, resourceNames],
      [this.#named, [resourceNames.length === 0 ? unnamed : named]],
      [this.#paths, urls],
      [this.#beginnings, begun],
    ];
  }

  group(group: string): readonly Holders[] {
    return both(this.#groups, group);
  }
  verb(verb: string): readonly Holders[] {
    return both(this.#verbs, verb);
  }

  resource(resource: string): readonly Holders[] {
    const slash = resource.indexOf('/');
    const ofAny = slash < 0 ? undefined : this.#resources.of(`*${resource.slice(slash)}`);
    return [...both(this.#resources, resource), ...(ofAny === undefined ? [] : [ofAny])];
  }

  name(name: string | null): readonly Holders[] {
    return present(this.#named.of(unnamed), name === null ? undefined : this.#names.of(name));
  }

  path(path: string): readonly Holders[] {
    return present(this.#paths.of(path), ...this.#prefixes.of(path).map((prefix) => this.#beginnings.of(prefix)));
  }
}

const present = (...holders: readonly (Holders | undefined)[]): Holders[] => holders.filter((each) => each !== undefined);
const both = (index: WordIndex, word: string): Holders[] =>
  word === any ? present(index.of(any)) : present(index.of(any), index.of(word));

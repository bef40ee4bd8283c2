import { limited, type Finding } from './finding.js';
import type { ShownChange } from './watchPromises.js';

/** The content of a list at one version, its pages joined. */
export interface ListedState {
  readonly client: string;
  readonly what: string;
  readonly version: number;
  readonly items: ReadonlyMap<string, { readonly version: number; readonly value: string }>;
}

/**
 * Checks that a list shows exactly the content at its version. `history` has every change from the empty store to version `complete`; later lists are not
 * checked.
 */
export function checkLists(lists: readonly ListedState[], history: readonly ShownChange[], complete: number): readonly Finding[] {
  const changes = [...history].sort((a, b) => a.version - b.version);
  const state = new Map<string, { version: number; value: string }>();
  let next = 0;
  return limited(
    [...lists]
      .filter(({ version }) => version <= complete)
      .sort((a, b) => a.version - b.version)
      .flatMap((list) => {
        for (let change = changes[next]; change !== undefined && change.version <= list.version; change = changes[++next])
          apply(state, change);
        return differences(list, state);
      }),
  );
}

function apply(state: Map<string, { version: number; value: string }>, { type, key, version, halves: [value] }: ShownChange): void {
  if (type === 'DELETED') state.delete(key);
  else state.set(key, { version, value });
}

function differences({ client, what, version, items }: ListedState, state: ListedState['items']): Finding[] {
  return [...new Set([...items.keys(), ...state.keys()])].flatMap((key) => {
    const [listed, there] = [items.get(key), state.get(key)].map((object) =>
      object === undefined ? 'nothing' : `${object.value}@${object.version}`,
    );
    return listed === there
      ? []
      : [
          {
            promise: 'lists are of one version',
            details: `${client}: ${what} at ${version} shows ${listed} for ${key}, where ${there} was`,
          },
        ];
  });
}

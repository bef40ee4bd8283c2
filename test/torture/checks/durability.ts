import { limited, type Finding } from './finding.js';
import type { AcknowledgedWrite } from './history.js';
import type { ShownChange } from './watchPromises.js';

/** The final state of the store: key -> version and value. */
export type FinalState = ReadonlyMap<string, { readonly version: number; readonly value: string }>;

/** Checks that no acknowledged write is lost: the watched history contains each with its value, and results in the final state. */
export function checkAcknowledged(
  acknowledged: readonly AcknowledgedWrite[],
  history: readonly ShownChange[],
  final: FinalState,
): readonly Finding[] {
  const written = new Map(
    history.filter(({ type }) => type !== 'DELETED').map(({ key, version, halves }) => [version, `${key} ${halves[0]}`]),
  );
  const lost = acknowledged.filter(({ key, value, version }) => written.get(version) !== `${key} ${value}`);
  return [
    ...limited(
      lost.map(({ key, value, version }) =>
        finding(`${key}@${version} = ${value} was acknowledged; the history has ${written.get(version) ?? 'nothing'} there`),
      ),
    ),
    ...limited(differences(replayed(history), final)),
  ];
}

function replayed(history: readonly ShownChange[]): FinalState {
  const state = new Map<string, { version: number; value: string }>();
  for (const { type, key, version, halves } of [...history].sort((a, b) => a.version - b.version)) {
    if (type === 'DELETED') state.delete(key);
    else state.set(key, { version, value: halves[0] });
  }
  return state;
}

function differences(expected: FinalState, final: FinalState): Finding[] {
  return [...new Set([...expected.keys(), ...final.keys()])].flatMap((key) => {
    const [wanted, is] = [expected.get(key), final.get(key)].map((object) => (object ? `${object.value}@${object.version}` : 'nothing'));
    return wanted === is ? [] : [finding(`${key} is ${is} in the end; the history leads to ${wanted}`)];
  });
}

const finding = (details: string): Finding => ({ promise: 'durability', details });

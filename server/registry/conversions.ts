import { turns, type Ended } from '../../workers/turns/turns.js';
import { type Steps } from '../../api/steps.js';
import { writeJson } from '../../workers/codecs/jsonWriter.js';
import { copyOf } from '../../api/json/copy.js';
import type { ApiObject, JsonObject } from '../../api/object.js';
import { apiVersionOf } from '../../api/resource.js';
import { plainError } from '../../api/status.js';
import type { Versions } from '../patch/apply/ownership.js';
import type { AskForVersion } from './behaviour.js';
import type { ServedResource } from './resources.js';

/** Most values are there at once, and then nobody waits. */
export type Eventually<T> = T | Promise<T>;

/** Times that a program is asked again because what it answered leads to more questions; server-side apply needs three or four. */
const roundsMax = 8;

/**
 * Work that compares objects in several versions, where only a program can say what they are in another one. The work is pure and knows nothing of waiting: it is done
 * with what is known, all that it missed is asked for together, and it is done again, until nothing is missing. So one write costs one question for each version
 * that somebody owns fields in, and two or three more where fields are taken out. Rejects with StatusError where the program fails.
 */
export function converting<T>(resource: ServedResource, work: (versions: Versions) => Steps<T>, ended?: Ended): Eventually<T> {
  const { versions, asks = null } = resource.behaviour;
  if (asks === null) return turns.run(work(versions), ended);
  const known = new KnownForms(resource, versions);
  const first = turns.run(attempt(work(known.versions)), ended);
  if (first instanceof Promise || !known.isComplete) return again(work, { known, asks, first, ended });
  return settled(first);
}

interface Rounds<T> {
  readonly known: KnownForms;
  readonly asks: AskForVersion;
  readonly first: Eventually<Outcome<T>>;
  readonly ended: Ended | undefined;
}

async function again<T>(work: (versions: Versions) => Steps<T>, { known, asks, first, ended }: Rounds<T>): Promise<T> {
  let outcome = await first;
  for (let round = 0; ; round++) {
    if (known.isComplete) return settled(outcome);
    if (round >= roundsMax) break;
    await known.complete(asks);
    outcome = await turns.run(attempt(work(known.versions)), ended);
  }
  throw plainError(500, 'conversions of the object to versions in which its fields are owned lead to ever more conversions');
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

/** What comes of work that has missed something counts for nothing, whatever it is. */
function* attempt<T>(work: Steps<T>): Steps<Outcome<T>> {
  try {
    return { value: yield* work };
  } catch (error) {
    return { error };
  }
}

function settled<T>(outcome: Outcome<T>): T {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

interface Wanted {
  readonly object: ApiObject;
  readonly apiVersion: string;
}

/** Objects in other versions, by what they are and the version. */
class KnownForms {
  readonly versions: Versions;
  private readonly forms = new Map<string, ApiObject>();
  private readonly missing = new Map<string, Wanted>();

  constructor(resource: ServedResource, { schemaOf }: Versions) {
    const own = apiVersionOf(resource);
    this.versions = {
      schemaOf,
      convert: (object, apiVersion) => {
        const named: ApiObject = { ...object, apiVersion: object.apiVersion ?? own, kind: resource.kind };
        if (named.apiVersion === apiVersion) return named;
        const key = `${apiVersion} ${writeJson(named as JsonObject)}`;
        const form = this.forms.get(key);
        if (form === undefined) this.missing.set(key, { object: named, apiVersion });
        return form === undefined ? null : (copyOf(form as JsonObject) as ApiObject);
      },
    };
  }

  get isComplete(): boolean {
    return this.missing.size === 0;
  }

  /** One question for each version, all at the same time. */
  async complete(asks: AskForVersion): Promise<void> {
    const wanted = [...this.missing];
    this.missing.clear();
    const targets = new Set(wanted.map(([, { apiVersion }]) => apiVersion));
    await Promise.all(
      [...targets].map(async (target) => {
        const own = wanted.filter(([, { apiVersion }]) => apiVersion === target);
        const forms = await asks(
          own.map(([, { object }]) => copyOf(object as JsonObject) as ApiObject),
          target,
        );
        for (const [position, [key]] of own.entries()) {
          const form = forms[position];
          if (form === undefined) throw plainError(500, `conversion to ${target} returned too few objects`);
          this.forms.set(key, form);
        }
      }),
    );
  }
}

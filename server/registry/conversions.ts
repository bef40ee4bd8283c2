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

/** A value that usually needs no wait. */
export type Eventually<T> = T | Promise<T>;

/** Server-side apply needs three or four. */
const roundsMax = 8;

/**
 * Pure synchronous work runs with the known objects, and again once all missing ones have come, together, from the conversion webhook. So a write costs one
 * call for each version in which a manager owns fields, and two or three more where fields are removed. Rejects with StatusError when the webhook fails.
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

class KnownForms {
  readonly versions: Versions;
  readonly #forms = new Map<string, ApiObject>();
  readonly #missing = new Map<string, Wanted>();

  constructor(resource: ServedResource, { schemaOf, resets }: Versions) {
    const own = apiVersionOf(resource);
    this.versions = {
      schemaOf,
      ...(resets === undefined ? {} : { resets }),
      convert: (object, apiVersion) => {
        const named: ApiObject = { ...object, apiVersion: object.apiVersion ?? own, kind: resource.kind };
        if (named.apiVersion === apiVersion) return named;
        const key = `${apiVersion} ${writeJson(named as JsonObject)}`;
        const form = this.#forms.get(key);
        if (form === undefined) this.#missing.set(key, { object: named, apiVersion });
        return form === undefined ? null : (copyOf(form as JsonObject) as ApiObject);
      },
    };
  }

  get isComplete(): boolean {
    return this.#missing.size === 0;
  }

  async complete(asks: AskForVersion): Promise<void> {
    const wanted = [...this.#missing];
    this.#missing.clear();
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
          this.#forms.set(key, form);
        }
      }),
    );
  }
}

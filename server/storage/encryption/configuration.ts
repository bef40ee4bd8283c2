import type { JsonObject, JsonValue } from '../../../api/object.js';
import type { GroupResource } from '../../../api/resource.js';
import { parseDuration } from '../../../program/flags/duration.js';
import { readConfiguration, refuseConfiguration, type ConfigurationKind, type Shape } from '../../../program/files/configuration.js';
import { aesCbc, aesGcm, secretbox, type Cipher } from './ciphers.js';
import { keyNameCharactersMax } from './transformer.js';

export interface KeyFacts {
  readonly name: string;
  readonly secret: Buffer;
}

export interface KmsFacts {
  readonly apiVersion: 'v1' | 'v2';
  readonly name: string;
  readonly cacheSize: number | null;
  readonly endpoint: string;
  readonly timeoutMs: number;
}

export type ProviderFacts =
  | { readonly kind: 'identity' }
  | { readonly kind: 'keyed'; readonly scheme: SchemeName; readonly keys: readonly KeyFacts[] }
  | { readonly kind: 'kms'; readonly kms: KmsFacts };

/** Resources and their providers. The first provider writes; all read. */
export interface ResourceRule {
  readonly patterns: readonly GroupResource[];
  readonly providers: readonly ProviderFacts[];
}

export const schemes = { aescbc: aesCbc, aesgcm: aesGcm, secretbox } as const satisfies Readonly<Record<string, Cipher>>;
export type SchemeName = keyof typeof schemes;

const keys: Shape = { fields: { keys: { list: { fields: { name: 'text', secret: 'text' } } } } };
const fields: Readonly<Record<string, Shape>> = {
  resources: {
    list: {
      fields: {
        resources: { list: 'text' },
        providers: {
          list: {
            fields: {
              aesgcm: keys,
              aescbc: keys,
              secretbox: keys,
              identity: { fields: {} },
              kms: { fields: { apiVersion: 'text', name: 'text', cachesize: 'integer', endpoint: 'text', timeout: 'text' } },
            },
          },
        },
      },
    },
  },
};

const unserved: ReadonlySet<string> = new Set(['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations']);

const option = '--encryption-provider-config';

export const encryptionKind: ConfigurationKind = {
  option,
  kind: 'EncryptionConfiguration',
  apiVersions: ['apiserver.config.k8s.io/v1'],
  fields,
};

/** Throws with the option, the file and all errors. `follows`: the file is read again after changes. */
export function readEncryptionConfiguration(file: string, follows = false): readonly ResourceRule[] {
  const document = readConfiguration(file, encryptionKind);
  const reading = new Reading(follows);
  const rules = reading.rules(document);
  if (reading.problems.length > 0) refuseConfiguration(file, option, reading.problems);
  return rules;
}

const objects = (value: JsonValue | undefined): readonly JsonObject[] => (Array.isArray(value) ? (value as JsonObject[]) : []);
const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

const defaultTimeoutMs = 3_000;

/** Errors never contain secrets. */
class Reading {
  readonly problems: string[] = [];
  readonly #kmsNames = new Set<string>();
  readonly #follows: boolean;

  constructor(follows: boolean) {
    this.#follows = follows;
  }

  rules(document: JsonObject): readonly ResourceRule[] {
    const entries = objects(document['resources']);
    if (entries.length === 0) this.problems.push('resources must have at least one entry');
    const rules = entries.map((entry, index) => this.#rule(entry, `resources[${index}]`));
    this.#checkOverlaps(rules);
    return rules;
  }

  #rule(entry: JsonObject, path: string): ResourceRule {
    const names = Array.isArray(entry['resources']) ? entry['resources'].map(text) : [];
    if (names.length === 0) this.problems.push(`${path}.resources must name resources`);
    const providers = objects(entry['providers']);
    if (providers.length === 0) this.problems.push(`${path}.providers must have at least one entry`);
    return {
      patterns: names.map((name, index) => this.#pattern(name, `${path}.resources[${index}]`)),
      providers: providers.flatMap((provider, index) => this.#provider(provider, `${path}.providers[${index}]`) ?? []),
    };
  }

  #pattern(name: string, path: string): GroupResource {
    const dot = name.indexOf('.');
    const [resource, group] = dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)];
    if (resource === '' || name !== name.toLowerCase()) this.problems.push(`${path}: ${JSON.stringify(name)} is no resource`);
    if (unserved.has(name)) this.problems.push(`${path}: ${JSON.stringify(name)} is no resource of an API, and stays in plain`);
    if (group === 'events.k8s.io')
      this.problems.push(`${path}: events of group events.k8s.io are kept as those of the core group; write "events"`);
    if (group === 'extensions') this.problems.push(`${path}: the group extensions is no more`);
    if (resource === '*' && dot < 0) this.problems.push(`${path}: "*" must name a group; "*." is the core group, "*.*" are all`);
    if (group.includes('*') && (group !== '*' || resource !== '*'))
      this.problems.push(`${path}: ${JSON.stringify(name)}: a wildcard for groups stands only in "*.*"`);
    return { resource, group };
  }

  #provider(provider: JsonObject, path: string): ProviderFacts | null {
    const kinds = Object.keys(provider).filter((name) => provider[name] !== null && provider[name] !== undefined);
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1) {
      this.problems.push(`${path} must have one kind of provider, not ${kinds.length === 0 ? 'none' : kinds.join(' and ')}`);
      return null;
    }
    const facts = provider[kind] as JsonObject;
    if (kind === 'identity') return { kind };
    return kind === 'kms'
      ? { kind, kms: this.#kms(facts, `${path}.kms`) }
      : { kind: 'keyed', scheme: kind as SchemeName, keys: this.#keys(facts, kind as SchemeName, `${path}.${kind}`) };
  }

  #keys(facts: JsonObject, scheme: SchemeName, path: string): readonly KeyFacts[] {
    const entries = objects(facts['keys']);
    if (entries.length === 0) this.problems.push(`${path}.keys must have at least one key`);
    return entries.map((entry, index) => {
      const at = `${path}.keys[${index}]`;
      const name = text(entry['name']);
      if (name === '' || name.length > keyNameCharactersMax)
        this.problems.push(`${at}.name must have 1 to ${keyNameCharactersMax} characters`);
      return { name, secret: this.#secret(text(entry['secret']), schemes[scheme].keyBytes, `${at}.secret`) };
    });
  }

  #secret(encoded: string, lengths: readonly number[], path: string): Buffer {
    // Ignores line breaks, so that a secret may be a YAML block.
    const digits = encoded.replace(/[\r\n]/g, '');
    const secret = Buffer.from(digits, 'base64');
    if (digits === '' || digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) this.problems.push(`${path} must be base64`);
    else if (!lengths.includes(secret.length)) this.problems.push(`${path} must have ${lengths.join(', ')} bytes, not ${secret.length}`);
    return secret;
  }

  #kms(facts: JsonObject, path: string): KmsFacts {
    const apiVersion = text(facts['apiVersion']) || 'v1';
    const name = text(facts['name']);
    const endpoint = text(facts['endpoint']);
    const size = facts['cachesize'];
    if (apiVersion !== 'v1' && apiVersion !== 'v2')
      this.problems.push(`${path}.apiVersion must be v1 or v2, not ${JSON.stringify(apiVersion)}`);
    if (name === '' || name.length > keyNameCharactersMax)
      this.problems.push(`${path}.name must have 1 to ${keyNameCharactersMax} characters`);
    if (apiVersion === 'v2' && name.includes(':')) this.problems.push(`${path}.name must have no ":"`);
    // Names of v1 may be there twice only in a file that is read once (apiserver/validation/validation_encryption.go).
    if ((apiVersion === 'v2' || this.#follows) && this.#kmsNames.has(name))
      this.problems.push(`${path}.name: ${JSON.stringify(name)} is there twice`);
    this.#kmsNames.add(name);
    if (!/^unix:\/\/\/?[^/].*/.test(endpoint))
      this.problems.push(`${path}.endpoint must be a socket such as unix:///var/run/kms.sock, not ${JSON.stringify(endpoint)}`);
    if (apiVersion === 'v2' && size !== undefined && size !== null) this.problems.push(`${path}.cachesize is for v1 only`);
    if (size === 0) this.problems.push(`${path}.cachesize must not be 0`);
    return {
      apiVersion: apiVersion === 'v2' ? 'v2' : 'v1',
      name,
      endpoint,
      cacheSize: typeof size === 'number' ? size : null,
      timeoutMs: this.#timeout(facts['timeout'], `${path}.timeout`),
    };
  }

  #timeout(value: JsonValue | undefined, path: string): number {
    if (value === undefined || value === null) return defaultTimeoutMs;
    const parsed = parseDuration(text(value));
    if (parsed.ok && parsed.milliseconds > 0) return parsed.milliseconds;
    this.problems.push(`${path} must be a time above 0, such as 3s`);
    return defaultTimeoutMs;
  }

  #checkOverlaps(rules: readonly ResourceRule[]): void {
    for (const [index, { patterns }] of rules.entries()) {
      const everything = patterns.some(({ resource, group }) => resource === '*' && group === '*');
      if (everything && patterns.length > 1) this.problems.push(`resources[${index}].resources: "*.*" covers the others`);
      for (const { group } of patterns.filter(({ resource }) => resource === '*')) {
        if (patterns.filter((other) => other.group === group).length > 1)
          this.problems.push(`resources[${index}].resources: the wildcard "*.${group}" covers others of its group`);
      }
      const names = patterns.map(named);
      for (const name of names.filter((each, at) => names.indexOf(each) !== at))
        this.problems.push(`resources[${index}].resources: ${JSON.stringify(name)} is there twice`);
    }
    this.#checkMasks(rules);
  }

  /** A later entry for a covered resource would never apply. */
  #checkMasks(rules: readonly ResourceRule[]): void {
    const wildcards: GroupResource[] = [];
    for (const { patterns } of rules) {
      for (const pattern of patterns) {
        const mask = wildcards.find(({ group }) => group === '*' || group === pattern.group);
        if (mask !== undefined)
          this.problems.push(`${JSON.stringify(named(pattern))} is covered by ${JSON.stringify(named(mask))} of an earlier entry`);
      }
      wildcards.push(...patterns.filter(({ resource }) => resource === '*'));
    }
  }
}

const named = ({ resource, group }: GroupResource): string => (group === '' && resource !== '*' ? resource : `${resource}.${group}`);

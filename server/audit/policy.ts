import type { JsonObject, JsonValue } from '../api/object.js';
import { levels, stages } from './event.js';
import type { Level, Stage } from './event.js';

/** Resources that a rule is about. Empty lists select everything. */
export interface PolicyResources { readonly group: string; readonly resources: readonly string[]; readonly resourceNames: readonly string[] }

export interface PolicyRule {
  readonly level: Level;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly PolicyResources[];
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly Stage[];
  /** null where the policy's own setting counts. */
  readonly omitManagedFields: boolean | null;
}

/** `audit.k8s.io/v1 Policy`: the first rule that fits a request decides what is written of it. */
export interface AuditPolicy { readonly rules: readonly PolicyRule[]; readonly omitStages: readonly Stage[]; readonly omitManagedFields: boolean }

export type PolicyResult = { readonly ok: true; readonly policy: AuditPolicy } | { readonly ok: false; readonly complaints: readonly string[] };

/** Reads a policy from a parsed document, and checks it. Every complaint names the member's path. Pure. */
export function readPolicy(document: unknown): PolicyResult {
  const reading = new Reading();
  const policy = reading.policy(document);
  return reading.complaints.length === 0 ? { ok: true, policy } : { ok: false, complaints: reading.complaints };
}

const policyMembers = ['apiVersion', 'kind', 'metadata', 'rules', 'omitStages', 'omitManagedFields'];
const ruleMembers = ['level', 'users', 'userGroups', 'verbs', 'resources', 'namespaces', 'nonResourceURLs', 'omitStages', 'omitManagedFields'];
const resourceMembers = ['group', 'resources', 'resourceNames'];

/** Collects complaints on the way: an operator wants to see all of them at once. */
class Reading {
  readonly complaints: string[] = [];

  policy(document: unknown): AuditPolicy {
    const object = this.#object(document, '', policyMembers);
    if (object['apiVersion'] !== 'audit.k8s.io/v1') this.#complain('apiVersion', `must be "audit.k8s.io/v1", not ${show(object['apiVersion'])}`);
    if (object['kind'] !== 'Policy') this.#complain('kind', `must be "Policy", not ${show(object['kind'])}`);
    const rules = this.#list(object['rules'], 'rules').map((rule, index) => this.#rule(rule, `rules[${index}]`));
    if (rules.length === 0) this.#complain('rules', 'must have at least one rule');
    return { rules, omitStages: this.#stages(object['omitStages'], 'omitStages'), omitManagedFields: this.#flag(object['omitManagedFields'], 'omitManagedFields') ?? false };
  }

  #rule(value: JsonValue, path: string): PolicyRule {
    const rule = this.#object(value, path, ruleMembers);
    const texts = (name: string): readonly string[] => this.#texts(rule[name], `${path}.${name}`);
    const read: PolicyRule = {
      level: this.#level(rule['level'], `${path}.level`), users: texts('users'), userGroups: texts('userGroups'), verbs: texts('verbs'), namespaces: texts('namespaces'),
      resources: this.#list(rule['resources'], `${path}.resources`).map((item, index) => this.#resources(item, `${path}.resources[${index}]`)),
      nonResourceURLs: texts('nonResourceURLs'), omitStages: this.#stages(rule['omitStages'], `${path}.omitStages`),
      omitManagedFields: this.#flag(rule['omitManagedFields'], `${path}.omitManagedFields`),
    };
    this.#checkUrls(read, path);
    return read;
  }

  #checkUrls({ nonResourceURLs, resources, namespaces }: PolicyRule, path: string): void {
    if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) this.#complain(`${path}.nonResourceURLs`, 'cannot stand beside resources or namespaces');
    for (const [index, url] of nonResourceURLs.entries()) {
      if (url === '*') continue;
      if (!url.startsWith('/')) this.#complain(`${path}.nonResourceURLs[${index}]`, `must begin with "/": ${show(url)}`);
      if (url.slice(0, -1).includes('*')) this.#complain(`${path}.nonResourceURLs[${index}]`, `may have "*" at its end only: ${show(url)}`);
    }
  }

  #resources(value: JsonValue, path: string): PolicyResources {
    const object = this.#object(value, path, resourceMembers);
    const group = this.#text(object['group'] ?? '', `${path}.group`);
    if (group.includes('/')) this.#complain(`${path}.group`, `is a group without a version: ${show(group)}`);
    const resources = this.#texts(object['resources'], `${path}.resources`);
    const resourceNames = this.#texts(object['resourceNames'], `${path}.resourceNames`);
    if (resourceNames.length > 0 && resources.length === 0) this.#complain(`${path}.resourceNames`, 'needs resources beside it');
    return { group, resources, resourceNames };
  }

  #level(value: JsonValue | undefined, path: string): Level {
    const level = levels.find((known) => known === value);
    if (level === undefined) this.#complain(path, `must be one of ${levels.join(', ')}, not ${show(value)}`);
    return level ?? 'None';
  }

  #stages(value: JsonValue | undefined, path: string): readonly Stage[] {
    return this.#texts(value, path).flatMap((name) => {
      const stage = stages.find((known) => known === name);
      if (stage === undefined) this.#complain(path, `must name stages out of ${stages.join(', ')}, not ${show(name)}`);
      return stage ?? [];
    });
  }

  #texts(value: JsonValue | undefined, path: string): readonly string[] {
    return this.#list(value, path).map((item, index) => this.#text(item, `${path}[${index}]`));
  }

  #text(value: JsonValue, path: string): string {
    if (typeof value !== 'string') this.#complain(path, `must be text, not ${show(value)}`);
    return typeof value === 'string' ? value : '';
  }

  #list(value: JsonValue | undefined, path: string): readonly JsonValue[] {
    if (value === undefined || value === null || Array.isArray(value)) return value ?? [];
    this.#complain(path, 'must be a list');
    return [];
  }

  #flag(value: JsonValue | undefined, path: string): boolean | null {
    if (value === undefined || value === null || typeof value === 'boolean') return value ?? null;
    this.#complain(path, `must be true or false, not ${show(value)}`);
    return null;
  }

  #object(value: unknown, path: string, members: readonly string[]): JsonObject {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.#complain(path, 'must be an object');
      return {};
    }
    for (const name of Object.keys(value)) if (!members.includes(name)) this.#complain(path === '' ? name : `${path}.${name}`, 'is unknown');
    return value as JsonObject;
  }

  #complain(path: string, what: string): void { this.complaints.push(path === '' ? `the document ${what}` : `${path} ${what}`); }
}

const show = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

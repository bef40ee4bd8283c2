import { entryOf } from '../../../api/json/members.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import type { User } from '../../../api/user.js';
import type { Program } from '../../../cel/environment.js';
import type { JwtSettings, Mapping, Rule } from './settings.js';

/** Names claims and rules, never values. */
class Refusal extends Error {}

/** Maps verified claims to a user, or an error. Pure. */
export function userOfClaims(claims: JsonObject, settings: JwtSettings): User | string {
  try {
    return mapped(claims, settings);
  } catch (error) {
    if (error instanceof Refusal) return `oidc: ${error.message}`;
    throw error;
  }
}

function mapped(claims: JsonObject, settings: JwtSettings): User {
  const { username, groups, uid, extra, requiredClaims, claimRules, userRules } = settings;
  const user: User = {
    name: nameOf(claims, username),
    groups: groups === null ? [] : groupsOf(claims, groups),
    uid: uid === null ? '' : single(claims, uid, 'uid'),
    extra: {
      ...credentialId(claims['jti']),
      ...Object.fromEntries(
        extra
          .map(({ key, program }) => [key, texts(run(program, { claims }, `extra ${key}`), `extra ${key}`)] as const)
          .filter(([, values]) => values.length > 0),
      ),
    },
  };
  for (const [claim, wanted] of Object.entries(requiredClaims)) {
    if (!Object.hasOwn(claims, claim)) throw new Refusal(`required claim ${claim} is not there`);
    if (claims[claim] !== wanted) throw new Refusal(`required claim ${claim} has another value`);
  }
  for (const rule of claimRules) demand(rule, { claims }, 'claims');
  const shown = {
    username: user.name,
    uid: user.uid,
    groups: [...user.groups],
    extra: Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]])),
  };
  for (const rule of userRules) demand(rule, { user: shown }, 'user');
  return user;
}

const credentialId = (id: JsonValue | undefined): User['extra'] =>
  typeof id === 'string' && id !== '' ? { 'authentication.kubernetes.io/credential-id': [`JTI=${id}`] } : {};

function nameOf(claims: JsonObject, mapping: Mapping): string {
  const name = single(claims, mapping, 'username');
  // An unverified email must not become a user name.
  if (mapping.by === 'claim' && mapping.claim === 'email' && Object.hasOwn(claims, 'email_verified') && claims['email_verified'] !== true)
    throw new Refusal('email is not verified');
  return name;
}

function single(claims: JsonObject, mapping: Mapping, what: string): string {
  const value = mapping.by === 'expression' ? run(mapping.program, { claims }, what) : entryOf(claims, mapping.claim);
  if (typeof value !== 'string')
    throw new Refusal(
      mapping.by === 'claim'
        ? `claim ${mapping.claim} for the ${what} is ${value === undefined ? 'not there' : 'no text'}`
        : `the expression for the ${what} yields no text`,
    );
  // A claim may be empty, so that the prefix is the name, but not an expression's result, as in the reference.
  if (mapping.by === 'expression' && what === 'username' && value === '') throw new Refusal('the username is empty');
  return mapping.by === 'claim' ? mapping.prefix + value : value;
}

/** A single group may be plain text; an absent claim means none. */
function groupsOf(claims: JsonObject, mapping: Mapping): string[] {
  if (mapping.by === 'expression') return texts(run(mapping.program, { claims }, 'groups'), 'groups');
  const value = entryOf(claims, mapping.claim);
  if (value === undefined || value === null) return [];
  const list = typeof value === 'string' ? [value] : value;
  if (!isTexts(list)) throw new Refusal(`claim ${mapping.claim} for the groups is neither text nor list of texts`);
  return list.map((group) => mapping.prefix + group);
}

const isTexts = (value: JsonValue | undefined): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** Empty texts count as absent. */
function texts(value: JsonValue, what: string): string[] {
  const list = value === null ? [] : typeof value === 'string' ? [value] : value;
  if (!isTexts(list)) throw new Refusal(`the expression for the ${what} yields neither text nor list of texts`);
  return list.filter((text) => text !== '');
}

function run(program: Program, variables: Readonly<Record<string, JsonValue>>, what: string): JsonValue {
  const result = program.evaluate(variables);
  if (!result.ok) throw new Refusal(`the expression for the ${what} fails: ${result.message}`);
  return result.value;
}

function demand({ program, message }: Rule, variables: Readonly<Record<string, JsonValue>>, what: string): void {
  const value = run(program, variables, `rule of the ${what}`);
  if (value !== true) throw new Refusal(`validation expression '${program.expression}' failed: ${message}`);
}

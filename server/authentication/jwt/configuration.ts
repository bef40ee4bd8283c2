import { X509Certificate } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { withoutTrailing } from '../../../api/trailing.js';
import { createScope, type Program } from '../../../cel/environment.js';
import { readConfiguration, refuseConfiguration, type ConfigurationKind, type Shape } from '../../../program/files/configuration.js';
import { certificateBlocks } from '../../../program/files/pem.js';
import { itemsOf, membersOf, textAt } from '../../../api/json/members.js';
import { duplicate, invalid, Path, required, tooMany, type FieldError } from '../../registry/validation/field.js';
import { subdomainName } from '../../registry/validation/names.js';
import { signatureAlgorithms, type JwtSettings, type Mapping, type Rule } from './settings.js';

export interface AuthenticationSettings {
  readonly jwt: readonly JwtSettings[];
  /** Null if left to the option; `paths` is null for all paths. */
  readonly anonymous: { readonly enabled: boolean; readonly paths: ReadonlySet<string> | null } | null;
}

const option = '--authentication-config';
const authenticatorsMax = 64;
const text: Shape = 'text';
const mapping: Shape = { fields: { claim: text, prefix: text, expression: text } };
const fields: Readonly<Record<string, Shape>> = {
  jwt: {
    list: {
      fields: {
        issuer: {
          fields: {
            url: text,
            discoveryURL: text,
            certificateAuthority: text,
            audiences: { list: text },
            audienceMatchPolicy: text,
            egressSelectorType: text,
          },
        },
        claimValidationRules: { list: { fields: { claim: text, requiredValue: text, expression: text, message: text } } },
        claimMappings: {
          fields: {
            username: mapping,
            groups: mapping,
            uid: { fields: { claim: text, expression: text } },
            extra: { list: { fields: { key: text, valueExpression: text } } },
          },
        },
        userValidationRules: { list: { fields: { expression: text, message: text } } },
      },
    },
  },
  anonymous: { fields: { enabled: 'bool', conditions: { list: { fields: { path: text } } } } },
};

export interface AuthenticationFacts {
  /** Issuers of this cluster's own tokens, which cannot be configured. */
  readonly ownIssuers: readonly string[];
  /** Feature StructuredAuthenticationConfigurationEgressSelector. */
  readonly selectsEgress: boolean;
}

export const authenticationKind: ConfigurationKind = {
  option,
  kind: 'AuthenticationConfiguration',
  apiVersions: ['v1', 'v1beta1', 'v1alpha1'].map((version) => `apiserver.config.k8s.io/${version}`),
  fields,
};

/** Throws with all errors. */
export function readAuthenticationConfiguration(file: string, facts: AuthenticationFacts): AuthenticationSettings {
  const document = readConfiguration(file, authenticationKind);
  const errors: FieldError[] = [];
  const settings = readSettings(document, facts, errors);
  if (errors.length > 0)
    refuseConfiguration(
      file,
      option,
      errors.map(({ path, message }) => `${path}: ${message}`),
    );
  return settings;
}

function readSettings(document: JsonObject, facts: AuthenticationFacts, errors: FieldError[]): AuthenticationSettings {
  const entries = itemsOf(document['jwt']).map(membersOf);
  if (entries.length > authenticatorsMax) errors.push(tooMany(Path.of('jwt'), entries.length, authenticatorsMax));
  const jwt = entries
    .slice(0, authenticatorsMax)
    .map((entry, index) => new JwtReader(Path.of('jwt').index(index), errors).read(entry, facts));
  for (const member of ['issuer', 'discoveryUrl'] as const) {
    const urls = jwt.map((settings) => settings[member]);
    urls.forEach((url, index) => {
      if (url !== null && url !== '' && urls.indexOf(url) < index)
        errors.push(
          duplicate(
            Path.of('jwt')
              .index(index)
              .child('issuer', member === 'issuer' ? 'url' : 'discoveryURL'),
            url,
          ),
        );
    });
  }
  return { jwt, anonymous: readAnonymous(document['anonymous'], errors) };
}

function readAnonymous(value: JsonValue | undefined, errors: FieldError[]): AuthenticationSettings['anonymous'] {
  if (value === undefined || value === null) return null;
  const enabled = membersOf(value)['enabled'] === true;
  const paths = itemsOf(membersOf(value)['conditions']).map((condition) => textAt(membersOf(condition), 'path'));
  if (!enabled && paths.length > 0)
    errors.push(invalid(Path.of('anonymous', 'conditions'), paths, 'conditions mean something only where enabled is true'));
  return { enabled, paths: paths.length === 0 ? null : new Set(paths) };
}

const claimsScope = createScope({ claims: 'map<string, dyn>' }, 'claims');
const userScope = createScope(
  { user: { username: 'string', uid: 'string', groups: 'list<string>', extra: 'map<string, list<string>>' } },
  'claims',
);

class JwtReader {
  readonly #path: Path;
  readonly #errors: FieldError[];

  constructor(path: Path, errors: FieldError[]) {
    this.#path = path;
    this.#errors = errors;
  }

  read(entry: JsonObject, facts: AuthenticationFacts): JwtSettings {
    const issuer = this.#issuer(membersOf(entry['issuer']), facts);
    const { claimRules, requiredClaims } = this.#claimRules(itemsOf(entry['claimValidationRules']).map(membersOf));
    const mappings = membersOf(entry['claimMappings']);
    const at = this.#path.child('claimMappings');
    const username = this.#mapping(membersOf(mappings['username']), at.child('username'), true);
    const extra = this.#extra(itemsOf(mappings['extra']).map(membersOf), at.child('extra'));
    const named = (programs: readonly Program[]): boolean => programs.some(({ selects }) => selects.has('claims.email_verified'));
    if (
      username?.by === 'expression' &&
      username.program.selects.has('claims.email') &&
      !named([username.program, ...extra.map(({ program }) => program), ...claimRules.map(({ program }) => program)])
    ) {
      this.#errors.push(
        invalid(
          at.child('username', 'expression'),
          username.program.expression,
          'uses claims.email; so claims.email_verified must be used here, in an extra value or in a claim validation rule',
        ),
      );
    }
    return {
      ...issuer,
      algorithms: signatureAlgorithms,
      requiredClaims,
      claimRules,
      username: username ?? { by: 'claim', claim: '', prefix: '' },
      groups: this.#mapping(membersOf(mappings['groups']), at.child('groups'), false),
      uid: this.#uid(membersOf(mappings['uid']), at.child('uid')),
      extra,
      userRules: this.#rules(itemsOf(entry['userValidationRules']).map(membersOf)),
    };
  }

  #issuer(
    issuer: JsonObject,
    { ownIssuers, selectsEgress }: AuthenticationFacts,
  ): Pick<JwtSettings, 'issuer' | 'discoveryUrl' | 'certificateAuthority' | 'egress' | 'audiences'> {
    const at = this.#path.child('issuer');
    const [url, discoveryUrl, certificateAuthority] = [
      textAt(issuer, 'url'),
      textAt(issuer, 'discoveryURL'),
      textAt(issuer, 'certificateAuthority'),
    ];
    if (url === '') this.#errors.push(required(at.child('url'), ''));
    else this.#url(url, at.child('url'));
    if (ownIssuers.includes(url)) this.#errors.push(invalid(at.child('url'), url, 'is an issuer of service account tokens'));
    if (discoveryUrl !== '') this.#url(discoveryUrl, at.child('discoveryURL'));
    if (discoveryUrl !== '' && withoutTrailing(discoveryUrl, '/') === withoutTrailing(url, '/'))
      this.#errors.push(invalid(at.child('discoveryURL'), discoveryUrl, 'must differ from url'));
    const wrong = certificateAuthority === '' ? null : authorityProblem(certificateAuthority);
    if (wrong !== null) this.#errors.push(invalid(at.child('certificateAuthority'), '<omitted>', wrong));
    const egress = textAt(issuer, 'egressSelectorType');
    if (egress !== '' && !selectsEgress)
      this.#errors.push(
        invalid(at.child('egressSelectorType'), egress, 'needs the feature StructuredAuthenticationConfigurationEgressSelector'),
      );
    else if (egress !== '' && egress !== 'controlplane' && egress !== 'cluster')
      this.#errors.push(invalid(at.child('egressSelectorType'), egress, 'must be controlplane or cluster'));
    return {
      issuer: url,
      discoveryUrl: discoveryUrl || null,
      certificateAuthority: certificateAuthority || null,
      egress: egress === 'controlplane' || egress === 'cluster' ? egress : null,
      audiences: this.#audiences(issuer, at),
    };
  }

  #url(value: string, at: Path): void {
    const url = URL.canParse(value) ? new URL(value) : null;
    if (url?.protocol !== 'https:') this.#errors.push(invalid(at, value, 'must be an https URL'));
    else if (url.username !== '' || url.password !== '') this.#errors.push(invalid(at, value, 'must not hold a user or password'));
    else if (url.search !== '') this.#errors.push(invalid(at, value, 'must not hold a query'));
    else if (url.hash !== '') this.#errors.push(invalid(at, value, 'must not hold a fragment'));
  }

  #audiences(issuer: JsonObject, at: Path): string[] {
    const audiences = itemsOf(issuer['audiences']).map(String);
    const policy = textAt(issuer, 'audienceMatchPolicy');
    if (audiences.length === 0) this.#errors.push(required(at.child('audiences'), 'at least one'));
    audiences.forEach((audience, index) => {
      if (audience === '') this.#errors.push(required(at.child('audiences').index(index), ''));
      if (audiences.indexOf(audience) < index) this.#errors.push(duplicate(at.child('audiences').index(index), audience));
    });
    if (audiences.length > 0 && policy !== 'MatchAny' && (policy !== '' || audiences.length > 1))
      this.#errors.push(
        invalid(
          at.child('audienceMatchPolicy'),
          policy,
          audiences.length > 1 ? 'must be MatchAny for several audiences' : 'must be empty or MatchAny',
        ),
      );
    return audiences;
  }

  #claimRules(rules: readonly JsonObject[]): { readonly claimRules: Rule[]; readonly requiredClaims: Record<string, string> } {
    const claimRules: Rule[] = [];
    const requiredClaims: Record<string, string> = {};
    rules.forEach((rule, index) => {
      const at = this.#path.child('claimValidationRules').index(index);
      const [claim, expression, message, wanted] = ['claim', 'expression', 'message', 'requiredValue'].map((name) =>
        textAt(rule, name),
      ) as [string, string, string, string];
      if (claim !== '' && expression !== '') this.#errors.push(invalid(at, claim, 'claim and expression exclude each other'));
      else if (claim === '' && expression === '') this.#errors.push(required(at, 'claim or expression'));
      else if (claim !== '') {
        if (message !== '') this.#errors.push(invalid(at.child('message'), message, 'belongs to an expression'));
        if (Object.hasOwn(requiredClaims, claim)) this.#errors.push(duplicate(at.child('claim'), claim));
        requiredClaims[claim] = wanted;
      } else {
        if (wanted !== '') this.#errors.push(invalid(at.child('requiredValue'), wanted, 'belongs to a claim'));
        if (claimRules.some(({ program }) => program.expression === expression))
          this.#errors.push(duplicate(at.child('expression'), expression));
        const program = this.#compile(expression, at.child('expression'), ['bool'], claimsScope);
        if (program !== null) claimRules.push({ program, message });
      }
    });
    return { claimRules, requiredClaims };
  }

  #mapping(value: JsonObject, at: Path, needed: boolean): Mapping | null {
    const [claim, expression, prefix] = [textAt(value, 'claim'), textAt(value, 'expression'), value['prefix']];
    if (claim !== '' && expression !== '') this.#errors.push(invalid(at, '', 'claim and expression exclude each other'));
    else if (claim === '' && expression === '' && needed) this.#errors.push(required(at, 'claim or expression'));
    else if (claim !== '') {
      if (typeof prefix !== 'string') this.#errors.push(required(at.child('prefix'), 'needed with claim; may be empty'));
      return { by: 'claim', claim, prefix: typeof prefix === 'string' ? prefix : '' };
    } else if (expression !== '') {
      if (typeof prefix === 'string') this.#errors.push(invalid(at.child('prefix'), prefix, 'belongs to a claim'));
      const program = this.#compile(expression, at.child('expression'), null, claimsScope);
      return program === null ? null : { by: 'expression', program };
    }
    return null;
  }

  #uid(value: JsonObject, at: Path): Mapping | null {
    return this.#mapping(textAt(value, 'claim') === '' ? value : { ...value, prefix: '' }, at, false);
  }

  #extra(entries: readonly JsonObject[], at: Path): { key: string; program: Program }[] {
    const seen = new Set<string>();
    return entries.flatMap((entry, index) => {
      const [key, expression] = [textAt(entry, 'key'), textAt(entry, 'valueExpression')];
      const place = at.index(index);
      const wrong = extraKeyProblem(key);
      if (wrong !== null) this.#errors.push(invalid(place.child('key'), key, wrong));
      if (seen.has(key)) this.#errors.push(duplicate(place.child('key'), key));
      seen.add(key);
      if (expression === '') this.#errors.push(required(place.child('valueExpression'), ''));
      const program = expression === '' ? null : this.#compile(expression, place.child('valueExpression'), null, claimsScope);
      return program === null ? [] : [{ key, program }];
    });
  }

  #rules(rules: readonly JsonObject[]): Rule[] {
    const seen = new Set<string>();
    return rules.flatMap((rule, index) => {
      const at = this.#path.child('userValidationRules').index(index).child('expression');
      const expression = textAt(rule, 'expression');
      if (expression === '') this.#errors.push(required(at, ''));
      if (expression !== '' && seen.has(expression)) this.#errors.push(duplicate(at, expression));
      seen.add(expression);
      const program = expression === '' ? null : this.#compile(expression, at, ['bool'], userScope);
      return program === null ? [] : [{ program, message: textAt(rule, 'message') }];
    });
  }

  #compile(expression: string, at: Path, wanted: readonly string[] | null, scope: ReturnType<typeof createScope>): Program | null {
    const compiled = scope.compile(expression, wanted);
    if (compiled.ok) return compiled.program;
    this.#errors.push(invalid(at, expression, compiled.message));
    return null;
  }
}

/** Keys belong to a domain, other than the reference's. */
function extraKeyProblem(key: string): string | null {
  const [, domain = '', path = ''] = /^([^/]*)\/([\w.~!$&'()*+,;=:%/-]+)$/.exec(key) ?? [];
  if (path === '' || subdomainName(domain.toLowerCase(), false).length > 0)
    return 'must be a path behind a domain, such as example.org/key';
  if (key !== key.toLowerCase()) return 'must be in lower case';
  return /(^|\.)(kubernetes|k8s)\.io\//.test(key) ? 'k8s.io, kubernetes.io and domains below them are reserved' : null;
}

/** Also used for the file of the option. */
export function authorityProblem(pem: string): string | null {
  const blocks = certificateBlocks(pem);
  try {
    for (const block of blocks) new X509Certificate(block);
  } catch (error) {
    return (error as Error).message;
  }
  return blocks.length === 0 ? 'holds no PEM certificate' : null;
}

/** Paths count in any order. */
export const sameAnonymous = (a: AuthenticationSettings['anonymous'], b: AuthenticationSettings['anonymous']): boolean =>
  a?.enabled === b?.enabled && JSON.stringify([...(a?.paths ?? [])].sort()) === JSON.stringify([...(b?.paths ?? [])].sort());

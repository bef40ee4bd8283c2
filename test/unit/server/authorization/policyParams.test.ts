import { expect } from 'chai';
import fc from 'fast-check';
import type { AdmissionRequest } from '../../../../server/registry/admission.js';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import type { Attributes } from '../../../../server/authorization/authorizer.js';
import { policyParamsCheck } from '../../../../server/authorization/policyParams.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { refusal } from '../registry/sample.js';

const group = 'admissionregistration.k8s.io';
const catalogue = createCatalogue({ serves: () => true });
const user = { name: 'ann', uid: '7', groups: ['devs', 'system:authenticated'], extra: { b: ['2', '3'], c: ['4'], a: ['1'] } };
const secrets = { apiVersion: 'v1', kind: 'Secret' };

const policy = (paramKind: JsonObject | null, more: JsonObject = {}): ApiObject => ({
  apiVersion: `${group}/v1`,
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'p' },
  spec: { ...more, ...(paramKind === null ? {} : { paramKind }) },
});
const binding = (paramRef: JsonObject | null, policyName = 'p'): ApiObject => ({
  apiVersion: `${group}/v1`,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: 'b' },
  spec: { policyName, ...(paramRef === null ? {} : { paramRef }) },
});

interface Asked {
  readonly resource: string;
  readonly object: ApiObject;
  readonly old?: ApiObject | null;
  readonly groups?: readonly string[];
  /** Existing policies by name. */
  readonly there?: Readonly<Record<string, ApiObject>>;
  readonly allowed?: boolean;
}

/** The authorizer's queries, and the result. */
async function write({ resource, object, old = null, groups = user.groups, there = {}, allowed = false }: Asked): Promise<{
  readonly questions: readonly string[];
  readonly error: { readonly code: number; readonly message: string } | null;
}> {
  const questions: string[] = [];
  const served = catalogue.groups
    .flatMap((each) => each.versions.flatMap(({ resources }) => resources))
    .find((each) => each.resource === resource && each.group === group)!;
  const check = policyParamsCheck({
    authorize: (attributes: Attributes) => {
      if (attributes.isResource)
        questions.push(
          [attributes.verb, attributes.group, attributes.version, attributes.resource, attributes.namespace, attributes.name].join(' '),
        );
      return { decision: allowed ? 'allow' : 'noOpinion', reason: '' };
    },
    catalogue,
    lookup: { find: (_resource, _namespace, name) => Promise.resolve(there[name] ?? null) },
  });
  const request = {
    operation: old === null ? 'CREATE' : 'UPDATE',
    subresource: '',
    resource: served,
    object,
    old,
    user: { ...user, groups },
  };
  const validated = Promise.resolve(check.validate?.(request as unknown as AdmissionRequest));
  const error = await validated.then(
    () => null,
    () => refusal(validated),
  );
  return { questions, error: error === null ? null : { code: error.code, message: error.message } };
}

describe('authorization/policyParams', () => {
  for (const resource of ['validatingadmissionpolicies', 'mutatingadmissionpolicies']) {
    it(`${resource}: who names a kind of parameters must be able to read all of it`, async () => {
      const { questions, error } = await write({ resource, object: policy(secrets) });
      expect(questions).to.deep.equal(['get  v1 secrets * *']);
      expect(error?.code).to.equal(422);
      expect(error?.message).to.contain(
        'spec.paramKind: Forbidden: user &{ann 7 [devs system:authenticated] map[a:[1] b:[2 3] c:[4]]} must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)',
      );
      expect((await write({ resource, object: policy(secrets), allowed: true })).error).to.equal(null);
    });
  }

  for (const [resource, bound] of [
    ['validatingadmissionpolicybindings', 'validating'],
    ['mutatingadmissionpolicybindings', 'mutating'],
  ] as const) {
    it(`${resource}: who names parameters for a ${bound} policy must be able to read them`, async () => {
      const there = { p: policy(secrets) };
      const { questions, error } = await write({ resource, object: binding({ name: 's', namespace: 'n' }), there });
      expect(questions).to.deep.equal(['get  v1 secrets n s']);
      expect(error).to.include({ code: 422 });
      expect(error?.message).to.contain('spec.paramRef: Forbidden: user &{ann 7 ');
      expect(error?.message).to.contain('does not have "get" permission on the object referenced by paramRef');
      expect((await write({ resource, object: binding({ name: 's' }), there, allowed: true })).error).to.equal(null);
    });
  }

  it('concerns policies and bindings of both types, not their status, nor what is deleted', async () => {
    const check = policyParamsCheck({
      authorize: () => ({ decision: 'noOpinion', reason: '' }),
      catalogue,
      lookup: { find: () => Promise.resolve(null) },
    });
    expect(check.resources).to.have.members(
      ['validating', 'mutating'].flatMap((type) => [`${type}admissionpolicies.${group}`, `${type}admissionpolicybindings.${group}`]),
    );
    const resource = { resource: 'validatingadmissionpolicies', kind: 'ValidatingAdmissionPolicy' };
    const asked = { user, subresource: '', resource, object: policy(secrets), old: null };
    for (const more of [{ subresource: 'status' }, { object: null }])
      expect(await check.validate?.({ ...asked, ...more } as unknown as AdmissionRequest)).to.equal(undefined);
    const written = Promise.resolve(check.validate?.(asked as unknown as AdmissionRequest));
    expect((await refusal(written)).message).to.contain('"p" is invalid: spec.paramKind: Forbidden');
  });
  it('asks for more where less is known: of kinds that nobody serves, of policies that are not there, of selectors', async () => {
    const questionsOf = async (asked: Asked): Promise<readonly string[]> => (await write(asked)).questions;
    const resource = 'validatingadmissionpolicies';
    expect(await questionsOf({ resource, object: policy({ apiVersion: 'example.com/v1', kind: 'Widget' }) })).to.deep.equal([
      'get example.com v1 * * *',
    ]);
    expect(await questionsOf({ resource, object: policy({ apiVersion: 'a/b/c', kind: 'Widget' }) })).to.deep.equal(['get * * * * *']);
    const bindings = 'validatingadmissionpolicybindings';
    expect(await questionsOf({ resource: bindings, object: binding({ name: 's' }, 'absent') })).to.deep.equal(['get * * *  s']);
    expect(
      await questionsOf({ resource: bindings, object: binding({ selector: {}, namespace: 'n' }), there: { p: policy(secrets) } }),
    ).to.deep.equal(['get  v1 secrets n ']);
  });

  it('asks nothing where nothing is named, nothing is new, or an administrator writes', async () => {
    const kind = fc.option(fc.record({ apiVersion: fc.constantFrom('v1', 'a/v1'), kind: fc.constantFrom('Secret', 'ConfigMap') }), {
      nil: null,
    });
    await fc.assert(
      fc.asyncProperty(kind, kind, fc.boolean(), async (before, now, masters) => {
        const { questions } = await write({
          resource: 'validatingadmissionpolicies',
          object: policy(now, { failurePolicy: 'Fail' }),
          old: policy(before),
          ...(masters ? { groups: ['system:masters'] } : {}),
        });
        const same = before?.apiVersion === now?.apiVersion && before?.kind === now?.kind;
        expect(questions).to.have.length(now === null || same || masters ? 0 : 1);
      }),
    );
    const old = binding({ name: 's' });
    const resource = 'validatingadmissionpolicybindings';
    expect((await write({ resource, object: binding({ name: 's' }), old })).questions).to.deep.equal([]);
    expect((await write({ resource, object: binding({ name: 's' }, 'q'), old })).questions, 'another policy').to.have.length(1);
    expect((await write({ resource, object: binding(null), old })).questions).to.deep.equal([]);
  });
});

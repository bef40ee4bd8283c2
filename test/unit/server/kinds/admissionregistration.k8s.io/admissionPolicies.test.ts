import { expect } from 'chai';
import type { JsonObject } from '../../../../../api/object.js';
import { causes, createSample, refusal, type Sample } from '../../registry/sample.js';

/** CEL in policies and webhooks, beyond recordings: order and places of findings follow the reference. */
const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }];
const policy = (spec: JsonObject): JsonObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'p' },
  spec: { matchConstraints: { resourceRules: rules }, validations: [{ expression: 'true' }], ...spec },
});

describe('registry/admission policies', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  it('read conditions without the spaces around them', async () => {
    const { message } = await refusal(sample.create(policy({ matchConditions: [{ name: 'c', expression: '  1 + 1 ' }] })));
    expect(message).to.include('spec.matchConditions[0].expression: Invalid value: "1 + 1"');
  });

  it('read mutations without the spaces around them (validateApplyConfiguration)', async () => {
    const mutating = (mutation: JsonObject): JsonObject => ({
      ...policy({ reinvocationPolicy: 'Never', mutations: [mutation], validations: undefined }),
      kind: 'MutatingAdmissionPolicy',
    });
    for (const [patchType, member] of [['ApplyConfiguration', 'applyConfiguration'] as const, ['JSONPatch', 'jsonPatch'] as const]) {
      const { message } = await refusal(sample.create(mutating({ patchType, [member]: { expression: ' 1 + ) ' } })));
      expect(message).to.include(`spec.mutations[0].${member}.expression: Invalid value: "1 + )"`);
    }
  });

  it('make objects in mutations alone, not in variables (validateVariable)', async () => {
    const mutation = { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'variables.v' } };
    const variables = [{ name: 'v', expression: 'Object{}' }];
    const { message } = await refusal(
      sample.create({
        ...policy({ reinvocationPolicy: 'Never', mutations: [mutation], variables, validations: undefined }),
        kind: 'MutatingAdmissionPolicy',
      }),
    );
    expect(message).to.include(
      'spec.variables[0].expression: Invalid value: "Object{}": compilation failed: ERROR: <input>:1:7: undeclared reference to \'Object\'',
    );
  });

  it('say that an undeclared member with an optional of nothing has no type (cel/compile.go)', async () => {
    const of = (fields: string): JsonObject => ({
      ...policy({
        reinvocationPolicy: 'Never',
        mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: `[JSONPatch{${fields}}]` } }],
        validations: undefined,
      }),
      kind: 'MutatingAdmissionPolicy',
    });
    const none = (await refusal(sample.create(of('?foo: optional.none()')))).message;
    expect(none).to.match(/Internal error: unexpected compilation error: missing type conversion to proto: $/);
    const two = (await refusal(sample.create(of('foo: 1, ?bar: optional.none()')))).message;
    expect(two).to.contain("expected type of field 'foo' is '' but provided type is 'int'").and.not.contain('bar is');
    expect(two.match(/ERROR/g)).to.have.length(1);
  });

  it('do not read annotations that are too long', async () => {
    const auditAnnotations = [{ key: 'k', valueExpression: `nothing ${'+'.repeat(5 * 1024)}` }];
    expect(await causes(sample.create(policy({ auditAnnotations })))).to.deep.equal(['required spec.auditAnnotations[0].valueExpression']);
  });

  it('may be warned of with nothing but spaces, though not at a place of nothing but spaces', async () => {
    await sample.create(policy({}));
    const change = sample.update(
      policy({}),
      (current) => {
        current['status'] = {
          typeChecking: {
            expressionWarnings: [
              { fieldRef: ' ', warning: ' ' },
              { fieldRef: 'spec.validations[0].expression', warning: '' },
              { fieldRef: 'spec.validations[x]', warning: 'w' },
            ],
          },
        };
      },
      'status',
    );
    expect(await causes(change)).to.deep.equal([
      'required status.typeChecking.expressionWarnings[0].fieldRef',
      'required status.typeChecking.expressionWarnings[1].warning',
      'invalid status.typeChecking.expressionWarnings[2].fieldRef',
    ]);
  });
});

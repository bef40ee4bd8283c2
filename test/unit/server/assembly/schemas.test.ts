import { Ajv } from 'ajv';
import { expect } from 'chai';
import { schemaErrors } from '../../../../program/files/checked.js';
import { partSchema, type Shape } from '../../../../program/files/schema.js';
import { configurationNames, configurationSchema } from '../../../../server/assembly/schemas.js';

describe('options/schemas of configuration files', () => {
  const shape = {
    fields: {
      rules: { list: { fields: { level: { oneOf: ['low', 'high'] }, users: { list: 'text' } } }, atLeast: 1 },
      rate: { from: 0, to: 10 },
      on: 'bool',
      rest: 'object',
      count: 'integer',
    },
  } as const satisfies Shape;
  const errors = (value: Parameters<typeof schemaErrors>[0]): readonly string[] => schemaErrors(value, shape, () => partSchema(shape));

  it('say what is wrong by path, in the order of the document', () => {
    expect(
      errors({ on: 'yes', rules: [{ level: 'middle', user: [], users: ['a', 1] }], rate: 11, count: 1.5, rest: [], other: 1 }),
    ).to.deep.equal([
      'on must be true or false',
      'rules[0].level must be one of low, high, not "middle"',
      'rules[0].user is unknown (did you mean users?)',
      'rules[0].users[1] must be a text',
      'rate must be from 0 to 10, not 11',
      'count must be a whole number',
      'rest must be an object',
      'other is unknown',
    ]);
    expect(errors({ rules: [] })).to.deep.equal(['rules must have at least one entry']);
  });

  it('take null for absent, as Go does', () => {
    expect(errors({ rules: null, rate: null, on: null, rest: null, count: null })).to.deep.equal([]);
    expect(errors({ rules: [{ level: null, users: null }] })).to.deep.equal([]);
  });

  it('are printed for editors: valid JSON Schema, one of each kind', () => {
    expect(configurationNames()).to.include.members([
      'AdmissionConfiguration',
      'AuthenticationConfiguration',
      'AuthorizationConfiguration',
      'Config',
      'Configuration.eventratelimit.admission.k8s.io',
      'EgressSelectorConfiguration',
      'EncryptionConfiguration',
      'PodSecurityConfiguration',
      'Policy',
      'TracingConfiguration',
    ]);
    const ajv = new Ajv({ allowUnionTypes: true });
    for (const name of configurationNames()) expect(() => ajv.compile(schemaOf(name)), name).not.to.throw();
    expect(configurationSchema('Deployment')).to.equal(null);
    const policy = ajv.compile(schemaOf('Policy'));
    expect(policy({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] })).to.equal(true);
    expect(policy({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'metadata' }] })).to.equal(false);
  });

  const schemaOf = (name: string): object => JSON.parse(configurationSchema(name)!) as object;
});

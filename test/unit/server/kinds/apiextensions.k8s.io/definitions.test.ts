import { expect } from 'chai';
import { createAuthority } from '../../../../../deploy/certificates.js';
import type { JsonObject } from '../../../../../api/object.js';
import { causes, createSample, refusal, type Sample } from '../../registry/sample.js';

const string = { type: 'string' };

/** A definition of gears with one version; `parts` go into the version, `spec` over the specification. */
function definition(parts: JsonObject = {}, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } }, ...parts };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gears.mill.example', ...metadata },
    spec: { group: 'mill.example', scope: 'Cluster', names: { plural: 'gears', kind: 'Gear' }, versions: [version], ...spec },
  };
}

const withSchema = (schema: JsonObject): JsonObject => definition({ schema: { openAPIV3Schema: schema } });
/** A schema for the member `teeth`, for most rules. */
const teeth = (schema: JsonObject): JsonObject => withSchema({ type: 'object', properties: { teeth: schema } });
const teethPath = 'spec.validation.openAPIV3Schema.properties[teeth]';
const rule = (parts: JsonObject): JsonObject =>
  teeth({ type: 'object', properties: { 'a.b': string }, 'x-kubernetes-validations': [{ rule: 'true', ...parts }] });
const rulePath = `${teethPath}.x-kubernetes-validations[0]`;

const refused: readonly (readonly [what: string, object: JsonObject, expected: readonly string[]])[] = [
  [
    'names',
    definition(
      {},
      { group: 'mill', names: { plural: 'Gears', kind: 'Gear', listKind: 'Gear', shortNames: ['G'] } },
      { name: 'gears.mill' },
    ),
    [
      'invalid metadata.name',
      'invalid spec.group',
      'invalid spec.names.plural',
      'invalid spec.names.shortNames[0]',
      'invalid spec.names.listKind',
    ],
  ],
  [
    'lists of versions',
    definition(
      {},
      {
        versions: [
          { name: 'v1', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
          { name: 'v1', served: true, storage: false },
        ],
      },
    ),
    ['required spec.versions[1].schema.openAPIV3Schema', 'invalid spec.versions', 'invalid spec.versions', 'invalid status.storedVersions'],
  ],
  [
    'warnings of versions',
    definition({ name: 'V', deprecationWarning: 'gone' }),
    ['invalid spec.versions[0].name', 'invalid spec.versions[0].deprecationWarning', 'invalid spec.version'],
  ],
  [
    'columns',
    definition({ additionalPrinterColumns: [{ name: '', type: 'text', format: 'x', jsonPath: 'spec' }] }),
    [
      'required spec.additionalPrinterColumns[0].name',
      'invalid spec.additionalPrinterColumns[0].type',
      'invalid spec.additionalPrinterColumns[0].format',
      'invalid spec.additionalPrinterColumns[0].JSONPath',
    ],
  ],
  ['syntax of rules', rule({ rule: 'self.a >' }), [`invalid ${rulePath}.rule`]],
  ['functions of rules', rule({ rule: 'unknownFunc(self.a)' }), [`invalid ${rulePath}.rule`]],
  ['names in rules', rule({ rule: 'other.a > 1' }), [`invalid ${rulePath}.rule`]],
  [
    'results of rules, whose messages are not looked at then',
    rule({ rule: 'self.a.map(x, x > 1)', messageExpression: '1' }),
    [`invalid ${rulePath}.rule`],
  ],
  ['results of messages', rule({ messageExpression: '1' }), [`invalid ${rulePath}.messageExpression`]],
  [
    'subresources',
    definition({ subresources: { scale: { specReplicasPath: '.status.n', statusReplicasPath: '', labelSelectorPath: 'x' } } }),
    [
      'invalid spec.subresources.scale.specReplicasPath',
      'required spec.subresources.scale.statusReplicasPath',
      'invalid spec.subresources.scale.labelSelectorPath',
    ],
  ],
  [
    'schemas beside a status',
    definition({ subresources: { status: {} }, schema: { openAPIV3Schema: { type: 'object', maxProperties: 3 } } }),
    ['invalid spec.validation.openAPIV3Schema'],
  ],
  [
    'schemas beside a status that allow nothing else',
    definition({ subresources: { status: {} }, schema: { openAPIV3Schema: { type: 'object', additionalProperties: false } } }),
    ['invalid spec.validation.openAPIV3Schema', 'forbidden spec.validation.openAPIV3Schema.additionalProperties'],
  ],
  [
    'conversion',
    definition(
      {},
      {
        conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'http://x.example' }, conversionReviewVersions: ['v3', 'v3'] } },
      },
    ),
    [
      'invalid spec.conversion.webhookClientConfig.url',
      'invalid spec.conversion.conversionReviewVersions[1]',
      'invalid spec.conversion.conversionReviewVersions',
    ],
  ],

  [
    'roots',
    withSchema({ type: 'array', nullable: true }),
    [
      'forbidden spec.validation.openAPIV3Schema.nullable',
      'required spec.validation.openAPIV3Schema.items',
      'invalid spec.validation.openAPIV3Schema.type',
    ],
  ],
  [
    'maps at the root',
    withSchema({ type: 'object', additionalProperties: string }),
    ['forbidden spec.validation.openAPIV3Schema.additionalProperties'],
  ],
  ['missing types', teeth({ items: {} }), [`required ${teethPath}.items.type`, `required ${teethPath}.type`]],
  ['types that there are not', teeth({ type: 'text' }), [`unsupported ${teethPath}.type`]],
  [
    'conditions that describe',
    teeth({
      type: 'object',
      properties: { a: string },
      anyOf: [{ properties: { a: { type: 'string', title: 'A' } } }],
      not: { nullable: true },
    }),
    [
      `forbidden ${teethPath}.anyOf[0].properties[a].title`,
      `forbidden ${teethPath}.anyOf[0].properties[a].type`,
      `forbidden ${teethPath}.not.nullable`,
    ],
  ],
  [
    'conditions of the root on what is not described',
    withSchema({ type: 'object', properties: { a: string }, allOf: [{ properties: { b: { minLength: 1 } } }] }),
    ['required spec.validation.openAPIV3Schema.properties[b]'],
  ],
  ['patterns', teeth({ type: 'string', pattern: '(?=x)' }), [`invalid ${teethPath}.pattern`]],
  [
    'metadata',
    withSchema({
      type: 'object',
      properties: { metadata: { type: 'object', properties: { name: string, uid: string } }, kind: { type: 'integer' } },
    }),
    ['invalid spec.validation.openAPIV3Schema.properties[kind].type', 'forbidden spec.validation.openAPIV3Schema.properties[metadata]'],
  ],
  [
    'embedded objects',
    teeth({ type: 'string', 'x-kubernetes-embedded-resource': true }),
    [`required ${teethPath}.properties`, `invalid ${teethPath}.type`],
  ],
  [
    'what is not supported',
    teeth({ type: 'object', uniqueItems: true, $ref: '#/x', patternProperties: { a: string } }),
    [`forbidden ${teethPath}.patternProperties`, `forbidden ${teethPath}.$ref`, `forbidden ${teethPath}.uniqueItems`],
  ],
  [
    'kinds of lists',
    teeth({
      type: 'array',
      items: { type: 'object', nullable: true, properties: { k: string } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k', 'z'],
    }),
    [
      `invalid ${teethPath}.x-kubernetes-list-map-keys`,
      `forbidden ${teethPath}.items.nullable`,
      `required ${teethPath}.items.properties[k].default`,
    ],
  ],
  [
    'sets of objects',
    teeth({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' }),
    [`invalid ${teethPath}.items.x-kubernetes-map-type`],
  ],
  ['defaults that are pruned', teeth({ type: 'object', properties: { a: string }, default: { b: 1 } }), [`invalid ${teethPath}.default`]],
  [
    'defaults of whole objects',
    withSchema({ type: 'object', default: { kind: 'Gear' } }),
    ['required spec.validation.openAPIV3Schema.default.apiVersion'],
  ],

  [
    'defaults that are not what is asked for',
    teeth({
      type: 'object',
      properties: {
        a: { type: 'integer', default: 'x' },
        b: { type: 'integer', maximum: 3, default: 5 },
        c: { type: 'object', required: ['d'], properties: { d: string }, default: {} },
        e: { type: 'string', pattern: '^e$', default: 'e' },
      },
    }),
    [
      `FieldValueTypeInvalid ${teethPath}.properties[a].default`,
      `invalid ${teethPath}.properties[b].default`,
      `required ${teethPath}.properties[c].default.d`,
    ],
  ],
  [
    'defaults inside of metadata',
    teeth({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: {
        metadata: {
          type: 'object',
          properties: {
            labels: { type: 'object', additionalProperties: string, default: { 'a b': 'c' } },
            name: { type: 'string', default: 'fine' },
          },
        },
      },
    }),
    [`invalid ${teethPath}.properties[metadata].properties[labels].default`],
  ],
  [
    'defaults of embedded objects',
    teeth({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      default: { apiVersion: 'v1', kind: 'Bad_Kind', metadata: { name: '..' } },
    }),
    [`invalid ${teethPath}.default.kind`, `invalid ${teethPath}.default.metadata.name`],
  ],

  [
    'messages of rules',
    rule({ message: 'a\nb', reason: 'Odd', fieldPath: '.c', messageExpression: ' ' }),
    [
      `invalid ${rulePath}.message`,
      `required ${rulePath}.messageExpression`,
      `unsupported ${rulePath}.reason`,
      `invalid ${rulePath}.fieldPath`,
    ],
  ],
  [
    'rules beside one that is wrong in itself, which are not read',
    teeth({
      type: 'object',
      properties: { a: string },
      'x-kubernetes-validations': [{ rule: 'self.a >' }, { rule: 'true', message: ' ' }],
    }),
    [`invalid ${teethPath}.x-kubernetes-validations[1].message`],
  ],
  [
    'rules of a schema that is not structural, which are not read',
    withSchema({ properties: { teeth: { type: 'object', 'x-kubernetes-validations': [{ rule: '1' }] } } }),
    ['required spec.validation.openAPIV3Schema.type'],
  ],
  ['rules without text', rule({ rule: ' ' }), [`required ${rulePath}.rule`]],
  [
    'selectable fields',
    definition({
      schema: {
        openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: string, n: { type: 'number' } } } } },
      },
      selectableFields: [{ jsonPath: '.spec.a' }, { jsonPath: '.spec.a' }, { jsonPath: '.spec.n' }, { jsonPath: ".spec['a']" }],
    }),
    [
      'duplicate spec.selectableFields[1].jsonPath',
      'invalid spec.selectableFields[2].jsonPath',
      'invalid spec.selectableFields[3].jsonPath',
    ],
  ],
];

const accepted: readonly (readonly [what: string, object: JsonObject])[] = [
  [
    'conditions on what is described',
    teeth({ type: 'object', properties: { a: string }, anyOf: [{ required: ['a'] }, { properties: { a: { maxLength: 3 } } }] }),
  ],
  ['the old way to say integer or string', teeth({ anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true })],
  [
    'the old way within other conditions',
    teeth({ allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { maxLength: 3 }], 'x-kubernetes-int-or-string': true }),
  ],
  ['paths in quotes', rule({ fieldPath: "['a.b']" })],
  ['patterns of RE2', teeth({ type: 'string', pattern: '(?i)^(?P<word>[[:alpha:]]+)\\z' })],
];

describe('registry, custom resource definitions', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [what, wrong, expected] of refused)
    it(`checks ${what}`, async () => {
      expect(await causes(sample.create(wrong))).to.deep.equal(expected);
    });
  for (const [what, right] of accepted)
    it(`accepts ${what}`, async () => {
      expect(await causes(sample.create(right))).to.deep.equal([]);
    });

  it('reports at each version what versions say differently', async () => {
    const [one, two] = ['v1', 'v2'].map((name, position) => ({
      name,
      served: true,
      storage: position === 0,
      schema: { openAPIV3Schema: { type: 'object', properties: { [name]: {} } } },
    }));
    expect(await causes(sample.create(definition({}, { versions: [one ?? {}, two ?? {}] })))).to.deep.equal([
      'required spec.versions[0].schema.openAPIV3Schema.properties[v1].type',
      'required spec.versions[1].schema.openAPIV3Schema.properties[v2].type',
    ]);
  });

  it('warns of formats that mean nothing, unless they were there before', async () => {
    const withFormats = (...formats: string[]): JsonObject =>
      withSchema({ type: 'object', properties: Object.fromEntries(formats.map((format) => [format, { type: 'string', format }])) });
    await sample.create(withFormats('colour', 'date-time', 'int32', 'k8s-short-name', 'quantity'));
    expect(sample.warnings()).to.deep.equal([
      'unrecognized format "colour"',
      'unrecognized format "int32"',
      'unrecognized format "quantity"',
    ]);
    await sample.update(definition(), (current) => {
      current['spec'] = withFormats('colour', 'shape')['spec'];
    });
    expect(sample.warnings()).to.deep.equal(['unrecognized format "shape"']);
  });

  it('fills in names, conversion and the versions that may be stored', async () => {
    const created = await sample.create(definition());
    expect(created['spec']).to.deep.include({
      names: { plural: 'gears', kind: 'Gear', singular: 'gear', listKind: 'GearList' },
      conversion: { strategy: 'None' },
    });
    expect(created['status']).to.deep.include({ storedVersions: ['v1'] });
  });

  it('stores objects in the first of two versions for storage', async () => {
    const version = { served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
    const both = definition({}, { versions: ['v1', 'v2'].map((name) => ({ name, ...version })) });
    expect((await refusal(sample.create(both))).message).to.contain(
      'status.storedVersions: Invalid value: ["v1"]: must have the storage version v2',
    );
  });

  it('keeps versions in which objects may be stored', async () => {
    const next = { name: 'v2', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
    await sample.create(definition());
    expect(
      await causes(
        sample.update(definition(), (current) => {
          (current['spec'] as JsonObject)['versions'] = [next];
        }),
      ),
    ).to.deep.equal(['invalid status.storedVersions[0]']);
  });

  it('wants approval for groups of the community', async () => {
    const protectedBy = (annotations: JsonObject): JsonObject =>
      definition({}, { group: 'mill.k8s.io' }, { name: 'gears.mill.k8s.io', annotations });
    const path = 'metadata.annotations[api-approved.kubernetes.io]';
    expect(await causes(sample.create(protectedBy({})))).to.deep.equal([`required ${path}`]);
    expect(await causes(sample.create(protectedBy({ 'api-approved.kubernetes.io': 'yes' })))).to.deep.equal([`invalid ${path}`]);
    expect(await causes(sample.create(protectedBy({ 'api-approved.kubernetes.io': 'https://example.com/1' })))).to.deep.equal([]);
  });

  it('may have finalizers without a domain, as the one that waits for objects to go', async () => {
    await sample.create(definition({}, {}, { finalizers: ['customresourcecleanup.apiextensions.k8s.io'] }));
    expect(
      await causes(
        sample.update(
          definition(),
          (current) => {
            current['status'] = { conditions: [] };
          },
          'status',
        ),
      ),
    ).to.deep.equal([]);
    expect(
      await causes(
        sample.update(definition(), (current) => {
          current.metadata.finalizers = ['mill'];
        }),
      ),
    ).to.deep.equal([]);
  });

  it('has no webhook without members (apiextensions/v1/conversion.go)', async () => {
    const names = { plural: 'masts', kind: 'Mast' };
    const masts = definition({}, { names, conversion: { strategy: 'None', webhook: {} } }, { name: 'masts.mill.example' });
    expect((await sample.create(masts))['spec']).to.have.deep.property('conversion', { strategy: 'None' });
  });

  it('keeps authorities of a webhook that can be read once the resource is served', async () => {
    const { certificate } = await createAuthority('convert');
    const [good, bad] = [certificate, '\n'].map((text) => Buffer.from(text).toString('base64'));
    const conversion = (caBundle: string | undefined): JsonObject => ({
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://convert.example.com/', caBundle: caBundle ?? '' } },
    });
    const names = { plural: 'sails', kind: 'Sail' };
    const sails = definition({}, { names, conversion: conversion(bad) }, { name: 'sails.mill.example' });
    const bundled = (caBundle: string | undefined): Promise<unknown> =>
      sample.update(sails, (current) => {
        current['spec'] = { ...(current['spec'] as JsonObject), conversion: conversion(caBundle) };
      });
    await sample.create(sails);
    await bundled(good);
    await bundled(bad);
    await bundled(good);
    await sample.update(
      sails,
      (current) => {
        current['status'] = { ...(current['status'] as JsonObject), conditions: [{ type: 'Established', status: 'True' }] };
      },
      'status',
    );
    expect(await causes(bundled(bad))).to.deep.equal(['invalid spec.conversion.webhookClientConfig.caBundle']);
    await bundled('');
  });

  it('quote schemas in the form of the reference', async () => {
    const schema = {
      id: 'x',
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'string' }, additionalProperties: false } },
    };
    const { message } = await refusal(sample.create(definition({ schema: { openAPIV3Schema: schema }, subresources: { status: {} } })));
    expect(message).to.contain(
      'openAPIV3Schema: Invalid value: {"ID":"x","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false,',
    );
    expect(message)
      .to.contain('"Properties":{"a":{"ID":"",')
      .and.to.contain('"Items":{"Schema":{"ID":"",')
      .and.to.contain('"AdditionalProperties":{"Allows":false,"Schema":null},');
    const columns = [{ name: 'C', type: 'string', jsonPath: '.c' }];
    const versions = [
      {
        name: 'v1',
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: 'object' } },
        subresources: { status: {} },
        additionalPrinterColumns: columns,
      },
      { name: 'v2', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object', description: 'd' } } },
    ];
    const several = (await refusal(sample.create(definition({}, { versions })))).message;
    expect(several).to.contain('"Schema":{"OpenAPIV3Schema":{"ID":""').and.to.contain('"Subresources":{"Status":{},"Scale":null}');
    expect(several).to.contain(
      '"AdditionalPrinterColumns":[{"Name":"C","Type":"string","Format":"","Description":"","Priority":0,"JSONPath":".c"}]',
    );
  });

  it('check defaults by formats that nobody knows, too', async () => {
    const reported = async (schema: JsonObject): Promise<string> => (await refusal(sample.create(teeth(schema)))).message;
    expect(await reported({ type: 'integer', format: 'bogus', default: 1.5 })).to.contain(
      '.default: Invalid value: "float64":  in body must be of type bogus: "float64"',
    );
    expect(await reported({ type: 'integer', format: 'bogus', default: 1, maximum: 1.5 })).to.contain(
      'Maximum boundary value must be of type integer (default format) in ',
    );
    expect(await reported({ type: 'object', properties: { a: { type: 'integer', format: 'float' } }, default: { a: true } })).to.contain(
      '.default.a: Invalid value: "": a in body must be of type float: ""',
    );
  });

  it('print defaults with their members in order', async () => {
    const error = await refusal(sample.create(teeth({ type: 'object', properties: { a: string }, default: { c: 1, b: { e: 1, d: 1 } } })));
    expect(error.message).to.contain('.default: Invalid value: {"b":{"d":1,"e":1},"c":1}: must not have unknown fields');
  });

  it('print defaults with the metadata of whole objects as it is read', async () => {
    const whole = { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: string } };
    const metadata = { unknown: 1, creationTimestamp: null, labels: { a: 'b' } };
    const error = await refusal(
      sample.create(teeth({ type: 'object', properties: { a: whole }, default: { a: { apiVersion: 'v1', kind: 'A', metadata }, x: 1 } })),
    );
    expect(error.message).to.contain(
      '.default: Invalid value: {"a":{"apiVersion":"v1","kind":"A","metadata":{"labels":{"a":"b"}}},"x":1}: must not have unknown fields',
    );
  });
});

import { expect } from 'chai';
import type { JsonObject } from '../../../../../api/object.js';
import { resolvePath } from '../../../../../server/kinds/apiextensions.k8s.io/schema/fieldPath.js';
import { validateSelectableFields } from '../../../../../server/kinds/apiextensions.k8s.io/selectableFields.js';
import { Path } from '../../../../../server/registry/validation/field.js';

/** Refusals of selectable fields and paths of rules. */

const schema: JsonObject = {
  type: 'object',
  properties: {
    metadata: { type: 'object', properties: { name: { type: 'string' } } },
    spec: {
      type: 'object',
      properties: {
        color: { type: 'string' },
        size: { type: 'number' },
        'a.b': { type: 'string' },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
  },
};
const path = Path.of('spec', 'versions').index(0);
const reported = (jsonPaths: readonly string[], of: 'version' | 'all' = 'version', against: JsonObject | null = schema): string[] =>
  validateSelectableFields(
    jsonPaths.map((jsonPath) => ({ jsonPath })),
    { schema: against, of },
    path,
  ).map(({ path: at, message }) => `${at.slice('spec.versions[0].'.length)}: ${message}`);

describe('custom resource definitions, selectable fields', () => {
  const invalid = (jsonPath: string, why: string): string =>
    `selectableFields[0].jsonPath: Invalid value: ${JSON.stringify(jsonPath)}: ${why}`;
  const rows: readonly (readonly [jsonPath: string, why: string])[] = [
    ['spec.color', 'is an invalid path: expected [ or . but got: spec'],
    ['.spec.', 'is an invalid path: unexpected end of JSON path'],
    ['.spec.other', 'is an invalid path: does not refer to a valid field'],
    ['.spec.color.more', 'is an invalid path: does not refer to a valid field'],
    [".spec['color']", 'is an invalid path: array notation is not allowed'],
    ['.metadata.name', 'must not point to fields in metadata'],
    ['.spec.size', 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'],
    ['.spec', 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'],
  ];
  for (const [jsonPath, why] of rows)
    it(`tells of ${jsonPath}`, () => expect(reported([jsonPath])).to.deep.equal([invalid(jsonPath, why)]));

  it('tells of what is missing, repeated, and too much', () => {
    expect(reported([''])).to.deep.equal(['selectableFields[0].jsonPath: Required value']);
    expect(reported(['.spec.color', '.spec.color'])).to.deep.equal(['selectableFields[1].jsonPath: Duplicate value: ".spec.color"']);
    expect(reported(['.spec.labels.a'])).to.deep.equal([]);
    const many = Array.from({ length: 9 }, (_, index) => `.spec.labels.l${index}`);
    expect(reported(many)).to.deep.equal(['selectableFields: Too many: 9: must have at most 8 items']);
  });

  it('need a schema, of their version or of all', () => {
    expect(reported(['.spec.color'], 'version', null)).to.deep.equal([
      'selectableFields: Invalid value: "": may only be set when `version.schema.openAPIV3Schema` is not included',
    ]);
    expect(reported(['.spec.color'], 'all', null)).to.deep.equal([
      'selectableFields: Invalid value: "": may only be set when validations.schema is included',
    ]);
  });

  it('need a schema that can be read', () => {
    const obstacle = `schema.openAPIV3Schema: Invalid value: "": OpenAPIV3Schema 'dependencies' is not supported`;
    expect(reported(['', '.spec.color', 'spec'], 'version', { dependencies: { a: [] } })).to.deep.equal([
      obstacle,
      'selectableFields[0].jsonPath: Required value',
      'selectableFields[2].jsonPath: Invalid value: "spec": is an invalid path: expected [ or . but got: spec',
    ]);
  });

  it('are resolved from left to right, what is in brackets before its end', () => {
    const problem = (text: string): string => {
      const resolved = resolvePath(text, schema, true);
      return resolved.ok ? resolved.names.join('/') : resolved.problem;
    };
    expect(problem(".spec['a.b']")).to.equal('spec/a.b');
    expect(problem(".spec['a.b'")).to.equal('unexpected end of JSON path');
    expect(problem(".spec['a.b'.x")).to.equal('expected ] but got .');
    expect(problem(".spec['other'")).to.equal('does not refer to a valid field');
    expect(problem(".spec['a.b].x")).to.equal("expected single quoted string but got 'a.b].x");
    expect(problem('.spec[')).to.equal('unexpected end of JSON path');
    expect(problem(".spec['\\q']")).to.equal('invalid string literal: invalid escape char \\q');
  });
});

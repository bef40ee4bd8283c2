import { Ajv } from 'ajv';
import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { JsonObject } from '../../../../api/object.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { buildDocuments } from '../../../../server/openapi/build.js';
import { sourceOf } from '../../../../server/openapi/library.js';
import { packageRoot } from '../../../fixtures/packageRoot.js';

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, JsonObject>> };
}

const samples = path.join(packageRoot, 'test', 'fixtures', 'roundtrip');

/** The schema of a kind in the documents, with what it refers to. */
function schemaOf(documents: ReadonlyMap<string, Document>, apiVersion: string, kind: string): JsonObject {
  const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/') as [string, string]) : ['', apiVersion];
  const { components } = documents.get(group === '' ? `api/${version}` : `apis/${group}/${version}`)!;
  const name = Object.keys(components.schemas).find(
    (each) =>
      each.endsWith(`.${kind}`) &&
      JSON.stringify(components.schemas[each]!['x-kubernetes-group-version-kind'] ?? []).includes(`"version":"${version}"`),
  )!;
  return { $ref: `#/components/schemas/${name}`, components: components as unknown as JsonObject };
}

describe('OpenAPI schemas', function () {
  const documents = new Map(
    [...buildDocuments(sourceOf(createCatalogue()), { version: 3, encoding: 'json' })].map(([name, { gzip }]) => [
      name,
      JSON.parse(gunzipSync(gzip).toString()) as Document,
    ]),
  );
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const files = fs
    .readdirSync(samples)
    .filter((name) => name.endsWith('.json') && /^(core.v1.(ConfigMap|Secret|LimitRange)|coordination.k8s.io.v1.Lease)\.json$/.test(name));

  it('have samples to be tried with', () => {
    expect(files.length).to.be.greaterThan(3);
  });

  for (const file of files) {
    const object = JSON.parse(fs.readFileSync(path.join(samples, file), 'utf8')) as JsonObject;
    const compiled = (): ReturnType<Ajv['compile']> =>
      ajv.compile(schemaOf(documents, String(object['apiVersion']), String(object['kind'])));

    it(`take the object of ${file}, as another validator reads them`, () => {
      const validate = compiled();
      expect(validate(object), JSON.stringify(validate.errors)).to.equal(true);
    });

    it(`do not take it with metadata of another type: ${file}`, () => {
      expect(compiled()({ ...object, metadata: 'text' })).to.equal(false);
    });
  }
});

import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { gunzipSync } from 'node:zlib';
import type { JsonObject } from '../../../../api/object.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { buildDocuments, type Form, type Source } from '../../../../server/openapi/build.js';
import { Library, sourceOf } from '../../../../server/openapi/library.js';
import { definition, definitionFixture, ExtensionServer } from './harness.js';

describe('extensions/documents', () => {
  let server: ExtensionServer;
  beforeEach(async () => {
    server = await ExtensionServer.start();
    await server.define(definitionFixture('certificates'));
    await server.define(definitionFixture('backups'));
  });
  afterEach(() => {
    server.stop();
  });

  const source = (): Source => ({
    ...sourceOf(server.custom.catalogue),
    definitions: server.custom.catalogue.groups.flatMap(({ name }) => server.custom.storedIn(name)),
    partial: true,
  });
  const built = (form: Form, path: string): JsonObject => {
    const document = buildDocuments(source(), form).get(path);
    if (document === undefined) throw new Error(`there is no document ${path}`);
    return JSON.parse(gunzipSync(document.gzip).toString()) as JsonObject;
  };
  const at = (value: unknown, ...path: readonly string[]): unknown =>
    path.reduce<unknown>((found, name) => (found as Readonly<Record<string, unknown>> | undefined)?.[name], value);

  it('describe each group version by itself in version 3, and are valid', async () => {
    const document = built({ version: 3, encoding: 'json' }, 'apis/pki.example.com/v1');
    expect((await new Validator().validate(document as Record<string, unknown>)).valid).to.equal(true);
    const type = at(document, 'components', 'schemas', 'com.example.pki.v1.Certificate');
    expect(type).to.deep.include({
      'x-kubernetes-group-version-kind': [{ group: 'pki.example.com', kind: 'Certificate', version: 'v1' }],
      required: ['spec'],
    });
    expect(at(type, 'properties', 'metadata', 'allOf')).to.deep.equal([
      { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
    ]);
    expect(at(type, 'properties', 'spec', 'properties', 'issuerRef', 'properties', 'kind')).to.deep.equal({
      type: 'string',
      enum: ['Issuer', 'ClusterIssuer'],
      default: 'Issuer',
    });
    expect(at(document, 'components', 'schemas', 'com.example.pki.v1.CertificateList', 'properties', 'items', 'items')).to.deep.equal({
      $ref: '#/components/schemas/com.example.pki.v1.Certificate',
    });
    const object = '/apis/pki.example.com/v1/namespaces/{namespace}/certificates/{name}';
    expect(Object.keys(at(document, 'paths') as object)).to.include.members([
      object,
      `${object}/status`,
      `${object}/scale`,
      '/apis/pki.example.com/v1/certificates',
    ]);
    expect(Object.keys(at(document, 'paths', object, 'patch', 'requestBody', 'content') as object)).to.deep.equal([
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/apply-patch+yaml',
    ]);
    expect(
      (at(document, 'paths', object, 'patch', 'parameters') as readonly { readonly name: string }[]).map(({ name }) => name),
    ).to.include('fieldValidation');
  });

  it('leave out of version 2 what its clients do not understand', () => {
    const definitions = at(built({ version: 2, encoding: 'json' }, ''), 'definitions');
    const certificate = at(definitions, 'com.example.pki.v1.Certificate', 'properties', 'spec', 'properties');
    expect(at(certificate, 'duration')).to.deep.equal({ type: 'string' });
    expect(at(certificate, 'keystores')).to.deep.equal({ 'x-kubernetes-preserve-unknown-fields': true });
    const backup = at(definitions, 'com.example.storage.v1.Backup', 'properties');
    expect(at(backup, 'spec', 'properties', 'target')).to.deep.equal({ 'x-kubernetes-int-or-string': true });
    expect(at(backup, 'status')).not.to.have.any.keys('type', 'nullable', 'properties');
    expect(at(backup, 'metadata')).to.have.property('$ref', '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  });

  const defineOas = (schema: JsonObject): Promise<void> =>
    server.define(
      definition('oas', 'Oa', {
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, selectableFields: [{ jsonPath: '.spec.color' }] },
        ],
      }),
    );
  const spec = (properties: JsonObject): JsonObject => ({ type: 'object', properties: { spec: { type: 'object', properties } } });
  const objectMeta = '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

  it('tell which fields select objects, what embedded objects have, and what may be integer or string', async () => {
    const choices = [{ type: 'integer' }, { type: 'string' }];
    await defineOas(
      spec({
        color: { type: 'string' },
        open: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
        closed: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { a: { type: 'string' } }, required: ['kind', 'a'] },
        said: { anyOf: choices, 'x-kubernetes-int-or-string': true },
        unsaid: { 'x-kubernetes-int-or-string': true },
        narrowed: { 'x-kubernetes-int-or-string': true, anyOf: [{ minimum: 1 }, { pattern: 'a' }], allOf: [{ maxLength: 3 }] },
      }),
    );
    const schemas = at(built({ version: 3, encoding: 'json' }, 'apis/example.com/v1'), 'components', 'schemas');
    for (const kind of ['Oa', 'OaList'])
      expect(at(schemas, `com.example.v1.${kind}`, 'x-kubernetes-selectable-fields')).to.deep.equal([{ fieldPath: 'spec.color' }]);
    const member = (name: string): unknown => at(schemas, 'com.example.v1.Oa', 'properties', 'spec', 'properties', name);
    expect(at(member('open'), 'properties', 'metadata', 'allOf')).to.deep.equal([{ $ref: objectMeta }]);
    expect(Object.keys(at(member('open'), 'properties') as object)).to.have.members(['apiVersion', 'kind', 'metadata']);
    expect(at(member('open'), 'required')).to.deep.equal(['kind', 'apiVersion']);
    expect(at(member('closed'), 'required')).to.deep.equal(['kind', 'a', 'apiVersion']);
    expect(at(member('said'), 'anyOf')).to.deep.equal(choices);
    expect(member('unsaid')).to.deep.equal({ 'x-kubernetes-int-or-string': true, anyOf: choices });
    expect(at(member('narrowed'), 'allOf')).to.deep.equal([{ anyOf: choices }, { maxLength: 3 }]);
    const inV2 = at(built({ version: 2, encoding: 'json' }, ''), 'definitions', 'com.example.v1.Oa');
    expect(at(inV2, 'x-kubernetes-selectable-fields')).to.deep.equal([{ fieldPath: 'spec.color' }]);
    expect(at(inV2, 'properties', 'spec', 'properties', 'open')).not.to.have.any.keys('properties', 'required', 'type');
    expect(at(inV2, 'properties', 'spec', 'properties', 'closed', 'properties')).to.include.keys('metadata', 'kind', 'apiVersion', 'a');
  });

  it('leave names of built-in types to these, in the document of everything', async () => {
    const group = 'apiextensions.apis.pkg.apiextensions-apiserver.k8s.io';
    const own = definition('customresourcedefinitions', 'CustomResourceDefinition', {}, group);
    await server.define({ ...own, metadata: { ...own.metadata, annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' } } });
    const name = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition';
    const builtIn = sourceOf(createCatalogue({ serves: ({ group: each }) => each === 'apiextensions.k8s.io' }));
    const { groups, definitions } = source();
    const whole = buildDocuments(
      { ...builtIn, groups: [...builtIn.groups, ...groups], definitions: definitions ?? [] },
      { version: 2, encoding: 'json' },
    );
    const document = JSON.parse(gunzipSync(whole.get('')?.gzip ?? new Uint8Array()).toString()) as JsonObject;
    expect(at(document, 'definitions', name, 'properties', 'spec', '$ref')).to.match(/CustomResourceDefinitionSpec$/);
    expect(at(document, 'definitions', `${name}_v2`, 'properties', 'spec', 'properties')).to.have.keys('size', 'color');
    const path = `/apis/${group}/v1/namespaces/{namespace}/customresourcedefinitions/{name}`;
    expect(at(document, 'paths', path, 'get', 'responses', '200', 'schema')).to.deep.equal({ $ref: `#/definitions/${name}_v2` });
  });

  it('tell no watches below paths of their own, and the media types that custom objects are shown in', async () => {
    await defineOas(spec({ color: { type: 'string' } }));
    const paths = at(built({ version: 3, encoding: 'json' }, 'apis/example.com/v1'), 'paths');
    const collection = '/apis/example.com/v1/namespaces/{namespace}/oas';
    expect(Object.keys(paths as object)).to.have.members(['/apis/example.com/v1/oas', collection, `${collection}/{name}`]);
    const types = (value: unknown): string[] => Object.keys(at(value, 'content') as object);
    for (const method of ['get', 'post', 'delete'])
      expect(types(at(paths, collection, method, 'responses', '200'))).to.deep.equal(['application/json', 'application/yaml']);
    expect(types(at(paths, collection, 'post', 'requestBody'))).to.deep.equal(['application/json', 'application/yaml']);
    expect(at(paths, collection, 'delete')).not.to.have.property('requestBody');
    expect(Object.keys(at(paths, `${collection}/{name}`, 'patch', 'responses') as object)).to.deep.equal(['200', '401']);
    const operation = at(built({ version: 2, encoding: 'json' }, ''), 'paths', collection, 'get');
    expect(at(operation, 'produces')).to.deep.equal(['application/json', 'application/yaml']);
    expect(at(operation, 'consumes')).to.deep.equal(['application/json', 'application/yaml']);
  });

  it('require nothing in version 2 that may be null, and leave lists of anything without a type', async () => {
    await defineOas({
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          required: ['color', 'size'],
          properties: {
            color: { type: 'string', nullable: true },
            size: { type: 'integer' },
            any: { type: 'array', 'x-kubernetes-preserve-unknown-fields': true, items: { type: 'string' } },
          },
        },
      },
    });
    const reported = at(built({ version: 2, encoding: 'json' }, ''), 'definitions', 'com.example.v1.Oa', 'properties', 'spec');
    expect(at(reported, 'required')).to.deep.equal(['size']);
    expect(at(reported, 'properties', 'color')).to.deep.equal({});
    expect(at(reported, 'properties', 'any')).to.deep.equal({ 'x-kubernetes-preserve-unknown-fields': true });
  });

  it('describe nothing in version 2 of what may be anything, or old clients would refuse it', async () => {
    await server.define(
      definition('things', 'Thing', {
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { spec: { type: 'object' } } },
            },
          },
        ],
      }),
    );
    expect(at(built({ version: 2, encoding: 'json' }, ''), 'definitions', 'com.example.v1.Thing')).to.deep.equal({
      type: 'object',
      'x-kubernetes-group-version-kind': [{ group: 'example.com', kind: 'Thing', version: 'v1' }],
    });
  });

  it('begin to describe the version and the kind as clients expect', () => {
    const certificate = at(built({ version: 2, encoding: 'json' }, ''), 'definitions', 'com.example.pki.v1.Certificate', 'properties');
    expect(
      [at(certificate, 'apiVersion', 'description'), at(certificate, 'kind', 'description')]
        .map(String)
        .map((text) => text.split(' ').slice(0, 2).join(' ')),
    ).to.deep.equal(['APIVersion defines', 'Kind is']);
  });

  it("describe an object's metadata, and when it was created, as clients expect", () => {
    const definitions = at(built({ version: 2, encoding: 'json' }, ''), 'definitions');
    expect(at(definitions, 'com.example.pki.v1.Certificate', 'properties', 'metadata', 'description')).to.match(
      /^Standard object's metadata/,
    );
    const ofMetadata = at(definitions, 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', 'properties');
    expect(at(ofMetadata, 'creationTimestamp', 'description')).to.match(/^CreationTimestamp is a timestamp/);
  });

  it('are made in Protobuf as well', () => {
    for (const version of [2, 3] as const)
      expect(
        [...buildDocuments(source(), { version, encoding: 'protobuf' }).values()].every(({ gzip }) => gunzipSync(gzip).length > 1000),
      ).to.equal(true);
  });

  it('are made anew only of what has changed', async () => {
    const asked: string[][] = [];
    const library = new Library({
      builtIn: createCatalogue({ serves: ({ group, resource }) => group === '' && resource === 'configmaps' }),
      defined: () => server.custom.catalogue,
      definitions: server.custom.storedIn,
      builder: {
        build: (wanted, form) => {
          asked.push(wanted.groups.map(({ name }) => name));
          return Promise.resolve(buildDocuments(wanted, form));
        },
      },
      remote: () => [],
    });
    const [first, again] = [await library.all('json'), await library.all('json')];
    expect(asked).to.deep.equal([[''], ['pki.example.com', 'storage.example.com']]);
    expect([...again.keys()])
      .to.deep.equal([...first.keys()])
      .and.to.include.members(['api/v1', 'apis/pki.example.com/v1', 'apis/storage.example.com/v1beta1']);
    await server.define(definition('widgets', 'Widget', {}, 'storage.example.com'));
    const changed = await library.all('json');
    expect(asked.slice(2)).to.deep.equal([['storage.example.com']]);
    const hash = (documents: typeof changed, path: string): string | undefined => documents.get(path)?.hash;
    expect(hash(changed, 'apis/pki.example.com/v1')).to.equal(hash(first, 'apis/pki.example.com/v1'));
    expect(hash(changed, 'apis/storage.example.com/v1')).not.to.equal(hash(first, 'apis/storage.example.com/v1'));
    await library.everything('json');
    await library.everything('json');
    expect(asked.slice(3)).to.deep.equal([['', 'pki.example.com', 'storage.example.com']]);
    expect(await library.document('apis/none.example.com/v1', 'json')).to.equal(null);
  });

  it('tell of another group that it is served, in discovery, only once it is', () => {
    expect(server.custom.catalogue.groups.map(({ name }) => name)).to.deep.equal(['pki.example.com', 'storage.example.com']);
  });
});

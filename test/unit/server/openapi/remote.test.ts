import { expect } from 'chai';
import { gunzipSync } from 'node:zlib';
import type { JsonObject } from '../../../../api/object.js';
import { createBuilder } from '../../../../server/openapi/builder.js';
import { mergedV2 } from '../../../../server/openapi/remote/merge.js';
import { ownPart } from '../../../../server/openapi/remote/ownPart.js';
import { take } from '../../../../server/openapi/remote/tasks.js';
import { upgraded } from '../../../../server/openapi/remote/upgrade.js';

const kinds = 'x-kubernetes-group-version-kind';
const ref = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` });
const answering = (name: string): JsonObject => ({ get: { responses: { 200: { description: 'OK', schema: ref(name) } } } });
const own = { group: 'g.example.com', version: 'v1' };

const document: JsonObject = {
  swagger: '2.0',
  info: { title: 'other', version: 'x' },
  paths: {
    '/apis/g.example.com/v1/things': {
      parameters: [{ $ref: '#/parameters/pretty' }],
      post: {
        parameters: [{ name: 'body', in: 'body', required: true, schema: ref('Thing') }, { $ref: '#/parameters/pretty' }],
        consumes: ['application/json'],
        produces: ['application/json', 'application/yaml'],
        responses: { 200: { description: 'OK', schema: ref('Thing') }, 401: { description: 'Unauthorized' } },
      },
    },
    '/apis/g.example.com/v1beta1/things': answering('Old'),
    '/apis/apps/v1/deployments': answering('Deployment'),
  },
  parameters: { pretty: { name: 'pretty', in: 'query', type: 'string', description: 'lines', uniqueItems: true } },
  definitions: {
    Thing: { type: 'object', properties: { meta: ref('Meta'), $ref: { type: 'string' } }, [kinds]: [{ ...own, kind: 'Thing' }] },
    Meta: { description: 'theirs', [kinds]: [{ group: '', version: 'v1', kind: 'Pod' }] },
    Old: {},
    Deployment: {},
  },
};

describe("other programs' OpenAPI documents", () => {
  it('count for their own version alone, with the definitions that it needs', () => {
    const part = ownPart(document, own);
    expect(Object.keys(part['paths'] as JsonObject)).to.deep.equal(['/apis/g.example.com/v1/things']);
    expect(part['definitions']).to.deep.equal({
      Meta: { description: 'theirs' },
      Thing: (document['definitions'] as JsonObject)['Thing'],
    });
    expect(part).to.have.nested.property('paths./apis/g\\.example\\.com/v1/things.parameters[0].name', 'pretty');
    expect(part).to.have.nested.property('paths./apis/g\\.example\\.com/v1/things.post.parameters[1].name', 'pretty');
  });

  it('are refused when they are something else', () => {
    expect(ownPart({ paths: { '/apis/g.example.com/v1/': {} } }, { group: 'g.example.com', version: 'v1' })).to.deep.include({
      swagger: '2.0',
      paths: { '/apis/g.example.com/v1/': {} },
    });
    for (const garbage of [null, [], 'x', {}, { swagger: '2.0' }, { swagger: '1.2', paths: {} }, { swagger: '2.0', paths: [] }])
      expect(() => ownPart(garbage, own), JSON.stringify(garbage)).to.throw('no document of OpenAPI version 2');
    const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
    const paths = (item: unknown): unknown => ({ swagger: '2.0', paths: { '/apis/g.example.com/v1/x': item } });
    for (const wrong of [
      paths({ get: null }),
      paths({ get: { parameters: [{ in: 'moon' }] } }),
      paths({ get: { responses: { 200: null } } }),
    ])
      expect(() => take({ of: own, version: 2, bytes: bytes(wrong) }), JSON.stringify(wrong)).to.throw();
    expect(() => take({ of: own, version: 3, bytes: bytes({ openapi: '2', paths: {} }) })).to.throw('no document of OpenAPI version 3');
    const description = 'x'.repeat(9 * 1024 * 1024);
    expect(() => take({ of: own, version: 2, bytes: bytes(paths({ get: { description, responses: {} } })) })).to.throw('more than');
  });

  it('find definitions that refer to each other, and to none', () => {
    const circle = {
      swagger: '2.0',
      paths: { '/apis/g.example.com/v1/': answering('A') },
      definitions: { A: { items: ref('B') }, B: { items: ref('A'), allOf: [ref('Nobody')] } },
    };
    expect(Object.keys(ownPart(circle, own)['definitions'] as JsonObject)).to.deep.equal(['A', 'B']);
  });

  it('are merged: what means something else gets another name, what means the same does not', () => {
    const ours = {
      swagger: '2.0',
      paths: { '/a': answering('Meta'), '/taken': answering('Same') },
      definitions: { Meta: { description: 'ours' }, Same: { type: 'string', [kinds]: [{ kind: 'Same' }] }, Meta_v2: { type: 'integer' } },
    };
    const theirs = {
      paths: { '/b': { ...answering('Meta'), put: { responses: { 200: { schema: ref('Same') } } } }, '/taken': answering('Meta') },
      definitions: { Meta: { description: 'theirs', items: ref('Meta') }, Same: { type: 'string' }, New: ref('Meta') },
    };
    const merged = mergedV2(ours, [theirs, theirs]);
    expect(merged['definitions']).to.deep.equal({
      ...ours.definitions,
      Meta_v3: { description: 'theirs', items: ref('Meta_v3') },
      // The second time too: the earlier merged name now belongs to another document.
      Meta_v4: { description: 'theirs', items: ref('Meta_v4') },
      New: ref('Meta_v3'),
      New_v2: ref('Meta_v4'),
    });
    expect(merged['paths']).to.deep.equal({
      ...ours.paths,
      '/b': { ...answering('Meta_v3'), put: { responses: { 200: { schema: ref('Same') } } } },
    });
  });

  it('are put into the words of version 3 where a program has none', () => {
    const { paths, components, openapi } = upgraded(ownPart(document, own)) as {
      paths: JsonObject;
      components: JsonObject;
      openapi: string;
    };
    const schema = { $ref: '#/components/schemas/Thing' };
    const parameter = { name: 'pretty', in: 'query', description: 'lines', schema: { type: 'string', uniqueItems: true } };
    expect(openapi).to.equal('3.0.0');
    expect(paths['/apis/g.example.com/v1/things']).to.deep.equal({
      parameters: [parameter],
      post: {
        parameters: [parameter],
        requestBody: { content: { 'application/json': { schema } }, required: true },
        responses: {
          200: { description: 'OK', content: { 'application/json': { schema }, 'application/yaml': { schema } } },
          401: { description: 'Unauthorized' },
        },
      },
    });
    expect(components).to.have.nested.property('schemas.Thing.properties.meta.$ref', '#/components/schemas/Meta');
  });

  it('are worked on in a thread, and end nothing but it', async () => {
    const builder = createBuilder();
    try {
      const deep = Buffer.from(
        `{"swagger":"2.0","paths":{"/apis/g.example.com/v1/x":${'{"get":'.repeat(200_000)}1${'}'.repeat(200_000)}}}`,
      );
      const failed = await builder.take({ of: own, version: 2, bytes: deep }).catch((error: unknown) => error);
      expect(failed).to.be.an('error');
      const { gzip } = await builder.take({ of: own, version: 2, bytes: Buffer.from(JSON.stringify(document)) });
      const shown = await builder.show({ kept: gzip, version: 2, encoding: 'json' });
      expect(JSON.parse(gunzipSync(shown.gzip).toString())).to.deep.include({ openapi: '3.0.0' });
    } finally {
      await builder.close();
    }
  });
});

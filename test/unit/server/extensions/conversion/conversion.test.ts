import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../../api/object.js';
import type { StatusError } from '../../../../../api/status.js';
import type { Converter } from '../../../../../server/extensions/conversion/contract.js';
import { webhookConverters } from '../../../../../server/extensions/conversion/webhook.js';
import { createHookClients, type HookClients } from '../../../../../server/webhook/hookClients.js';
import { startHookService, written, type HookReply, type HookService } from '../../../../fixtures/hookService.js';
import { createIdentities } from '../../../../fixtures/identities.js';

const widget = (name: string, version = 'v1', more: JsonObject = {}): ApiObject => ({
  apiVersion: `example.com/${version}`,
  kind: 'Widget',
  metadata: { name, namespace: 'n', uid: `u-${name}`, resourceVersion: '7', labels: { a: 'b' } },
  ...more,
});
const failed = 'conversion for example.com/v1, Kind=Widget';

describe('conversion by a webhook', () => {
  let service: HookService;
  let clients: HookClients;
  before(async () => {
    service = await startHookService(await createIdentities());
    clients = createHookClients({ resolve: () => Promise.reject(new Error('no services')), identityFor: () => ({}) });
  });
  after(() => {
    clients.close();
    service.close();
  });
  beforeEach(() => {
    service.reviews.length = 0;
  });

  const converter = (versions = ['v1']): Converter =>
    webhookConverters({ clients })({
      definition: 'widgets.example.com',
      group: 'example.com',
      kind: 'Widget',
      clientConfig: { url: service.url, caBundle: service.caBundle },
      conversionReviewVersions: versions,
    });
  /** Answers with the objects that `change` returns. */
  const converting =
    (change: (object: ApiObject, desired: string) => JsonObject): ((review: JsonObject) => HookReply) =>
    (review) => {
      const { objects, desiredAPIVersion } = review['request'] as unknown as {
        readonly objects: ApiObject[];
        readonly desiredAPIVersion: string;
      };
      return { result: { status: 'Success' }, convertedObjects: objects.map((object) => change(object, desiredAPIVersion)) };
    };
  const renaming = converting((object, desired) => ({ ...object, apiVersion: desired, converted: true }));
  const message = async (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => 'nothing refused',
      (error: StatusError) => `${error.code} ${error.message}`,
    );

  it('keeps the order, and leaves what is in the version already', async () => {
    service.reply = renaming;
    const result = await converter().convert([widget('a'), widget('b', 'v2'), widget('c')], 'example.com/v2');
    expect(result.map((object) => [object.metadata.name, object.apiVersion, object['converted']])).to.deep.equal([
      ['a', 'example.com/v2', true],
      ['b', 'example.com/v2', undefined],
      ['c', 'example.com/v2', true],
    ]);
    expect(service.reviews.map(({ kind, apiVersion }) => [kind, apiVersion])).to.deep.equal([
      ['ConversionReview', 'apiextensions.k8s.io/v1'],
    ]);
    expect(service.latest()).to.deep.include({ desiredAPIVersion: 'example.com/v2' });
  });

  it('asks nobody about nothing', async () => {
    service.reply = renaming;
    expect(await converter().convert([widget('b', 'v2')], 'example.com/v2')).to.have.length(1);
    expect(service.reviews).to.have.length(0);
  });

  it('asks about long lists in batches', async () => {
    service.reply = renaming;
    const result = await converter().convert(
      Array.from({ length: 1_001 }, (_, n) => widget(`w${n}`)),
      'example.com/v2',
    );
    expect(result.map(({ metadata }) => metadata.name)).to.deep.equal(Array.from({ length: 1_001 }, (_, n) => `w${n}`));
    expect(service.reviews.map((review) => (review['request'] as { readonly objects: unknown[] }).objects.length)).to.deep.equal([
      500, 500, 1,
    ]);
  });

  it('takes labels and annotations as they come back, and everything else of the metadata as it was', async () => {
    service.reply = converting((object, desired) => ({
      ...object,
      apiVersion: desired,
      metadata: {
        ...object.metadata,
        labels: { c: 'd' },
        annotations: { e: 'f' },
        resourceVersion: '99',
        generation: 5,
        finalizers: ['x/y'],
      },
    }));
    const [result] = await converter().convert([widget('a')], 'example.com/v2');
    expect(result?.metadata).to.deep.equal({
      name: 'a',
      namespace: 'n',
      uid: 'u-a',
      resourceVersion: '7',
      labels: { c: 'd' },
      annotations: { e: 'f' },
    });
    service.reply = converting((object, desired) => ({
      ...object,
      apiVersion: desired,
      metadata: { name: 'a', namespace: 'n', uid: 'u-a' },
    }));
    expect((await converter().convert([widget('a')], 'example.com/v2'))[0]?.metadata).to.not.have.property('labels');
  });

  it('speaks the older version, which does not repeat the uid', async () => {
    service.reply = written((response, review) => {
      const [object] = (review['request'] as { readonly objects: JsonObject[] }).objects;
      response.end(
        JSON.stringify({ response: { result: { status: 'Success' }, convertedObjects: [{ ...object, apiVersion: 'example.com/v2' }] } }),
      );
    });
    expect((await converter(['v1beta1', 'v1']).convert([widget('a')], 'example.com/v2'))[0]?.apiVersion).to.equal('example.com/v2');
    expect(service.reviews[0]?.['apiVersion']).to.equal('apiextensions.k8s.io/v1beta1');
  });

  const meta = (metadata: JsonObject): ((review: JsonObject) => HookReply) =>
    converting((object, desired) => ({ ...object, apiVersion: desired, metadata: { ...object.metadata, ...metadata } }));
  const inner = `500 ${failed} failed: conversion webhook for /, Kind= failed:`;
  const refusals: readonly (readonly [what: string, reply: HookReply | ((review: JsonObject) => HookReply), message: string | RegExp])[] = [
    ['a failure', { result: { status: 'Failure', message: 'cannot' } }, `${inner} cannot`],
    ['no success', { result: {} }, `${inner} response.result.status was '', not 'Success'`],
    ['another question', { uid: 'z', result: { status: 'Success' } }, /failed: expected response\.uid="[-0-9a-f]+", got "z"$/],
    ['too few objects', { result: { status: 'Success' }, convertedObjects: [] }, `500 ${failed} returned 0 objects, expected 1`],
    [
      'another version',
      converting((object) => object),
      `500 ${failed} returned invalid converted object at index 1: invalid groupVersion (expected example.com/v2, received example.com/v1)`,
    ],
    [
      'another kind',
      converting((object, desired) => ({ ...object, apiVersion: desired, kind: 'Other' })),
      `500 ${failed} returned invalid converted object at index 1: invalid kind (expected Widget, received Other)`,
    ],
    ['another name', meta({ name: 'b' }), `500 ${failed} returned invalid converted object at index 1: must have the same name: a != b`],
    [
      'another namespace',
      meta({ namespace: 'm' }),
      `500 ${failed} returned invalid converted object at index 1: must have the same namespace: n != m`,
    ],
    ['another uid', meta({ uid: 'v' }), `500 ${failed} returned invalid converted object at index 1: must have the same UID: u-a != v`],
    [
      'labels that are none',
      meta({ labels: { a: 1 } }),
      `500 ${failed} returned invalid metadata in object at index 1: metadata.labels[a] must be a string, but is int64 in converted object`,
    ],
    [
      'labels that may not be',
      meta({ labels: { 'a b': '' } }),
      /returned invalid metadata in object at index 1: metadata\.labels: Invalid value: "a b": /,
    ],
    [
      'no object',
      { result: { status: 'Success' }, convertedObjects: ['x'] },
      `500 ${failed} returned invalid converted object at index 1: it is not an object`,
    ],
    [
      'garbage',
      written((response) => {
        response.end('<html>');
      }),
      /failed: couldn't get version\/kind; json parse error: /,
    ],
    ['silence of the line', 'reset', /failed: Post "https:\/\/127\.0\.0\.1:\d+\/hook\?timeout=30s": EOF$/],
    [
      'an error',
      written((response) => {
        response.writeHead(503).end();
      }),
      `${inner} the server is currently unable to handle the request`,
    ],
  ];
  for (const [what, reply, expected] of refusals) {
    it(`refuses ${what}`, async () => {
      service.reply = reply;
      const said = await message(converter().convert([widget('a')], 'example.com/v2'));
      if (typeof expected === 'string') expect(said).to.equal(expected);
      else expect(said).to.match(expected);
    });
  }

  it('gives up with its caller', async () => {
    service.reply = 'silence';
    const leaving = new AbortController();
    const result = message(converter().convert([widget('a')], 'example.com/v2', leaving.signal));
    while (service.reviews.length === 0) await new Promise(setImmediate);
    leaving.abort();
    expect(await result).to.match(/^500 /);
  });
});

import { expect } from 'chai';
import type { JsonObject } from '../../../../../api/object.js';
import { patchReply, startHookService, written, type HookReply, type HookService } from '../../../../fixtures/hookService.js';
import { createIdentities, type Identities } from '../../../../fixtures/identities.js';
import { startHookServer, type HookServer } from './hookServer.js';

const maps = '/api/v1/namespaces/default/configmaps';
const map = (name: string, more: JsonObject = {}): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more });
const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps', 'pods'] }];
const pods = '/api/v1/namespaces/default/pods';
const pod = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }] },
});

let identities: Identities;
let server: HookServer;
let service: HookService;
const client = (): JsonObject => ({ clientConfig: { url: service.url, caBundle: service.caBundle }, rules });

describe('webhooks of admission', () => {
  before(async () => {
    identities = await createIdentities();
    service = await startHookService(identities);
    server = await startHookServer(new Set(['AlwaysPullImages']));
  });
  after(async () => {
    service.close();
    await server.close();
  });
  afterEach(async () => {
    await server.clear();
    service.forget();
  });

  const create = (name = 'x', more: JsonObject = {}): ReturnType<HookServer['request']> =>
    server.request('POST', `${maps}?dryRun=All`, map(name, more));

  it('take a part of the time of a request, by kind', async () => {
    await create();
    expect(server.parts().filter((part) => part.endsWith('webhook'))).to.deep.equal([]);
    await server.configure('mutating', client(), 'm');
    await server.configure('validating', client(), 'v');
    service.reply = { allowed: true };
    expect((await create()).status).to.equal(201);
    expect(server.parts()).to.include.members(['mutating-webhook', 'validating-webhook']);
  });

  describe('deny', () => {
    const denials: readonly (readonly [what: string, status: JsonObject | null, expected: JsonObject])[] = [
      ['without a word', null, { code: 400, message: 'admission webhook "w.example.com" denied the request without explanation' }],
      [
        'with a message',
        { message: 'not today' },
        { code: 400, message: 'admission webhook "w.example.com" denied the request: not today' },
      ],
      [
        'with a reason alone',
        { reason: 'Because' },
        { code: 400, reason: 'Because', message: 'admission webhook "w.example.com" denied the request: Because' },
      ],
      [
        'with a code and details',
        { code: 403, reason: 'Forbidden', message: 'no', details: { causes: [{ field: 'data', message: 'm' }], other: 1 } },
        { code: 403, reason: 'Forbidden', details: { causes: [{ message: 'm', field: 'data' }] } },
      ],
      ['with a code of success', { code: 200, status: 'Success', message: 'fine' }, { code: 400, status: 'Failure' }],
      ['with a code that is none', { code: 9999, message: 'x' }, { code: 599 }],
    ];
    for (const [what, status, expected] of denials) {
      it(what, async () => {
        await server.configure('validating', client());
        service.reply = { allowed: false, ...(status === null ? {} : { status }) };
        const { status: code, body } = await create();
        expect(body).to.deep.include(expected);
        expect(code).to.equal(expected['code']);
        expect(server.calls.at(-1)).to.deep.include({
          hook: 'w.example.com',
          kind: 'validating',
          operation: 'CREATE',
          rejected: 'byWebhook',
          code: expected['code'],
        });
      });
    }

    it('and warn, whatever they decide', async () => {
      await server.configure('validating', client());
      service.reply = { allowed: true, warnings: ['look out'] };
      expect((await create()).warnings).to.deep.equal(['299 - "look out"']);
    });

    it('together: one refusal is enough, and all are asked', async () => {
      await server.configure('validating', client(), 'a');
      await server.configure('validating', client(), 'b');
      service.reply = { allowed: false };
      expect((await create()).status).to.equal(400);
      expect(service.reviews).to.have.length(2);
    });

    it('updates that change nothing, too', async () => {
      await server.request('POST', maps, map('same'));
      await server.configure('validating', client());
      service.reply = { allowed: false };
      expect((await server.request('PATCH', `${maps}/same`, {}, 'application/merge-patch+json')).status).to.equal(400);
      expect(service.reviews, 'asked once').to.have.length(1);
      service.reply = { allowed: true };
      await server.request('DELETE', `${maps}/same`);
    });

    it('nothing once they are gone, and never what is about themselves', async () => {
      await server.configure('validating', {
        ...client(),
        rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }],
      });
      service.reply = { allowed: false };
      expect((await create()).status).to.equal(400);
      expect((await server.request('DELETE', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/w')).status).to.equal(
        200,
      );
      expect((await create()).status).to.equal(201);
    });
  });

  describe('that fail', () => {
    const status = (code: number, body: string, headers: Record<string, string> = {}): HookReply =>
      written((response) => {
        response.writeHead(code, headers).end(body);
      });
    const whole = (answer: JsonObject): HookReply =>
      written((response, review) => {
        const { uid } = review['request'] as { readonly uid: string };
        response.end(JSON.stringify(answer).replaceAll('UID', uid));
      });
    const huge = written((response) => {
      response.on('error', () => {});
      response.write('{"response":{"warnings":["');
      const piece = 'x'.repeat(64 * 1024);
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const v1 = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
    const failures: readonly (readonly [what: string, reply: HookReply, message: RegExp])[] = [
      ['say nothing', 'silence', /failed to call webhook: Post "https:\/\/127\.0\.0\.1:\d+\/hook\?timeout=1s": context deadline exceeded$/],
      ['hang up', 'reset', /failed to call webhook: Post ".*": EOF$/],
      [
        'stop in the middle',
        written((response) => {
          response.writeHead(200, { 'content-length': '100' }).write('{');
          response.socket?.destroySoon();
        }),
        /failed to call webhook: /,
      ],
      ['never end', huge, /failed to call webhook: .* answered with more than 4194304 bytes$/],
      [
        'have an error',
        status(500, 'oops'),
        /failed to call webhook: an error on the server \("oops"\) has prevented the request from succeeding$/,
      ],
      ['are not there', status(404, ''), /failed to call webhook: the server could not find the requested resource$/],
      [
        'send elsewhere',
        status(307, '', { location: '/other' }),
        /failed to call webhook: the server responded with the status code 307 but did not return more information$/,
      ],
      ['answer no JSON', status(200, 'all good'), /failed to call webhook: couldn't get version\/kind; json parse error: /],
      ['answer a depth', status(200, '['.repeat(100_000)), /failed to call webhook: couldn't get version\/kind; json parse error: /],
      ['answer nothing', whole({ ...v1 }), /received invalid webhook response: webhook response was absent$/],
      [
        'answer another question',
        whole({ ...v1, response: { uid: 'z', allowed: true } }),
        /received invalid webhook response: expected response\.uid="[-0-9a-f]+", got "z"$/,
      ],
      [
        'answer as something else',
        whole({ apiVersion: 'v1', kind: 'Pod', response: { uid: 'UID', allowed: true } }),
        /expected webhook response of admission\.k8s\.io\/v1, Kind=AdmissionReview, got \/v1, Kind=Pod$/,
      ],
      [
        'allow with a word',
        whole({ ...v1, response: { uid: 'UID', allowed: 'yes' } }),
        /json: cannot unmarshal string into Go struct field AdmissionReview\.response\.allowed of type bool$/,
      ],
      [
        'change what they may only look at',
        { ...patchReply([{ op: 'add', path: '/data', value: {} }]) },
        /validating webhook may not return response\.patch$/,
      ],
    ];
    for (const [what, reply, message] of failures) {
      it(`because they ${what}`, async () => {
        await server.configure('validating', { ...client(), timeoutSeconds: 1 });
        service.reply = reply;
        const { body } = await create();
        expect(body).to.deep.include({ code: 500, reason: 'InternalError' });
        expect(body['message'])
          .to.match(/^Internal error occurred: failed calling webhook "w\.example\.com": /)
          .and.match(message);
        // After a reset of a kept connection the request may be repeated once on a new one.
        expect(service.reviews, 'asked once')
          .to.have.lengthOf.at.most(what === 'hang up' ? 2 : 1)
          .and.at.least(1);
        expect(server.calls.map(({ rejected }) => rejected)).to.deep.equal(['byFailure']);
      });
    }

    it('let requests pass where they are told to', async () => {
      for (const kind of ['validating', 'mutating'] as const) await server.configure(kind, { ...client(), failurePolicy: 'Ignore' });
      service.reply = status(500, '');
      expect((await create()).status).to.equal(201);
      expect(server.failedOpen).to.deep.equal(['w.example.com', 'w.example.com']);
    });

    it('cannot be found behind services that are not there', async () => {
      await server.configure('validating', {
        rules,
        clientConfig: { service: { namespace: 'default', name: 'none', path: '/p/', port: 8443 } },
        timeoutSeconds: 3,
      });
      expect((await create()).body['message']).to.equal(
        'Internal error occurred: failed calling webhook "w.example.com": failed to call webhook: Post "https://none.default.svc:8443/p?timeout=3s": service "none" not found',
      );
    });

    it('are not believed without a certificate of their authority', async () => {
      const other = await createIdentities('other');
      await server.configure('validating', {
        rules,
        clientConfig: { url: service.url, caBundle: Buffer.from(other.ca).toString('base64') },
      });
      expect((await create()).body['message']).to.match(
        /: tls: failed to verify certificate: x509: certificate signed by unknown authority$/,
      );
      expect(service.reviews).to.have.length(0);
    });

    it('are believed for their own name alone', async () => {
      const elsewhere = await startHookService(identities, { dns: ['other.default.svc'] });
      await server.configure('validating', { rules, clientConfig: { url: elsewhere.url, caBundle: elsewhere.caBundle } });
      expect((await create()).body['message']).to.match(/: tls: failed to verify certificate: x509: /);
      elsewhere.close();
    });
  });

  describe('change objects', () => {
    const labels = (object: JsonObject): unknown => (object['metadata'] as JsonObject)['labels'];

    it('one after the other, by name; the later sees what the earlier did', async () => {
      await server.configure('mutating', client(), 'b');
      await server.configure('mutating', client(), 'a');
      service.reply = (review) => {
        const { object } = review['request'] as { readonly object: JsonObject };
        return labels(object) === undefined
          ? patchReply([{ op: 'add', path: '/metadata/labels', value: { n: '1' } }])
          : patchReply([{ op: 'replace', path: '/metadata/labels/n', value: '2' }]);
      };
      expect(labels((await create()).body)).to.deep.equal({ n: '2' });
      expect(service.reviews).to.have.length(2);
    });

    it('which the audit log records, with the patch where it tells of bodies', async () => {
      await server.configure('mutating', client());
      const patch = [{ op: 'add', path: '/metadata/labels', value: { n: '1' } }];
      service.reply = patchReply(patch);
      await create();
      const by = { configuration: 'w', webhook: 'w.example.com' };
      expect(server.annotations.map(([key, text, level]) => [key, JSON.parse(text) as unknown, level])).to.deep.equal([
        ['patch.webhook.admission.k8s.io/round_0_index_0', { ...by, patch, patchType: 'JSONPatch' }, 'Request'],
        ['mutation.webhook.admission.k8s.io/round_0_index_0', { ...by, mutated: true }, undefined],
      ]);
    });

    it('which are then given defaults and checked', async () => {
      await server.configure('mutating', client());
      service.reply = patchReply([{ op: 'add', path: '/spec/containers/-', value: { name: 'side', image: 'x', unknown: 1 } }]);
      const { body } = await server.request('POST', `${pods}?dryRun=All`, pod('p'));
      const [, side] = (body['spec'] as { readonly containers: JsonObject[] }).containers;
      expect(side).to.deep.include({ name: 'side', terminationMessagePath: '/dev/termination-log' }).and.to.not.have.property('unknown');
      service.reply = patchReply([{ op: 'replace', path: '/spec/containers/0/image', value: '' }]);
      expect((await server.request('POST', `${pods}?dryRun=All`, pod('p'))).body['message']).to.match(
        /^Pod "p" is invalid: spec\.containers\[0\]\.image: Required value/,
      );
    });

    it('and earlier steps run again over what they have changed', async () => {
      await server.configure('mutating', client());
      service.reply = patchReply([
        { op: 'add', path: '/spec/containers/-', value: { name: 'side', image: 'x', imagePullPolicy: 'Never' } },
      ]);
      const { body } = await server.request('POST', `${pods}?dryRun=All`, pod('p'));
      expect((body['spec'] as { readonly containers: JsonObject[] }).containers.map((each) => each['imagePullPolicy'])).to.deep.equal([
        'Always',
        'Always',
      ]);
      expect(service.reviews, 'it does not want to be asked again').to.have.length(1);
    });

    it('and are asked again if they want, once, when others changed something after them', async () => {
      await server.configure('mutating', { ...client(), reinvocationPolicy: 'IfNeeded' }, 'a');
      await server.configure('mutating', client(), 'b');
      let count = 0;
      service.reply = () => patchReply([{ op: 'add', path: '/data', value: { n: String(++count) } }]);
      expect((await create()).body['data']).to.deep.equal({ n: '3' });
      expect(service.reviews).to.have.length(3);
    });

    it('and own nothing of what they change, nor do those who sent it', async () => {
      await server.configure('mutating', client());
      service.reply = patchReply([{ op: 'add', path: '/metadata/labels', value: { hooked: 'yes' } }]);
      const managed = (object: JsonObject): string => JSON.stringify((object['metadata'] as JsonObject)['managedFields']);
      expect(managed((await server.request('POST', maps, map('owned', { data: { a: '1' } }))).body))
        .to.contain('f:data')
        .and.not.contain('hooked');
      service.reply = patchReply([{ op: 'add', path: '/data/b', value: 'hooked' }]);
      const { body } = await server.request('PATCH', `${maps}/owned`, { data: { c: '1' } }, 'application/merge-patch+json');
      expect(body['data']).to.deep.equal({ a: '1', b: 'hooked', c: '1' });
      expect(managed(body)).to.contain('f:c').and.not.contain('f:b');
      await server.clear();
      await server.request('DELETE', `${maps}/owned`);
    });

    it('but not what is deleted', async () => {
      await server.request('POST', maps, map('old'));
      await server.configure('mutating', client());
      service.reply = patchReply([{ op: 'add', path: '/data', value: {} }]);
      expect((await server.request('DELETE', `${maps}/old`)).body['message']).to.equal(
        'Internal error occurred: admission webhook "w.example.com" attempted to modify the object, which is not supported for this operation',
      );
      await server.clear();
      await server.request('DELETE', `${maps}/old`);
    });

    it('with names for what has none', async () => {
      await server.configure('mutating', client());
      service.reply = patchReply([{ op: 'add', path: '/metadata/name', value: 'chosen' }]);
      const { body } = await server.request('POST', `${maps}?dryRun=All`, { ...map(''), metadata: { generateName: 'g-' } });
      expect((body['metadata'] as JsonObject)['name']).to.equal('chosen');
    });

    const bombs: readonly (readonly [what: string, reply: JsonObject])[] = [
      ['too many operations', patchReply(Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' })))],
      [
        'copies of copies',
        patchReply([
          { op: 'add', path: '/data', value: { a: 'x'.repeat(1000) } },
          ...Array.from({ length: 30 }, (_, n) => ({ op: 'copy', from: '/data', path: `/data/c${n}` })),
        ]),
      ],
      ['what does not fit', patchReply([{ op: 'remove', path: '/data/none' }])],
      ['what is no patch', { allowed: true, patchType: 'JSONPatch', patch: Buffer.from('{"op":1}').toString('base64') }],
      ['what is no JSON', { allowed: true, patchType: 'JSONPatch', patch: Buffer.from('[').toString('base64') }],
      ['another kind', patchReply([{ op: 'replace', path: '/kind', value: 'Secret' }])],
      ['wrong types', patchReply([{ op: 'add', path: '/data', value: 'text' }])],
      ['the prototype', patchReply([{ op: 'add', path: '/__proto__/x', value: 1 }])],
    ];
    for (const [what, reply] of bombs) {
      it(`unless the patch has ${what}, whatever the failure policy`, async () => {
        await server.configure('mutating', { ...client(), failurePolicy: 'Ignore' });
        service.reply = reply;
        expect((await create()).body).to.deep.include({ code: 500, reason: 'InternalError' });
      });
    }

    it('unless the answer does not say of what type the patch is', async () => {
      await server.configure('mutating', client());
      const { patchType: _type, ...untyped } = patchReply([{ op: 'add', path: '/data', value: {} }]);
      service.reply = untyped;
      expect((await create()).body['message']).to.match(/webhook returned response\.patch but not response\.patchType$/);
    });
  });

  it('match labels of objects and of their namespaces', async () => {
    await server.request('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'guarded', labels: { guard: 'on' } },
    });
    await server.configure('validating', {
      ...client(),
      namespaceSelector: { matchLabels: { guard: 'on' } },
      objectSelector: { matchExpressions: [{ key: 'free', operator: 'DoesNotExist' }] },
    });
    service.reply = { allowed: false };
    const inGuarded = (metadata: JsonObject): ReturnType<HookServer['request']> =>
      server.request('POST', '/api/v1/namespaces/guarded/configmaps?dryRun=All', { ...map('x'), metadata: { name: 'x', ...metadata } });
    expect((await create()).status).to.equal(201);
    expect((await inGuarded({})).status).to.equal(400);
    expect((await inGuarded({ labels: { free: '' } })).status).to.equal(201);
  });
});

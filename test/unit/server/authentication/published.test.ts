import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import type { ApiObject } from '../../../../api/object.js';
import {
  keepPublished,
  mergedTrust,
  publishedTrust,
  publishTrackingStart,
  publishTrust,
} from '../../../../server/authentication/published.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { noDeleteOptions } from '../../../../server/registry/deletion.js';
import { ownWrites } from '../../../../server/registry/ownWrites.js';
import { follow } from '../../../../server/storage/follow.js';
import { createIdentities } from '../../../fixtures/identities.js';
import { createSample, type Sample } from '../registry/sample.js';

describe('what is published of authorities', () => {
  const lists = {
    'allowed-names': ['p'],
    'username-headers': ['X-U'],
    'uid-headers': [],
    'group-headers': ['X-G'],
    'extra-headers-prefix': ['X-E-'],
  };

  it('holds what is configured and nothing else', async () => {
    const anchors = [new X509Certificate((await createIdentities('a')).ca)];
    expect(publishedTrust({ client: null, proxy: null })).to.deep.equal({});
    expect(Object.keys(publishedTrust({ client: anchors, proxy: null }))).to.deep.equal(['client-ca-file']);
    expect(publishedTrust({ client: null, proxy: { anchors, lists } })).to.deep.include({
      'requestheader-allowed-names': '["p"]',
      'requestheader-uid-headers': '[]',
    });
  });
  it('keeps what other servers know, drops what has expired or is no certificate, and says nothing twice', async () => {
    const [one, two] = [await createIdentities('one'), await createIdentities('two')];
    const expired = await one.issue({ name: 'old', expired: true });
    const own = publishedTrust({ client: [new X509Certificate(one.ca)], proxy: { anchors: [new X509Certificate(one.ca)], lists } });
    const merged = mergedTrust(
      {
        'client-ca-file': `${two.ca}${expired.cert}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${one.ca}`,
        'requestheader-allowed-names': '["q","p"]',
        'requestheader-username-headers': 'junk',
        other: 'x',
      },
      own,
      Date.now(),
    );
    expect((merged['client-ca-file']?.match(/BEGIN/g) ?? []).length).to.equal(2);
    expect(merged).to.deep.include({ 'requestheader-allowed-names': '["q","p"]', 'requestheader-username-headers': '["X-U"]' });
    expect(merged).to.have.all.keys(Object.keys(own).filter((name) => name !== 'requestheader-uid-headers'));
    expect(mergedTrust(merged, own, Date.now())).to.deep.equal(merged);
  });

  // filterExpiredCerts and getConfigMapDataFor of controlplane/controller/clusterauthenticationtrust.
  it('keeps authorities for five minutes after their end, and lists as long as an authority of proxies', async () => {
    const { ca } = await createIdentities('one');
    const end = Date.parse(new X509Certificate(ca).validTo);
    const own = publishedTrust({ client: [new X509Certificate(ca)], proxy: { anchors: [new X509Certificate(ca)], lists } });
    const minute = 60_000;
    expect(mergedTrust({}, own, end + 5 * minute - 1)).to.include.keys('client-ca-file', 'requestheader-client-ca-file');
    expect(mergedTrust(own, own, end + 5 * minute)).to.deep.equal({});
    expect(mergedTrust({}, { ...own, 'requestheader-uid-headers': '["X-I"]' }, 0)).to.include({ 'requestheader-uid-headers': '["X-I"]' });
  });
  it('knows an authority again however its lines are broken', async () => {
    const { ca } = await createIdentities('one');
    const own = publishedTrust({ client: [new X509Certificate(ca)], proxy: null });
    const [head = '', ...rest] = ca.trim().split('\n');
    const wide = [head, rest.slice(0, -1).join(''), rest.at(-1)].join('\n');
    expect(mergedTrust({ 'client-ca-file': wide }, own, Date.now())).to.deep.equal(own);
  });

  describe('in ConfigMaps', () => {
    const trust = 'extension-apiserver-authentication';
    const tracking = 'kube-apiserver-legacy-service-account-token-tracking';
    let own: ReturnType<typeof publishedTrust>;
    before(async () => {
      const anchors = [new X509Certificate((await createIdentities('a')).ca)];
      own = publishedTrust({ client: anchors, proxy: { anchors, lists: { ...lists, 'uid-headers': ['X-I'] } } });
    });
    let sample: Sample;
    let where: Parameters<typeof publishTrust>[0];
    beforeEach(async () => {
      sample = await createSample();
      where = { registry: sample.registry, catalogue: createCatalogue() };
      await sample.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } }).catch(() => undefined);
    });
    const read = async (name: string): Promise<unknown> =>
      sample.registry
        .get({ resource: where.catalogue.resource('', 'v1', 'configmaps')!, namespace: 'kube-system', name }, { at: 'any' })
        .then((stored) => stored.decode());
    const remove = (name: string): Promise<unknown> =>
      sample.registry.delete(
        { resource: where.catalogue.resource('', 'v1', 'configmaps')!, namespace: 'kube-system', name },
        noDeleteOptions,
        ownWrites,
      );
    const shows = (name: string, text: string): Promise<void> =>
      new Promise((resolve) => {
        const following = follow(
          sample.storage,
          { group: '', resource: 'configmaps' },
          {
            put: (object) => {
              if (object.name !== name || !JSON.stringify(object.decode()['data']).includes(text)) return;
              setImmediate(() => following.stop());
              resolve();
            },
            remove: () => undefined,
          },
        );
      });

    it('is written once, keeps the day when tracking began, and leaves what others wrote', async () => {
      await publishTrust(where, own);
      await publishTrackingStart(where);
      expect(await read(trust)).to.deep.include({ data: own });
      expect(await read(tracking)).to.have.nested.property('data.since', new Date().toISOString().slice(0, 10));
      const before = [await read(trust), await read(tracking)];
      await publishTrust(where, own);
      await publishTrackingStart(where);
      expect([await read(trust), await read(tracking)]).to.deep.equal(before);
      await publishTrust(where, { 'requestheader-allowed-names': '["q"]' });
      expect(await read(trust)).to.deep.include({ data: { ...own, 'requestheader-allowed-names': '["p","q"]' } });
    });
    // syncConfigMap of controlplane/controller/legacytokentracking.
    it('replaces a first day of tracking that is none', async () => {
      const target = { resource: where.catalogue.resource('', 'v1', 'configmaps')!, namespace: 'kube-system', name: tracking };
      for (const since of ['soon', '2026-02-30', '']) {
        await publishTrackingStart(where);
        const apply = (object: ApiObject | null): ApiObject => ({
          ...object,
          metadata: object?.metadata ?? {},
          data: { since, other: 'x' },
        });
        await sample.registry.update(target, { apply, subresource: '', uid: null, mayCreate: null }, ownWrites);
        await publishTrackingStart(where);
        expect(await read(tracking), since).to.deep.include({ data: { since: new Date().toISOString().slice(0, 10), other: 'x' } });
      }
    });
    it('comes back where a client deletes or changes it', async () => {
      const kept = keepPublished(sample.storage, where, () => own);
      await kept.synced;
      for (const publish of [publishTrust(where, own), publishTrackingStart(where)]) await publish;
      for (const [name, text] of [
        [trust, '[\\"p\\"]'],
        [tracking, 'since'],
      ] as const) {
        await remove(name);
        await shows(name, text);
      }
      const target = { resource: where.catalogue.resource('', 'v1', 'configmaps')!, namespace: 'kube-system', name: trust };
      const apply = (object: ApiObject | null): ApiObject => ({ ...object, metadata: object?.metadata ?? {}, data: {} });
      await sample.registry.update(target, { apply, subresource: '', uid: null, mayCreate: null }, ownWrites);
      await shows(trust, '[\\"p\\"]');
      kept.stop();
    });
  });
});

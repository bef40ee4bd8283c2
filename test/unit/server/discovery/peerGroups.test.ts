import { expect } from 'chai';
import type { JsonObject } from '../../../../api/object.js';
import { withPeerGroups } from '../../../../server/discovery/peerGroups.js';

/** `named`: with full kinds of answers, as in definitions. */
const resource = (name: string, named = false): JsonObject => ({
  resource: name,
  responseKind: named ? { group: 'g', version: 'v1', kind: 'K' } : { group: '', version: '', kind: 'K' },
});
const version = (name: string, ...resources: JsonObject[]): JsonObject => ({ version: name, freshness: 'Current', resources });
const group = (name: string, ...versions: JsonObject[]): JsonObject => ({ metadata: { name }, versions });
const shown = (document: JsonObject): unknown =>
  (document['items'] as JsonObject[]).map(({ metadata, versions }) => [
    (metadata as JsonObject)['name'],
    ...(versions as JsonObject[]).map(
      (each) => `${String(each['version'])}: ${(each['resources'] as JsonObject[]).map((one) => String(one['resource'])).join(' ')}`,
    ),
  ]);

describe('discovery with what other API servers serve', () => {
  const own = {
    kind: 'APIGroupDiscoveryList',
    items: [group('apps', version('v1', resource('deployments'))), group('policy', version('v1', resource('budgets')))],
  };

  it('adds groups behind the one that they follow there, versions and resources', () => {
    const peer = [
      group('apps', version('v1', resource('deployments'), resource('sets')), version('v2', resource('deployments'))),
      group('batch', version('v1', resource('jobs'))),
      group('policy', version('v1', resource('budgets'))),
      group('storage.k8s.io', version('v1', resource('classes'))),
    ];
    const merged = withPeerGroups(own, [peer, [group('early', version('v1', resource('birds')))]]);
    expect(shown(merged)).to.deep.equal([
      ['early', 'v1: birds'],
      ['apps', 'v1: deployments sets', 'v2: deployments'],
      ['batch', 'v1: jobs'],
      ['policy', 'v1: budgets'],
      ['storage.k8s.io', 'v1: classes'],
    ]);
    expect(merged).to.include({ kind: own.kind });
  });

  it('adds nothing that definitions make, which this server knows itself', () => {
    const peer = [group('apps', version('v9', resource('odd', true))), group('g', version('v1', resource('things', true)))];
    expect(withPeerGroups(own, [peer])).to.deep.equal(own);
  });
});

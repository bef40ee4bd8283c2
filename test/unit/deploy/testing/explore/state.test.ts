import { expect } from 'chai';
import type { KubeObject } from '../../../../../api/meta/object.js';
import { awaitingRemoval, differencesOf, differenceText, noiseOf, stateOf, straysIn } from '../../../../../deploy/testing/explore/state.js';

const map = (name: string, metadata: object = {}, more: object = {}): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'a', uid: `uid-${name}`, ...metadata }, ...more }) as KubeObject;
const texts = (expected: readonly KubeObject[], actual: readonly KubeObject[]): string[] =>
  differencesOf(stateOf(expected), stateOf(actual)).map((each) => differenceText(each));

describe('testing/explore/state', () => {
  it('knows no versions, uids and times', () => {
    const early = map(
      'x',
      { resourceVersion: '1', uid: 'u1', creationTimestamp: '2026-01-01T00:00:00Z', generation: 1 },
      { data: { at: '2026-01-01T00:00:00Z' } },
    );
    const late = map(
      'x',
      { resourceVersion: '9', uid: 'u2', creationTimestamp: '2027-01-01T00:00:00Z', generation: 4 },
      { data: { at: '2027-01-01T00:00:00Z' } },
    );
    expect(texts([early], [late])).to.deep.equal([]);
  });

  it('tells what is missing, too many, or other', () => {
    expect(texts([map('x'), map('y', {}, { data: { k: 'v' } })], [map('y', {}, { data: { k: 'w' } }), map('z')])).to.deep.equal([
      'ConfigMap a/x is missing',
      'ConfigMap a/y: data.k is "w", and "v" in the undisturbed run',
      'ConfigMap a/z is too many',
    ]);
  });

  it('does not compare addresses of Services, which are random', () => {
    const address = (name: string): KubeObject =>
      ({ apiVersion: 'networking.k8s.io/v1', kind: 'IPAddress', metadata: { name } }) as KubeObject;
    expect(texts([map('x'), address('10.0.0.7')], [map('x'), address('10.0.0.8')])).to.deep.equal([]);
  });

  it('does not compare the history of workloads, which depends on the way', () => {
    const revision = (name: string): KubeObject =>
      ({ apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name, namespace: 'a' } }) as KubeObject;
    expect(texts([map('x'), revision('x-1')], [map('x'), revision('x-1'), revision('x-2')])).to.deep.equal([]);
  });

  it('finds strays: what controllers alone wrote, of compared kinds, and not in the state', () => {
    const by = (name: string, managers: readonly string[], rest: object = {}): KubeObject => {
      const object = map(name, { managedFields: managers.map((manager) => ({ manager })) });
      return { ...object, ...rest };
    };
    const manager = 'kube-controller-manager';
    const all = [
      by('stray', [manager]),
      by('shared', [manager, 'operator']),
      by('unknown', []),
      by('expected', [manager]),
      by('event', [manager], { kind: 'Event' }),
    ];
    expect(straysIn(all, stateOf([map('expected')])).map(({ metadata }) => metadata.name)).to.deep.equal(['stray']);
  });

  it('takes conditions by their type, in any order, and other lists by their order', () => {
    const [ready, failed] = [
      { type: 'Ready', status: 'True' },
      { type: 'Failed', status: 'False' },
    ];
    const run = (...conditions: readonly object[]): KubeObject[] => [map('x', {}, { status: { conditions } })];
    expect(texts(run(ready, failed), run(failed, ready))).to.deep.equal([]);
    expect(texts(run(ready, failed), run(failed))).to.deep.equal([
      'ConfigMap a/x: status.conditions.Ready.type is missing, and "Ready" in the undisturbed run',
      'ConfigMap a/x: status.conditions.Ready.status is missing, and "True" in the undisturbed run',
    ]);
    for (const other of [{ type: 'Ready', status: 'done' }, { type: 'Failed', status: 'True' }, null])
      expect(texts(run(failed, other as object), run(other as object, failed))).not.to.deep.equal([]);
  });

  it('takes generated names by their age, also where others name them', () => {
    const run = (suffix: string): KubeObject[] => [
      map(`p-${suffix}`, { generateName: 'p-' }),
      map('owner', {}, { data: { child: `p-${suffix}`, uid: `uid-p-${suffix}` } }),
    ];
    expect(texts(run('abcde'), run('fghij'))).to.deep.equal([]);
    expect(texts(run('abcde'), [...run('fghij'), map('p-zzzzz', { generateName: 'p-' })])).to.deep.equal(['ConfigMap a/p-*2 is too many']);
  });

  it('takes objects without a living owner for gone, and those that these own', () => {
    const owned = (name: string, uid: string): KubeObject =>
      map(name, { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid }] });
    expect(texts([], [owned('x', 'gone'), owned('y', 'uid-x')])).to.deep.equal([]);
    expect(texts([], [map('o'), owned('x', 'uid-o')])).to.have.length(2);
  });

  it('waits for the removal of these, but not of what a finalizer keeps, or what is not compared', () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'uid-o' }];
    const owned = map('x', { ownerReferences });
    expect(awaitingRemoval([map('o'), owned])).to.equal(false);
    expect(awaitingRemoval([owned])).to.equal(true);
    expect(awaitingRemoval([{ ...owned, kind: 'Lease' }])).to.equal(false);
    expect(awaitingRemoval([map('x', { ownerReferences, finalizers: ['example.org/never'] })])).to.equal(false);
  });

  it('knows addresses by who has them, and the volumes of tokens by their kind', () => {
    const pod = (address: string, suffix: string): KubeObject =>
      map('p', {}, { kind: 'Pod', spec: { volumes: [{ name: `kube-api-access-${suffix}` }] }, status: { podIPs: [{ ip: address }] } });
    const service = (...clusterIPs: readonly string[]): KubeObject => map('s', {}, { kind: 'Service', spec: { clusterIPs } });
    const named = (address: string): KubeObject => map('x', {}, { data: { address } });
    const [first, second] = [
      [pod('10.0.0.1', 'abcde'), service('10.1.0.1')],
      [pod('10.0.0.2', 'fghij'), service('10.1.0.2')],
    ];
    expect(texts([...first, named('10.0.0.1')], [...second, named('10.0.0.2')])).to.deep.equal([]);
    expect(texts([...first, named('10.1.0.1')], [...second, named('10.1.0.2')])).to.deep.equal([]);
    expect(texts([...first, named('10.0.0.1')], [...second, named('10.0.0.1')])).to.deep.equal([
      'ConfigMap a/x: data.address is "10.0.0.1", and "address of v1 Pod a/p" in the undisturbed run',
    ]);
    expect(texts([service('None'), named('None')], [service('10.1.0.2'), named('None')])).to.have.length(1);
  });

  it('does not compare when a pod last changed Endpoints, which they may say or not', () => {
    const annotated = (annotations: object): KubeObject => map('x', { annotations });
    const at = { 'endpoints.kubernetes.io/last-change-trigger-time': '2026-01-01T00:00:00Z' };
    expect(texts([annotated({ k: 'v' })], [annotated({ k: 'v', ...at })])).to.deep.equal([]);
    expect(texts([map('x')], [annotated(at)])).to.deep.equal([]);
  });

  it('compares texts without the order of their lines', () => {
    const text = (value: string): KubeObject[] => [map('x', {}, { data: { value } })];
    expect(texts(text('a=1\nb=2\n'), text('b=2\na=1\n'))).to.deep.equal([]);
    expect(texts(text('a=1\nb=2\n'), text('a=1\nb=2\nb=2\n'))).to.have.length(1);
    expect(texts(text('a b'), text('b a'))).to.have.length(1);
  });

  it('compares an observed generation with the generation, whatever both are', () => {
    const seen = (generation: number, observedGeneration: number): KubeObject =>
      map('x', { generation }, { status: { observedGeneration } });
    expect(texts([seen(2, 2)], [seen(5, 5)])).to.deep.equal([]);
    expect(texts([seen(2, 2)], [seen(5, 4)])).to.deep.equal([
      'ConfigMap a/x: status.observedGeneration is "the generation -1", and "the generation" in the undisturbed run',
    ]);
  });

  it('ignores what differs between undisturbed runs, and nothing else', () => {
    const run = (port: number, k = 'v'): KubeObject[] => [map('x', {}, { data: { port, k } })];
    const noise = noiseOf(differencesOf(stateOf(run(1)), stateOf(run(2))));
    expect(differencesOf(stateOf(run(1)), stateOf(run(3)), noise)).to.deep.equal([]);
    expect(differencesOf(stateOf(run(1)), stateOf(run(3, 'w')), noise).map(({ path }) => path)).to.deep.equal(['data.k']);
  });
});

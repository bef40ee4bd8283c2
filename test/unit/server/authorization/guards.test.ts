import { expect } from 'chai';
import { StatusError } from '../../../../api/status.js';
import { certificateGuards } from '../../../../server/authorization/certificates.js';
import { claimGuards } from '../../../../server/authorization/claimStatus.js';
import { ownerReferencesPermission } from '../../../../server/authorization/ownerReferences.js';
import type { Attributes, Authorizer } from '../../../../server/authorization/authorizer.js';
import { signingRequest } from '../../../fixtures/signingRequest.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../../../server/registry/admission.js';

/** A right as `verb resource[/subresource] namespace/name`. */
const lineOf = (asked: Attributes): string =>
  asked.isResource
    ? `${asked.verb} ${asked.resource}${asked.subresource === '' ? '' : `/${asked.subresource}`} ${asked.namespace}/${asked.name}`
    : asked.path;

/** Runs that guard with these rights; returns the refusal or null. */
async function refusal(
  make: (authorize: Authorizer) => readonly AdmissionPlugin[],
  name: string,
  request: object,
  ...rights: string[]
): Promise<string | null> {
  const plugins = make((asked) => ({ decision: rights.includes(lineOf(asked)) ? 'allow' : 'noOpinion', reason: '' }));
  const plugin = plugins.find((each) => each.name === name);
  const resource = { storage: 'things', group: 'x.io', version: 'v1', resource: 'things' };
  const whole = {
    operation: 'UPDATE',
    subresource: '',
    name: 'a',
    namespace: 'ns',
    verb: 'update',
    resource,
    object: null,
    old: null,
    ...request,
  };
  const user = { name: 'ann', uid: '', groups: [], extra: {} };
  try {
    await plugin?.validate?.({ user, ...whole } as unknown as AdmissionRequest);
    return null;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return error.message;
  }
}

const signed = (signerName: string, status: object = {}) => ({ metadata: { name: 'a' }, spec: { signerName }, status });

describe('server/authorization, guards of certificates', () => {
  const approval = { subresource: 'approval', object: signed('s.io/x'), old: signed('s.io/x') };
  it('approves with the right to the signer or to all of its domain', async () => {
    const asked = (...rights: string[]) => refusal(certificateGuards, 'CertificateApproval', approval, ...rights);
    expect([await asked('approve signers /s.io/x'), await asked('approve signers /s.io/*')]).to.deep.equal([null, null]);
    expect(await asked('approve signers /s.io/y', 'sign signers /s.io/x')).to.include(
      'user not permitted to approve requests with signerName "s.io/x"',
    );
  });
  it('leaves other parts, and what is created with an approval, to others', async () => {
    for (const other of [{ subresource: '' }, { subresource: 'status' }, { operation: 'CREATE' }])
      expect(await refusal(certificateGuards, 'CertificateApproval', { ...approval, ...other }), JSON.stringify(other)).to.equal(null);
  });

  it('signs with the right to the signer, if the certificate or the conditions change', async () => {
    const status = (after: object, more: object = {}) => ({
      subresource: 'status',
      old: signed('s.io/x', { certificate: 'a', conditions: [], other: 1 }),
      object: signed('s.io/x', { certificate: 'a', conditions: [], other: 1, ...after }),
      ...more,
    });
    const asked = (request: object, ...rights: string[]) => refusal(certificateGuards, 'CertificateSigning', request, ...rights);
    for (const after of [{ certificate: 'b' }, { conditions: [{ type: 'Failed' }] }]) {
      expect(await asked(status(after))).to.include('user not permitted to sign requests with signerName "s.io/x"');
      expect(await asked(status(after), 'sign signers /s.io/x')).to.equal(null);
    }
    expect(await asked(status({ other: 2 }))).to.equal(null);
    for (const other of [{ subresource: '' }, { operation: 'CREATE' }])
      expect(await asked(status({ certificate: 'b' }, other)), JSON.stringify(other)).to.equal(null);
  });

  it('signs requests of pods with the right to the signer, if the status changes', async () => {
    const request = { subresource: 'status', old: signed('s.io/x'), object: signed('s.io/x', { certificateChain: 'c' }) };
    const asked = (more: object, ...rights: string[]) =>
      refusal(certificateGuards, 'PodCertificateRequestSigning', { ...request, ...more }, ...rights);
    expect(await asked({})).to.include('User "ann" is not permitted to "sign" for signer "s.io/x"');
    expect(await asked({}, 'sign signers /s.io/*')).to.equal(null);
    for (const other of [{ subresource: '' }, { operation: 'CREATE' }, { object: request.old }, { object: null }, { old: null }])
      expect(await asked(other), JSON.stringify(other)).to.equal(null);
  });

  it('refuses a certificate that would make an administrator', async () => {
    const [masters, others] = await Promise.all([signingRequest('ann,O=system:masters'), signingRequest('ann,O=devs')]);
    const asked = (request: string, more: object = {}, signerName = 'kubernetes.io/kube-apiserver-client') =>
      refusal(certificateGuards, 'CertificateSubjectRestriction', {
        operation: 'CREATE',
        object: { metadata: { name: 'a' }, spec: { signerName, request } },
        ...more,
      });
    expect(await asked(masters)).to.include('use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed');
    expect(await asked(others)).to.equal(null);
    expect(await asked(masters, {}, 's.io/x')).to.equal(null);
    for (const other of [{ operation: 'UPDATE' }, { object: null }]) expect(await asked(masters, other)).to.equal(null);
  });

  it('lets bundles of a signer be written with the right to attest, and removed without', async () => {
    const asked = (more: object, ...rights: string[]) =>
      refusal(certificateGuards, 'ClusterTrustBundleAttest', { object: signed('s.io/x'), ...more }, ...rights);
    expect(await asked({})).to.include('user not permitted to attest for signerName "s.io/x"');
    expect(await asked({}, 'attest signers /s.io/x')).to.equal(null);
    for (const other of [{ object: signed('') }, { object: null }, { operation: 'DELETE' }]) expect(await asked(other)).to.equal(null);
  });

  // Source: ctbattest/admission.go.
  it('lets the garbage collector change bundles without the right to attest, and nobody else', async () => {
    const old = { ...signed('s.io/x'), metadata: { name: 'b', labels: { a: 'b' } } };
    const changed = (metadata: object, more: object = {}) =>
      refusal(certificateGuards, 'ClusterTrustBundleAttest', {
        operation: 'UPDATE',
        old,
        object: { ...old, ...more, metadata: { ...old.metadata, ...metadata } },
      });
    expect(await changed({ finalizers: ['a/b'], ownerReferences: [{ uid: 'u' }] })).to.equal(null);
    expect(await changed({ labels: {} })).to.include('not permitted to attest');
    expect(await changed({}, { spec: { signerName: 's.io/x', trustBundle: 'other' } })).to.include('not permitted to attest');
  });
});

describe('server/authorization, guards of owners', () => {
  const catalogue = {
    kind: (group: string, version: string, kind: string) =>
      `${group}/${version}/${kind}` === 'apps/v1/Set'
        ? { resource: 'sets', namespaced: true }
        : `${group}/${version}/${kind}` === '/v1/Node'
          ? { resource: 'nodes', namespaced: false }
          : null,
  };
  const make = (authorize: Authorizer) => [ownerReferencesPermission(authorize, catalogue as never)];
  const owner = (name: string, more: object = {}) => ({ apiVersion: 'apps/v1', kind: 'Set', name, uid: name, ...more });
  const owned = (...ownerReferences: object[]) => ({ metadata: { name: 'a', ...(ownerReferences.length > 0 ? { ownerReferences } : {}) } });
  const asked = (old: object | null, object: object | null, more: object = {}, ...rights: string[]) =>
    refusal(make, 'OwnerReferencesPermissionEnforcement', { old, object, ...more }, ...rights);
  const mayDelete = 'delete things ns/a';
  const blocking = { blockOwnerDeletion: true };

  it('lets owners be set by those who may delete the object', async () => {
    expect(await asked(owned(), owned(owner('o')))).to.include("cannot set an ownerRef on a resource you can't delete");
    expect(await asked(owned(), owned(owner('o')), {}, mayDelete)).to.equal(null);
    expect(await asked(owned(owner('o')), owned())).to.include("can't delete");
  });
  it('asks nothing where owners stay, of new objects, or for the status of a pod', async () => {
    const pods = { resource: { storage: 'pods', group: '', version: 'v1', resource: 'pods' }, subresource: 'status' };
    expect(await asked(owned(owner('o')), owned(owner('o')))).to.equal(null);
    expect(await asked(null, owned(owner('o')), { operation: 'CREATE' })).to.equal(null);
    expect(await asked(owned(), owned(owner('o')), pods)).to.equal(null);
    expect(await asked(owned(), owned(owner('o')), { ...pods, subresource: '' })).to.include("can't delete");
    expect(await asked(owned(), owned(owner('o')), { subresource: 'status' })).to.include("can't delete");
    expect(await asked(owned(owner('o')), null, { operation: 'DELETE' })).to.equal(null);
    expect(await asked(owned(), owned(owner('o')), { operation: 'CONNECT' })).to.equal(null);
  });
  it('lets the deletion of an owner be blocked by those who may set its finalizers', async () => {
    const after = owned(owner('o', blocking));
    expect(await asked(owned(), after, {}, mayDelete)).to.include("you can't set finalizers on");
    expect(await asked(owned(), after, {}, mayDelete, 'update sets/finalizers ns/o')).to.equal(null);
    expect(await asked(null, after, { operation: 'CREATE' })).to.include("you can't set finalizers on");
    const node = owned({ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'n', ...blocking });
    expect(await asked(null, node, { operation: 'CREATE' }, 'update nodes/finalizers ns/n')).to.include("can't set finalizers");
    expect(await asked(null, node, { operation: 'CREATE' }, 'update nodes/finalizers /n')).to.equal(null);
  });
  it('asks nothing for owners that were blocked before', async () => {
    const before = owned(owner('o', blocking));
    expect(await asked(before, owned(owner('o', blocking), owner('p')), {}, mayDelete)).to.equal(null);
    expect(await asked(owned(owner('o')), before, {}, mayDelete)).to.include("can't set finalizers");
    expect(await asked(before, owned(owner('o', blocking), owner('p', blocking)), {}, mayDelete)).to.include("can't set finalizers");
  });
  it('blocks no owner of a kind that is unknown', async () =>
    expect(
      await asked(null, owned({ apiVersion: 'x.io/v1', kind: 'Y', name: 'y', uid: 'y', ...blocking }), { operation: 'CREATE' }),
    ).to.include('cannot find RESTMapping for APIVersion x.io/v1 Kind Y'));
});

describe('server/authorization, guards of claims', () => {
  const claim = (status: object) => ({ metadata: { name: 'a' }, status });
  const asked = (before: object, after: object, more: object = {}, ...rights: string[]) =>
    refusal(claimGuards, 'ResourceClaimStatus', { subresource: 'status', old: claim(before), object: claim(after), ...more }, ...rights);
  const binding = 'update resourceclaims/binding /';

  it('binds with the right to bind', async () => {
    for (const after of [{ allocation: {} }, { reservedFor: [{ name: 'p' }] }]) {
      expect(await asked({}, after)).to.include('changing status.allocation or status.reservedFor requires');
      expect(await asked({}, after, {}, binding)).to.equal(null);
      expect(await asked(after, after)).to.equal(null);
    }
    for (const other of [{ subresource: '' }, { operation: 'CREATE' }, { object: null }, { old: null }])
      expect(await asked({}, { allocation: {} }, other), JSON.stringify(other)).to.equal(null);
  });

  const allocation = { devices: {} };
  const device = (driver: string, more: object = {}) => ({ driver, pool: 'p', device: 'd', ...more });
  const driver = (name: string, prefix = 'arbitrary-node') => `${prefix}:update resourceclaims/driver ns/${name}`;
  it('reports devices with the right to their drivers, where something changes', async () => {
    const report = (before: object[], after: object[], ...rights: string[]) =>
      asked({ allocation, devices: before }, { allocation, devices: after }, {}, ...rights);
    expect(await report([], [device('x')])).to.include(
      'changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:update]"',
    );
    expect(await report([], [device('x')], driver('x'))).to.equal(null);
    expect(await report([device('x')], [], driver('x'))).to.equal(null);
    expect(await report([device('x')], [])).to.include('status.devices');
    expect(await report([device('x')], [device('x'), device('y')], driver('y'))).to.equal(null);
    expect(await report([device('x', { data: 1 })], [device('x', { data: 2 })], driver('y'))).to.include('status.devices');
    for (const other of [{ pool: 'q' }, { device: 'e' }, { shareID: 's' }])
      expect(await report([device('x')], [device('x'), device('x', other)], driver('y')), JSON.stringify(other)).to.include(
        'status.devices',
      );
    const both = await report([], [device('z'), device('y')]);
    expect(both?.indexOf('"y"')).to.be.lessThan(both?.indexOf('"z"') ?? 0);
  });
  it('removes reports together with the allocation without a right to drivers', async () =>
    expect(await asked({ allocation, devices: [device('x')] }, {}, {}, binding)).to.equal(null));

  const field = (more: object = {}) => ({ key: 'metadata.name', operator: 'In', values: ['n1'], ...more });
  const bound = (...nodeSelectorTerms: object[]) => ({ devices: {}, nodeSelector: { nodeSelectorTerms } });
  const agent = (node: string) => ({
    user: { name: 'system:serviceaccount:ns:agent', uid: '', groups: [], extra: { 'authentication.kubernetes.io/node-name': [node] } },
  });
  it('reports devices of the own node with the right to that alone', async () => {
    const report = (given: object, node: string) =>
      asked({ allocation: given, devices: [] }, { allocation: given, devices: [device('x')] }, agent(node), driver('x', 'associated-node'));
    expect(await report(bound({ matchFields: [field()] }), 'n1')).to.equal(null);
    expect(await report(bound({ matchFields: [field()] }), 'n2')).to.include('verb="[arbitrary-node:update]"');
    for (const given of [
      bound({ matchFields: [field()] }, { matchFields: [field()] }),
      bound({ matchFields: [field(), field()] }),
      bound({ matchFields: [field({ values: ['n1', 'n2'] })] }),
      bound({ matchFields: [field()], matchExpressions: [{ key: 'k', operator: 'Exists' }] }),
      bound({ matchFields: [field({ key: 'metadata.uid' })] }),
      bound({ matchFields: [field({ operator: 'NotIn' })] }),
      bound(),
      allocation,
    ])
      expect(await report(given, 'n1'), JSON.stringify(given)).to.include('verb="[arbitrary-node:update]"');
  });
});

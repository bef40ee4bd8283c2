/* oxlint-disable typescript/ban-ts-comment -- that these lines do not compile is what is tested */
import { expect } from 'chai';
import type { Deployment } from '../../../../api/types/apps/v1.js';
import type { PodSpec } from '../../../../api/types/core/v1.js';
import { at, countAt, joinedAt, keysAt, numberAt } from '../../../../server/kinds/cells.js';
import { immutable } from '../../../../server/kinds/immutable.js';
import { fieldsAt } from '../../../../server/kinds/fields.js';
import { below, gate } from '../../../../server/kinds/gated.js';
import type { Draft, Kind, Writable } from '../../../../server/kinds/kind.js';
import { gatedFields, type Gated } from '../../../../server/registry/gatedFields.js';

/** The compiler checks paths in declarations by the kind's generated type: marked lines must not compile. */

type Rules = Kind<Draft<Deployment>>;

const ofPodSpecs: readonly Gated<Writable<PodSpec>>[] = [
  gate('ImageVolume', 'volumes[].image'),
  gate('UserNamespacesSupport', 'hostUsers'),
];

const right: Rules = {
  name: 'deployments.apps',
  metadata: { generationOf: ['spec'] },
  gated: [below('spec.template.spec', ofPodSpecs), gate('ImageVolume', 'status.replicas'), gate('DeploymentReplicaSetTerminatingReplicas')],
  update: { review: ['objectMeta', immutable('spec.selector', (selector) => selector?.matchLabels)] },
  fields: { values: fieldsAt('spec.replicas', 'metadata.name'), aliases: { 'spec.size': 'spec.replicas' } },
  versions: { 'apps/v1': { fieldNames: { size: 'spec.replicas' } } },
  cells: {
    Replicas: numberAt('spec.replicas'),
    Node: at('spec.template.spec.nodeName'),
    Images: joinedAt('spec.template.spec.containers[].image'),
    Conditions: countAt('status.conditions'),
    Labels: keysAt('metadata.labels', 'spec.selector.matchLabels'),
  },
};

const misspelt: Rules = {
  name: 'deployments.apps',
  // @ts-expect-error -- deployments have no such member
  metadata: { generationOf: ['specification'] },
  gated: [
    // @ts-expect-error -- the item of a list is not the list
    gate('ImageVolume', 'spec.template.spec.volumes.image'),
    // @ts-expect-error -- one wrong path among right ones
    gate('UserNamespacesSupport', 'spec.replicas', 'spec.template.spec.hostUser'),
    // @ts-expect-error -- what stands there is no specification of pods
    below('spec.template', ofPodSpecs),
    // @ts-expect-error -- a feature that nobody knows
    gate('ImageVolumes', 'spec.replicas'),
  ],
  update: {
    review: [
      // @ts-expect-error -- a member that cannot stay as it is, since it is not there
      immutable('spec.selectors'),
      // @ts-expect-error -- what is no check of metadata
      'metadata',
    ],
  },
  fields: {
    // @ts-expect-error -- a field that is not there
    values: fieldsAt('spec.replica'),
    // @ts-expect-error -- nor is what another name stands for
    aliases: { 'spec.size': 'spec.replica' },
  },
  // @ts-expect-error -- and neither what a version calls otherwise
  versions: { 'apps/v1': { fieldNames: { size: 'spec.replica' } } },
  subresources: {
    // @ts-expect-error -- findings come in the order of all kinds, or in one of the kind's own
    status: { validate: () => [], review: [] },
  },
  cells: {
    // @ts-expect-error -- the last member is misspelt
    Replicas: numberAt('spec.replica'),
    // @ts-expect-error -- a member in the middle is misspelt
    Node: at('spec.templates.spec.nodeName'),
    // @ts-expect-error -- members of an item of a list
    Images: joinedAt('spec.template.spec.containers[].imag'),
    // @ts-expect-error -- nothing stands below a number
    Conditions: countAt('spec.replicas.count'),
    // @ts-expect-error -- the second path
    Labels: keysAt('metadata.labels', 'spec.selector.matchLabel'),
  },
};

describe('kinds, paths', () => {
  const deployment: Draft<Deployment> = {
    metadata: { name: 'd', labels: { a: '1' } },
    spec: {
      replicas: 3,
      selector: { matchLabels: { b: '1', c: '2' } },
      template: { spec: { containers: [{ name: 'x', image: 'one' }, { name: 'y' }, { name: 'z', image: 'two' }] } },
    },
  };
  const shown = (column: string): unknown => right.cells?.[column]?.(deployment, 0);

  it('lead to what cells show', () => {
    expect(['Replicas', 'Node', 'Images', 'Conditions', 'Labels'].map(shown)).to.deep.equal([3, '<none>', 'one,,two', 0, 3]);
  });

  it('lead to the values of fields', () => {
    expect(right.fields?.values['spec.replicas']?.(deployment)).to.equal('3');
  });

  it('of features are joined to the place of a part, and gathered by feature', () => {
    expect(gatedFields(right.gated ?? [])).to.deep.equal({
      ImageVolume: ['spec.template.spec.volumes[].image', 'status.replicas'],
      UserNamespacesSupport: ['spec.template.spec.hostUsers'],
      DeploymentReplicaSetTerminatingReplicas: [],
    });
  });

  it('that are wrong compile nowhere, and show nothing', () => {
    expect(misspelt.cells?.['Node']?.(deployment, 0)).to.equal('<none>');
  });
});

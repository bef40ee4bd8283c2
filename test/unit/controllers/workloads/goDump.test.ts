import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { dumpTemplate } from '../../../../controllers/workloads/goDump.js';
import { goMembers } from '../../../../api/catalogue/goStructures.js';
import { templateHash } from '../../../../controllers/workloads/templateHash.js';
import { packageRoot } from '../../../fixtures/packageRoot.js';

const template = (spec: object): object => ({
  metadata: { creationTimestamp: null, labels: { app: 'x', v: '1' } },
  spec: {
    containers: [
      {
        name: 'c',
        image: 'img:1',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'none',
    ...spec,
  },
});
const dumped = (spec: object): string => dumpTemplate(template(spec));

/** JSON names of a structure's members, including inlined ones. */
const namesOf = (structure: string): readonly string[] =>
  (goMembers(structure) ?? []).flatMap(({ member, type }) => (member === null ? namesOf(type.structure ?? '') : [member]));

describe('controllers/workloads: hashes of templates', () => {
  it('are those that a reference of version 1.36 makes', () => {
    expect(templateHash(template({}), undefined)).to.equal('58c55fb549');
  });

  it('do not tell what is empty from what is not there, and are others when a name was taken', () => {
    const more = { volumes: [], nodeSelector: {}, tolerations: null, hostNetwork: false, hostname: '' };
    expect(templateHash(template(more), undefined)).to.equal('58c55fb549');
    expect(new Set([undefined, 0, 1, 2].map((collisions) => templateHash(template({}), collisions))).size).to.equal(4);
  });

  it('tell pointers to nothing from pointers to what is empty', () => {
    expect(dumped({ affinity: {} })).to.contain(
      'Affinity:(*v1.Affinity){NodeAffinity:(*v1.NodeAffinity)<nil> PodAffinity:(*v1.PodAffinity)<nil>',
    );
    expect(dumped({ hostUsers: false })).to.contain('HostUsers:(*bool)false');
    expect(dumped({})).to.contain('HostUsers:(*bool)<nil>').and.to.contain('Affinity:(*v1.Affinity)<nil>');
  });

  it('print lists, maps, texts with types, and structures in whose place JSON has their members', () => {
    expect(dumped({ tolerations: [{ key: 'a', operator: 'Exists' }] })).to.contain(
      'Tolerations:([]v1.Toleration)[{Key:(string)a Operator:(v1.TolerationOperator)Exists Value:(string) Effect:(v1.TaintEffect) TolerationSeconds:(*int64)<nil>}]',
    );
    expect(dumped({ nodeSelector: { b: '2', a: '1' } })).to.contain('NodeSelector:(map[string]string)map[a:1 b:2]');
    expect(dumped({ volumes: [{ name: 'v', configMap: { name: 'm', defaultMode: 420 } }] }))
      .to.contain('Volumes:([]v1.Volume)[{Name:(string)v VolumeSource:(v1.VolumeSource){HostPath:(*v1.HostPathVolumeSource)<nil>')
      .and.to.contain(
        'ConfigMap:(*v1.ConfigMapVolumeSource){LocalObjectReference:(v1.LocalObjectReference){Name:(string)m} Items:([]v1.KeyToPath)<nil>',
      )
      .and.to.contain('DefaultMode:(*int32)420');
  });

  const amounts: readonly (readonly [text: string, number: string, kept: string, format: string])[] = [
    ['100m', '100 scale:(resource.Scale)-3', '100m', 'DecimalSI'],
    ['1', '1 scale:(resource.Scale)0', '1', 'DecimalSI'],
    ['0', '0 scale:(resource.Scale)0', '', 'DecimalSI'],
    ['100Mi', '104857600 scale:(resource.Scale)0', '100Mi', 'BinarySI'],
    // The text is not kept, because a multiple of eight could have the next suffix.
    ['64Mi', '67108864 scale:(resource.Scale)0', '', 'BinarySI'],
    ['1e3', '1 scale:(resource.Scale)3', '1e3', 'DecimalExponent'],
  ];
  for (const [text, number, kept, format] of amounts)
    it(`print the amount ${text}`, () => {
      expect(dumped({ overhead: { cpu: text } })).to.contain(
        `Overhead:(v1.ResourceList)map[cpu:{i:(resource.int64Amount){value:(int64)${number}} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)${kept} Format:(resource.Format)${format}}]`,
      );
    });

  const structures: readonly (readonly [structure: string, members: string])[] = [
    [
      'PodSecurityContext',
      'SELinuxOptions WindowsOptions RunAsUser RunAsGroup RunAsNonRoot SupplementalGroups SupplementalGroupsPolicy FSGroup Sysctls ' +
        'FSGroupChangePolicy SeccompProfile AppArmorProfile SELinuxChangePolicy',
    ],
    [
      'Container',
      'Name Image Command Args WorkingDir Ports EnvFrom Env Resources ResizePolicy RestartPolicy RestartPolicyRules VolumeMounts ' +
        'VolumeDevices LivenessProbe ReadinessProbe StartupProbe Lifecycle TerminationMessagePath TerminationMessagePolicy ' +
        'ImagePullPolicy SecurityContext Stdin StdinOnce TTY',
    ],
    [
      'ISCSIVolumeSource',
      'TargetPortal IQN Lun ISCSIInterface FSType ReadOnly Portals DiscoveryCHAPAuth SessionCHAPAuth SecretRef InitiatorName',
    ],
    ['RBDVolumeSource', 'CephMonitors RBDImage FSType RBDPool RadosUser Keyring SecretRef ReadOnly'],
    ['PhotonPersistentDiskVolumeSource', 'PdID FSType'],
    ['PodTemplateSpec', 'ObjectMeta Spec'],
  ];
  for (const [structure, members] of structures)
    it(`have the members of ${structure} in Go's order, under Go's names`, () => {
      expect(
        goMembers(`core.v1.${structure}`)
          ?.map(({ name }) => name)
          .join(' '),
      ).to.equal(members);
    });

  it('know every member that a template can have', () => {
    const types = JSON.parse(fs.readFileSync(path.join(packageRoot, 'api', 'data', 'types.json'), 'utf8')) as Readonly<
      Record<string, { readonly fields?: string }>
    >;
    const never = new Set(['core.v1.EphemeralContainer', 'meta.v1.OwnerReference', 'meta.v1.ManagedFieldsEntry']);
    const membersOf = (type: string): readonly (readonly [name: string, shape: string])[] =>
      (types[type]?.fields ?? '').split(';').flatMap((each) => {
        const [, name, shape] = /^(\S+) (\S+?)[=!~]?\*?$/.exec(each) ?? [];
        return name === undefined || shape === undefined ? [] : [[name, shape] as const];
      });
    const seen = new Set<string>();
    const unknown: string[] = [];
    const look = (type: string): void => {
      if (seen.has(type) || never.has(type)) return;
      seen.add(type);
      const names = new Set(namesOf(type));
      for (const [name, shape] of membersOf(type)) {
        const inner = shape.replace(/^(\[\]|\{\})*/, '');
        if (!names.has(name)) unknown.push(`${type}.${name}`);
        if (types[inner]?.fields !== undefined) look(inner);
      }
    };
    look('core.v1.PodTemplateSpec');
    expect(unknown).to.deep.equal([]);
    expect(seen.size).to.be.above(90);
  });
});

import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { probedOptions, specifiedOptions, type ProbedProgram } from './probed.js';

/** Options that other tests of the bundles are about. */
const shownElsewhere: Readonly<Record<ProbedProgram, Readonly<Record<string, string>>>> = {
  apiserver: {
    'etcd-servers': 'etcd',
    'etcd-servers-overrides': 'etcd',
    'etcd-cafile': 'etcd',
    'etcd-certfile': 'etcd',
    'etcd-keyfile': 'etcd',
    'etcd-healthcheck-timeout': 'etcd',
    'etcd-readycheck-timeout': 'etcd',
    'peer-ca-file': 'peers',
  },
  'controller-manager': { 'kube-api-content-type': 'managerEncoding' },
};

/** Options whose effect no test looks at from outside yet, and why. The list only shrinks. */
const unprobed: Readonly<Record<ProbedProgram, Readonly<Record<string, string>>>> = {
  apiserver: {},
  'controller-manager': {
    'cluster-name': 'needs a cloud; unit/controllers/cloud has one in memory',
    'configure-cloud-routes': 'needs a cloud; unit/controllers/cloud has one in memory',
    'route-reconciliation-period': 'needs a cloud; unit/controllers/cloud has one in memory',
    'concurrent-service-syncs': 'needs a cloud; unit/controllers/cloud has one in memory',
    'attach-detach-reconcile-sync-period': 'unit/controllers/volumeattachment and volumebinding, with a clock of their own',
    'disable-attach-detach-reconcile-sync': 'unit/controllers/volumeattachment and volumebinding, with a clock of their own',
    'disable-force-detach-on-timeout': 'unit/controllers/volumeattachment and volumebinding, with a clock of their own',
    'enable-dynamic-provisioning': 'unit/controllers/volumeattachment and volumebinding, with a clock of their own',
    'pvclaimbinder-sync-period': 'unit/controllers/volumeattachment and volumebinding, with a clock of their own',
    'endpoint-updates-batch-period': 'unit/controllers/endpoints, endpointslice and endpointslicemirroring, with a clock of their own',
    'endpointslice-updates-batch-period': 'unit/controllers/endpoints, endpointslice and endpointslicemirroring, with a clock of their own',
    'mirroring-endpointslice-updates-batch-period':
      'unit/controllers/endpoints, endpointslice and endpointslicemirroring, with a clock of their own',
    'horizontal-pod-autoscaler-cpu-initialization-period': 'unit/controllers/autoscaling, with figures of its own',
    'horizontal-pod-autoscaler-downscale-stabilization': 'unit/controllers/autoscaling, with figures of its own',
    'horizontal-pod-autoscaler-initial-readiness-delay': 'unit/controllers/autoscaling, with figures of its own',
    'horizontal-pod-autoscaler-tolerance': 'unit/controllers/autoscaling, with figures of its own',
    'large-cluster-size-threshold': 'unit/controllers/nodelifecycle, with zones of its own',
    'unhealthy-zone-threshold': 'unit/controllers/nodelifecycle, with zones of its own',
    'node-eviction-rate': 'unit/controllers/nodelifecycle, with zones of its own',
    'secondary-node-eviction-rate': 'unit/controllers/nodelifecycle, with zones of its own',
    'legacy-service-account-token-clean-up-period': 'only time tells it; unit/controllers has clocks',
    'min-resync-period': 'only time tells it; unit/controllers has clocks',
    'namespace-sync-period': 'only time tells it; unit/controllers has clocks',
    'resource-quota-sync-period': 'only time tells it; unit/controllers has clocks',
    'kube-api-qps': 'only time tells it; unit/controllers has clocks',
    'kube-api-burst': 'only time tells it; unit/controllers has clocks',
    'cluster-signing-cert-file': 'as those of the other signers, by the same code',
    'cluster-signing-key-file': 'as those of the other signers, by the same code',
    'cluster-signing-kubelet-serving-cert-file': 'as those of the other signers, by the same code',
    'cluster-signing-kubelet-serving-key-file': 'as those of the other signers, by the same code',
    'cluster-signing-legacy-unknown-cert-file': 'as those of the other signers, by the same code',
    'cluster-signing-legacy-unknown-key-file': 'as those of the other signers, by the same code',
    'cidr-allocator-type': 'one value is all there is',
    'enable-garbage-collector': 'unit/controllers/garbagecollector',
    'node-cidr-mask-size': 'as --node-cidr-mask-size-ipv4, where there is one family',
    'concurrent-validating-admission-policy-status-syncs': 'API servers do this work, so there is nothing to bound',
  },
};

/** Every option has a probe, is shown by a test that is named here, or stands in the list above. */
export function coverage(): void {
  for (const program of ['apiserver', 'controller-manager'] as const)
    it(`every option of ${program} is looked at, or it is said why not`, () => {
      const specified = specifiedOptions(program);
      const [shown, elsewhere, without] = [probedOptions(program), shownElsewhere[program], unprobed[program]];
      const left = specified.filter((name) => !shown.has(name) && elsewhere[name] === undefined && without[name] === undefined);
      expect(left, 'neither probed nor listed').to.deep.equal([]);
      expect(
        Object.keys({ ...elsewhere, ...without }).filter((name) => shown.has(name)),
        'listed, and probed: take it from the list',
      ).to.deep.equal([]);
      expect([...shown, ...Object.keys(without)].filter((name) => !specified.includes(name))).to.deep.equal([]);
      for (const [name, test] of Object.entries(elsewhere))
        expect(fs.readFileSync(path.join(packageRoot, 'test/cluster', `${test}.test.ts`), 'utf8'), name).to.match(
          new RegExp(`--${name}|${name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}`),
        );
    });
}

import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { measures } from '../../../../controllers/measures.js';
import { certificateFiles } from '../../../../controllers/serving/certificateFiles.js';
import { Metrics } from '../../../../controllers/serving/metrics.js';
import { featuresOf } from '../../../../program/features/options.js';
import { readControllerManagerOptions } from '../../../../controllers/options/read.js';
import { packageRoot } from '../../../fixtures/packageRoot.js';

interface Shape {
  readonly labels: readonly string[];
  readonly type: string;
}

/** The manager's metrics in the reference's list, and those of libraries shared with the API server. */
const reference = JSON.parse(
  fs.readFileSync(path.join(packageRoot, 'test/unit/controllers/serving/referenceMetrics.json'), 'utf8'),
) as Readonly<Record<string, Shape>>;

/** Metrics of the reference that are missing, with reasons. Unmatched lines must be removed. */
const absent: readonly (readonly [names: RegExp, why: string])[] = [
  [/_stale_sync_skips_total$/, 'no look is skipped here: what was written counts as done until the cache shows it'],
  [/^informer_/, 'handlers are called as events are read, with no queue in between; versions are strings here'],
  [/^rest_client_(?:exec_plugin|transport)/, 'of plugins and a pool of transports that this client does not have'],
  [/^rest_client_(?:rate_limiter|request_(?:size|retries)|response_size)/, 'not counted yet'],
  [/^leader_election_slowpath_total$/, 'of a fast path that this election does not have'],
  [/^(?:storage_count_attachable|retroactive_storageclass|resourceclaim_controller_resource_claims)/, 'not counted yet'],
  [/^volume_operation_/, 'of volume plugins within the program; volumes are those of CSI drivers here'],
  [
    /^replicaset_controller_sorting_deletion_age_ratio$/,
    'measures how well a feature of the reference guesses; nothing here depends on it',
  ],
  [/^node_ipam_controller_cidrset_allocation_tries/, 'the first free range is found at once, without tries'],
  [
    /^endpoint_slice_(?:mirroring_)?controller_(?:desired_endpoint_slices|endpoints_updated_per_sync|endpointslices_changed|services_count)/,
    'not counted yet',
  ],
];

/** Metrics that the reference's list does not give for the manager: of cloud controllers and of autoscalers. */
const beyond = /^(?:service_controller_|horizontal_pod_autoscaler_controller_num_)/;

describe('certificates of the manager', () => {
  it('are those that its options name, kubeconfigs among them', () => {
    const flags = ['--kubeconfig=/k', '--authentication-kubeconfig=/a', '--root-ca-file=/r', '--cluster-signing-cert-file=/s'];
    const asked = readControllerManagerOptions([...flags, '--cluster-signing-key-file=/t', '--cert-dir=/c']);
    if (!asked.ok) throw new Error(asked.errors.join());
    const inMemory = { cert: Buffer.from(''), key: Buffer.from('') };
    const named = (['--root-ca-file', '--cluster-signing-cert-file', '--kubeconfig', '--authentication-kubeconfig'] as const).map(
      (option, index) => ({ option, file: ['/r', '/s', '/k', '/a'][index], form: index < 2 ? 'pem' : 'kubeconfig' }),
    );
    expect(certificateFiles(asked.options, inMemory)).to.deep.equal(named);
    expect(certificateFiles(asked.options, { certFile: '/c/one.crt', keyFile: '/c/one.key' })).to.deep.equal([
      { option: '--cert-dir', file: '/c/one.crt', form: 'pem' },
      ...named,
    ]);
  });
});

describe('metrics of the manager', () => {
  const read = readControllerManagerOptions([]);
  if (!read.ok) throw new Error(read.errors.join());
  const features = featuresOf(read.options);

  it('are those of the reference, or it is said why not', async () => {
    const metrics = new Metrics({}, features);
    metrics.queue('q').added?.();
    metrics.request({ host: 'h:6443', verb: 'GET', code: 200, seconds: 1 });
    metrics.leading('m', true);
    metrics.running('c', true);
    const text = await metrics.text();
    const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]));
    const labelsOf = (name: string): string => {
      const series = new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{([^}]*)\\}`, 'gm');
      const all = [...text.matchAll(series)].flatMap(([, labels = '']) => [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label));
      return [...new Set(all)]
        .filter((label) => label !== 'le')
        .sort()
        .join();
    };
    const problems = Object.entries(reference).flatMap(([name, { labels, type }]) => {
      const ours = types.get(name);
      if (ours === undefined) return absent.some(([names]) => names.test(name)) ? [] : [`${name} is absent, and nobody says why`];
      if (ours !== type) return [`${name} is a ${ours}, not a ${type}`];
      const own = labelsOf(name);
      return ['', [...labels].sort().join()].includes(own) ? [] : [`${name} has ${own}, not ${labels.join()}`];
    });
    expect(problems).to.deep.equal([]);
    const idle = absent.filter(([names]) => !Object.keys(reference).some((name) => names.test(name) && !types.has(name)));
    expect(
      idle.map(([names]) => String(names)),
      'reasons for nothing',
    ).to.deep.equal([]);
  });

  it('of controllers have the labels of the reference, and no names of their own', () => {
    const problems = Object.entries(measures).flatMap(([name, { labels }]) => {
      const theirs = reference[name];
      if (theirs === undefined) return beyond.test(name) ? [] : [`${name} is none of the reference`];
      const own = [...labels].sort().join();
      return own === [...theirs.labels].sort().join() ? [] : [`${name} has ${own}, not ${theirs.labels.join()}`];
    });
    expect(problems).to.deep.equal([]);
  });
});

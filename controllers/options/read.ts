import type { FlagTable } from '../../program/flags/flag.js';
import { parseFlags } from '../../program/flags/parse.js';
import { featuresProblem, featuresOf } from '../../program/features/options.js';
import { loggingProblem } from '../../program/log/options.js';
import { hiddenMetricsProblem } from '../../program/metrics/options.js';
import { cidrText, parseCidr } from '../addresses/cidr.js';
import { maskOf } from '../nodeipam/masks.js';
import { RangePool } from '../nodeipam/rangePool.js';
import { controllerManagerFlags, type ControllerManagerOptions } from './flags.js';
import { errorText } from '../../api/errorText.js';

export type OptionsResult =
  | {
      readonly ok: true;
      readonly options: ControllerManagerOptions;
      readonly withoutEffect: readonly string[];
    }
  | { readonly ok: false; readonly errors: readonly string[] };

/** `clouds`: further names for `--cloud-provider`. */
export function readControllerManagerOptions(argv: readonly string[], clouds: readonly string[] = []): OptionsResult {
  const provider = controllerManagerFlags['cloud-provider'];
  const parsed = parseFlags({ ...controllerManagerFlags, 'cloud-provider': { ...provider, oneOf: [...provider.oneOf, ...clouds] } }, argv);
  if (!parsed.ok) return parsed;
  const errors = contradictions(parsed.values, parsed.given);
  return errors.length > 0
    ? { ok: false, errors }
    : {
        ok: true,
        options: parsed.values,
        withoutEffect: [...parsed.given].filter((name) => (controllerManagerFlags as FlagTable)[name]?.withoutEffect),
      };
}

const signers = ['kube-apiserver-client', 'kubelet-client', 'kubelet-serving', 'legacy-unknown'];

function contradictions(options: ControllerManagerOptions, given: ReadonlySet<string>): string[] {
  const problems: string[] = [];
  const pairs = [
    ['tls-cert-file', 'tls-private-key-file'],
    ['cluster-signing-cert-file', 'cluster-signing-key-file'],
    ...signers.map((signer) => [`cluster-signing-${signer}-cert-file`, `cluster-signing-${signer}-key-file`]),
  ];
  for (const [cert, key] of pairs)
    if (given.has(cert!) !== given.has(key!)) problems.push(`--${cert} and --${key} belong together: give both or neither`);
  const single = signers.map((signer) => `cluster-signing-${signer}-cert-file`).filter((name) => given.has(name));
  if (given.has('cluster-signing-cert-file') && single.length > 0)
    problems.push(`--cluster-signing-cert-file and ${single.map((name) => `--${name}`).join(', ')} exclude each other`);
  if (options['enable-leader-migration'] && !options['leader-elect']) problems.push('--enable-leader-migration needs --leader-elect');
  if (given.has('cloud-config') && (options['cloud-provider'] ?? '') === '')
    problems.push(
      '--cloud-config needs --cloud-provider=external, or the name of a cloud that was given: none is built in that would read it',
    );
  problems.push(...commonProblems(options, given));
  problems.push(...rangeProblems(options));
  if (options['allocate-node-cidrs'] && !given.has('cluster-cidr')) problems.push('--allocate-node-cidrs needs --cluster-cidr');
  if (options['leader-elect']) problems.push(...electionProblems(options));
  return problems;
}

function electionProblems(options: ControllerManagerOptions): string[] {
  const order = ['lease-duration', 'renew-deadline', 'retry-period'] as const;
  return order.slice(1).flatMap((shorter, index) => {
    const longer = order[index]!;
    return options[`leader-elect-${shorter}`] < options[`leader-elect-${longer}`]
      ? []
      : `--leader-elect-${shorter} must be shorter than --leader-elect-${longer}`;
  });
}

function commonProblems(options: ControllerManagerOptions, given: ReadonlySet<string>): string[] {
  const gates = featuresProblem(options);
  if (gates !== null) return [gates];
  const features = featuresOf(options);
  const logging = { alpha: features.enabled('LoggingAlphaOptions'), beta: features.enabled('LoggingBetaOptions') };
  return [loggingProblem(options, given, logging), hiddenMetricsProblem(options)].filter((problem) => problem !== null);
}

function rangeProblems(options: ControllerManagerOptions): string[] {
  if (!options['allocate-node-cidrs']) return [];
  const ranges = (options['cluster-cidr'] ?? '').split(',').flatMap((text) => parseCidr(text) ?? []);
  if (ranges.length > 2 || (ranges.length === 2 && ranges[0]?.family === ranges[1]?.family))
    return ['--cluster-cidr names at most one range of each family'];
  return ranges.flatMap((range) => {
    try {
      return new RangePool(range, maskOf(range.family, ranges.length, options)) && [];
    } catch (error) {
      return [`--cluster-cidr ${cidrText(range)}: ${errorText(error)}`];
    }
  });
}

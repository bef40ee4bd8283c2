import type { FlagTable, FlagValues } from '../../server/catalogue/flags/flag.js';
import { parseFlags } from '../../server/catalogue/flags/parse.js';
import { cidrText, parseCidr } from '../addresses/cidr.js';
import { maskOf } from '../nodeipam/masks.js';
import { RangePool } from '../nodeipam/rangePool.js';
import { controllerManagerFlags } from './flags.js';

/** The command line of the controller manager, read and checked. Durations are milliseconds. */
export type ControllerManagerOptions = FlagValues<typeof controllerManagerFlags>;

export type OptionsResult =
  | {
      readonly ok: true;
      readonly options: ControllerManagerOptions;
      /** Options that were given and have no effect yet. */ readonly withoutEffect: readonly string[];
    }
  | { readonly ok: false; readonly errors: readonly string[] };

export function readControllerManagerOptions(argv: readonly string[]): OptionsResult {
  const parsed = parseFlags(controllerManagerFlags, argv);
  if (!parsed.ok) return parsed;
  const errors = contradictions(parsed.values, parsed.given);
  return errors.length > 0
    ? { ok: false, errors }
    : {
        ok: true,
        options: parsed.values,
        withoutEffect: [...parsed.given].filter((name) => (controllerManagerFlags as FlagTable)[name]?.effect === 'none'),
      };
}

const signers = ['kube-apiserver-client', 'kubelet-client', 'kubelet-serving', 'legacy-unknown'];

function contradictions(options: ControllerManagerOptions, given: ReadonlySet<string>): string[] {
  const complaints: string[] = [];
  const pairs = [
    ['tls-cert-file', 'tls-private-key-file'],
    ['cluster-signing-cert-file', 'cluster-signing-key-file'],
    ...signers.map((signer) => [`cluster-signing-${signer}-cert-file`, `cluster-signing-${signer}-key-file`]),
  ];
  for (const [cert, key] of pairs)
    if (given.has(cert!) !== given.has(key!)) complaints.push(`--${cert} and --${key} belong together: give both or neither`);
  const single = signers.map((signer) => `cluster-signing-${signer}-cert-file`).filter((name) => given.has(name));
  if (given.has('cluster-signing-cert-file') && single.length > 0)
    complaints.push(`--cluster-signing-cert-file and ${single.map((name) => `--${name}`).join(', ')} exclude each other`);
  if (options['enable-leader-migration'] || given.has('leader-migration-config'))
    complaints.push(
      '--enable-leader-migration and --leader-migration-config are not supported: no other program has controllers of this one',
    );
  complaints.push(...rangeComplaints(options));
  if (options['allocate-node-cidrs'] && !given.has('cluster-cidr')) complaints.push('--allocate-node-cidrs needs --cluster-cidr');
  if (options['leader-elect-renew-deadline'] >= options['leader-elect-lease-duration'])
    complaints.push('--leader-elect-renew-deadline must be shorter than --leader-elect-lease-duration');
  if (options['leader-elect-retry-period'] >= options['leader-elect-renew-deadline'])
    complaints.push('--leader-elect-retry-period must be shorter than --leader-elect-renew-deadline');
  return complaints;
}

/** Ranges of which nodes could get none. */
function rangeComplaints(options: ControllerManagerOptions): string[] {
  if (!options['allocate-node-cidrs']) return [];
  const ranges = (options['cluster-cidr'] ?? '').split(',').flatMap((text) => parseCidr(text) ?? []);
  if (ranges.length > 2 || (ranges.length === 2 && ranges[0]?.family === ranges[1]?.family))
    return ['--cluster-cidr names at most one range of each family'];
  return ranges.flatMap((range) => {
    try {
      return new RangePool(range, maskOf(range.family, ranges.length, options)) && [];
    } catch (error) {
      return [`--cluster-cidr ${cidrText(range)}: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
}

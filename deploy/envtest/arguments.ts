/** Stores that an API server in the place of envtest's may have: its own in memory, its own on disk, or the etcd that envtest starts. */
export const stores = ['memory', 'raft', 'etcd'] as const;
export type Store = (typeof stores)[number];

/** What the scripts that `raftplane envtest-assets` writes hand over, before the arguments of envtest. */
export interface Wrapping {
  readonly store: Store;
  readonly controllers: boolean;
}

/** Flags that mean the etcd that is not used. Those of prefixes and intervals are left: they mean every store. */
const etcdConnection = /^--(etcd|kvstore)-(servers(-overrides)?|cafile|certfile|keyfile)(=|$)/;

/** The scripts put `--store=memory --controllers --` before what envtest gives. Throws where they do not. */
export function unwrap(args: readonly string[]): { readonly wrapping: Wrapping; readonly given: readonly string[] } {
  const end = args.indexOf('--');
  const own = args.slice(0, end);
  const store = stores.find((each) => own.includes(`--store=${each}`));
  if (end < 0 || store === undefined) throw new Error('this program is started by the files that "raftplane envtest-assets" writes');
  return { wrapping: { store, controllers: own.includes('--controllers') }, given: args.slice(end + 1) };
}

/** The last value of a flag, as flags have it: `--name=value` or `--name value`, with one dash or two. */
export function valueOf(args: readonly string[], name: string): string | undefined {
  const at = args.findLastIndex((arg) => new RegExp(`^--?${name}(=|$)`).test(arg));
  const arg = args[at];
  if (arg === undefined) return undefined;
  return arg.includes('=') ? arg.slice(arg.indexOf('=') + 1) : args[at + 1];
}

/** Without the flags whose `--name` or `--name=value` matches, and without the values that stand behind them. */
export function without(args: readonly string[], flag: RegExp): string[] {
  return args.filter((arg, at) => {
    const before = args[at - 1];
    const isValue = before !== undefined && flag.test(before) && !before.includes('=') && !arg.startsWith('-');
    return !flag.test(arg) && !isValue;
  });
}

/** The arguments of the API server. `data` is a folder for the store on disk. */
export function serverArguments(given: readonly string[], store: Store, data: () => string): string[] {
  const threads = valueOf(given, 'serving-threads') === undefined ? ['--serving-threads=1'] : [];
  if (store === 'etcd') return [...given, ...threads];
  const own = without(given, etcdConnection);
  if (store === 'memory') return [...without(own, /^--storage-backend(=|$)/), '--storage-backend=memory', ...threads];
  return [...own, ...(valueOf(own, 'raft-data-dir') === undefined ? [`--raft-data-dir=${data()}`] : []), ...threads];
}

/** Stores of an API server that replaces envtest's: in memory, on disk, or the etcd that envtest starts. */
export const stores = ['memory', 'raft', 'etcd'] as const;
export type Store = (typeof stores)[number];

/** Arguments that the scripts of `raftplane envtest-assets` add before envtest's. */
export interface Wrapping {
  readonly store: Store;
  readonly controllers: boolean;
}

/** Flags of the unused etcd. Those of prefixes and intervals stay: they apply to every store. */
const etcdConnection = /^--(etcd|kvstore)-(servers(-overrides)?|cafile|certfile|keyfile)(=|$)/;

/** Splits off the scripts' own arguments, `--store=memory --controllers --`. Throws without them. */
export function unwrap(args: readonly string[]): { readonly wrapping: Wrapping; readonly given: readonly string[] } {
  const end = args.indexOf('--');
  const own = args.slice(0, end);
  const store = stores.find((each) => own.includes(`--store=${each}`));
  if (end < 0 || store === undefined) throw new Error('this program is started by the files that "raftplane envtest-assets" writes');
  return { wrapping: { store, controllers: own.includes('--controllers') }, given: args.slice(end + 1) };
}

/** Returns a flag's last value: `--name=value` or `--name value`, with one or two dashes. */
export function valueOf(args: readonly string[], name: string): string | undefined {
  const at = args.findLastIndex((arg) => new RegExp(`^--?${name}(=|$)`).test(arg));
  const arg = args[at];
  if (arg === undefined) return undefined;
  return arg.includes('=') ? arg.slice(arg.indexOf('=') + 1) : args[at + 1];
}

/** Removes the flags whose `--name` or `--name=value` matches, with their separate values. */
export function without(args: readonly string[], flag: RegExp): string[] {
  return args.filter((arg, at) => {
    const before = args[at - 1];
    const isValue = before !== undefined && flag.test(before) && !before.includes('=') && !arg.startsWith('-');
    return !flag.test(arg) && !isValue;
  });
}

/** Returns the arguments of the API server. `data` is a folder for the store on disk. */
export function serverArguments(given: readonly string[], store: Store, data: () => string): string[] {
  const threads = valueOf(given, 'serving-threads') === undefined ? ['--serving-threads=1'] : [];
  if (store === 'etcd') return [...given, ...threads];
  const own = without(given, etcdConnection);
  if (store === 'memory') return [...without(own, /^--storage-backend(=|$)/), '--storage-backend=memory', ...threads];
  return [...own, ...(valueOf(own, 'raft-data-dir') === undefined ? [`--raft-data-dir=${data()}`] : []), ...threads];
}

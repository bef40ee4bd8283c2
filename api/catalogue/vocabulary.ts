/**
 * Words that stand in two spellings. The specification writes a neutral word where real clients and command lines have a product word;
 * wherever a person types it or a client sends it, both are understood. This is the only place that knows the pairs. Everything else,
 * and everything that is printed, uses the real spelling.
 */

/** Segments of option names between dashes, real spelling first. Order matters: `kube-` is shorter than the words that begin like it. */
const optionWords: readonly (readonly [real: string, neutral: string])[] = [
  ['etcd', 'kvstore'],
  ['kubelet', 'orchlet'],
  ['kubeconfig', 'orchconfig'],
  ['kubernetes', 'orch'],
  ['kube', 'orch'],
];

/** `etcd-servers` -> `kvstore-servers`; null where both spellings are the same. */
export function neutralOptionName(real: string): string | null {
  const neutral = real
    .split('-')
    .map((segment) => optionWords.find(([word]) => word === segment)?.[1] ?? segment)
    .join('-');
  return neutral === real ? null : neutral;
}

/** Whole values of options, media types, kinds and member names, neutral spelling first. */
const words: ReadonlyMap<string, string> = new Map([
  ['kvstore3', 'etcd3'],
  ['application/vnd.orch.protobuf', 'application/vnd.kubernetes.protobuf'],
  ['OrchControllerManagerConfiguration', 'KubeControllerManagerConfiguration'],
  ['orchConfigFile', 'kubeConfigFile'],
  ['orchconfig', 'kubeconfig'],
]);

/** The real spelling of a whole word; words without a neutral spelling come back unchanged. */
export const realWord = (word: string): string => words.get(word) ?? word;

/** The neutral spelling of a real word, or null. */
export function neutralWord(real: string): string | null {
  for (const [neutral, word] of words) if (word === real) return neutral;
  return null;
}

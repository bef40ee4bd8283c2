/**
 * Names with two spellings: the specification's neutral word and a product's name, which real clients use. Input accepts both; all output and all other code
 * use the real spelling. Only this file knows the pairs.
 */

/** Segments of option names between dashes. Order matters: `kube-` is a prefix of longer words. */
const optionWords: readonly (readonly [real: string, neutral: string])[] = [
  ['etcd', 'kvstore'],
  ['kubelet', 'orchlet'],
  ['kubeconfig', 'orchconfig'],
  ['kubernetes', 'orch'],
  ['kube', 'orch'],
];

/** `etcd-servers` -> `kvstore-servers`; null where both spellings are equal. */
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

/** Words without a neutral spelling are returned unchanged. */
export const realWord = (word: string): string => words.get(word) ?? word;

export function neutralWord(real: string): string | null {
  for (const [neutral, word] of words) if (word === real) return neutral;
  return null;
}

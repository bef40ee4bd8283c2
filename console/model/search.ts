export interface Found {
  readonly label: string;
  /** Names a view or a resource as such; the kind of an object. */
  readonly kind: string;
  readonly namespace: string;
  readonly hash: string;
}

/** Returns entries with all words of the text in label, kind or namespace, best first, at most `max`. */
export function found(among: readonly Found[], text: string, max: number): readonly Found[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const [first = ''] = words;
  return among
    .filter(({ label, kind, namespace }) => {
      const all = `${label} ${kind} ${namespace}`.toLowerCase();
      return words.every((word) => all.includes(word));
    })
    .map((each) => ({ each, weight: weightOf(each.label.toLowerCase(), first) }))
    .sort((a, b) => a.weight - b.weight || a.each.label.length - b.each.label.length || (a.each.label < b.each.label ? -1 : 1))
    .slice(0, max)
    .map(({ each }) => each);
}

const weightOf = (label: string, word: string): number =>
  label === word ? 0 : label.startsWith(word) ? 1 : new RegExp(`[-./]${escaped(word)}`).test(label) ? 2 : 3;

const escaped = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');

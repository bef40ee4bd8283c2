/** A value of a CSV line: in double quotes, or up to the next comma. */
const part = /(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g;

/** The `name=value` pairs of a flag: a single pair, or a CSV line of several, in which pairs with commas are quoted (`string_to_string.go` of pflag). */
export const quotedPairs = (text: string): readonly string[] =>
  text.split('=').length <= 2
    ? [text.replace(/^"+|"+$/g, '')]
    : [...text.matchAll(part)].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);

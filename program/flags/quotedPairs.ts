const part = /(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g;

/** Splits a CSV line of `name=value` pairs; pairs with commas are quoted (`string_to_string.go` of pflag). */
export const quotedPairs = (text: string): readonly string[] =>
  text.split('=').length <= 2
    ? [text.replace(/^"+|"+$/g, '')]
    : [...text.matchAll(part)].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);

/** A part of a list: in double quotes, in which a comma is text and two of them are one, or up to the next comma. */
const part = /(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g;

/**
 * Pairs of a name and a value in the text of one flag: alone as it stands, or several with commas between them, where those that contain commas stand in double
 * quotes (`string_to_string.go` of pflag).
 */
export const quotedPairs = (text: string): readonly string[] =>
  text.split('=').length <= 2
    ? [text.replace(/^"+|"+$/g, '')]
    : [...text.matchAll(part)].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);

/** The certificates in a text, each with its first and last line; what stands between them is left out. They are not read: a block may still hold nonsense. */
export function certificateBlocks(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
}

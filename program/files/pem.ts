/** Returns the certificates in a text, each with its first and last line, without the text between them. They are not parsed: a block may still be invalid. */
export function certificateBlocks(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
}

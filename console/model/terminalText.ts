/** What a program writes to a terminal as plain text: control sequences (ECMA-48) go, a carriage return begins the line anew. */
export function plainText(text: string): string {
  return (
    text
      // Operating system commands, such as titles; then control sequences, such as colours.

      .replace(/\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g, '')

      .replace(/\x1b\[[0-?]*[ -/]*[@-~]/g, '')

      .replace(/\x1b[@-Z\\-_=>]/g, '')
      .replaceAll('\r\n', '\n')
      .replace(/^[^\n]*\r(?!$)/gm, '')

      .replace(/[^\n]\x08/g, '')
  );
}

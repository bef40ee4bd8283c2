const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Returns text for HTML and XML, in attributes as well; control characters, which XML forbids, become spaces. */
export const markup = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, ' ').replace(/[&<>"']/g, (character) => escapes[character]!);

/** A text without the run of one character at its end. By hand, because the pattern for it takes time by the square of every run before the end. */
export function withoutTrailing(text: string, { character }: { readonly character: string }): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

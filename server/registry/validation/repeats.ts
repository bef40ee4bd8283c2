/** Tells of each position in a list whether its value has stood before. Linear, where `indexOf` for every value takes the square of the length. */
export function repeats(values: readonly string[]): (position: number) => boolean {
  const first = new Map<string, number>();
  for (const [position, value] of values.entries()) if (!first.has(value)) first.set(value, position);
  return (position) => first.get(values[position] ?? '') !== position;
}

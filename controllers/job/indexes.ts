/** Sets of completion indexes, and their form in a status: `1,3-5,7`. Pure. */

export function parseIndexes(text: string | undefined, limit: number): Set<number> {
  const indexes = new Set<number>();
  for (const part of text ? text.split(',') : []) {
    const [first = '', last = first] = part.split('-');
    for (let index = Number(first); index <= Number(last) && index < limit; index++) indexes.add(index);
  }
  return indexes;
}

/** Two neighbours are listed, three and more become a range. */
export function indexesText(indexes: ReadonlySet<number>): string {
  const sorted = [...indexes].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length;) {
    let end = i;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end++;
    if (end - i >= 2) parts.push(`${sorted[i]}-${sorted[end]}`);
    else for (let j = i; j <= end; j++) parts.push(String(sorted[j]));
    i = end + 1;
  }
  return parts.join(',');
}

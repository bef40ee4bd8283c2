/** Parses comma-separated values; a field may have double quotes, doubled inside. Blank lines are skipped. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const field = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/gy;
  for (let match = field.exec(text); match !== null; match = field.exec(text)) {
    const [all, value = '', end = ''] = match;
    row.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value);
    if (end !== ',') {
      if (row.length > 1 || row[0] !== '') rows.push(row);
      row = [];
    }
    if (all === '' || (end === '' && field.lastIndex >= text.length)) break;
  }
  if (field.lastIndex < text.length) throw new Error(`a quote is out of place near row ${rows.length + 1}`);
  return rows;
}

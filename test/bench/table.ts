/** Prints rows as an aligned table; numbers to the right. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  console.log(line(header));
  console.log(widths.map((width) => '-'.repeat(width)).join('  '));
  for (const row of rows) console.log(line(row));
}

/** A rate without decimals, thousands apart: `12,345`. */
export const count = (value: number): string => Math.round(value).toLocaleString('en-US');
export const milliseconds = (value: number): string => value.toFixed(value < 10 ? 2 : 1);
export const ratio = (value: number, base: number): string => (value / base).toFixed(2);
export const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

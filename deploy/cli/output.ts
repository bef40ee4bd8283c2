import type { LauncherState } from './launcher.js';

export const exitCodes = { failed: 1, usage: 2, refused: 3 } as const;

/** Colours on terminals, unless refused (https://no-color.org). */
const colours = process.stdout.isTTY && !process.env['NO_COLOR'];
const codes = { good: 32, note: 33, bad: 31 } as const;

export const paint = (state: keyof typeof codes, text: string): string => (colours ? `\u001b[${codes[state]}m${text}\u001b[0m` : text);

export const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};
export const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}

export function stateTable({ address, kubeconfig, programs }: LauncherState, leader: string | null): string {
  const rows = programs.map(({ name, role, state, pid, address: own }) => [
    name,
    role,
    name === leader ? `${state}, leads` : state,
    pid === null ? '-' : String(pid),
    own ?? '-',
  ]);
  return `${table([['NAME', 'ROLE', 'STATE', 'PID', 'ADDRESS'], ...rows])}\n\naddress      ${address}\nkubeconfig   ${kubeconfig}`;
}

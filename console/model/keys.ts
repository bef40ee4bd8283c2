/** A browser's keyboard event (https://www.w3.org/TR/uievents-key/). */
export interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly metaKey: boolean;
}

/** Final letters of CSI sequences, as xterm sends them (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html). */
const lettered: Readonly<Record<string, string>> = {
  ArrowUp: 'A',
  ArrowDown: 'B',
  ArrowRight: 'C',
  ArrowLeft: 'D',
  Home: 'H',
  End: 'F',
  F1: 'P',
  F2: 'Q',
  F3: 'R',
  F4: 'S',
};
const numbered: Readonly<Record<string, number>> = {
  Insert: 2,
  Delete: 3,
  PageUp: 5,
  PageDown: 6,
  F5: 15,
  F6: 17,
  F7: 18,
  F8: 19,
  F9: 20,
  F10: 21,
  F11: 23,
  F12: 24,
};
const plain: Readonly<Record<string, string>> = { Enter: '\r', Backspace: '\x7f', Tab: '\t', Escape: '\x1b' };

/**
 * Returns the bytes that a terminal sends for a key; null for the browser's keys: text (which comes as input), its own shortcuts, and Shift+Tab, which leaves
 * the terminal (WCAG 2.2, 2.1.2). `application` is true after a program requested application cursor keys (DECCKM).
 */
export function sequenceOf(pressed: PressedKey, application: boolean): string | null {
  const { key, ctrlKey, altKey, shiftKey, metaKey } = pressed;
  if (metaKey || (key === 'Tab' && shiftKey)) return null;
  const modifier = 1 + Number(shiftKey) + 2 * Number(altKey) + 4 * Number(ctrlKey);
  const letter = lettered[key];
  if (letter !== undefined)
    return modifier > 1 ? `\x1b[1;${modifier}${letter}` : `\x1b${application || key.startsWith('F') ? 'O' : '['}${letter}`;
  const number = numbered[key];
  if (number !== undefined) return `\x1b[${number}${modifier > 1 ? `;${modifier}` : ''}~`;
  const base = plain[key];
  if (base !== undefined) return `${altKey ? '\x1b' : ''}${key === 'Backspace' && ctrlKey ? '\b' : base}`;
  if ([...key].length !== 1 || ctrlKey === altKey) return null;
  if (altKey) return `\x1b${key}`;
  return shiftKey && /[a-z]/i.test(key) ? null : controlOf(key);
}

/** Ctrl with a character clears its upper bits (ECMA-48); pasting is the browser's. */
function controlOf(key: string): string | null {
  if (key === ' ') return '\0';
  if (/^[vV]$/.test(key)) return null;
  const code = key.toUpperCase().charCodeAt(0);
  return code >= 0x40 && code <= 0x5f ? String.fromCharCode(code & 0x1f) : null;
}

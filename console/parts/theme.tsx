import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../english.js';

const choices = ['system', 'light', 'dark'] as const;
type Choice = (typeof choices)[number];

/** Sent to charts, whose colours are not the style sheet's. */
export const themeChanged = 'themechanged';

/** Light or dark while the page is open; default: the system's choice. */
export function ThemeChoice(): VNode {
  const [choice, setChoice] = useState<Choice>('system');
  useEffect(() => {
    if (choice === 'system') document.documentElement.removeAttribute('data-theme');
    else document.documentElement.setAttribute('data-theme', choice);
    dispatchEvent(new Event(themeChanged));
  }, [choice]);
  return (
    <select class="quiet" aria-label={t.theme.label} value={choice} onChange={(event) => setChoice(event.currentTarget.value as Choice)}>
      {choices.map((each) => (
        <option value={each}>{t.theme[each]}</option>
      ))}
    </select>
  );
}

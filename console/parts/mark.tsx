import type { VNode } from 'preact';

/** Three members, one of which leads. */
export const Mark = (): VNode => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <path d="M16 9 8.5 22h15z" />
    <circle class="lead" cx="16" cy="9" r="4" />
    <circle cx="8.5" cy="22" r="3.2" />
    <circle cx="23.5" cy="22" r="3.2" />
  </svg>
);

const key = 'raftplane-token';

/** Keeps the token for this tab, so that a reload needs no sign-in. Other tabs and later sessions do not see it. */
export const credentials = {
  /** Returns the token, null with a browser's certificate, or undefined before sign-in. */
  kept(): string | null | undefined {
    const kept = sessionStorage.getItem(key);
    return kept === null ? undefined : kept === '' ? null : kept;
  },
  keep(token: string | null): void {
    sessionStorage.setItem(key, token ?? '');
  },
  forget(): void {
    sessionStorage.removeItem(key);
  },
};

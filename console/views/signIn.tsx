import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { messageOf, ApiError } from '../api/client.js';
import { t } from '../english.js';
import { Mark } from '../parts/mark.js';
import { Problem } from '../parts/words.js';

/** Signs the user in by a token or the browser's certificate. */
export function SignIn({
  enter,
  message,
}: {
  readonly enter: (token: string | null) => Promise<boolean>;
  readonly message: string;
}): VNode {
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState(message);
  const [busy, setBusy] = useState(false);
  const attempt = async (token: string | null): Promise<void> => {
    setBusy(true);
    const refused = token === null ? t.signIn.nobody : t.signIn.refused;
    const found = await enter(token).then(
      (known) => (known ? '' : refused),
      (error: unknown) => (error instanceof ApiError && (error.code === 401 || error.code === 403) ? refused : messageOf(error)),
    );
    setBusy(false);
    setProblem(found);
  };
  return (
    <main class="door">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(field.current?.value.trim() ?? '');
        }}
      >
        <h1>
          <Mark />
          {t.title}
        </h1>
        <p>{t.signIn.about}</p>
        {problem === '' ? null : <Problem>{problem}</Problem>}
        <label for="token">{t.signIn.token}</label>
        <input id="token" ref={field} type="password" autocomplete="off" spellcheck={false} required aria-describedby="token-hint" />
        <small id="token-hint">{t.signIn.tokenHint}</small>
        <button type="submit" class="main" disabled={busy}>
          {t.signIn.submit}
        </button>
        <hr />
        <button type="button" disabled={busy} onClick={() => void attempt(null)} aria-describedby="certificate-hint">
          {t.signIn.certificate}
        </button>
        <small id="certificate-hint">{t.signIn.certificateHint}</small>
        <small>{t.signIn.local}</small>
      </form>
    </main>
  );
}

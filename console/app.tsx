import { useCallback, useEffect, useState } from 'preact/hooks';
import type { VNode } from 'preact';
import { ApiClient, redeem, whoAmI } from './api/client.js';
import { t } from './english.js';
import { Mark } from './parts/mark.js';
import { ThemeChoice } from './parts/theme.js';
import { Controllers } from './views/controllers.js';
import { Objects } from './views/objects.js';
import { Replicas } from './views/replicas.js';
import { Requests } from './views/requests.js';
import { SignIn } from './views/signIn.js';

const views = { replicas: Replicas, controllers: Controllers, objects: Objects, requests: Requests } as const;
type ViewName = keyof typeof views;
const viewNames = Object.keys(views) as ViewName[];

interface Place {
  readonly view: ViewName;
  readonly rest: string;
}

function placeIn(hash: string): Place {
  const [name = '', ...rest] = hash.replace(/^#\/?/, '').split('/');
  return { view: viewNames.find((view) => view === name) ?? 'replicas', rest: rest.join('/') };
}

/** Takes the code of a sign-in link out of the address, and so of the history. */
function takeCode(): string | null {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1] ?? null;
  if (code !== null) history.replaceState(null, '', location.pathname);
  return code;
}

const linkCode = takeCode();

interface Session {
  readonly client: ApiClient;
  readonly user: string;
}

type State =
  { readonly at: 'door'; readonly message: string } | { readonly at: 'link' } | { readonly at: 'inside'; readonly session: Session };

/** The whole page: the sign-in, then navigation and one view. */
export function App(): VNode {
  const [state, setState] = useState<State>(linkCode === null ? { at: 'door', message: '' } : { at: 'link' });
  const [place, setPlace] = useState<Place>(() => placeIn(location.hash));

  useEffect(() => {
    const moved = (): void => setPlace(placeIn(location.hash));
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);

  const enter = useCallback(async (token: string | null): Promise<boolean> => {
    const user = await whoAmI(new ApiClient(token));
    if (user === null) return false;
    const client = new ApiClient(token, () => setState({ at: 'door', message: t.signIn.ended }));
    setState({ at: 'inside', session: { client, user } });
    return true;
  }, []);

  useEffect(() => {
    if (linkCode === null) return;
    redeem(linkCode)
      .then(enter)
      .then((known) => known || Promise.reject(new Error()))
      .catch(() => setState({ at: 'door', message: t.signIn.linkRefused }));
  }, [enter]);

  if (state.at === 'link')
    return (
      <p class="centre" role="status">
        {t.loading}
      </p>
    );
  if (state.at === 'door') return <SignIn enter={enter} message={state.message} />;
  const { client, user } = state.session;
  const View = views[place.view];
  return (
    <div class="shell">
      <a class="skip" href="#content" onClick={focusContent}>
        {t.skip}
      </a>
      <header class="bar">
        <span class="brand">
          <Mark />
          {t.title}
        </span>
        <nav aria-label={t.navigation}>
          {viewNames.map((name) => (
            <a href={`#${name}`} aria-current={name === place.view ? 'page' : undefined}>
              {t.views[name]}
            </a>
          ))}
        </nav>
        <div class="who">
          <ThemeChoice />
          <span class="user" title={t.signedInAs(user)}>
            {user}
          </span>
          <button type="button" class="quiet" onClick={() => setState({ at: 'door', message: '' })}>
            {t.signOut}
          </button>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <View client={client} rest={place.rest} />
      </main>
    </div>
  );
}

/** The address belongs to the views. */
function focusContent(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

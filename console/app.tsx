import { useCallback, useEffect, useState } from 'preact/hooks';
import type { VNode } from 'preact';
import { ApiClient, redeem, whoAmI } from './api/client.js';
import { credentials } from './api/credentials.js';
import { t } from './english.js';
import { useKeys } from './parts/hooks.js';
import { Mark } from './parts/mark.js';
import { ThemeChoice } from './parts/theme.js';
import { Controllers } from './views/controllers.js';
import { Objects } from './views/objects.js';
import { Overview } from './views/overview.js';
import { Palette } from './views/palette.js';
import { Replicas } from './views/replicas.js';
import { Requests } from './views/requests.js';
import { SignIn } from './views/signIn.js';

const views = { overview: Overview, replicas: Replicas, controllers: Controllers, objects: Objects, requests: Requests } as const;
type ViewName = keyof typeof views;
const viewNames = Object.keys(views) as ViewName[];

interface Place {
  readonly view: ViewName;
  readonly rest: string;
}

function placeIn(hash: string): Place {
  const [name = '', ...rest] = hash.replace(/^#\/?/, '').split('/');
  return { view: viewNames.find((view) => view === name) ?? 'overview', rest: rest.join('/') };
}

/** Removes a sign-in link's code from the address and history. */
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
  | { readonly at: 'door'; readonly message: string }
  | { readonly at: 'link' }
  | { readonly at: 'inside'; readonly session: Session };

/** The whole page: the sign-in, then navigation and one view. */
export function App(): VNode {
  const [state, setState] = useState<State>(() =>
    linkCode === null && credentials.kept() === undefined ? { at: 'door', message: '' } : { at: 'link' },
  );
  const [place, setPlace] = useState<Place>(() => placeIn(location.hash));

  useEffect(() => {
    const moved = (): void => setPlace(placeIn(location.hash));
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);

  const leave = (message: string): void => {
    credentials.forget();
    setState({ at: 'door', message });
  };
  const enter = useCallback(async (token: string | null): Promise<boolean> => {
    const user = await whoAmI(new ApiClient(token));
    if (user === null) return false;
    const client = new ApiClient(token, () => leave(t.signIn.ended));
    credentials.keep(token);
    setState({ at: 'inside', session: { client, user } });
    return true;
  }, []);

  useEffect(() => {
    const kept = credentials.kept();
    if (linkCode === null && kept === undefined) return;
    const [token, refusal] = linkCode === null ? [Promise.resolve(kept ?? null), t.signIn.ended] : [redeem(linkCode), t.signIn.linkRefused];
    token
      .then(enter)
      .then((known) => known || Promise.reject(new Error()))
      .catch(() => leave(refusal));
  }, [enter]);

  if (state.at === 'link') return entering;
  if (state.at === 'door') return <SignIn enter={enter} message={state.message} />;
  return <Inside session={state.session} place={place} leave={() => leave('')} />;
}

const entering = (
  <p class="centre" role="status">
    {t.loading}
  </p>
);

interface InsideProps {
  readonly session: Session;
  readonly place: Place;
  readonly leave: () => void;
}

function Inside({ session: { client, user }, place, leave }: InsideProps): VNode {
  const View = views[place.view];
  const [searches, setSearches] = useState(false);
  useKeys((event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open]') !== null) return;
    event.preventDefault();
    setSearches(true);
  });
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
          <button type="button" class="quiet" aria-keyshortcuts="Control+K Meta+K" onClick={() => setSearches(true)}>
            {t.search.open} <kbd>{t.search.keys}</kbd>
          </button>
          <ThemeChoice />
          <span class="user" title={t.signedInAs(user)}>
            {user}
          </span>
          <button type="button" class="quiet" onClick={leave}>
            {t.signOut}
          </button>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <View client={client} rest={place.rest} />
      </main>
      {searches ? <Palette client={client} views={foundViews} close={() => setSearches(false)} /> : null}
    </div>
  );
}

const foundViews = viewNames.map((name) => ({ label: t.views[name], kind: t.search.view, namespace: '', hash: `#${name}` }));

/** The address belongs to the views. */
function focusContent(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiClient } from '../api/client.js';
import { readMetadata } from '../api/metadata.js';
import type { Resource } from '../api/resources.js';
import { t } from '../english.js';
import { age, fieldPaths, ownershipTree, type ApiObject, type TreeNode } from '../model/objects.js';
import { Topology } from './topology.js';
import type { TabProps } from './viewProps.js';

export interface EventObject extends ApiObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string;
  readonly eventTime?: string;
  readonly reportingComponent?: string;
  readonly source?: { readonly component?: string };
  readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly namespace?: string };
}

/** Returns when an event happened last, in milliseconds since 1970. */
export const timeOf = (event: EventObject): number =>
  Date.parse(event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '');

export const componentOf = ({ reportingComponent, source }: EventObject): string => reportingComponent || source?.component || '';

export function EventsTab({ client, namespace, object }: TabProps): VNode {
  const [events, setEvents] = useState<readonly EventObject[] | null>(null);
  const uid = object.metadata.uid ?? '';
  const version = object.metadata.resourceVersion;
  useEffect(() => {
    const path = namespace === '' ? '/api/v1/events' : `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
    client
      .json<{ readonly items: readonly EventObject[] }>(`${path}?fieldSelector=${encodeURIComponent(`involvedObject.uid=${uid}`)}`)
      .then(
        ({ items }) => setEvents([...items].sort((a, b) => timeOf(b) - timeOf(a))),
        () => setEvents([]),
      );
  }, [uid, version]);
  if (events === null) return <p class="soft">{t.loading}</p>;
  return events.length === 0 ? <p class="soft">{t.objects.noEvents}</p> : <EventList events={events} />;
}

export const EventList = ({ events, about = false }: { readonly events: readonly EventObject[]; readonly about?: boolean }): VNode => (
  <ul class="event-list">
    {events.map((event) => (
      <li key={event.metadata.uid} class={event.type === 'Warning' ? 'warning' : ''}>
        <span class="soft">{age(timeOf(event), Date.now())}</span>
        <b>{event.reason}</b>
        {about ? (
          <span class="about">
            {event.involvedObject?.kind} {event.involvedObject?.name}
          </span>
        ) : null}
        <span>
          {event.message} <em class="soft">{componentOf(event)}</em>
        </span>
      </li>
    ))}
  </ul>
);

/** Returns all possibly related objects: those of the namespace, or cluster-scoped ones. Omits forbidden resources. */
async function relatives(client: ApiClient, resources: readonly Resource[], namespace: string): Promise<readonly ApiObject[]> {
  const found: ApiObject[] = [];
  await readMetadata(
    client,
    resources.filter(({ namespaced, resource }) => namespaced === (namespace !== '') && resource !== 'events'),
    { namespace, limit: 0, take: (_resource, objects) => found.push(...objects) },
  );
  return found;
}

export function OwnersTab({ client, resources, namespace, object }: TabProps): VNode {
  const [tree, setTree] = useState<TreeNode | null | 'reading'>('reading');
  const uid = object.metadata.uid ?? '';
  useEffect(() => {
    void relatives(client, resources, namespace).then((known) => setTree(ownershipTree(known, uid)));
  }, [uid]);
  if (tree === 'reading') return <p class="soft">{t.objects.readingOwners}</p>;
  if (tree === null || (tree.children.length === 0 && tree.object.metadata.uid === uid)) return <p class="soft">{t.objects.noOwners}</p>;
  return <Topology tree={tree} uid={uid} resources={resources} />;
}

export function FieldsTab({ object }: TabProps): VNode {
  const managers = object.metadata.managedFields ?? [];
  if (managers.length === 0) return <p class="soft">{t.objects.noManagers}</p>;
  return (
    <>
      {managers.map(({ manager = '', operation = '', subresource = '', time, fieldsV1 }) => {
        const paths = fieldPaths(fieldsV1);
        return (
          <details key={`${manager} ${operation} ${subresource}`} open>
            <summary>
              {t.objects.managerOf(manager, subresource === '' ? operation : `${operation} ${subresource}`)}{' '}
              <span class="soft">
                {t.objects.fieldsCount(paths.length)}
                {time === undefined ? '' : ` · ${time}`}
              </span>
            </summary>
            <ul class="paths">
              {paths.map((path) => (
                <li>
                  <code>{path}</code>
                </li>
              ))}
            </ul>
          </details>
        );
      })}
    </>
  );
}

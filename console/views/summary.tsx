import type { VNode } from 'preact';
import { t } from '../english.js';
import { summaryOf, type Condition } from '../model/summary.js';
import { linkTo } from './links.js';
import type { TabProps } from './viewProps.js';

/** Shows the most wanted information above an object's text: facts, images, conditions and owners. */
export function SummaryPart({ object, namespace, resources }: Pick<TabProps, 'object' | 'namespace' | 'resources'>): VNode | null {
  const { facts, images, conditions } = summaryOf(object);
  const owners = object.metadata.ownerReferences ?? [];
  if (facts.length + images.length + conditions.length + owners.length === 0) return null;
  return (
    <div class="summary" role="group" aria-label={t.objects.summary}>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {owners.map((owner) => (
          <div key={owner.uid}>
            <dt>{t.objects.ownedBy}</dt>
            <dd>
              <a href={linkTo({ ...owner, namespace }, resources)}>
                {owner.kind} {owner.name}
              </a>
            </dd>
          </div>
        ))}
        {images.map((image) => (
          <div key={image} class="wide">
            <dt>{t.objects.image}</dt>
            <dd>{image}</dd>
          </div>
        ))}
      </dl>
      {conditions.length === 0 ? null : conditionList(conditions)}
    </div>
  );
}

const conditionList = (conditions: readonly Condition[]): VNode => (
  <ul class="conditions" aria-label={t.objects.conditions}>
    {conditions.map(({ type, status, reason, message, wellness }) => (
      <li key={type}>
        <b class={wellness}>
          {type}: {status}
        </b>
        <span>{reason}</span>
        <span class="soft">{message}</span>
      </li>
    ))}
  </ul>
);

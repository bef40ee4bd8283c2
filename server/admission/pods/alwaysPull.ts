import type { ApiObject, JsonObject } from '../../../api/object.js';
import { forbidden } from '../../../api/status.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import { notSupported, Path, type FieldError } from '../../registry/validation/field.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission.js';

const pods = { group: '', resource: 'pods' };
const lists = ['initContainers', 'containers', 'ephemeralContainers'];
const always = 'Always';

/** Returns the pod if the write adds images. Only one subresource changes images. */
const podWithImages = ({ subresource, object, old }: AdmissionRequest): ApiObject | null => {
  if (object === null || (subresource !== '' && subresource !== 'ephemeralcontainers')) return null;
  return old === null || imagesOf(object) !== imagesOf(old) ? object : null;
};
const imagesOf = (pod: ApiObject): string => JSON.stringify(containersOf(pod).map(({ image }) => image ?? ''));
const containersOf = (pod: ApiObject): JsonObject[] => lists.flatMap((list) => objectsIn(objectAt(pod, 'spec') ?? {}, list));
const imageVolumesOf = (pod: ApiObject): JsonObject[] =>
  objectsIn(objectAt(pod, 'spec') ?? {}, 'volumes')
    .map((volume) => objectAt(volume, 'image'))
    .filter((image) => image !== null);

/** Makes every pod pull its images, so that it cannot run a private image which another pod brought to the node. */
export const alwaysPullImages = (): AdmissionPlugin => ({
  name: 'AlwaysPullImages',
  resources: ['pods'],
  admit(request) {
    const pod = podWithImages(request);
    if (pod === null) return;
    for (const container of containersOf(pod)) container['imagePullPolicy'] = always;
    for (const image of imageVolumesOf(pod)) image['pullPolicy'] = always;
  },
  validate(request) {
    const pod = podWithImages(request);
    const finding = pod === null ? undefined : findingsIn(pod)[0];
    if (finding !== undefined) throw forbidden(pods, request.name, `${finding.path}: ${finding.message}`);
  },
});

const findingsIn = (pod: ApiObject): FieldError[] =>
  lists.flatMap((list) =>
    objectsIn(objectAt(pod, 'spec') ?? {}, list).flatMap((container, position) => {
      const policy = textAt(container, 'imagePullPolicy');
      return policy === always ? [] : [notSupported(Path.of('spec', list).index(position).child('imagePullPolicy'), policy, [always])];
    }),
  );

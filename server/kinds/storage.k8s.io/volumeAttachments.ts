import type * as core from '../../../api/types/core/v1.js';
import type * as v1 from '../../../api/types/storage/v1.js';
import {
  at,
  between,
  booleanAt,
  completed,
  dnsSubdomain,
  driverName,
  forbidden,
  inOrder,
  invalid,
  isSet,
  members,
  missing,
  objectRules,
  optional,
  orEmpty,
  tooLong,
  type ChangeRules,
  type Draft,
  type Found,
  type Kind,
  type Path,
  type Writable,
} from '../language.js';
import { roundAmounts } from '../../../api/resourceLists.js';
import { setSourceDefaults } from '../../../api/pods/volumeDefaults.js';
import { inlineVolumeSpec } from '../core/persistentVolume/spec.js';
import { immutableSpec } from '../immutable.js';
import { bytesOf } from './parameters.js';

const metadataBytesMax = 256 * 1024;
const messageBytesMax = 1024;
const errorCodeMax = 2 ** 31 - 1;
const sourceText = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

const error = members<v1.VolumeError>({
  // The message names the wrong limit.
  message: orEmpty((text, path) => (Buffer.byteLength(text) > messageBytesMax ? [tooLong(path, metadataBytesMax)] : [])),
  errorCode: optional((code, path) => (code < 0 ? [invalid(path, code, between(0, errorCodeMax))] : [])),
});

const rules = objectRules<v1.VolumeAttachment>({
  spec: members<v1.VolumeAttachmentSpec>({ attacher: orEmpty(driverName), source: oneSource, nodeName: orEmpty(dnsSubdomain) }),
  status: members<v1.VolumeAttachmentStatus>({
    attachmentMetadata: optional((texts, path) => (bytesOf(texts) > metadataBytesMax ? [tooLong(path, metadataBytesMax)] : [])),
    attachError: optional(error),
    detachError: optional(error),
  }),
});

function oneSource(source: Writable<v1.VolumeAttachmentSource> | undefined, path: Path): Found {
  const { inlineVolumeSpec: inline, persistentVolumeName: name } = source ?? {};
  if (isSet(inline)) return isSet(name) ? [forbidden(path, sourceText)] : inlineVolumeSpec(inline, path.child('inlineVolumeSpec'), null);
  if (!isSet(name)) return [missing(path, sourceText)];
  return name === '' ? [missing(path.child('persistentVolumeName'), 'must specify non empty persistentVolumeName')] : [];
}

const volumeName = objectRules<v1.VolumeAttachment>({
  spec: members<v1.VolumeAttachmentSpec>({
    source: members<v1.VolumeAttachmentSource>({
      persistentVolumeName: optional(dnsSubdomain),
      inlineVolumeSpec: completed<Writable<core.PersistentVolumeSpec>>((spec) => {
        setSourceDefaults(spec);
        roundAmounts(spec.capacity ?? null);
      }),
    }),
  }),
});
const review: ChangeRules<Draft<v1.VolumeAttachment>>['review'] = [
  'objectMeta',
  rules,
  volumeName,
  immutableSpec('storage.v1.VolumeAttachmentSpec'),
];

export const volumeAttachments: Kind<Draft<v1.VolumeAttachment>> = {
  name: 'volumeattachments.storage.k8s.io',
  defaults: volumeName.defaults,
  validate: (attachment) => inOrder(rules(attachment), volumeName(attachment)),
  create: { status: { attached: false } },
  update: {
    unconditional: false,
    review,
  },
  subresources: {
    status: {
      keepsMetadata: true,
      review,
    },
  },
  delete: { answers: 'object' },
  cells: {
    Attacher: at('spec.attacher'),
    PV: at('spec.source.persistentVolumeName', ''),
    Node: at('spec.nodeName'),
    Attached: booleanAt('status.attached'),
  },
};

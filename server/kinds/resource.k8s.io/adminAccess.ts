import type * as v1 from '../../../api/types/resource/v1.js';
import {
  forbidden,
  itemsOf,
  Path,
  statusOf,
  type Draft,
  type FieldError,
  type ServedAs,
  type Writable,
  type WriteContext,
} from '../language.js';

type Claim = Draft<v1.ResourceClaim>;

const label = 'resource.kubernetes.io/admin-access';
const refusal = (path: Path): FieldError =>
  forbidden(path, `admin access to devices requires the \`${label}: true\` label on the containing namespace`);
const isGranted = (labels: Readonly<Record<string, string>>): boolean => labels[label] === 'true';

/** Admin access to devices requires a label of the namespace. Only the first such request is reported, in templates under its path in claims. */
export function validateAdminAccess({ devices }: Writable<v1.ResourceClaimSpec>, { namespaceLabels = {} }: ServedAs): FieldError[] {
  const position = itemsOf(devices?.requests).findIndex(({ exactly }) => exactly?.adminAccess === true);
  if (position < 0 || isGranted(namespaceLabels)) return [];
  return [refusal(Path.of('spec', 'devices', 'requests').index(position).child('adminAccess'))];
}

const allocated = (claim: Claim): number =>
  itemsOf(statusOf(claim).allocation?.devices?.results).findIndex(({ adminAccess }) => adminAccess === true);

/** Existing access stands. */
export const beginsAdminAccess = (claim: Claim, old: Claim): boolean => allocated(old) < 0 && allocated(claim) >= 0;

export const validateAdminStatus = (
  claim: Claim,
  old: Claim,
  { namespaceLabels = {} }: Pick<WriteContext, 'namespaceLabels'>,
): FieldError[] =>
  beginsAdminAccess(claim, old) && !isGranted(namespaceLabels)
    ? [refusal(Path.of('status', 'allocation', 'devices', 'results').index(allocated(claim)).child('adminAccess'))]
    : [];

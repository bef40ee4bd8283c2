import type * as v1 from '../../../api/types/flowcontrol/v1.js';
import { all, distinct, members, Path, required, type Found, type Writable } from '../language.js';

/** The status of both kinds has one condition of each type. */
export const status = members<v1.FlowSchemaStatus>({
  conditions: distinct('type', (once) => all(once, members<v1.FlowSchemaCondition>({ type: required() }))),
});

interface WithStatus {
  readonly status?: Writable<v1.FlowSchemaStatus>;
}

export const statusWrites = {
  status: {
    keepsMetadata: true,
    review: [(object: WithStatus): Found => status(object.status, Path.of('status'), object)],
  },
};

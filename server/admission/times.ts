import type { AdmissionRequest } from '../registry/admission.js';

/** Which half of admission: that changes what is written, or that only looks at it. */
export type Half = 'admit' | 'validate';
export type Operation = AdmissionRequest['operation'];

/** How long one thing took, each time. */
export interface Times {
  observe(seconds: number, rejected: boolean): void;
}

/** Where the times of admission are kept. What is looked up here is looked up once, not for each write. */
export interface AdmissionTimes {
  ofPlugin(name: string, half: Half, operation: Operation): Times;
  ofAll(half: Half, operation: Operation): Times;
}

const untimed: Times = { observe: () => undefined };
export const noTimes: AdmissionTimes = { ofPlugin: () => untimed, ofAll: () => untimed };

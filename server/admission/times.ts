import type { AdmissionRequest } from '../registry/admission.js';

export type Half = 'admit' | 'validate';
export type Operation = AdmissionRequest['operation'];

export interface Times {
  observe(seconds: number, rejected: boolean): void;
}

/** Metrics of admission, looked up once instead of per write. */
export interface AdmissionTimes {
  ofPlugin(name: string, half: Half, operation: Operation): Times;
  ofAll(half: Half, operation: Operation): Times;
}

const untimed: Times = { observe: () => undefined };
export const noTimes: AdmissionTimes = { ofPlugin: () => untimed, ofAll: () => untimed };

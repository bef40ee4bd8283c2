/** Whether a client named the value, or the server chose it. */
export type AllocationScope = 'static' | 'dynamic';

export interface AllocationCounts {
  /** The range has its configured name; `seconds` is the search time. */
  address(range: string, scope: AllocationScope, seconds: number): void;
  addressFailed(range: string, scope: AllocationScope): void;
  port(scope: AllocationScope): void;
  portFailed(scope: AllocationScope): void;
}

const nothing = (): void => undefined;
export const noAllocationCounts: AllocationCounts = { address: nothing, addressFailed: nothing, port: nothing, portFailed: nothing };

/** How a value came about: a client has named it, or it was chosen here. */
export type AllocationScope = 'static' | 'dynamic';

/** What is counted of the values that services are given. Nothing is, in a dry run. */
export interface AllocationCounts {
  /** An address of a range, which is named as it was configured; `seconds` is how long it took to find. */
  address(range: string, scope: AllocationScope, seconds: number): void;
  addressFailed(range: string, scope: AllocationScope): void;
  port(scope: AllocationScope): void;
  portFailed(scope: AllocationScope): void;
}

const nothing = (): void => undefined;
export const noAllocationCounts: AllocationCounts = { address: nothing, addressFailed: nothing, port: nothing, portFailed: nothing };

export class CacheCounts {
  /** Counts the first load, and one whenever changes were lost. */
  loads = 1;
  changes = 0;
  lists = 0;
  looked = 0;
  given = 0;
  /** Counted by whether the cache reached the version in time. */
  newest = 0;
  newestMissed = 0;

  listed(looked: number, given: number): void {
    this.lists++;
    this.looked += looked;
    this.given += given;
  }
}

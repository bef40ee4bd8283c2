export class CacheCounts {
  /** Complete states loaded: the first, and one whenever changes were lost. */
  loads = 1;
  changes = 0;
  lists = 0;
  /** Objects that lists visited and returned. */
  looked = 0;
  given = 0;
  /** Lists of the newest state, by whether the cache reached it in time. */
  newest = 0;
  newestMissed = 0;

  listed(looked: number, given: number): void {
    this.lists++;
    this.looked += looked;
    this.given += given;
  }
}

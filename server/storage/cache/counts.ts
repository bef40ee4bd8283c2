/** What the cache of one resource has done since the process began: plain numbers, which are read when somebody asks. */
export class CacheCounts {
  /** States that it began with: one, and one whenever changes were lost. */
  loads = 1;
  /** Changes that came. Whoever watches is shown each at once. */
  changes = 0;
  lists = 0;
  /** Objects that lists looked at, and those that they gave. */
  looked = 0;
  given = 0;
  /** Lists of the newest state, by whether the cache came to it in time. */
  newest = 0;
  newestMissed = 0;

  listed(looked: number, given: number): void {
    this.lists++;
    this.looked += looked;
    this.given += given;
  }
}

export class CacheCounts {
  loads = 1;
  changes = 0;
  lists = 0;
  looked = 0;
  given = 0;
  newest = 0;
  newestMissed = 0;

  listed(looked: number, given: number): void {
    this.lists++;
    this.looked += looked;
    this.given += given;
  }
}

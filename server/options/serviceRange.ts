/** The first usable address of a range: that of the service that stands for the API itself. `10.96.0.0/12` -> `10.96.0.1`. */
export function firstServiceAddress(cidr: string): string {
  const [address = '', bits = '32'] = cidr.split('/');
  if (address.includes(':')) return firstOfSix(address, Number(bits));
  const value = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(bits));
  const first = Math.floor(value / size) * size + 1;
  return [24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join('.');
}

function firstOfSix(address: string, bits: number): string {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string): string[] => text.split(':').filter((group) => group !== '');
  const missing = address.includes('::') ? 8 - groups(head).length - groups(tail).length : 0;
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)];
  const value = all.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
  const host = BigInt(128 - bits);
  const first = ((value >> host) << host) + 1n;
  const texts = Array.from({ length: 8 }, (_, i) => ((first >> BigInt(112 - i * 16)) & 0xffffn).toString(16));
  return texts.join(':').replace(/(^|:)0(:0)+(:|$)/, '::');
}

/** Rejects with `tooLarge()` as soon as there are more than `bytesMax`. */
export async function boundedBody(body: AsyncIterable<Buffer>, bytesMax: number, tooLarge: () => Error): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

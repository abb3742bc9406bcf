/** Fetches a small text by HTTPS, with limits on time and size, without following redirects. */
export type FetchText = (url: string) => Promise<string>

const timeoutMs = 5_000
const bytesMax = 64 * 1024

export const fetchText: FetchText = async (url) => {
  const response = await fetch(url, {
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
    headers: { 'user-agent': 'Sluice' },
  })
  if (!response.ok || response.body === null) {
    await response.body?.cancel()
    throw new Error(`the server replied with status ${response.status}`)
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body) {
    length += chunk.length
    if (length > bytesMax) throw new Error(`the response is larger than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

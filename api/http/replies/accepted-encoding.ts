export type Encoding = 'br' | 'gzip'

/**
 * The first of `offered` that the header `Accept-Encoding` allows. Weights other than zero are
 * ignored, because browsers send none.
 */
export function acceptedEncoding(
  header: string | undefined,
  offered: readonly Encoding[],
): Encoding | undefined {
  if (header === undefined) return undefined
  const accepted = new Set<string>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    if (!parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter))) accepted.add(name)
  }
  return offered.find((encoding) => accepted.has(encoding))
}

/**
 * `{scheme}://{public_key}[:{secret}]@{host}[:{port}][/{prefix}]/{project_id}`: the configuration
 * of a client.
 */
export interface Dsn {
  readonly publicKey: string
  /** Decimal digits, as in the DSN. */
  readonly projectText: string
}

const dsnPattern = /^https?:\/\/(\w+)(?::[^@/]*)?@[^/@]+(?:\/[^?#]*)?\/(\d+)\/?(?:[?#].*)?$/
const dsnCharactersMax = 2048

/** The key may be malformed or unknown; the caller checks it. */
export function parseDsn(text: string): Dsn | undefined {
  if (text.length > dsnCharactersMax) return undefined
  const match = dsnPattern.exec(text)
  if (match === null) return undefined
  return { publicKey: match[1]!, projectText: match[2]! }
}

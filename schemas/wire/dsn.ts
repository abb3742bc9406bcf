/** `{scheme}://{public_key}[:{secret}]@{host}[:{port}][/{prefix}]/{project_id}`: all that a client is configured with. */
export interface Dsn {
  readonly publicKey: string
  /** Decimal digits, as they stood in the DSN. */
  readonly projectText: string
}

const dsnPattern = /^https?:\/\/(\w+)(?::[^@/]*)?@[^/@]+(?:\/[^?#]*)?\/(\d+)\/?(?:[?#].*)?$/
const dsnCharactersMax = 2048

/** The key may still be malformed or unknown; that is for the one who checks credentials. */
export function parseDsn(text: string): Dsn | undefined {
  if (text.length > dsnCharactersMax) return undefined
  const match = dsnPattern.exec(text)
  if (match === null) return undefined
  return { publicKey: match[1]!, projectText: match[2]! }
}

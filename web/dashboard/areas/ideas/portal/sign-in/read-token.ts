/** The parts of a token, to be shown beside what the server says about it. Nothing is verified. */

export interface TokenClaim {
  readonly name: string
  readonly value: string
  /** What the value means, such as the time of `exp`. */
  readonly meaning: string | undefined
  readonly isWrong: boolean
}

export interface ReadToken {
  readonly header: readonly TokenClaim[]
  readonly claims: readonly TokenClaim[]
}

const claimsMax = 30
const valueCharactersMax = 300
const times = new Set(['exp', 'nbf', 'iat'])

/**
 * Undefined: it is not a token in compact form. `reason` is the server's, which names the claim at
 * fault in quotes.
 */
export function readToken(token: string, reason: string | undefined): ReadToken | undefined {
  const [header, claims, signature, ...more] = token.trim().split('.')
  if (header === undefined || claims === undefined) return undefined
  if (signature === undefined || more.length > 0) return undefined
  const [headerFields, claimFields] = [objectOf(header), objectOf(claims)]
  if (headerFields === undefined || claimFields === undefined) return undefined
  const isOfHeader = reason?.includes('header') === true
  const named = new Set([...(reason ?? '').matchAll(/"([a-z_]+)"/g)].map(([, name]) => name))
  const shown = (fields: Readonly<Record<string, unknown>>, mayBeWrong: boolean): TokenClaim[] =>
    Object.entries(fields)
      .slice(0, claimsMax)
      .map(([name, value]) => ({
        name,
        value: textOf(value),
        meaning: times.has(name) ? timeOf(value) : undefined,
        isWrong: mayBeWrong && named.has(name),
      }))
  return {
    header: shown(headerFields, isOfHeader),
    claims: shown(claimFields, reason !== undefined && !isOfHeader),
  }
}

function objectOf(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (byte) =>
      byte.charCodeAt(0),
    )
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > valueCharactersMax ? `${text.slice(0, valueCharactersMax)}…` : text
}

function timeOf(value: unknown): string | undefined {
  if (typeof value !== 'number') return undefined
  const date = new Date(value * 1_000)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/**
 * The signed token by which a project's own site says who its user is: a JWT (RFC 7519) in compact form, HS256 only. Written here
 * and not taken from a library because everything such a library offers beyond this (other algorithms, keys named by the token,
 * optional expiry) is what forgeries are made of. The checks stand in the order in which they are safe: nothing of the payload is
 * looked at before its signature holds.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { parseEmailAddress } from '#schemas/email-address.ts'
import { shownName } from '#schemas/visible-text.ts'

export interface TokenUser {
  readonly enduserId: string
  readonly email: string | undefined
  readonly name: string | undefined
}

export type CheckedToken =
  | { readonly kind: 'user'; readonly user: TokenUser }
  | { readonly kind: 'expired'; readonly reason: string }
  | { readonly kind: 'invalid'; readonly reason: string }

export interface TokenRules {
  /** The secrets that count now, the newest first. */
  readonly keys: readonly Uint8Array[]
  readonly projectKey: string
  readonly nowMs: number
}

const tokenBytesMax = 4_096
const leewaySeconds = 60
const secondsAheadMax = 30 * 24 * 3_600
export const enduserNameCharactersMax = 255
export const enduserIdCharactersMax = 255

const base64url = /^[A-Za-z0-9_-]+$/

const Header = z.looseObject({
  alg: z.unknown().optional(),
  typ: z.unknown().optional(),
  crit: z.unknown().optional(),
})
const Claims = z.looseObject({
  sub: z.unknown().optional(),
  exp: z.unknown().optional(),
  iat: z.unknown().optional(),
  nbf: z.unknown().optional(),
  email: z.unknown().optional(),
  name: z.unknown().optional(),
  project_key: z.unknown().optional(),
})
type Claims = z.infer<typeof Claims>

export function checkEndUserToken(token: string, rules: TokenRules): CheckedToken {
  if (tokenBytesMax < Buffer.byteLength(token)) return invalid('it is longer than 4 KiB')
  const parts = token.split('.')
  const [header, payload, signature] = parts
  if (parts.length !== 3 || !header || !payload || !signature) {
    return invalid('it does not have three parts with dots between them')
  }
  const [headerBytes, payloadBytes, mac] = parts.map(strictBase64url)
  if (headerBytes === undefined || payloadBytes === undefined || mac === undefined) {
    return invalid('a part is not base64url without padding')
  }

  const head = Header.safeParse(jsonOf(headerBytes))
  if (!head.success) return invalid('its header is not a JSON object')
  if (head.data.alg !== 'HS256') return invalid('its header does not say "alg": "HS256"')
  if (head.data.typ !== undefined && head.data.typ !== 'JWT') {
    return invalid('its header says another "typ" than "JWT"')
  }
  if ('crit' in head.data) return invalid('its header has "crit", which nothing here understands')

  if (!isSigned(`${header}.${payload}`, mac, rules.keys)) {
    return invalid(
      'its signature was not made with a secret of this project; the key is the secret’s text itself, not what it decodes to',
    )
  }
  const claims = Claims.safeParse(jsonOf(payloadBytes))
  if (!claims.success) return invalid('its payload is not a JSON object')
  return checkTimes(claims.data, rules.nowMs / 1000) ?? checkUser(claims.data, rules.projectKey)
}

function isSigned(message: string, mac: Uint8Array, keys: readonly Uint8Array[]): boolean {
  return keys.some((key) => {
    if (key.length === 0) return false
    const want = createHmac('sha256', key).update(message).digest()
    return mac.length === want.length && timingSafeEqual(mac, want)
  })
}

function checkTimes(claims: Claims, nowSeconds: number): CheckedToken | undefined {
  const { exp, iat, nbf } = claims
  if (!isTime(exp)) return invalid('"exp" is missing or no number')
  if (exp + leewaySeconds <= nowSeconds) {
    return { kind: 'expired', reason: `"exp" was ${new Date(exp * 1000).toISOString()}` }
  }
  // A token for ever is a password that leaked.
  if (nowSeconds + secondsAheadMax < exp) return invalid('"exp" is more than 30 days ahead')
  for (const [name, time] of [
    ['nbf', nbf],
    ['iat', iat],
  ] as const) {
    if (time === undefined) continue
    if (!isTime(time)) return invalid(`"${name}" is no number`)
    if (nowSeconds + leewaySeconds < time) return invalid(`"${name}" is in the future`)
  }
  return undefined
}

/** Of the years that a date can show; NaN and infinity are no times. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= 8_640_000_000_000
}

function checkUser(claims: Claims, projectKey: string): CheckedToken {
  const { sub, email, name, project_key } = claims
  if (typeof sub !== 'string') return invalid('"sub" is missing or no text')
  const enduserId = sub.trim()
  const wrong = enduserIdError(enduserId)
  if (wrong !== undefined) return invalid(`"sub" ${wrong}`)
  if (project_key !== undefined) {
    const named = typeof project_key === 'string' ? project_key.toLowerCase() : undefined
    if (named !== projectKey) return invalid('"project_key" names another project')
  }
  let address: string | undefined
  if (email !== undefined && email !== null && email !== '') {
    if (typeof email !== 'string') return invalid('"email" is no text')
    const parsed = parseEmailAddress(email)
    if (parsed.kind === 'invalid') return invalid(`"email" ${parsed.rule}`)
    address = parsed.email
  }
  return { kind: 'user', user: { enduserId, email: address, name: nameOf(name) } }
}

/** Of the trimmed text; undefined: it can name a user. */
export function enduserIdError(enduserId: string): string | undefined {
  if (enduserId === '') return 'must not be blank'
  if (enduserIdCharactersMax < enduserId.length) return 'must have at most 255 characters'
  if (/\p{Cc}/u.test(enduserId)) return 'must not hold control characters'
  // Two ids that differ in half a character alone would be stored as the same one.
  return /\p{Cs}/u.test(enduserId) ? 'must be well-formed Unicode' : undefined
}

/** A name is only shown: an odd one is no reason to turn its owner away. */
function nameOf(name: unknown): string | undefined {
  return typeof name === 'string' ? shownName(name, enduserNameCharactersMax) : undefined
}

/** One text for the same bytes: no padding, no other alphabet, no bits to spare. */
function strictBase64url(part: string): Buffer | undefined {
  if (!base64url.test(part)) return undefined
  const bytes = Buffer.from(part, 'base64url')
  return bytes.toString('base64url') === part ? bytes : undefined
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

function invalid(reason: string): CheckedToken {
  return { kind: 'invalid', reason }
}

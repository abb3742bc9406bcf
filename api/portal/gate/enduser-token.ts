/**
 * Checks the token with which a project's own site signs who its user is: a JWT (RFC 7519) in
 * compact form, HS256 only. `jose` verifies the signature; our stricter rules are around it. Before
 * it: one encoding for the same bytes, no `crit`, no other `typ`. After it: `exp` is required and
 * at most 30 days ahead, and the claims name a user. Nothing of the payload is read before the
 * signature is valid.
 */
import { compactVerify, errors } from 'jose'
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
  /** Live secrets of the project, newest first. */
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

export async function checkEndUserToken(token: string, rules: TokenRules): Promise<CheckedToken> {
  if (tokenBytesMax < Buffer.byteLength(token)) return invalid('it is longer than 4 KiB')
  const parts = token.split('.')
  if (parts.length !== 3 || parts.includes('')) {
    return invalid('it does not have three parts separated by dots')
  }
  const [headerBytes, payloadBytes, signature] = parts.map(strictBase64url)
  if (headerBytes === undefined || payloadBytes === undefined || signature === undefined) {
    return invalid('a part is not base64url without padding')
  }

  const header = Header.safeParse(jsonOf(headerBytes))
  if (!header.success) return invalid('its header is not a JSON object')
  if (header.data.alg !== 'HS256') return invalid('its header does not have "alg": "HS256"')
  if (header.data.typ !== undefined && header.data.typ !== 'JWT') {
    return invalid('its header has a "typ" other than "JWT"')
  }
  if ('crit' in header.data) return invalid('its header has "crit", which is not supported')

  if (!(await isSigned(token, rules.keys))) {
    return invalid(
      'its signature was not made with a secret of this project; the key is the text of the secret as UTF-8, not decoded',
    )
  }
  const claims = Claims.safeParse(jsonOf(payloadBytes))
  if (!claims.success) return invalid('its payload is not a JSON object')
  return checkTimes(claims.data, rules.nowMs / 1000) ?? checkUser(claims.data, rules.projectKey)
}

async function isSigned(token: string, keys: readonly Uint8Array[]): Promise<boolean> {
  for (const key of keys) {
    if (key.length > 0 && (await isSignedWith(token, key))) return true
  }
  return false
}

async function isSignedWith(token: string, key: Uint8Array): Promise<boolean> {
  try {
    await compactVerify(token, key, { algorithms: ['HS256'] })
    return true
  } catch (error) {
    if (error instanceof errors.JOSEError) return false
    throw error
  }
}

function checkTimes(claims: Claims, nowSeconds: number): CheckedToken | undefined {
  const { exp, iat, nbf } = claims
  if (!isTime(exp)) return invalid('"exp" is missing or not a number')
  if (exp + leewaySeconds <= nowSeconds) {
    return { kind: 'expired', reason: `"exp" was ${new Date(exp * 1000).toISOString()}` }
  }
  // A leaked token without an end would be as good as a password.
  if (nowSeconds + secondsAheadMax < exp) return invalid('"exp" is more than 30 days ahead')
  for (const [name, time] of [
    ['nbf', nbf],
    ['iat', iat],
  ] as const) {
    if (time === undefined) continue
    if (!isTime(time)) return invalid(`"${name}" is not a number`)
    if (nowSeconds + leewaySeconds < time) return invalid(`"${name}" is in the future`)
  }
  return undefined
}

/** Seconds since 1970 that a Date can represent; neither NaN nor infinity. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= 8_640_000_000_000
}

function checkUser(claims: Claims, projectKey: string): CheckedToken {
  const { sub, email, name, project_key } = claims
  if (typeof sub !== 'string') return invalid('"sub" is missing or not a string')
  const enduserId = sub.trim()
  const wrong = enduserIdError(enduserId)
  if (wrong !== undefined) return invalid(`"sub" ${wrong}`)
  if (project_key !== undefined) {
    const named = typeof project_key === 'string' ? project_key.toLowerCase() : undefined
    if (named !== projectKey) return invalid('"project_key" names another project')
  }
  let address: string | undefined
  if (email !== undefined && email !== null && email !== '') {
    if (typeof email !== 'string') return invalid('"email" is not a string')
    const parsed = parseEmailAddress(email)
    if (parsed.kind === 'invalid') return invalid(`"email" ${parsed.rule}`)
    address = parsed.email
  }
  return { kind: 'user', user: { enduserId, email: address, name: nameOf(name) } }
}

/** The rule that a trimmed id of a user breaks. Undefined: the id is valid. */
export function enduserIdError(enduserId: string): string | undefined {
  if (enduserId === '') return 'must not be blank'
  if (enduserIdCharactersMax < enduserId.length) return 'must have at most 255 characters'
  if (/\p{Cc}/u.test(enduserId)) return 'must not contain control characters'
  // Ids that differ only in a lone surrogate would be stored as the same id.
  return /\p{Cs}/u.test(enduserId) ? 'must be well-formed Unicode' : undefined
}

/** A name is for display only, so an invalid one does not invalidate the token. */
function nameOf(name: unknown): string | undefined {
  return typeof name === 'string' ? shownName(name, enduserNameCharactersMax) : undefined
}

/**
 * Undefined: padding, another alphabet or unused bits, so another text could mean the same bytes.
 */
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

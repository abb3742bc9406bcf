import { createHash, randomBytes } from 'node:crypto'

/** A credential of ours. Its 256 random bits make a slow hash pointless, and one index probe finds it. */
export interface Secret {
  readonly value: string
  /** What may be shown later, so that people can tell one from another. */
  readonly prefix: string
  readonly hash: Buffer
}

export type SecretKind = 'oat_' | 'emk_'

export const secretPattern = /^(?:oat|emk)_[A-Za-z0-9_-]{43}$/

const tokenPattern = /^[A-Za-z0-9_-]{43}$/

const shownCharacters = 6

export function makeSecret(kind: SecretKind): Secret {
  const value = `${kind}${randomBytes(32).toString('base64url')}`
  return {
    value,
    prefix: value.slice(0, kind.length + shownCharacters),
    hash: hashSecret(value),
  }
}

/** The value of a login's cookie or of a one-time link: nobody tells such values apart by eye. */
export function makeToken(): { value: string; hash: Buffer } {
  const value = randomBytes(32).toString('base64url')
  return { value, hash: hashSecret(value) }
}

export function isToken(text: string): boolean {
  return tokenPattern.test(text)
}

export function hashSecret(value: string): Buffer {
  return createHash('sha256').update(value).digest()
}

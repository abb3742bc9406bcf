import { createHash, randomBytes } from 'node:crypto'

/** A random credential. With 256 bits a fast hash is safe, and one index lookup finds it. */
export interface Secret {
  readonly value: string
  /** The beginning of the value, which is shown later to tell credentials apart. */
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

/**
 * The value of a login cookie or a one-time link. It has no prefix, because people never see such
 * values in a list.
 */
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

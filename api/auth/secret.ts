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

const shownCharacters = 6

export function makeSecret(kind: SecretKind): Secret {
  const value = `${kind}${randomBytes(32).toString('base64url')}`
  return {
    value,
    prefix: value.slice(0, kind.length + shownCharacters),
    hash: hashSecret(value),
  }
}

export function hashSecret(value: string): Buffer {
  return createHash('sha256').update(value).digest()
}

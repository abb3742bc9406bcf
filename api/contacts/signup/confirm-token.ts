import { createHash, randomBytes } from 'node:crypto'

const tokenPattern = /^[A-Za-z0-9_-]{43}$/

/** Proves access to the mailbox it is sent to. The email holds `value`; only `hash` is stored. */
export function makeConfirmToken(): { value: string; hash: Buffer } {
  const value = randomBytes(32).toString('base64url')
  return { value, hash: sha256(value) }
}

/** Undefined when the text does not have the form of a token. */
export function hashConfirmToken(value: string): Buffer | undefined {
  return tokenPattern.test(value) ? sha256(value) : undefined
}

function sha256(value: string): Buffer {
  return createHash('sha256').update(value).digest()
}

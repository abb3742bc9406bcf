import { createHash, randomBytes } from 'node:crypto'

const tokenPattern = /^[A-Za-z0-9_-]{43}$/

/** Whoever holds it can read the mailbox that it was sent to. `value` is in the letter, only `hash` is kept. */
export function makeConfirmToken(): { value: string; hash: Buffer } {
  const value = randomBytes(32).toString('base64url')
  return { value, hash: sha256(value) }
}

/** Undefined: no token of ours looks like this. */
export function hashConfirmToken(value: string): Buffer | undefined {
  return tokenPattern.test(value) ? sha256(value) : undefined
}

function sha256(value: string): Buffer {
  return createHash('sha256').update(value).digest()
}

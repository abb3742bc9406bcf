/**
 * Argon2id, with the library's defaults: 19 MiB and two passes, as OWASP advises. An address that nobody has is checked against a
 * hash all the same, so that the time of an answer does not tell which addresses there are.
 */
import { hash, verify } from '@node-rs/argon2'

/** Of random bytes that nobody kept; made with the same costs as every other one. */
const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$YfxtPQXqW2VrJ8Gd63Nlng$NL7InYlpJmYYFuH74w/1DAEH/g7P8tE+B3X3bJIO0sY'

export function hashPassword(password: string): Promise<string> {
  return hash(password)
}

export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  const matches = await verify(stored ?? nobodysHash, password)
  return matches && stored !== null
}

/**
 * Argon2id with the defaults of the library: 19 MiB and two passes, as OWASP recommends. An unknown
 * address is checked against a hash as well, so that the response time does not reveal it.
 */
import { hash, verify } from '@node-rs/argon2'

/** The hash of random bytes that are not stored anywhere. It costs as much as every other hash. */
const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$YfxtPQXqW2VrJ8Gd63Nlng$NL7InYlpJmYYFuH74w/1DAEH/g7P8tE+B3X3bJIO0sY'

export function hashPassword(password: string): Promise<string> {
  return hash(password)
}

export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  const matches = await verify(stored ?? nobodysHash, password)
  return matches && stored !== null
}

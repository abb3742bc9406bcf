/**
 * Uses of the installation's secret. Each purpose has its own key, derived by HKDF (RFC 5869), so
 * that a leaked key reveals nothing about the others. Links are signed with HMAC-SHA256; values
 * that must be readable again are encrypted ("sealed") with AES-256-GCM. During a rotation there
 * are two secrets: new values use the current one, and values of the previous one are accepted.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import type { SealPurpose } from '#schemas/sealed-columns.ts'
import type { Env } from './env.ts'

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** Shorter than HMAC-SHA256's 32 bytes and still infeasible to guess; RFC 2104 §5 allows half. */
export const macBytes = 16

/** The current secret, followed by the previous one during a rotation. */
export function secretsOf(
  env: Env<'SLUICE_SECRET' | 'SLUICE_SECRET_PREVIOUS'>,
): [string, ...string[]] {
  const { SLUICE_SECRET: current, SLUICE_SECRET_PREVIOUS: previous } = env
  return previous === undefined ? [current] : [current, previous]
}

export class SecretBox {
  readonly #current: DerivedKeys
  readonly #previous: DerivedKeys | undefined

  /** Reads both secrets from the environment, so that no caller omits the previous one. */
  static fromEnv(env: Env<'SLUICE_SECRET' | 'SLUICE_SECRET_PREVIOUS'>): SecretBox {
    return new SecretBox(env.SLUICE_SECRET, env.SLUICE_SECRET_PREVIOUS)
  }

  /** Both have at least 32 characters and are the same in every process of an installation. */
  constructor(secret: string, previousSecret?: string | undefined) {
    this.#current = new DerivedKeys(secret)
    this.#previous = previousSecret === undefined ? undefined : new DerivedKeys(previousSecret)
  }

  /** A signature of 16 bytes for this purpose and message, made with the current secret. */
  mac(purpose: string, message: string | Uint8Array): Buffer {
    return macWith(this.#current.of(purpose), message)
  }

  /** Whether the signature was made with the current or the previous secret. */
  isMac(purpose: string, message: string | Uint8Array, mac: Uint8Array): boolean {
    if (mac.length !== macBytes) return false
    if (timingSafeEqual(mac, this.mac(purpose, message))) return true
    const previous = this.#previous?.of(purpose)
    return previous !== undefined && timingSafeEqual(mac, macWith(previous, message))
  }

  /**
   * Encrypts a text into nonce, tag and cipher text. `place` names its row; the result opens only
   * with the same `place`, so that it cannot be moved to another row.
   */
  seal(purpose: SealPurpose, place: string, text: string): Buffer {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#current.of(purpose), nonce)
    cipher.setAAD(Buffer.from(place))
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), body])
  }

  /**
   * Decrypts a sealed text. Throws if it was sealed under neither secret, for another purpose or
   * for another place.
   */
  open(purpose: SealPurpose, place: string, sealed: Uint8Array): string {
    try {
      return openWith(this.#current.of(purpose), place, sealed)
    } catch (error) {
      if (this.#previous === undefined) throw error
      return openWith(this.#previous.of(purpose), place, sealed)
    }
  }

  /**
   * For `admin secret rotate`: seals the text under the current secret if only the previous one
   * opens it.
   */
  reseal(purpose: SealPurpose, place: string, sealed: Uint8Array): Resealed {
    if (opens(this.#current.of(purpose), place, sealed)) return { kind: 'current' }
    const previous = this.#previous?.of(purpose)
    if (previous === undefined || !opens(previous, place, sealed)) return { kind: 'unreadable' }
    return {
      kind: 'resealed',
      sealed: this.seal(purpose, place, openWith(previous, place, sealed)),
    }
  }
}

export type Resealed =
  | { readonly kind: 'current' }
  | { readonly kind: 'resealed'; readonly sealed: Buffer }
  | { readonly kind: 'unreadable' }

/** The keys of one secret, each derived on first use. */
class DerivedKeys {
  readonly #secret: string
  readonly #keys = new Map<string, Buffer>()

  constructor(secret: string) {
    this.#secret = secret
  }

  of(purpose: string): Buffer {
    const known = this.#keys.get(purpose)
    if (known !== undefined) return known
    const key = Buffer.from(hkdfSync('sha256', this.#secret, '', `sluice ${purpose}`, keyBytes))
    this.#keys.set(purpose, key)
    return key
  }
}

function macWith(key: Buffer, message: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update(message).digest().subarray(0, macBytes)
}

function openWith(key: Buffer, place: string, sealed: Uint8Array): string {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes))
  decipher.setAAD(Buffer.from(place))
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes))
  const body = sealed.subarray(nonceBytes + tagBytes)
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
}

function opens(key: Buffer, place: string, sealed: Uint8Array): boolean {
  try {
    openWith(key, place, sealed)
    return true
  } catch {
    return false
  }
}

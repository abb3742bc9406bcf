/**
 * What one secret of the installation is good for. Each purpose has its own key, derived by HKDF (RFC 5869), so that what leaks of
 * one says nothing of another: links are signed by HMAC-SHA256, values that must be read again are sealed by AES-256-GCM.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** Shorter than HMAC's own 32 bytes, long enough that nobody guesses one: RFC 2104 §5 allows half. */
export const macBytes = 16

export class SecretBox {
  readonly #secret: string
  readonly #keys = new Map<string, Buffer>()

  /** `secret`: at least 32 characters, the same in every process of an installation. */
  constructor(secret: string) {
    this.#secret = secret
  }

  /** 16 bytes that only this installation can make of these bytes for this purpose. */
  mac(purpose: string, message: string | Uint8Array): Buffer {
    return createHmac('sha256', this.#key(purpose)).update(message).digest().subarray(0, macBytes)
  }

  isMac(purpose: string, message: string | Uint8Array, mac: Uint8Array): boolean {
    return mac.length === macBytes && timingSafeEqual(mac, this.mac(purpose, message))
  }

  /** Nonce, tag and cipher text in one; `place` names the row it belongs to, so that it cannot be moved to another. */
  seal(purpose: string, place: string, text: string): Buffer {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#key(purpose), nonce)
    cipher.setAAD(Buffer.from(place))
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), body])
  }

  /** Throws when the bytes were sealed under another secret, for another purpose or for another place. */
  open(purpose: string, place: string, sealed: Uint8Array): string {
    const nonce = sealed.subarray(0, nonceBytes)
    const decipher = createDecipheriv('aes-256-gcm', this.#key(purpose), nonce)
    decipher.setAAD(Buffer.from(place))
    decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes))
    const body = sealed.subarray(nonceBytes + tagBytes)
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
  }

  #key(purpose: string): Buffer {
    const known = this.#keys.get(purpose)
    if (known !== undefined) return known
    const key = Buffer.from(hkdfSync('sha256', this.#secret, '', `sluice ${purpose}`, keyBytes))
    this.#keys.set(purpose, key)
    return key
  }
}

import { createPublicKey, generateKeyPair, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'

const generate = promisify(generateKeyPair)

export interface DkimKeyPair {
  /** The private key in PKCS #8. */
  readonly privatePem: string
  /** DER in base64, the form of the DNS record. */
  readonly publicKey: string
}

/**
 * Makes an RSA key of 2048 bits, which every receiver verifies, and checks that the pair fits
 * before it signs emails.
 */
export async function makeDkimKey(): Promise<DkimKeyPair> {
  const { privateKey } = await generate('rsa', { modulusLength: 2048 })
  const publicKey = createPublicKey(privateKey)
  const sample = Buffer.from('sample')
  if (!verify('sha256', sample, publicKey, sign('sha256', sample, privateKey))) {
    throw new Error('the new DKIM key does not verify what it signs')
  }
  return {
    privatePem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  }
}

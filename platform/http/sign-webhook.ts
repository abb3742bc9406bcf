/**
 * Signatures of outgoing webhooks as Standard Webhooks 1.0 describes them: HMAC-SHA256 over
 * `<id>.<timestamp>.<body>`. During a rotation there is one signature for each secret.
 */
import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'
const newSecretBytes = 32
const secretBytesMin = 24
const secretBytesMax = 64

/** A new random secret, as it is shown once to the person who creates the webhook. */
export function createWebhookSecret(): string {
  return `${prefix}${randomBytes(newSecretBytes).toString('base64')}`
}

/** Whether the text is `whsec_` and the base64 of 24 to 64 bytes. */
export function isWebhookSecret(text: string): boolean {
  return keyOf(text) !== undefined
}

export interface UnsignedWebhook {
  /** The same for every attempt, so that receivers recognise what they have processed. */
  readonly id: string
  /** Time of the attempt; receivers refuse old ones. */
  readonly atMs: number
  /** Exactly the bytes that are sent. */
  readonly body: string
  /** Invalid ones are an error of ours, because they were checked when they were stored. */
  readonly secrets: readonly string[]
}

export function signWebhook({ id, atMs, body, secrets }: UnsignedWebhook): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1_000))
  const signatures = secrets.map((secret) => {
    const key = keyOf(secret)
    if (key === undefined) throw new Error('a webhook secret is invalid')
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`)
    return `v1,${mac.digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

function keyOf(secret: string): Buffer | undefined {
  if (!secret.startsWith(prefix)) return undefined
  const text = secret.slice(prefix.length)
  const key = Buffer.from(text, 'base64')
  const isBase64 = key.toString('base64') === text
  return isBase64 && secretBytesMin <= key.length && key.length <= secretBytesMax ? key : undefined
}
